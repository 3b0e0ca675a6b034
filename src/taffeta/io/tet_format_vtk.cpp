#include <fmt/format.h>

#include "taffeta/io/file_bytes.h"
#include "taffeta/io/tet_format.h"
#include "taffeta/io/tet_text.h"

namespace taffeta::io {

namespace {

/// VTK's legacy text files of unstructured grids: cells as counted lists (up to version 4) or by offsets and
/// connectivity (5). Data of points and cells are not read.
class VtkReader {
  public:
    VtkReader(std::string_view text, const std::string& file) : words_(text, file), file_(file) {}

    mesh::TetMesh read(Diagnostics& diagnostics) {
        read_header();
        bool metadata = false;  // which may follow any array
        for (auto word = words_.next(); word; word = words_.next()) {
            if (*word == "METADATA")
                metadata = true;
            else if (*word == "POINTS")
                read_points();
            else if (*word == "CELLS")
                read_cells();
            else if (*word == "CELL_TYPES") {
                read_types();
                return soup_.finish(file_, diagnostics);
            } else if (!metadata)
                words_.fail(
                    fmt::format("POINTS, CELLS or CELL_TYPES is expected, not '{}'", shown(*word)));
        }
        words_.fail("there are no CELL_TYPES");
    }

  private:
    void read_header() {
        if (words_.word("the header") != "#" || words_.word("the header") != "vtk")
            words_.fail("the file does not begin with '# vtk DataFile'");
        words_.rest_of_line();
        words_.skip_line();  // the title
        const std::string_view kind = words_.word("ASCII");
        if (kind == "BINARY") words_.fail("the file is binary", "save it as text");
        if (kind != "ASCII") words_.fail(fmt::format("ASCII is expected, not '{}'", shown(kind)));
        if (words_.word("DATASET") != "DATASET" ||
            words_.word("the kind of data") != "UNSTRUCTURED_GRID")
            words_.fail("the data are no UNSTRUCTURED_GRID");
    }

    void read_points() {
        const long long count = words_.integer("the number of points", 0);
        words_.word("a type");
        for (long long i = 0; i < count; ++i) {
            const double x = words_.number("x"), y = words_.number("y"), z = words_.number("z");
            soup_.add_node(i, Vec3(x, y, z));
        }
    }

    void read_cells() {
        const long long first = words_.integer("the number of cells", 0);
        const long long second = words_.integer("the size of the list", 0);
        const std::string_view word = words_.word("a cell");
        if (word != "OFFSETS") {
            read_lists(first, word);
            return;
        }
        words_.word("a type");
        std::vector<long long> offset;
        for (long long i = 0; i < first; ++i)
            offset.push_back(words_.integer("an offset", offset.empty() ? 0 : offset.back()));
        if (words_.word("CONNECTIVITY") != "CONNECTIVITY") words_.fail("CONNECTIVITY is expected");
        words_.word("a type");
        cells_.resize(first > 0 ? std::size_t(first - 1) : 0);
        std::size_t cell = 0;
        for (long long i = 0; i < second; ++i) {
            while (cell + 1 < offset.size() && offset[cell + 1] <= i)
                ++cell;
            if (cell >= cells_.size()) words_.fail("there is more connectivity than offsets say");
            if (cells_[cell].node.empty()) cells_[cell].line = words_.line();
            cells_[cell].node.push_back(words_.integer("a point", 0));
        }
    }

    void read_lists(long long cells, std::string_view first) {
        for (long long c = 0; c < cells; ++c) {
            double size = 0;
            if (c == 0 && (!parse_number(first, size) || size < 1 || size > 1000))
                words_.fail(fmt::format("'{}' is no size of a cell", shown(first)));
            if (c > 0) size = double(words_.integer("the size of a cell", 1));
            Cell& cell = cells_.emplace_back();
            cell.line = words_.line();
            for (int k = 0; k < int(size); ++k)
                cell.node.push_back(words_.integer("a point", 0));
        }
    }

    void read_types() {
        const long long count = words_.integer("the number of types", 0);
        if (std::size_t(count) != cells_.size())
            words_.fail(fmt::format("{} types for {} cells", count, cells_.size()));
        constexpr int tet = 10, quadratic_tet = 24;
        for (const Cell& cell : cells_) {
            const long long type = words_.integer("a type", 0);
            const bool quadratic = type == quadratic_tet;
            if (type != tet && !quadratic) {
                if (type > tet && type < 15)
                    words_.fail(fmt::format("cells of type {} are not read", type),
                                "split hexahedra, wedges and pyramids into tets");
                soup_.skip(false);
                continue;
            }
            if (cell.node.size() != (quadratic ? 10u : 4u))
                words_.fail(fmt::format("a tet with {} points", cell.node.size()));
            soup_.add_tet({cell.node[0], cell.node[1], cell.node[2], cell.node[3]}, cell.line);
            if (quadratic) soup_.skip(true);
        }
    }

    struct Cell {
        std::vector<long long> node;
        int line = 0;
    };

    WordReader words_;
    std::string file_;
    std::vector<Cell> cells_;
    TetSoup soup_;
};

class VtkFormat final : public TetFormat {
  public:
    mesh::TetMesh read(const std::filesystem::path& file, Diagnostics& diagnostics) const override {
        const FileBytes bytes(file);
        return VtkReader(bytes.view(), file.string()).read(diagnostics);
    }
};

}  // namespace

extern const TetFormatEntry entry_vtk;
constinit const TetFormatEntry entry_vtk{
    "vtk",
    "VTK legacy .vtk, text, unstructured grids of tets",
    {".vtk"},
    [] { return FieldTable{}; },
    [](const Settings&) -> std::unique_ptr<TetFormat> { return std::make_unique<VtkFormat>(); }};

}  // namespace taffeta::io
