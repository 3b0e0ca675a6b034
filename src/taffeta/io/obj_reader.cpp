#include "taffeta/io/obj_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "taffeta/io/polygon_soup.h"
#include "taffeta/io/text_reader.h"
#include "taffeta/mesh/place.h"
#include "taffeta/mesh/validate.h"

namespace taffeta::io {

namespace {

constexpr std::size_t most_names = 256;

/// Known, and not needed.
constexpr std::array<std::string_view, 15> skipped_keywords = {
    "vp",    "s",        "p",        "usemtl", "mtllib",     "usemap",    "maplib", "mg",
    "bevel", "c_interp", "d_interp", "lod",    "shadow_obj", "trace_obj", "seam"};

constexpr std::array<std::string_view, 18> free_form_keywords = {
    "cstype", "deg",  "bmat", "step", "curv", "curv2", "surf",  "parm", "trim",
    "hole",   "scrv", "sp",   "end",  "con",  "ctech", "stech", "call", "csh"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Polygons [begin, end) stood under these names.
struct GroupRange {
    std::vector<std::string> names;
    Index begin = 0, end = 0;
};

/// Keywords that were passed over: how many lines, and the first.
struct Skipped {
    std::size_t lines = 0;
    std::string keyword, place;

    void add(std::string_view word, const LineReader& line) {
        if (lines++ > 0) return;
        keyword = shown(word);
        place = line.place();
    }
};

/// Where the largest index of a kind stood, to be checked when the file's end tells the count.
struct LargestIndex {
    Index index = -1;
    int line = 0;

    void note(Index other, const LineReader& lines) {
        if (other <= index) return;
        index = other;
        line = lines.number();
    }
};

class ObjReader {
  public:
    ObjReader(std::string_view bytes, const std::string& file, Diagnostics& diagnostics)
        : lines_(bytes, escaped(file)), diagnostics_(diagnostics) {
        mesh_.source = file;
        const std::size_t guess = bytes.size() / 64;
        mesh_.position.reserve(guess);
        mesh_.position_line.reserve(guess);
        soup_.corner.reserve(3 * guess);
        soup_.corner_uv.reserve(3 * guess);
    }

    mesh::TriMesh read() && {
        std::string_view line;
        while (lines_.next(line))
            statement(line);
        close_group();
        check_deferred();
        const std::vector<Index> polygon_of = add_triangles(soup_, mesh_, diagnostics_);
        fill_groups(polygon_of);
        report_skipped();
        return std::move(mesh_);
    }

  private:
    void statement(std::string_view line) {
        const std::string_view keyword = take_word(line);
        if (keyword.empty() || keyword[0] == '#') return;
        if (keyword == "v") return vertex(line);
        if (keyword == "f" || keyword == "fo") return polygon(line);
        if (keyword == "vt") return texture(line);
        if (keyword == "vn") return void(++normals_);
        if (keyword == "l") return polyline(line);
        if (keyword == "stitch") return stitch(line);
        if (keyword == "g" || keyword == "o") return group(keyword, line);
        if (contains(skipped_keywords, keyword)) return;
        if (contains(free_form_keywords, keyword)) return free_form_.add(keyword, lines_);
        for (const char c : keyword)
            if (static_cast<unsigned char>(c) < 0x20)
                lines_.fail(
                    fmt::format("'{}' is no keyword: this is a binary file", shown(keyword)),
                    "is this really an OBJ file?");
        unknown_.add(keyword, lines_);
    }

    double number(std::string_view word, const char* what) const {
        double value = 0;
        if (!parse_number(word, value))
            lines_.fail(fmt::format("'{}' is not a number ({})", shown(word), what),
                        number_hint(word));
        return value;
    }

    /// x y z, perhaps w, or r g b, or r g b a.
    void vertex(std::string_view line) {
        constexpr std::array<const char*, 3> name = {"x", "y", "z"};
        Vec3 point;
        for (int axis = 0; axis < 3; ++axis) {
            const std::string_view word = take_word(line);
            if (word.empty())
                lines_.fail(
                    fmt::format("vertex {} has {} coordinates", mesh_.position.size(), axis),
                    "v x y z");
            point[axis] = number(word, name[std::size_t(axis)]);
            if (!std::isfinite(point[axis]))
                lines_.fail(fmt::format("{} of vertex {} is {}", name[std::size_t(axis)],
                                        mesh_.position.size(), shown(word)),
                            "the program that wrote the file failed there");
            if (std::abs(point[axis]) > mesh::largest_coordinate)
                lines_.fail(
                    fmt::format("{} of vertex {} is {}, beyond {:.0e} m", name[std::size_t(axis)],
                                mesh_.position.size(), shown(word), mesh::largest_coordinate),
                    "check the units");
        }
        extra_numbers(line);
        mesh_.position.push_back(point);
        mesh_.position_line.push_back(lines_.number());
        limit(mesh_.position.size(), "vertices");
    }

    void extra_numbers(std::string_view line) const {
        int extra = 0;
        double first = 1;
        for (std::string_view word = take_word(line); !word.empty() && word[0] != '#';
             word = take_word(line)) {
            const double value = number(word, "behind x y z");
            if (extra++ == 0) first = value;
        }
        if (extra == 1 && first != 1)
            lines_.fail(
                fmt::format("vertex {} has the weight w = {}", mesh_.position.size(), first),
                "only w = 1 is read: this is a rational curve, not a mesh");
        if (extra == 2 || extra > 4)
            lines_.fail(fmt::format("vertex {} has {} numbers", mesh_.position.size(), 3 + extra),
                        "v x y z, or with w, or with a colour");
    }

    void texture(std::string_view line) {
        Vec2 uv(0, 0);
        for (int axis = 0; axis < 2; ++axis) {
            const std::string_view word = take_word(line);
            if (word.empty() && axis == 1) break;
            if (word.empty()) lines_.fail("vt without numbers", "vt u v");
            uv[axis] = number(word, axis == 0 ? "u" : "v");
            if (!std::isfinite(uv[axis]) || std::abs(uv[axis]) > mesh::largest_coordinate)
                lines_.fail(fmt::format("{} of uv {} is {}", axis == 0 ? "u" : "v", mesh_.uv.size(),
                                        shown(word)),
                            "out of range");
        }
        mesh_.uv.push_back(uv);
        limit(mesh_.uv.size(), "uv coordinates");
    }

    /// An index as the file has it, to one from 0: relative ones are resolved here and now.
    Index resolve(std::string_view text, std::size_t count, const char* what) const {
        std::int64_t value = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code == std::errc::result_out_of_range ||
            (code == std::errc() && (value > mesh::largest_count || value < -mesh::largest_count)))
            lines_.fail(fmt::format("{} index {} is too large", what, shown(text)));
        if (code != std::errc() || end != text.data() + text.size())
            lines_.fail(fmt::format("'{}' is not a {} index", shown(text), what),
                        "f v, f v/vt, f v//vn or f v/vt/vn");
        if (value == 0) lines_.fail(fmt::format("{} index 0", what), "OBJ files count from 1");
        if (value > 0) return Index(value - 1);
        if (std::size_t(-value) > count)
            lines_.fail(
                fmt::format("{} index {} reaches before the first of {}", what, value, count),
                "relative indices count back from their line");
        return Index(std::int64_t(count) + value);
    }

    /// v, v/vt, v//vn, v/vt/vn; also with slashes too many at the end.
    void corner(std::string_view word, Index& vertex, Index& uv) {
        const std::size_t first = word.find('/');
        vertex = resolve(word.substr(0, first), mesh_.position.size(), "vertex");
        uv = -1;
        if (first == std::string_view::npos) return;
        word.remove_prefix(first + 1);
        const std::size_t second = word.find('/');
        const std::string_view uv_text = word.substr(0, second);
        if (!uv_text.empty()) uv = resolve(uv_text, mesh_.uv.size(), "uv");
        if (second == std::string_view::npos) return;
        word.remove_prefix(second + 1);
        if (word.empty()) return;
        normal_.note(resolve(word, normals_, "normal"), lines_);
    }

    void polygon(std::string_view line) {
        for (std::string_view word = take_word(line); !word.empty() && word[0] != '#';
             word = take_word(line)) {
            Index vertex = 0, uv = 0;
            corner(word, vertex, uv);
            soup_.corner.push_back(vertex);
            soup_.corner_uv.push_back(uv);
        }
        limit(soup_.corner.size() / 3, "face corners");
        soup_.start.push_back(Index(soup_.corner.size()));
        soup_.line.push_back(lines_.number());
    }

    void polyline(std::string_view line) {
        Index before = -1;
        for (std::string_view word = take_word(line); !word.empty() && word[0] != '#';
             word = take_word(line)) {
            Index vertex = 0, uv = 0;
            corner(word, vertex, uv);
            if (before >= 0 && before != vertex) mesh_.loose_edge.push_back({before, vertex});
            line_vertex_.note(vertex, lines_);
            before = vertex;
        }
        limit(mesh_.loose_edge.size(), "loose edges");
    }

    /// `stitch a b c w` sews vertex a to (1 - w) b + w c. Numbers from 0, unlike all others of the format:
    /// so do the garments of Codim-IPC, where this statement comes from.
    void stitch(std::string_view line) {
        constexpr std::array<const char*, 3> name = {"a", "b", "c"};
        std::array<Index, 3> vertex{};
        for (std::size_t k = 0; k < 3; ++k) {
            const std::string_view word = take_word(line);
            const double value = number(word, name[k]);
            if (value < 0 || value != std::floor(value) || value >= double(mesh_.position.size()))
                lines_.fail(fmt::format("a stitch names vertex {} of {}", shown(word),
                                        mesh_.position.size()),
                            "stitch a b c w, with the vertices before it numbered from 0");
            vertex[k] = Index(value);
        }
        const std::string_view word = take_word(line);
        const double part = number(word, "w");
        if (!(part >= 0 && part <= 1))
            lines_.fail(fmt::format("the part w of a stitch is {}", shown(word)), "from 0 to 1");
        mesh_.stitch.push_back({vertex[0], vertex[1], vertex[2], part});
        limit(mesh_.stitch.size(), "stitches");
    }

    /// `g` takes several names, `o` the rest of the line.
    void group(std::string_view keyword, std::string_view line) {
        close_group();
        group_.names.clear();
        if (keyword == "o") {
            while (!line.empty() && is_blank(line.front()))
                line.remove_prefix(1);
            while (!line.empty() && is_blank(line.back()))
                line.remove_suffix(1);
            if (!line.empty()) group_.names.emplace_back(line);
            return;
        }
        for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
            group_.names.emplace_back(word);
        if (group_.names.size() > most_names)
            lines_.fail(fmt::format("{} group names in one line", group_.names.size()),
                        fmt::format("at most {}", most_names));
    }

    void close_group() {
        group_.end = soup_.count();
        if (group_.end > group_.begin && !group_.names.empty()) groups_.push_back(group_);
        group_.begin = group_.end;
    }

    void limit(std::size_t count, const char* what) const {
        if (count > std::size_t(mesh::largest_count))
            lines_.fail(fmt::format("too many {}", what),
                        fmt::format("at most {}", mesh::largest_count));
    }

    /// Indices may point ahead in the file, so their upper end is known only now.
    void check_deferred() const {
        if (normal_.index >= 0 && std::size_t(normal_.index) >= normals_)
            fail_input(lines_.place(normal_.line),
                       fmt::format("normal index {} of {}", normal_.index + 1, normals_),
                       "leave the normals out: they are not needed");
        if (line_vertex_.index >= mesh_.vertex_count())
            fail_input(
                lines_.place(line_vertex_.line),
                fmt::format("vertex index {} of {}", line_vertex_.index + 1, mesh_.vertex_count()));
    }

    void fill_groups(const std::vector<Index>& polygon_of) {
        for (const GroupRange& range : groups_) {
            const auto first = std::lower_bound(polygon_of.begin(), polygon_of.end(), range.begin);
            const auto last = std::lower_bound(first, polygon_of.end(), range.end);
            for (const std::string& name : range.names) {
                std::vector<Index>& vertices = mesh_.group[name];
                for (auto at = first; at != last; ++at) {
                    const Triangle& face = mesh_.face[std::size_t(at - polygon_of.begin())];
                    vertices.insert(vertices.end(), face.begin(), face.end());
                }
            }
        }
        for (auto& [name, vertices] : mesh_.group) {
            std::sort(vertices.begin(), vertices.end());
            vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        }
    }

    void report_skipped() const {
        if (free_form_.lines > 0)
            diagnostics_.push_back(
                {Severity::warning, free_form_.place,
                 fmt::format("{} skipped (free-form geometry and commands): '{}'",
                             mesh::counted(free_form_.lines, "line", "lines"), free_form_.keyword),
                 "only triangles and polygons are read"});
        if (unknown_.lines > 0)
            diagnostics_.push_back(
                {Severity::warning, unknown_.place,
                 fmt::format("{} with unknown keywords skipped: '{}'",
                             mesh::counted(unknown_.lines, "line", "lines"), unknown_.keyword),
                 ""});
    }

    LineReader lines_;
    Diagnostics& diagnostics_;
    mesh::TriMesh mesh_;
    PolygonSoup soup_;
    std::size_t normals_ = 0;
    LargestIndex normal_, line_vertex_;
    GroupRange group_;
    std::vector<GroupRange> groups_;
    Skipped free_form_, unknown_;
};

}  // namespace

mesh::TriMesh read_obj(std::string_view bytes, const std::string& file, Diagnostics& diagnostics) {
    require_text(bytes, escaped(file));
    return ObjReader(without_mark(bytes), file, diagnostics).read();
}

}  // namespace taffeta::io
