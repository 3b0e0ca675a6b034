#include "taffeta/sparse/pattern_union.h"

#include <algorithm>
#include <atomic>

#include "taffeta/base/parallel.h"

namespace taffeta::sparse {
namespace {

constexpr Index union_grain = 1024;

/// The stencils of each row, as lists of their vertices.
struct RowStencils {
    std::vector<Index> begin, stencil;

    RowStencils(Index rows, const StencilSet& set) : begin(std::size_t(rows) + 1, 0) {
        for (const Index v : set.vertices)
            if (v >= 0) ++begin[std::size_t(v) + 1];
        for (std::size_t i = 1; i < begin.size(); ++i)
            begin[i] += begin[i - 1];
        stencil.resize(std::size_t(begin.back()));
        std::vector<Index> next(begin.begin(), begin.end() - 1);
        for (std::size_t k = 0; k < set.vertices.size(); ++k)
            if (const Index v = set.vertices[k]; v >= 0)
                stencil[std::size_t(next[std::size_t(v)]++)] = Index(k / std::size_t(set.size));
    }
};

}  // namespace

ExtendedPattern extend_pattern(const BlockPattern& base, const StencilSet& stencils) {
    const Index rows = base.rows();
    const RowStencils of_row(rows, stencils);
    const auto base_row = [&](Index i) {
        return std::span(base.column.data() + base.row_begin[std::size_t(i)],
                         base.column.data() + base.row_begin[std::size_t(i) + 1]);
    };
    // Only rows with stencils change: their columns are made once and kept.
    std::vector<std::vector<Index>> changed(static_cast<std::size_t>(rows));
    auto extended = std::make_shared<BlockPattern>();
    extended->row_begin.assign(std::size_t(rows) + 1, 0);
    parallel_for(rows, union_grain, [&](Index i) {
        const std::size_t row = std::size_t(i);
        const auto columns = base_row(i);
        std::size_t length = columns.size();
        if (of_row.begin[row] < of_row.begin[row + 1]) {
            std::vector<Index>& all = changed[row];
            all.assign(columns.begin(), columns.end());
            for (Index k = of_row.begin[row]; k < of_row.begin[row + 1]; ++k) {
                const Index s = of_row.stencil[std::size_t(k)];
                for (int j = 0; j < stencils.size; ++j)
                    if (const Index v = stencils.vertices[std::size_t(stencils.size * s + j)];
                        v >= 0)
                        all.push_back(v);
            }
            std::sort(all.begin(), all.end());
            all.erase(std::unique(all.begin(), all.end()), all.end());
            length = all.size();
        }
        extended->row_begin[row + 1] = Index(length);
    });
    for (std::size_t i = 1; i < extended->row_begin.size(); ++i)
        extended->row_begin[i] += extended->row_begin[i - 1];
    extended->column.resize(std::size_t(extended->row_begin.back()));
    extended->diagonal.resize(std::size_t(rows));
    std::vector<Index> slot(base.column.size());
    parallel_for(rows, union_grain, [&](Index i) {
        const std::size_t row = std::size_t(i);
        const auto columns = base_row(i);
        const std::span<const Index> all =
            changed[row].empty() ? columns : std::span<const Index>(changed[row]);
        const Index first = extended->row_begin[row];
        std::size_t next = 0;
        for (std::size_t k = 0; k < all.size(); ++k) {
            const Index here = first + Index(k);
            extended->column[std::size_t(here)] = all[k];
            if (all[k] == i) extended->diagonal[row] = here;
            if (next < columns.size() && columns[next] == all[k])
                slot[std::size_t(base.row_begin[row]) + next++] = here;
        }
    });
    return {std::move(extended), std::move(slot)};
}

bool has_couplings(const BlockPattern& pattern, const StencilSet& stencils) {
    std::atomic<bool> all = true;
    parallel_for(stencils.count(), union_grain, [&](Index s) {
        const auto vertices =
            stencils.vertices.subspan(std::size_t(stencils.size * s), std::size_t(stencils.size));
        for (const Index a : vertices)
            for (const Index b : vertices)
                if (a >= 0 && b >= 0 && pattern.slot(a, b) < 0)
                    all.store(false, std::memory_order_relaxed);
    });
    return all;
}

}  // namespace taffeta::sparse
