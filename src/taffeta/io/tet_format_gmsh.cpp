#include <fmt/format.h>

#include "taffeta/io/file_bytes.h"
#include "taffeta/io/tet_format.h"
#include "taffeta/io/tet_text.h"

namespace taffeta::io {

namespace {

/// Gmsh's text files, versions 2.2 and 4.1. [GeuzaineRemacle09] Named physical groups become groups of
/// vertices.
class GmshReader {
  public:
    GmshReader(std::string_view text, const std::string& file) : words_(text, file), file_(file) {}

    mesh::TetMesh read(Diagnostics& diagnostics) {
        while (const auto word = words_.next()) {
            const std::string section(*word);
            if (section == "$MeshFormat")
                read_header();
            else if (section == "$PhysicalNames")
                read_names();
            else if (section == "$Entities")
                read_entities();
            else if (section == "$Nodes")
                new_ ? read_new_nodes() : read_nodes();
            else if (section == "$Elements")
                new_ ? read_new_elements() : read_elements();
            else if (!section.empty() && section[0] == '$') {
                skip_section(section);
                continue;
            } else
                words_.fail(fmt::format("a section is expected, not '{}'", shown(section)),
                            "is this a Gmsh text file?");
            end_section(section);
        }
        if (!header_) words_.fail("there is no $MeshFormat", "is this a Gmsh text file?");
        return soup_.finish(file_, diagnostics);
    }

  private:
    static std::string end_of(const std::string& section) { return "$End" + section.substr(1); }

    void end_section(const std::string& section) {
        const std::string_view word = words_.word("the end of a section");
        if (word != end_of(section))
            words_.fail(fmt::format("{} is expected, not '{}'", end_of(section), shown(word)));
    }
    void skip_section(const std::string& section) {
        while (words_.word("the end of a section") != end_of(section)) {
        }
    }

    void read_header() {
        const double version = words_.number("the version");
        if (!(version >= 2 && version < 3) && !(version >= 4.1 && version < 5))
            words_.fail(fmt::format("version {} of Gmsh's format", version),
                        "2.2 and 4.1 are read: `gmsh -save -format msh41 FILE`");
        if (words_.integer("the kind of file", 0) != 0)
            words_.fail("the file is binary", "save as text: `gmsh -save -bin 0 FILE`");
        words_.integer("the size of a number", 1);
        new_ = version >= 4;
        header_ = true;
    }

    void read_names() {
        const long long count = words_.integer("the number of names", 0);
        for (long long i = 0; i < count; ++i) {
            const int dimension = int(words_.integer("a dimension", 0));
            const long long tag = words_.integer("a tag", 0);
            std::string name(words_.rest_of_line());
            const std::size_t first = name.find('"'), last = name.rfind('"');
            if (first == std::string::npos || last == first)
                words_.fail("a name in quotes is expected");
            names_[{dimension, tag}] = name.substr(first + 1, last - first - 1);
        }
    }

    /// Which physical groups an entity of the geometry belongs to; the rest is skipped.
    void read_entities() {
        long long count[4];
        for (long long& n : count)
            n = words_.integer("the number of entities", 0);
        for (int dimension = 0; dimension < 4; ++dimension)
            for (long long i = 0; i < count[dimension]; ++i) {
                const long long tag = words_.integer("a tag", 0);
                for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k)
                    words_.number("a coordinate");
                const long long groups = words_.integer("the number of groups", 0);
                for (long long k = 0; k < groups; ++k)
                    physical_[{dimension, tag}].push_back(words_.integer("a group", 0));
                if (dimension == 0) continue;
                const long long bounds = words_.integer("the number of bounds", 0);
                for (long long k = 0; k < bounds; ++k)
                    words_.number("a bound");
            }
    }

    void add_node(long long tag) {
        const double x = words_.number("x"), y = words_.number("y"), z = words_.number("z");
        if (!soup_.add_node(tag, Vec3(x, y, z)))
            words_.fail(fmt::format("node {} comes twice", tag));
    }
    void read_nodes() {
        const long long count = words_.integer("the number of nodes", 0);
        for (long long i = 0; i < count; ++i)
            add_node(words_.integer("a node number", 0));
    }
    void read_new_nodes() {
        const long long blocks = words_.integer("the number of blocks", 0);
        for (int k = 0; k < 3; ++k)
            words_.integer("the number of nodes", 0);
        for (long long b = 0; b < blocks; ++b) {
            words_.integer("a dimension", 0);
            words_.integer("a tag", 0);
            if (words_.integer("whether nodes have parameters", 0) != 0)
                words_.fail("nodes with parameters are not read",
                            "save without them: Mesh.SaveParametric = 0");
            const long long count = words_.integer("the number of nodes", 0);
            std::vector<long long> tags;
            for (long long i = 0; i < count; ++i)
                tags.push_back(words_.integer("a node number", 0));
            for (const long long tag : tags)
                add_node(tag);
        }
    }

    void read_elements() {
        const long long count = words_.integer("the number of elements", 0);
        for (long long i = 0; i < count; ++i) {
            words_.integer("an element number", 0);
            const int type = int(words_.integer("a type of element", 1));
            const long long tags = words_.integer("the number of tags", 0);
            std::vector<long long> groups;
            for (long long k = 0; k < tags; ++k) {
                const long long tag = words_.integer("a tag", -1);
                if (k == 0) groups.push_back(tag);
            }
            read_element(type, groups);
        }
    }
    void read_new_elements() {
        const long long blocks = words_.integer("the number of blocks", 0);
        for (int k = 0; k < 3; ++k)
            words_.integer("the number of elements", 0);
        for (long long b = 0; b < blocks; ++b) {
            const int dimension = int(words_.integer("a dimension", 0));
            const long long entity = words_.integer("a tag", 0);
            const int type = int(words_.integer("a type of element", 1));
            const long long count = words_.integer("the number of elements", 0);
            for (long long i = 0; i < count; ++i) {
                words_.integer("an element number", 0);
                read_element(type, physical_[{dimension, entity}]);
            }
        }
    }

    void read_element(int type, const std::vector<long long>& groups) {
        // Types with their dimension and number of nodes: line, triangle, tet, point; then the
        // quadratic ones.
        static constexpr int known[][3] = {{1, 1, 2}, {2, 2, 3}, {4, 3, 4},  {15, 0, 1},
                                           {8, 1, 3}, {9, 2, 6}, {11, 3, 10}};
        int dimension = -1, nodes = 0;
        for (const auto& [t, d, n] : known)
            if (t == type) dimension = d, nodes = n;
        if (dimension < 0)
            words_.fail(fmt::format("elements of type {} are not read", type),
                        "tets are type 4 (or 11), triangles 2, lines 1: mesh the solid with tets");
        std::array<long long, 10> node{};
        for (int k = 0; k < nodes; ++k)
            node[std::size_t(k)] = words_.integer("a node number", 0);
        for (const long long group : groups)
            if (const auto name = names_.find({dimension, group}); name != names_.end())
                for (int k = 0; k < nodes; ++k)
                    soup_.add_to_group(name->second, node[std::size_t(k)]);
        if (dimension == 3) soup_.add_tet({node[0], node[1], node[2], node[3]}, words_.line());
        if (dimension < 3 || type == 11) soup_.skip(type == 11);
    }

    WordReader words_;
    std::string file_;
    bool header_ = false, new_ = false;
    std::map<std::pair<int, long long>, std::string> names_;
    std::map<std::pair<int, long long>, std::vector<long long>> physical_;
    TetSoup soup_;
};

class GmshFormat final : public TetFormat {
  public:
    mesh::TetMesh read(const std::filesystem::path& file, Diagnostics& diagnostics) const override {
        const FileBytes bytes(file);
        return GmshReader(bytes.view(), file.string()).read(diagnostics);
    }
};

}  // namespace

extern const TetFormatEntry entry_gmsh;
constinit const TetFormatEntry entry_gmsh{
    "gmsh",
    "Gmsh .msh, text, versions 2.2 and 4.1: tets, named physical groups",
    {".msh"},
    [] { return FieldTable{}; },
    [](const Settings&) -> std::unique_ptr<TetFormat> { return std::make_unique<GmshFormat>(); }};

}  // namespace taffeta::io
