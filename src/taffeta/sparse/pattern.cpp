#include "taffeta/sparse/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/base/error.h"
#include "taffeta/base/leases.h"
#include "taffeta/base/parallel.h"

/// How a pattern is made.
///
/// For each kind of stencil the elements around each vertex are listed by a counting sort. A row is
/// then the union of the vertices of the elements around its vertex: a mark per vertex ("last seen
/// in row i") drops the repeats, five of six for a mesh with hinges, before anything is sorted. One
/// pass counts, a second one fills, so that a pattern too large is refused before it is allocated.
/// (Sorting all pairs at once would move 66 pairs a vertex through memory for 13 blocks.)
namespace taffeta::sparse {

namespace {

constexpr Index pattern_grain = 2048;
constexpr Index element_grain = 4096;

/// The elements around each vertex.
struct Incidence {
    std::vector<std::size_t> begin;  ///< #vertices + 1
    std::vector<Index> element;
};

void check_vertices(Index vertices, const StencilSet& stencils) {
    for (std::size_t k = 0; k < stencils.vertices.size(); ++k) {
        const Index vertex = stencils.vertices[k];
        if (vertex < -1 || vertex >= vertices)
            fail_input("pattern", fmt::format("element {} names vertex {} of {}",
                                              k / std::size_t(stencils.size), vertex, vertices));
    }
}

Incidence make_incidence(Index vertices, const StencilSet& stencils) {
    Incidence around;
    around.begin.assign(std::size_t(vertices) + 1, 0);
    for (const Index vertex : stencils.vertices)
        if (vertex >= 0) ++around.begin[std::size_t(vertex) + 1];
    for (std::size_t v = 0; v < std::size_t(vertices); ++v)
        around.begin[v + 1] += around.begin[v];
    around.element.resize(around.begin.back());
    std::vector<std::size_t> next(around.begin.begin(), around.begin.end() - 1);
    for (std::size_t k = 0; k < stencils.vertices.size(); ++k)
        if (const Index vertex = stencils.vertices[k]; vertex >= 0)
            around.element[next[std::size_t(vertex)]++] = Index(k / std::size_t(stencils.size));
    return around;
}

/// Visits the distinct columns of rows, in no particular order.
class RowUnion {
  public:
    RowUnion(Index vertices, std::span<const StencilSet> stencils)
        : vertices_(vertices), stencils_(stencils) {
        for (const StencilSet& set : stencils)
            around_.push_back(make_incidence(vertices, set));
    }

    /// Calls visit_row(row, for_each_column) for all rows. `pass` is 0 or 1: marks of one pass mean nothing in the
    /// other.
    template <class VisitRow>
    void over_rows(int pass, const VisitRow& visit_row) {
        parallel_chunks(vertices_, pattern_grain, [&](Index first, Index last) {
            Leases<Marks>::Lease mark(marks_);
            if (mark->empty()) mark->assign(std::size_t(vertices_), -1);
            for (Index i = first; i < last; ++i)
                visit_row(i,
                          [&](const auto& visit_column) { visit(i, pass, *mark, visit_column); });
        });
    }

  private:
    using Marks = std::vector<Index>;

    template <class Visit>
    void visit(Index row, int pass, Marks& mark, const Visit& visit_column) const {
        const Index tag = pass == 0 ? row : -2 - row;
        mark[std::size_t(row)] = tag;
        visit_column(row);
        for (std::size_t s = 0; s < stencils_.size(); ++s) {
            const std::size_t size = std::size_t(stencils_[s].size);
            const Incidence& around = around_[s];
            for (std::size_t k = around.begin[std::size_t(row)];
                 k < around.begin[std::size_t(row) + 1]; ++k) {
                const Index* vertex =
                    stencils_[s].vertices.data() + std::size_t(around.element[k]) * size;
                for (std::size_t i = 0; i < size; ++i) {
                    if (vertex[i] < 0 || mark[std::size_t(vertex[i])] == tag) continue;
                    mark[std::size_t(vertex[i])] = tag;
                    visit_column(vertex[i]);
                }
            }
        }
    }

    Index vertices_;
    std::span<const StencilSet> stencils_;
    std::vector<Incidence> around_;
    Leases<Marks> marks_;
};

}  // namespace

Index BlockPattern::slot(Index row, Index col) const {
    // Bisection without a branch to mispredict: slots are looked up by the ten million.
    const Index* base = column.data() + row_begin[std::size_t(row)];
    Index count = row_begin[std::size_t(row) + 1] - row_begin[std::size_t(row)];
    while (count > 1) {
        const Index half = count / 2;
        base += base[half] <= col ? half : 0;
        count -= half;
    }
    return count == 1 && *base == col ? Index(base - column.data()) : -1;
}

Pattern make_pattern(Index vertices, std::span<const StencilSet> stencils, Index max_blocks) {
    TAFFETA_ASSERT(vertices >= 0);
    for (const StencilSet& set : stencils)
        check_vertices(vertices, set);
    RowUnion rows(vertices, stencils);

    std::vector<Index> count(std::size_t(vertices), 0);
    rows.over_rows(0, [&](Index i, const auto& for_each_column) {
        Index columns = 0;
        for_each_column([&](Index) { ++columns; });
        count[std::size_t(i)] = columns;
    });

    std::int64_t blocks = 0;
    for (const Index columns : count)
        blocks += columns;
    if (blocks > max_blocks)
        fail_input("pattern",
                   fmt::format("{} vertices need {} blocks, the limit is {}", vertices, blocks,
                               max_blocks),
                   "split the system, or use elements with fewer vertices");

    auto pattern = std::make_shared<BlockPattern>();
    pattern->row_begin.resize(std::size_t(vertices) + 1);
    pattern->row_begin[0] = 0;
    for (std::size_t i = 0; i < std::size_t(vertices); ++i)
        pattern->row_begin[i + 1] = pattern->row_begin[i] + count[i];
    pattern->column.resize(std::size_t(blocks));
    pattern->diagonal.resize(std::size_t(vertices));
    rows.over_rows(1, [&](Index i, const auto& for_each_column) {
        Index* const begin = pattern->column.data() + pattern->row_begin[std::size_t(i)];
        Index* end = begin;
        for_each_column([&](Index j) { *end++ = j; });
        std::sort(begin, end);
        pattern->diagonal[std::size_t(i)] =
            Index(std::lower_bound(begin, end, i) - pattern->column.data());
    });
    return pattern;
}

std::vector<Index> make_slots(const BlockPattern& pattern, const StencilSet& stencils) {
    check_vertices(pattern.rows(), stencils);
    const std::size_t size = std::size_t(stencils.size);
    std::vector<Index> slots(std::size_t(stencils.count()) * size * size);
    std::vector<char> complete(std::size_t(stencils.count() / element_grain + 1), 1);
    parallel_chunks(stencils.count(), element_grain, [&](Index begin, Index end) {
        for (Index e = begin; e < end; ++e) {
            const Index* vertex = stencils.vertices.data() + std::size_t(e) * size;
            Index* slot = slots.data() + std::size_t(e) * size * size;
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < size; ++j, ++slot) {
                    const bool present = vertex[i] >= 0 && vertex[j] >= 0;
                    *slot = present ? pattern.slot(vertex[i], vertex[j]) : -1;
                    if (present && *slot < 0) complete[std::size_t(begin / element_grain)] = 0;
                }
        }
    });
    const bool pattern_holds_stencils =
        std::find(complete.begin(), complete.end(), char(0)) == complete.end();
    TAFFETA_ASSERT(pattern_holds_stencils);
    return slots;
}

std::string find_fault(const BlockPattern& pattern) {
    const std::size_t rows = pattern.diagonal.size();
    if (rows == 0 && pattern.row_begin.empty() && pattern.column.empty()) return {};
    if (pattern.row_begin.size() != rows + 1)
        return fmt::format("the pattern has {} row starts for {} rows", pattern.row_begin.size(),
                           rows);
    if (pattern.column.size() > std::size_t(std::numeric_limits<Index>::max()))
        return fmt::format("the pattern has {} blocks, more than an index can count",
                           pattern.column.size());
    if (pattern.row_begin.front() != 0 || pattern.row_begin.back() != pattern.blocks())
        return fmt::format("the rows cover blocks {} to {}, but there are {}",
                           pattern.row_begin.front(), pattern.row_begin.back(), pattern.blocks());
    for (std::size_t i = 0; i < rows; ++i) {
        const Index begin = pattern.row_begin[i], end = pattern.row_begin[i + 1];
        if (begin > end || end > pattern.blocks())
            return fmt::format("row {} ends before it begins", i);
        for (Index s = begin; s < end; ++s) {
            const Index column = pattern.column[std::size_t(s)];
            if (column < 0 || column >= pattern.rows())
                return fmt::format("row {} has a block in column {} of {}", i, column, rows);
            if (s > begin && column <= pattern.column[std::size_t(s) - 1])
                return fmt::format(
                    "the columns of row {} are {}: {} follows {}", i,
                    column == pattern.column[std::size_t(s) - 1] ? "repeated" : "not ascending",
                    column, pattern.column[std::size_t(s) - 1]);
        }
        const Index diagonal = pattern.diagonal[i];
        if (diagonal < begin || diagonal >= end ||
            pattern.column[std::size_t(diagonal)] != Index(i))
            return fmt::format("row {} has no diagonal block", i);
    }
    return {};
}

}  // namespace taffeta::sparse
