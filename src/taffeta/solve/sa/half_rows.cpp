#include "taffeta/solve/sa/half_rows.h"

namespace taffeta::solve::sa {

template <int B>
void HalfRows<B>::set_pattern(const SquareRows<B>& A, const Strips& cut) {
    strips = cut;
    lower = {}, cross = {};
    cross_row.clear();
    strip_cross.assign(1, 0);
    lower_source.clear();
    cross_source.clear();
    cross_at_.assign(std::size_t(A.rows()), -1);
    for (Index strip = 0; strip < strips.count(); ++strip) {
        const Index first = strips.begin[std::size_t(strip)];
        const Index last = strips.begin[std::size_t(strip) + 1];
        for (Index i = first; i < last; ++i) {
            for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
                const Index j = A.column[std::size_t(s)];
                if (j < first || j >= last) {
                    cross.column.push_back(j);
                    cross_source.push_back(s);
                } else if (j < i) {
                    lower.column.push_back(j);
                    lower_source.push_back(s);
                }
            }
            lower.begin.push_back(Index(lower.column.size()));
            if (Index(cross.column.size()) == cross.begin.back()) continue;
            cross_at_[std::size_t(i)] = Index(cross_row.size());
            cross_row.push_back(i);
            cross.begin.push_back(Index(cross.column.size()));
        }
        strip_cross.push_back(Index(cross_row.size()));
    }
    reserve();
}

template struct HalfRows<3>;
template struct HalfRows<6>;

}  // namespace taffeta::solve::sa
