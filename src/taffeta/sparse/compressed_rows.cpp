#include "taffeta/sparse/compressed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr Index gather_grain = 1024;
/// So that 3 n, and with it every number of a row, fits an Index.
constexpr Index most_vertices = std::numeric_limits<Index>::max() / 3;

[[noreturn]] void fail_pattern(const std::string& what, const std::string& hint = {}) {
    fail_input("pattern", what, hint);
}

/// Everything about compressed rows that can be checked row by row.
void check_rows(Index rows, const Index* row_begin, const Index* column) {
    if (row_begin[0] != 0)
        fail_pattern(fmt::format("the rows begin at entry {}", row_begin[0]),
                     "indices count from 0");
    // First all the starts: before that, no entry of `column` may be looked at.
    for (Index i = 0; i < rows; ++i)
        if (row_begin[i + 1] < row_begin[i])
            fail_pattern(fmt::format("row {} ends at entry {}, before it begins at {}", i,
                                     row_begin[i + 1], row_begin[i]));
    for (Index i = 0; i < rows; ++i)
        for (Index s = row_begin[i]; s < row_begin[i + 1]; ++s) {
            if (column[s] < 0 || column[s] >= rows)
                fail_pattern(fmt::format("row {} has column {} of {}", i, column[s], rows));
            if (s == row_begin[i] || column[s] > column[s - 1]) continue;
            const bool twice = column[s] == column[s - 1];
            fail_pattern(fmt::format("row {} has column {} {} {}", i, column[s],
                                     twice ? "twice, behind" : "behind", column[s - 1]),
                         twice ? "sum the entries" : "sort the columns of each row");
        }
}

void find_diagonal(BlockPattern& pattern) {
    const Index rows = Index(pattern.row_begin.size()) - 1;
    pattern.diagonal.assign(std::size_t(rows), -1);
    for (Index i = 0; i < rows; ++i) {
        pattern.diagonal[std::size_t(i)] = pattern.slot(i, i);
        if (pattern.diagonal[std::size_t(i)] < 0)
            fail_pattern(fmt::format("vertex {} has no diagonal block", i),
                         "a positive definite matrix has one in every row");
    }
}

[[noreturn]] void fail_mirror(Index row, Index column) {
    fail_pattern(fmt::format("block ({0}, {1}) is there, but not ({1}, {0})", row, column),
                 "the matrix must be symmetric, and both halves of it given");
}

/// In one pass: rows in ascending order meet the entries left of the diagonal of every other row
/// in the order in which that row lists them.
void check_symmetry(const BlockPattern& pattern) {
    std::vector<Index> next(pattern.row_begin.begin(), pattern.row_begin.end() - 1);
    for (Index i = 0; i < pattern.rows(); ++i) {
        const Index diagonal = pattern.diagonal[std::size_t(i)];
        const Index left = next[std::size_t(i)];
        if (left != diagonal) fail_mirror(i, pattern.column[std::size_t(left)]);
        for (Index s = diagonal + 1; s < pattern.row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = pattern.column[std::size_t(s)];
            Index& mirror = next[std::size_t(j)];
            const Index found = pattern.column[std::size_t(mirror)];
            if (found < i) fail_mirror(j, found);
            if (found > i) fail_mirror(i, j);
            ++mirror;
        }
    }
}

Pattern checked(std::shared_ptr<BlockPattern> pattern) {
    find_diagonal(*pattern);
    check_symmetry(*pattern);
    return pattern;
}

}  // namespace

VecX padded(const VecX& values, Index count) {
    VecX longer = VecX::Zero(values.size() + count);
    longer.head(values.size()) = values;
    return longer;
}

Pattern copy_pattern(Index rows, const Index* row_begin, const Index* column) {
    if (rows > most_vertices) fail_pattern(fmt::format("{} vertices are too many", rows));
    check_rows(rows, row_begin, column);
    auto pattern = std::make_shared<BlockPattern>();
    pattern->row_begin.assign(row_begin, row_begin + rows + 1);
    pattern->column.assign(column, column + row_begin[rows]);
    return checked(std::move(pattern));
}

BlockGather::BlockGather(Index rows, const Index* row_begin, const Index* column) : rows_(rows) {
    if (rows > std::numeric_limits<Index>::max() - 2)
        fail_pattern(fmt::format("{} rows are too many", rows));
    check_rows(rows, row_begin, column);
    row_begin_.assign(row_begin, row_begin + rows + 1);
    column_.assign(column, column + row_begin[rows]);
    make_blocks();
}

bool BlockGather::same_pattern(Index rows, const Index* row_begin, const Index* column) const {
    return pattern_ && rows == rows_ &&
           std::equal(row_begin_.begin(), row_begin_.end(), row_begin) &&
           std::equal(column_.begin(), column_.end(), column);
}

void BlockGather::make_blocks() {
    const Index vertices = (rows_ + padding(rows_)) / 3;
    // The block columns of a vertex: the three rows merged.
    const auto visit = [&](Index vertex, const auto& visit_column) {
        std::array<Index, 3> next{}, end{};
        for (Index k = 0; k < 3; ++k) {
            const Index row = std::min(3 * vertex + k, rows_);
            next[std::size_t(k)] = row_begin_[std::size_t(row)];
            end[std::size_t(k)] = row_begin_[std::size_t(std::min(row + 1, rows_))];
        }
        for (;;) {
            Index least = vertices;
            for (std::size_t k = 0; k < 3; ++k)
                if (next[k] < end[k]) least = std::min(least, column_[std::size_t(next[k])] / 3);
            if (least == vertices) return;
            visit_column(least);
            for (std::size_t k = 0; k < 3; ++k)
                while (next[k] < end[k] && column_[std::size_t(next[k])] / 3 == least)
                    ++next[k];
        }
    };
    auto pattern = std::make_shared<BlockPattern>();
    std::vector<Index>& begin = pattern->row_begin;
    begin.assign(std::size_t(vertices) + 1, 0);
    parallel_for(vertices, gather_grain,
                 [&](Index i) { visit(i, [&](Index) { ++begin[std::size_t(i) + 1]; }); });
    // No more blocks than numbers, so the sum fits.
    for (std::size_t i = 0; i < std::size_t(vertices); ++i)
        begin[i + 1] += begin[i];
    pattern->column.resize(std::size_t(begin.back()));
    parallel_for(vertices, gather_grain, [&](Index i) {
        Index* out = pattern->column.data() + begin[std::size_t(i)];
        visit(i, [&](Index j) { *out++ = j; });
    });
    pattern_ = checked(std::move(pattern));
}

void BlockGather::fill(const double* value, Matrix3& A) const {
    TAFFETA_ASSERT(A.shared_pattern() == pattern_);
    parallel_for(A.rows(), gather_grain, [&](Index i) {
        const Index first = pattern_->row_begin[std::size_t(i)];
        std::fill(A.slot(first), A.slot(pattern_->row_begin[std::size_t(i) + 1]), 0.0);
        for (Index k = 0; k < 3; ++k) {
            const Index row = 3 * i + k;
            if (row >= rows_) {
                A.block(pattern_->diagonal[std::size_t(i)])(k, k) = 1;
                continue;
            }
            Index slot = first;
            for (Index s = row_begin_[std::size_t(row)]; s < row_begin_[std::size_t(row) + 1];
                 ++s) {
                const Index j = column_[std::size_t(s)];
                while (pattern_->column[std::size_t(slot)] < j / 3)
                    ++slot;
                A.block(slot)(k, j % 3) = value[s];
            }
        }
    });
}

}  // namespace taffeta::sparse
