#include "taffeta/solve/sa/half_rows.h"

#include <utility>

namespace taffeta::solve::sa {

template <int B>
void HalfRows<B>::set_pattern(const SquareRows<B>& A, const Strips& cut) {
    strips = cut;
    const std::size_t rows = std::size_t(A.rows());
    lower.begin.assign(rows + 1, 0);
    cross_at_.assign(rows, 0);
    // `below(i, slot)` for the blocks below the diagonal of a strip, `between(i, slot)` for those of others.
    const auto for_each_block = [&](const auto& below, const auto& between) {
        parallel_for(strips.count(), 1, [&](Index strip) {
            const Index first = strips.begin[std::size_t(strip)];
            const Index last = strips.begin[std::size_t(strip) + 1];
            for (Index i = first; i < last; ++i)
                for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1];
                     ++s) {
                    const Index j = A.column[std::size_t(s)];
                    if (j < first || j >= last)
                        between(std::size_t(i), s);
                    else if (j < i)
                        below(std::size_t(i), s);
                }
        });
    };
    for_each_block([&](std::size_t i, Index) { ++lower.begin[i + 1]; },
                   [&](std::size_t i, Index) { ++cross_at_[i]; });

    cross_row.clear();
    cross.begin.assign(1, 0);
    strip_cross.assign(1, 0);
    for (Index strip = 0; strip < strips.count(); ++strip) {
        for (Index i = strips.begin[std::size_t(strip)]; i < strips.begin[std::size_t(strip) + 1];
             ++i) {
            lower.begin[std::size_t(i) + 1] += lower.begin[std::size_t(i)];
            const Index blocks = std::exchange(cross_at_[std::size_t(i)], -1);
            if (blocks == 0) continue;
            cross_at_[std::size_t(i)] = Index(cross_row.size());
            cross_row.push_back(i);
            cross.begin.push_back(cross.begin.back() + blocks);
        }
        strip_cross.push_back(Index(cross_row.size()));
    }

    lower.column.resize(std::size_t(lower.begin.back()));
    cross.column.resize(std::size_t(cross.begin.back()));
    lower_source.resize(lower.column.size());
    cross_source.resize(cross.column.size());
    std::vector<Index> lower_end(lower.begin.begin(), lower.begin.end() - 1);
    std::vector<Index> cross_end(cross.begin.begin(), cross.begin.end() - 1);
    const auto put = [&](Blocks& blocks, std::vector<Index>& source, Index& end, Index s) {
        blocks.column[std::size_t(end)] = A.column[std::size_t(s)];
        source[std::size_t(end++)] = s;
    };
    for_each_block([&](std::size_t i, Index s) { put(lower, lower_source, lower_end[i], s); },
                   [&](std::size_t i, Index s) {
                       put(cross, cross_source, cross_end[std::size_t(cross_at_[i])], s);
                   });
    reserve();
}

template struct HalfRows<3>;
template struct HalfRows<6>;

}  // namespace taffeta::solve::sa
