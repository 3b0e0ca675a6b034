#include "taffeta/sparse/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <numeric>
#include <string_view>

#include "taffeta/base/error.h"

namespace taffeta::sparse {

namespace {

std::string read_bytes(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
        fail_io(file.string(), error ? error.message() : "not a regular file");
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    std::ifstream stream(file, std::ios::binary);
    if (error || !stream) fail_io(file.string(), "cannot be opened");
    std::string bytes(std::size_t(size), '\0');
    if (!stream.read(bytes.data(), std::streamsize(size))) fail_io(file.string(), "read error");
    return bytes;
}

/// Lines and words of a file, with the line number for messages.
class Reader {
  public:
    explicit Reader(const std::filesystem::path& file)
        : name_(file.string()), bytes_(read_bytes(file)), rest_(bytes_) {}

    const std::string& name() const { return name_; }
    std::size_t bytes_left() const { return rest_.size(); }
    int line() const { return line_; }

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_input(fmt::format("{}:{}", name_, line_), what, hint);
    }

    /// Goes to the next line that is neither empty nor a comment; false at the end of the file.
    bool next_line(bool skip_comments = true) {
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            words_ = rest_.substr(0, end);
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            ++line_;
            skip_blanks();
            if (!words_.empty() && !(skip_comments && words_.front() == '%')) return true;
        }
        words_ = {};
        return false;
    }

    /// The next word of the line, empty at its end.
    std::string_view word() {
        skip_blanks();
        std::size_t end = 0;
        while (end < words_.size() && !blank(words_[end]))
            ++end;
        const std::string_view found = words_.substr(0, end);
        words_.remove_prefix(end);
        return found;
    }

    Index integer(const char* what, Index low, Index high) {
        const std::string_view text = word();
        if (text.empty()) fail(fmt::format("the {} is missing", what));
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end != text.data() + text.size() || error == std::errc::invalid_argument)
            fail(fmt::format("the {} '{}' is not an integer", what, shown(text)));
        if (error != std::errc() || value < low || value > high)
            fail(fmt::format("the {} {} is out of range", what, shown(text)),
                 fmt::format("must be in {}..{}", low, high));
        return Index(value);
    }

    double number() {
        std::string_view text = word();
        if (text.empty()) fail("the value is missing");
        const std::string_view whole = text;
        if (text.front() == '+') text.remove_prefix(1);
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end != text.data() + text.size() || error == std::errc::invalid_argument)
            fail(fmt::format("'{}' is not a number", shown(whole)),
                 whole.find(',') != std::string_view::npos ? "the decimal separator is a point"
                                                           : "");
        if (error != std::errc()) fail(fmt::format("{} does not fit a double", shown(whole)));
        if (!std::isfinite(value)) fail(fmt::format("{} is not a finite number", shown(whole)));
        return value;
    }

    void end_of_line() {
        const std::string_view text = word();
        if (!text.empty()) fail(fmt::format("unexpected '{}' at the end of the line", shown(text)));
    }

  private:
    static bool blank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
    }
    static std::string shown(std::string_view text) {
        return escaped(std::string(text.substr(0, 40)));
    }
    void skip_blanks() {
        while (!words_.empty() && blank(words_.front()))
            words_.remove_prefix(1);
    }

    std::string name_, bytes_;
    std::string_view rest_, words_;
    int line_ = 0;
};

struct Header {
    bool coordinate = false;
    bool symmetric = false;
};

std::string lower(std::string_view text) {
    std::string small(text);
    for (char& c : small)
        c = char(std::tolower(static_cast<unsigned char>(c)));
    return small;
}

Header read_header(Reader& reader) {
    const char* const hint = "the first line is '%%MatrixMarket matrix coordinate real symmetric'";
    if (!reader.next_line(false)) reader.fail("the file is empty", hint);
    if (lower(reader.word()) != "%%matrixmarket" || lower(reader.word()) != "matrix")
        reader.fail("not a Matrix Market file", hint);
    const auto choose = [&](const char* what, std::vector<std::string> known) {
        const std::string found = lower(reader.word());
        if (std::find(known.begin(), known.end(), found) == known.end())
            reader.fail(fmt::format("the {} '{}' is not supported", what, escaped(found)), hint);
        return found;
    };
    Header header;
    header.coordinate = choose("format", {"coordinate", "array"}) == "coordinate";
    choose("field", {"real", "integer", "double"});
    header.symmetric = choose("symmetry", {"general", "symmetric"}) == "symmetric";
    reader.end_of_line();
    if (!reader.next_line()) reader.fail("the line with the sizes is missing");
    return header;
}

constexpr Index largest_number = std::numeric_limits<Index>::max() - 2;

/// The line of entry `k`, for a message about a file already read.
int line_of_entry(const std::filesystem::path& file, std::size_t k) {
    Reader reader(file);
    read_header(reader);
    for (std::size_t i = 0; i <= k; ++i)
        reader.next_line();
    return reader.line();
}

/// The order of the entries by row, then column; for a symmetric matrix of their lower mirror.
std::vector<std::size_t> sorted_order(const Triplets& matrix) {
    std::vector<std::size_t> order(matrix.value.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto key = [&](std::size_t k) {
        Index i = matrix.row[k], j = matrix.column[k];
        if (matrix.symmetric && i < j) std::swap(i, j);
        return std::int64_t(i) * matrix.columns + j;
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::int64_t ka = key(a), kb = key(b);
        return ka != kb ? ka < kb : a < b;
    });
    return order;
}

void check_duplicates(const Triplets& matrix, const std::filesystem::path& file) {
    const std::vector<std::size_t> order = sorted_order(matrix);
    for (std::size_t k = 1; k < order.size(); ++k) {
        const std::size_t a = order[k - 1], b = order[k];
        const bool same = matrix.row[a] == matrix.row[b] && matrix.column[a] == matrix.column[b];
        const bool mirrored = matrix.symmetric && matrix.row[a] == matrix.column[b] &&
                              matrix.column[a] == matrix.row[b];
        if (same || mirrored)
            fail_input(fmt::format("{}:{}", file.string(), line_of_entry(file, b)),
                       fmt::format("entry ({}, {}) is there twice, first in line {}",
                                   matrix.row[b] + 1, matrix.column[b] + 1, line_of_entry(file, a)),
                       mirrored ? "a symmetric file lists one triangle only" : "");
    }
}

Triplets read_coordinates(Reader& reader, const Header& header) {
    Triplets matrix;
    matrix.where = reader.name();
    matrix.symmetric = header.symmetric;
    matrix.rows = reader.integer("number of rows", 0, largest_number);
    matrix.columns = reader.integer("number of columns", 0, largest_number);
    const Index entries = reader.integer("number of entries", 0, largest_number);
    reader.end_of_line();
    if (header.symmetric && matrix.rows != matrix.columns)
        reader.fail(fmt::format("a symmetric matrix of {} x {}", matrix.rows, matrix.columns));
    // The shortest entry is "1 1 1": a false count must not make us allocate.
    if (std::size_t(entries) > reader.bytes_left() / 5)
        reader.fail(fmt::format("{} entries announced, but only {} bytes follow", entries,
                                reader.bytes_left()));
    matrix.row.reserve(std::size_t(entries));
    matrix.column.reserve(std::size_t(entries));
    matrix.value.reserve(std::size_t(entries));
    while (reader.next_line()) {
        if (matrix.value.size() == std::size_t(entries))
            reader.fail(fmt::format("more than the {} entries announced", entries));
        matrix.row.push_back(reader.integer("row", 1, matrix.rows) - 1);
        matrix.column.push_back(reader.integer("column", 1, matrix.columns) - 1);
        matrix.value.push_back(reader.number());
        reader.end_of_line();
    }
    if (matrix.value.size() != std::size_t(entries))
        reader.fail(
            fmt::format("the file ends after {} of {} entries", matrix.value.size(), entries));
    return matrix;
}

void write_bytes(const std::filesystem::path& file, std::initializer_list<std::string_view> parts) {
    std::ofstream stream(file, std::ios::binary);
    for (const std::string_view part : parts)
        stream.write(part.data(), std::streamsize(part.size()));
    stream.close();
    if (!stream) fail_io(file.string(), "cannot be written");
}

}  // namespace

Triplets read_matrix(const std::filesystem::path& file) {
    Reader reader(file);
    const Header header = read_header(reader);
    if (!header.coordinate)
        reader.fail("a dense array, where a sparse matrix is wanted", "use the coordinate format");
    Triplets matrix = read_coordinates(reader, header);
    check_duplicates(matrix, file);
    return matrix;
}

VecX read_vector(const std::filesystem::path& file) {
    Reader reader(file);
    const Header header = read_header(reader);
    if (header.coordinate) {
        const Triplets matrix = read_coordinates(reader, header);
        if (matrix.columns != 1)
            fail_input(file.string(), fmt::format("{} columns, a vector has one", matrix.columns));
        check_duplicates(matrix, file);
        VecX x = VecX::Zero(matrix.rows);
        for (std::size_t k = 0; k < matrix.value.size(); ++k)
            x[matrix.row[k]] = matrix.value[k];
        return x;
    }
    const Index rows = reader.integer("number of rows", 0, largest_number);
    const Index columns = reader.integer("number of columns", 0, largest_number);
    reader.end_of_line();
    if (columns != 1) reader.fail(fmt::format("{} columns, a vector has one", columns));
    if (std::size_t(rows) > reader.bytes_left())
        reader.fail(fmt::format("{} numbers announced, but only {} bytes follow", rows,
                                reader.bytes_left()));
    VecX x(rows);
    for (Index i = 0; i < rows; ++i) {
        if (!reader.next_line())
            reader.fail(fmt::format("the file ends after {} of {} numbers", i, rows));
        x[i] = reader.number();
        reader.end_of_line();
    }
    if (reader.next_line()) reader.fail(fmt::format("more than the {} numbers announced", rows));
    return x;
}

Matrix3 to_blocks(const Triplets& matrix) {
    if (matrix.rows != matrix.columns)
        fail_input(matrix.where,
                   fmt::format("the matrix is {} x {}, not square", matrix.rows, matrix.columns));
    if (matrix.rows % 3 != 0)
        fail_input(matrix.where,
                   fmt::format("the dimension {} is not a multiple of 3", matrix.rows),
                   "append rows with a unit diagonal");
    const Index vertices = matrix.rows / 3;
    std::vector<Index> pairs;
    pairs.reserve(2 * matrix.value.size());
    for (std::size_t k = 0; k < matrix.value.size(); ++k) {
        pairs.push_back(matrix.row[k] / 3);
        pairs.push_back(matrix.column[k] / 3);
    }
    // A pair couples both ways: the pattern is symmetric, whatever the matrix is.
    const StencilSet stencils{2, pairs};
    Matrix3 A(make_pattern(vertices, {&stencils, 1}));
    for (std::size_t k = 0; k < matrix.value.size(); ++k) {
        const Index i = matrix.row[k], j = matrix.column[k];
        A.block(A.pattern().slot(i / 3, j / 3))(i % 3, j % 3) = matrix.value[k];
        if (matrix.symmetric)
            A.block(A.pattern().slot(j / 3, i / 3))(j % 3, i % 3) = matrix.value[k];
    }
    return A;
}

Triplets padded(Triplets matrix, Index count) {
    for (Index k = 0; k < count; ++k) {
        matrix.row.push_back(matrix.rows + k);
        matrix.column.push_back(matrix.columns + k);
        matrix.value.push_back(1);
    }
    matrix.rows += count;
    matrix.columns += count;
    return matrix;
}

void write_matrix(const std::filesystem::path& file, const Matrix3& A, bool symmetric) {
    std::string entries;
    std::int64_t count = 0;
    for (Index i = 0; i < 3 * A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i / 3)];
             s < A.pattern().row_begin[std::size_t(i / 3) + 1]; ++s)
            for (int k = 0; k < 3; ++k) {
                const Index j = 3 * A.pattern().column[std::size_t(s)] + k;
                const double value = A.block(s)(i % 3, k);
                if (value == 0 || (symmetric && j > i)) continue;
                entries += fmt::format("{} {} {}\n", i + 1, j + 1, value);
                ++count;
            }
    const std::string heading =
        fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n",
                    symmetric ? "symmetric" : "general", 3 * A.rows(), 3 * A.rows(), count);
    write_bytes(file, {heading, entries});
}

void write_vector(const std::filesystem::path& file, const VecX& x) {
    std::string text = fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", x.size());
    for (const double value : x)
        text += fmt::format("{}\n", value);
    write_bytes(file, {text});
}

}  // namespace taffeta::sparse
