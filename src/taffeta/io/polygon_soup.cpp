#include "taffeta/io/polygon_soup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "taffeta/mesh/place.h"
#include "taffeta/mesh/triangulate.h"

namespace taffeta::io {

namespace {

class Cutter {
  public:
    Cutter(const PolygonSoup& soup, mesh::TriMesh& mesh) : soup_(soup), mesh_(mesh) {}

    void run() {
        has_uv_ = !mesh_.uv.empty() && std::any_of(soup_.corner_uv.begin(), soup_.corner_uv.end(),
                                                   [](Index uv) { return uv >= 0; });
        if (!has_uv_) mesh_.uv.clear();
        for (Index p = 0; p < soup_.count(); ++p) {
            check(p);
            cut(p);
        }
    }

    void report(Diagnostics& diagnostics) const {
        const auto say = [&](const std::vector<Index>& polygons, Severity severity, const char* one,
                             const char* many, const char* hint) {
            if (polygons.empty()) return;
            diagnostics.push_back(
                {severity, place(polygons[0]),
                 fmt::format("{}: polygon {}", mesh::counted(polygons.size(), one, many),
                             mesh::first_of(polygons)),
                 hint});
        };
        say(cut_, Severity::note, "polygon cut into triangles", "polygons cut into triangles", "");
        say(crossed_, Severity::warning, "polygon crosses itself or has no area",
            "polygons cross themselves or have no area", "cut as a fan: look at them");
    }

    std::vector<Index> polygon_of;

  private:
    std::string place(Index p) const {
        const std::string file = mesh::mesh_place(mesh_);
        return soup_.line.empty() ? file : fmt::format("{}:{}", file, soup_.line[std::size_t(p)]);
    }

    void check(Index p) const {
        const auto refuse = [&](const char* what, Index index, std::size_t count) {
            if (count == 0)
                fail_input(place(p),
                           fmt::format("face {} names {} {}, but there are none", p, what, index));
            fail_input(place(p),
                       fmt::format("face {} names {} {}, but the last one is {}", p, what, index,
                                   count - 1),
                       "counted from 0; OBJ files count from 1");
        };
        const Index begin = soup_.start[std::size_t(p)], end = soup_.start[std::size_t(p) + 1];
        if (end - begin < 3)
            fail_input(place(p),
                       fmt::format("face {} has {}, it needs three", p,
                                   mesh::counted(std::size_t(end - begin), "corner", "corners")));
        for (Index c = begin; c < end; ++c) {
            const Index vertex = soup_.corner[std::size_t(c)];
            if (vertex < 0 || std::size_t(vertex) >= mesh_.position.size())
                refuse("vertex", vertex, mesh_.position.size());
            if (soup_.corner_uv.empty()) continue;
            const Index uv = soup_.corner_uv[std::size_t(c)];
            if (uv >= 0 && std::size_t(uv) >= mesh_.uv.size()) refuse("uv", uv, mesh_.uv.size());
        }
    }

    void cut(Index p) {
        const Index begin = soup_.start[std::size_t(p)], end = soup_.start[std::size_t(p) + 1];
        triangles_.clear();
        if (end - begin == 3) {
            triangles_.push_back({0, 1, 2});
        } else {
            corners_.clear();
            for (Index c = begin; c < end; ++c)
                corners_.push_back(mesh_.position[std::size_t(soup_.corner[std::size_t(c)])]);
            const mesh::PolygonKind kind = mesh::triangulate(corners_, triangles_);
            (kind == mesh::PolygonKind::not_simple ? crossed_ : cut_).push_back(p);
        }
        for (const Triangle& triangle : triangles_) {
            Triangle face, face_uv;
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t c = std::size_t(begin + triangle[k]);
                face[k] = soup_.corner[c];
                if (has_uv_) face_uv[k] = soup_.corner_uv[c];
            }
            mesh_.face.push_back(face);
            polygon_of.push_back(p);
            if (has_uv_) mesh_.face_uv.push_back(face_uv);
            if (!soup_.line.empty()) mesh_.face_line.push_back(soup_.line[std::size_t(p)]);
        }
    }

    const PolygonSoup& soup_;
    mesh::TriMesh& mesh_;
    bool has_uv_ = false;
    std::vector<Triangle> triangles_;
    std::vector<Vec3> corners_;
    std::vector<Index> cut_, crossed_;
};

}  // namespace

std::vector<Index> add_triangles(const PolygonSoup& soup, mesh::TriMesh& mesh,
                                 Diagnostics& diagnostics) {
    Cutter cutter(soup, mesh);
    cutter.run();
    cutter.report(diagnostics);
    return std::move(cutter.polygon_of);
}

}  // namespace taffeta::io
