#include "taffeta/solve/sa/transfer.h"

#include <algorithm>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index prolonged_rows = 512;

/// Asks for the blocks of the row so far ahead.
template <int B, int C>
void ask_for(const Fixed* value, const Index* row_begin, Index i, Index end) {
    constexpr Index rows_ahead = 24;
    constexpr int line = 32;  // numbers
    const Fixed* const blocks =
        value + std::size_t(row_begin[std::min(end - 1, i + rows_ahead)]) * (B * C);
    for (int k = 0; k < C / 3; ++k)
        __builtin_prefetch(blocks + k * line);
}

}  // namespace

template <int B, int C>
void restrict_residual(const ProlongatorRows<B, C>& P, FloatSpan r, FloatArray& coarse) {
    coarse.set_zero();
    // By value: a store of a float might change a pointer that is read through P, for all the
    // compiler knows.
    const Index* const row_begin = P.row_begin.data();
    const Index* const column = P.column.data();
    const Fixed* const value = P.value.data();
    const float* const fine = r.data();
    float* const sums = coarse.data();
    using Row = RowOf<C>;
    const auto unit = Row::spread(&fixed_unit);
    const auto run = [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            ask_for<B, C>(value, row_begin, i, end);
            typename Row::vector ri[B];
            for (int k = 0; k < B; ++k)
                ri[k] = Row::multiply_add(unit, Row::spread(fine + std::size_t(i) * stride<B> + k),
                                          Row::zero());
            const Index last = row_begin[i + 1];
            for (Index s = row_begin[i]; s < last; ++s) {
                const Fixed* p = value + std::size_t(s) * (B * C);
                float* out = sums + std::size_t(column[s]) * stride<C>;
                // Summed up apart: neighbours of one aggregate wait for one addition alone.
                auto sum = Row::zero();
                for (int k = 0; k < B; ++k)
                    sum = Row::multiply_add(Row::load_fixed(p + C * k), ri[k], sum);
                Row::store(out, Row::add(Row::load(out), Row::without_padding(sum)));
            }
        }
    };
    for (const auto& chunks : P.color)
        parallel_for(Index(chunks.size()), 1, [&](Index c) {
            run(chunks[std::size_t(c)].begin, chunks[std::size_t(c)].end);
        });
}

template <int B, int C>
void prolong_and_add(const ProlongatorRows<B, C>& P, const FloatArray& coarse, FloatArray& x) {
    using Sum = typename RowOf<C>::vector;
    parallel_chunks(Index(P.row_begin.size()) - 1, prolonged_rows, [&](Index first, Index last) {
        const Index* const row_begin = P.row_begin.data();
        const Index* const column = P.column.data();
        const Fixed* const value = P.value.data();
        const auto unit = RowOf<B>::spread(&fixed_unit);
        const float* const from = coarse.data();
        float* const to = x.data();
        for (Index i = first; i < last; ++i) {
            ask_for<B, C>(value, row_begin, i, last);
            Sum sum[B];
            for (int k = 0; k < B; ++k)
                sum[k] = RowOf<C>::zero();
            for (Index s = row_begin[i], end = row_begin[i + 1]; s < end; ++s) {
                const Fixed* p = value + std::size_t(s) * (B * C);
                const Sum xc = RowOf<C>::load(from + std::size_t(column[s]) * stride<C>);
                for (int k = 0; k < B; ++k)
                    sum[k] = RowOf<C>::multiply_add(RowOf<C>::load_fixed(p + C * k), xc, sum[k]);
            }
            float* out = to + std::size_t(i) * stride<B>;
            RowOf<B>::store(
                out, RowOf<B>::multiply_add(unit, RowOf<B>::totals_of(sum), RowOf<B>::load(out)));
        }
    });
}

#define TAFFETA_INSTANTIATE(B, C)                                                                \
    template void restrict_residual<B, C>(const ProlongatorRows<B, C>&, FloatSpan, FloatArray&); \
    template void prolong_and_add<B, C>(const ProlongatorRows<B, C>&, const FloatArray&,         \
                                        FloatArray&);
TAFFETA_INSTANTIATE(3, 3)
TAFFETA_INSTANTIATE(3, 6)
TAFFETA_INSTANTIATE(6, 6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
