#include "taffeta/io/ply_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "taffeta/io/ply_source.h"
#include "taffeta/io/polygon_soup.h"
#include "taffeta/mesh/place.h"
#include "taffeta/mesh/validate.h"

namespace taffeta::io {

namespace {

template <class Source>
class PlyReader {
  public:
    PlyReader(Source& source, const PlyHeader& header, mesh::TriMesh& mesh, PolygonSoup& soup)
        : source_(source), header_(header), mesh_(mesh), soup_(soup) {}

    void read() {
        for (const PlyElement& element : header_.element) {
            if (!source_.has_room(element))
                source_.fail(fmt::format("{} elements '{}' do not fit into the rest of the file",
                                         element.count, shown(element.name)),
                             "the file is cut short, or its header is wrong");
            if (element.name == "vertex")
                vertices(element);
            else if (element.name == "face")
                faces(element);
            else if (element.name == "tristrips")
                source_.fail("triangle strips are not read", "save it with a list of faces");
            else
                skip(element);
        }
        finish_uv();
    }

  private:
    void vertices(const PlyElement& element) {
        const std::array<int, 5> wanted = {element.find({"x"}), element.find({"y"}),
                                           element.find({"z"}),
                                           element.find({"u", "s", "texture_u", "texture_s"}),
                                           element.find({"v", "t", "texture_v", "texture_t"})};
        for (const int property : wanted)
            if (property >= 0 && element.property[std::size_t(property)].count_type)
                source_.fail("a coordinate that is a list");
        if (wanted[0] < 0 || wanted[1] < 0 || wanted[2] < 0)
            source_.fail("the vertices have no x, y and z");
        limit(element.count, "vertices");
        const bool has_uv = wanted[3] >= 0 && wanted[4] >= 0;
        mesh_.position.reserve(std::size_t(element.count));
        std::vector<double> value(element.property.size());
        for (std::int64_t i = 0; i < element.count; ++i) {
            source_.begin(element);
            for (std::size_t p = 0; p < value.size(); ++p)
                value[p] = any_value(element.property[p]);
            source_.end(element);
            const auto at = [&](std::size_t k) { return value[std::size_t(wanted[k])]; };
            mesh_.position.emplace_back(at(0), at(1), at(2));
            check_position(i);
            if (has_uv) mesh_.uv.emplace_back(at(3), at(4));
            if (Source::has_lines) mesh_.position_line.push_back(source_.line());
        }
    }

    void check_position(std::int64_t i) const {
        const Vec3& x = mesh_.position.back();
        if (!x.allFinite())
            source_.fail(fmt::format("vertex {} is at {}, not finite", i, mesh::point_text(x)),
                         "the program that wrote the file failed there");
        if (x.template lpNorm<Eigen::Infinity>() > mesh::largest_coordinate)
            source_.fail(fmt::format("vertex {} is at {}, beyond {:.0e} m", i, mesh::point_text(x),
                                     mesh::largest_coordinate),
                         "check the units");
    }

    void faces(const PlyElement& element) {
        const int corners = element.find({"vertex_indices", "vertex_index"});
        const int texture = element.find({"texcoord"});
        if (corners < 0 || !element.property[std::size_t(corners)].count_type)
            source_.fail("the faces have no list vertex_indices");
        limit(element.count, "faces");
        std::vector<double> uv;
        for (std::int64_t i = 0; i < element.count; ++i) {
            source_.begin(element);
            uv.clear();
            for (std::size_t p = 0; p < element.property.size(); ++p) {
                const PlyProperty& property = element.property[p];
                if (int(p) == corners)
                    corner_list(i, property);
                else if (int(p) == texture && property.count_type)
                    list(property, [&](double value) { uv.push_back(value); });
                else
                    any_value(property);
            }
            source_.end(element);
            soup_.start.push_back(Index(soup_.corner.size()));
            if (Source::has_lines) soup_.line.push_back(source_.line());
            if (texture >= 0) face_texture(i, uv);
        }
    }

    void corner_list(std::int64_t face, const PlyProperty& property) {
        list(property, [&](double value) {
            if (!(value >= 0) || value > double(mesh::largest_count) || value != std::floor(value))
                source_.fail(fmt::format("face {} names vertex {}", face, value));
            soup_.corner.push_back(Index(value));
        });
        limit(std::int64_t(soup_.corner.size()) / 3, "face corners");
    }

    /// u v of every corner in turn, or nothing for a face without.
    void face_texture(std::int64_t face, const std::vector<double>& uv) {
        const std::size_t end = soup_.corner.size(), corners = end - soup_.corner_uv.size();
        if (uv.empty()) {
            soup_.corner_uv.resize(end, -1);
            return;
        }
        if (uv.size() != 2 * corners)
            source_.fail(fmt::format("face {} has {} texture coordinates for {} corners", face,
                                     uv.size(), corners),
                         "two for each corner");
        for (std::size_t k = 0; k < corners; ++k) {
            soup_.corner_uv.push_back(Index(face_uv_.size()));
            face_uv_.emplace_back(uv[2 * k], uv[2 * k + 1]);
        }
    }

    void skip(const PlyElement& element) {
        if (element.property.empty() && !Source::has_lines) return;
        for (std::int64_t i = 0; i < element.count; ++i) {
            source_.begin(element);
            for (const PlyProperty& property : element.property)
                any_value(property);
            source_.end(element);
        }
    }

    /// A scalar, or 0 behind a list that is skipped.
    double any_value(const PlyProperty& property) {
        if (!property.count_type) return source_.value(property.type);
        list(property, [](double) {});
        return 0;
    }

    template <class Body>
    void list(const PlyProperty& property, const Body& body) {
        const double count = source_.value(*property.count_type);
        if (!(count >= 0) || count > 4e9 || count != std::floor(count) ||
            !source_.has_list_room(std::int64_t(count), property.type))
            source_.fail(
                fmt::format("a list '{}' of {} values does not fit into the rest of the file",
                            shown(property.name), count));
        for (std::int64_t i = 0; i < std::int64_t(count); ++i)
            body(source_.value(property.type));
    }

    /// A face's own texture coordinates go before those of the vertices.
    void finish_uv() {
        if (!face_uv_.empty())
            mesh_.uv = std::move(face_uv_);
        else if (!mesh_.uv.empty())
            soup_.corner_uv = soup_.corner;
    }

    void limit(std::int64_t count, const char* what) const {
        if (count > mesh::largest_count)
            source_.fail(fmt::format("{} {} are too many", count, what),
                         fmt::format("at most {}", mesh::largest_count));
    }

    Source& source_;
    const PlyHeader& header_;
    mesh::TriMesh& mesh_;
    PolygonSoup& soup_;
    std::vector<Vec2> face_uv_;
};

template <class Source>
void read_body(Source source, const PlyHeader& header, mesh::TriMesh& mesh, PolygonSoup& soup) {
    PlyReader<Source>(source, header, mesh, soup).read();
}

}  // namespace

mesh::TriMesh read_ply(std::string_view bytes, const std::string& file, Diagnostics& diagnostics) {
    const std::string where = escaped(file);
    LineReader lines(bytes, where, false);
    const PlyHeader header = read_ply_header(lines);
    mesh::TriMesh mesh;
    mesh.source = file;
    PolygonSoup soup;
    switch (header.encoding) {
        case PlyEncoding::ascii:
            require_text(bytes, where);
            read_body(PlyText(lines), header, mesh, soup);
            break;
        case PlyEncoding::little_endian:
            read_body(PlyBytes<false>(lines.rest(), where), header, mesh, soup);
            break;
        case PlyEncoding::big_endian:
            read_body(PlyBytes<true>(lines.rest(), where), header, mesh, soup);
            break;
    }
    add_triangles(soup, mesh, diagnostics);
    return mesh;
}

}  // namespace taffeta::io
