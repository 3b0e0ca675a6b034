#include "taffeta/solve/sa/float_vectors.h"

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/simd.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index grain = 8192;  // floats, 32 kB a vector
constexpr Index lanes = 8;     // the last ones may lie behind the end, where zeros are

}  // namespace

double dot(FloatSpan x, FloatSpan y, sparse::Partials& scratch) {
    TAFFETA_ASSERT(x.size() == y.size());
    return parallel_sum(Index(x.size()), grain, scratch, [&](Index begin, Index end) {
        const float* const a = x.data();
        const float* const b = y.data();
        ProductSum sum;
        for (Index i = begin; i < end; i += lanes)
            sum.add(load8(a + i), load8(b + i));
        return sum.total();
    });
}

void step(float alpha, FloatSpan p, FloatSpan q, FloatSpan x, FloatSpan r) {
    TAFFETA_ASSERT(p.size() == x.size() && q.size() == r.size() && x.size() == r.size());
    parallel_chunks(Index(x.size()), grain, [&](Index begin, Index end) {
        const float* const along = p.data();
        const float* const image = q.data();
        float* const solution = x.data();
        float* const residual = r.data();
        const V8 ahead = all8(alpha), back = all8(-alpha);
        for (Index i = begin; i < end; i += lanes) {
            store8(solution + i, fma8(ahead, load8(along + i), load8(solution + i)));
            store8(residual + i, fma8(back, load8(image + i), load8(residual + i)));
        }
    });
}

double turn(float beta, FloatSpan z, FloatSpan w, FloatSpan p, FloatSpan q,
            sparse::Partials& scratch) {
    TAFFETA_ASSERT(p.size() == z.size() && q.size() == w.size() && p.size() == q.size());
    return parallel_sum(Index(p.size()), grain, scratch, [&](Index begin, Index end) {
        const float* const new_direction = z.data();
        const float* const new_image = w.data();
        float* const direction = p.data();
        float* const image = q.data();
        const V8 kept = all8(beta);
        ProductSum sum;
        for (Index i = begin; i < end; i += lanes) {
            const V8 along = fma8(kept, load8(direction + i), load8(new_direction + i));
            const V8 product = fma8(kept, load8(image + i), load8(new_image + i));
            store8(direction + i, along);
            store8(image + i, product);
            sum.add(along, product);
        }
        return sum.total();
    });
}

void add_two(float a, FloatSpan x, float b, FloatSpan y, FloatSpan out) {
    TAFFETA_ASSERT(x.size() == y.size() && x.size() == out.size());
    parallel_chunks(Index(x.size()), grain, [&](Index begin, Index end) {
        const float* const first = x.data();
        const float* const second = y.data();
        float* const sum = out.data();
        const V8 of_first = all8(a), of_second = all8(b);
        for (Index i = begin; i < end; i += lanes)
            store8(sum + i, fma8(of_first, load8(first + i),
                                 fma8(of_second, load8(second + i), load8(sum + i))));
    });
}

void add_difference(float gain, FloatSpan x, FloatSpan y, FloatSpan out) {
    TAFFETA_ASSERT(x.size() == y.size() && x.size() == out.size());
    parallel_chunks(Index(x.size()), grain, [&](Index begin, Index end) {
        const float* const a = x.data();
        const float* const b = y.data();
        float* const sum = out.data();
        const V8 factor = all8(gain);
        for (Index i = begin; i < end; i += lanes)
            store8(sum + i, fma8(factor, sub8(load8(a + i), load8(b + i)), load8(sum + i)));
    });
}

}  // namespace taffeta::solve::sa
