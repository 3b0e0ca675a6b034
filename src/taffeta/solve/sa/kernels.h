#pragma once

#include "taffeta/solve/sa/simd.h"

/// Products of block rows, accumulated in registers: a row starts at zero, `add(block, x)` adds
/// A_ij x_j, `result()` is the sum, with its padding zero.
namespace taffeta::solve::sa {

/// 3x3 blocks, column-major in 9 floats.
struct Row3 {
#if defined(__AVX2__) && defined(__FMA__)
    // The first eight numbers are one register, (a00 a10 a20 a01 a11 a21 a02 a12), times
    // (x0 x0 x0 x1 x1 x1 x2 x2); a22 x2 goes apart. The lanes of a component are added once a row.
    V8 sum = zero8();
    V4 last = zero4();

    void add(const float* a, const float* x) {
        const __m256i spread = _mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2);
        const V4 xj = load4(x);
        const V8 wide = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(xj), spread);
        sum = fma8(loadu8(a), wide, sum);
        last = _mm_fmadd_ss(_mm_load_ss(a + 8), _mm_shuffle_ps(xj, xj, 2), last);
    }
    V4 result() const {
        const V4 low = _mm256_castps256_ps128(sum);     // a00 a10 a20 a01
        const V4 high = _mm256_extractf128_ps(sum, 1);  // a11 a21 a02 a12
        const V4 mixed = _mm_shuffle_ps(low, high, _MM_SHUFFLE(1, 0, 3, 3));
        const V4 second = _mm_shuffle_ps(mixed, mixed, _MM_SHUFFLE(3, 3, 2, 0));
        const V4 third = _mm_shuffle_ps(high, last, _MM_SHUFFLE(1, 0, 3, 2));
        const V4 total = _mm_add_ps(_mm_add_ps(low, second), third);
        return _mm_blend_ps(total, _mm_setzero_ps(), 8);
    }
#else
    V4 sum = zero4();

    void add(const float* a, const float* x) {
        for (int k = 0; k < 3; ++k)
            sum.v[k] += a[k] * x[0] + a[3 + k] * x[1] + a[6 + k] * x[2];
    }
    V4 result() const {
        return sum;
    }
#endif
};

/// 6x6 blocks, column-major in 36 floats: six column loads (two lanes of each belong to the next
/// column and are dropped at the end) times six broadcasts, in two chains.
struct Row6 {
    V8 even = zero8(), odd = zero8();

    void add(const float* a, const float* x) {
        even = fma8(loadu8(a), broadcast8(x), even);
        odd = fma8(loadu8(a + 6), broadcast8(x + 1), odd);
        even = fma8(loadu8(a + 12), broadcast8(x + 2), even);
        odd = fma8(loadu8(a + 18), broadcast8(x + 3), odd);
        even = fma8(loadu8(a + 24), broadcast8(x + 4), even);
        odd = fma8(loadu8(a + 30), broadcast8(x + 5), odd);
    }
    V8 result() const { return first_six(add8(even, odd)); }
};

/// The same names for both block sizes.
template <int B>
struct RowOf;

template <>
struct RowOf<3> {
    using type = Row3;
    using vector = V4;
    static vector load(const float* p) { return load4(p); }
    static vector load_rough(const float* p) { return loadu4(p); }  ///< padded with what follows
    static void store(float* p, vector v) { store4(p, v); }
    static vector zero() { return zero4(); }
    static vector add(vector a, vector b) { return add4(a, b); }
    static vector multiply_add(vector a, vector b, vector c) { return fma4(a, b, c); }
    static vector broadcast(vector v, int k) { return broadcast_lane(v, k); }
    static vector totals(const vector* sum) { return totals3(sum); }
    static vector totals_of(const V4* sum) { return totals3(sum); }
    static vector totals_of(const V8* sum) {
        const V4 folded[] = {fold(sum[0]), fold(sum[1]), fold(sum[2])};
        return totals3(folded);
    }
    static vector spread(const float* p) { return broadcast4(p); }
    static vector without_padding(vector v) { return first_three(v); }
    static void store_exact(float* p, vector v) { store3(p, v); }        ///< and nothing behind it
    static vector load_fixed(const Fixed* p) { return load_fixed4(p); }  ///< in units, padded alike
    static void store_fixed(Fixed* p, vector v) { store_fixed3(p, v); }  ///< of units
    static vector subtract(vector a, vector b) { return sub4(a, b); }
    static vector negative(vector a) { return sub4(zero4(), a); }
    /// D^-1 b, columns of four floats.
    static vector scale(const float* inverse, vector b) { return scale3(inverse, b); }
};

template <>
struct RowOf<6> {
    using type = Row6;
    using vector = V8;
    static vector load(const float* p) { return load8(p); }
    static vector load_rough(const float* p) { return loadu8(p); }
    static void store(float* p, vector v) { store8(p, v); }
    static vector zero() { return zero8(); }
    static vector add(vector a, vector b) { return add8(a, b); }
    static vector multiply_add(vector a, vector b, vector c) { return fma8(a, b, c); }
    static vector broadcast(vector v, int k) { return broadcast_lane(v, k); }
    static vector totals(const vector* sum) { return totals6(sum); }
    static vector totals_of(const V8* sum) { return totals6(sum); }
    static vector spread(const float* p) { return broadcast8(p); }
    static vector without_padding(vector v) { return first_six(v); }
    static void store_exact(float* p, vector v) { store6(p, v); }
    static vector load_fixed(const Fixed* p) { return load_fixed8(p); }
    static void store_fixed(Fixed* p, vector v) { store_fixed6(p, v); }
    static vector subtract(vector a, vector b) { return sub8(a, b); }
    static vector negative(vector a) { return sub8(zero8(), a); }
    /// D^-1 b, columns of eight floats.
    static vector scale(const float* inverse, vector b) {
        alignas(32) float x[8];
        store8(x, b);
        V8 even = fma8(load8(inverse), broadcast8(x), zero8());
        V8 odd = fma8(load8(inverse + 8), broadcast8(x + 1), zero8());
        even = fma8(load8(inverse + 16), broadcast8(x + 2), even);
        odd = fma8(load8(inverse + 24), broadcast8(x + 3), odd);
        even = fma8(load8(inverse + 32), broadcast8(x + 4), even);
        odd = fma8(load8(inverse + 40), broadcast8(x + 5), odd);
        return add8(even, odd);
    }
};

/// Sum of A_ij x_j over row-major blocks: lane by lane for each row of the blocks, added up once.
/// The padding of x is zero, so what is read behind the end of a row does not count.
template <int B>
struct RowSum {
    using Row = RowOf<B>;
    typename Row::vector sum[B];

    RowSum() {
        for (auto& lanes : sum)
            lanes = Row::zero();
    }
    void add(const float* a, const float* x) {
        const auto xj = Row::load(x);
        for (int r = 0; r < B; ++r)
            sum[r] = Row::multiply_add(Row::load_rough(a + r * B), xj, sum[r]);
    }
    typename Row::vector result() const { return Row::totals(sum); }
};

/// y_j += A_ij' x_i over row-major blocks, for one x_i. The padding of y takes rubbish.
template <int B>
struct RowSpread {
    using Row = RowOf<B>;
    typename Row::vector number[B];

    explicit RowSpread(typename Row::vector x) {
        for (int r = 0; r < B; ++r)
            number[r] = Row::broadcast(x, r);
    }
    void add_to(const float* a, float* y) const {
        // Summed up apart: the next row adds to the same y, and waits for one addition alone.
        auto sum = Row::zero();
        for (int r = 0; r < B; ++r)
            sum = Row::multiply_add(Row::load_rough(a + r * B), number[r], sum);
        Row::store(y, Row::add(Row::load(y), sum));
    }
};

}  // namespace taffeta::solve::sa
