#include "taffeta/solve/sa/transfer.h"

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index prolonged_rows = 512;

}  // namespace

template <int B>
void restrict_residual(const ProlongatorRows<B>& P, const FloatArray& r, FloatArray& coarse) {
    coarse.set_zero();
    // By value: a store of a float might change a pointer that is read through P, for all the
    // compiler knows.
    const Index* const row_begin = P.row_begin.data();
    const Index* const column = P.column.data();
    const float* const value = P.value.data();
    const float* const fine = r.data();
    float* const sums = coarse.data();
    const auto run = [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            V8 ri[B];
            for (int k = 0; k < B; ++k)
                ri[k] = broadcast8(fine + std::size_t(i) * stride<B> + k);
            const Index last = row_begin[i + 1];
            for (Index s = row_begin[i]; s < last; ++s) {
                const float* p = value + std::size_t(s) * (B * 6);
                float* out = sums + std::size_t(column[s]) * 8;
                // Summed up apart: neighbours of one aggregate wait for one addition alone.
                V8 sum = zero8();
                for (int k = 0; k < B; ++k)
                    sum = fma8(loadu8(p + 6 * k), ri[k], sum);
                store8(out, add8(load8(out), first_six(sum)));
            }
        }
    };
    for (const auto& chunks : P.color)
        parallel_for(Index(chunks.size()), 1, [&](Index c) {
            run(chunks[std::size_t(c)].begin, chunks[std::size_t(c)].end);
        });
}

template <int B>
void prolong_and_add(const ProlongatorRows<B>& P, const FloatArray& coarse, FloatArray& x) {
    parallel_for(Index(P.row_begin.size()) - 1, prolonged_rows, [&](Index i) {
        V8 sum[B];
        for (int k = 0; k < B; ++k)
            sum[k] = zero8();
        for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s) {
            const float* p = P.block(s);
            const V8 xc = load8(coarse.data() + std::size_t(P.column[std::size_t(s)]) * 8);
            for (int k = 0; k < B; ++k)
                sum[k] = fma8(loadu8(p + 6 * k), xc, sum[k]);
        }
        float* out = x.data() + std::size_t(i) * stride<B>;
        RowOf<B>::store(out, RowOf<B>::add(RowOf<B>::load(out), RowOf<B>::totals_of_wide(sum)));
    });
}

#define TAFFETA_INSTANTIATE(B)                                                                     \
    template void restrict_residual<B>(const ProlongatorRows<B>&, const FloatArray&, FloatArray&); \
    template void prolong_and_add<B>(const ProlongatorRows<B>&, const FloatArray&, FloatArray&);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
