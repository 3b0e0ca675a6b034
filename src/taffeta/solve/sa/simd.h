#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

/// Registers of four and eight floats: AVX2 with FMA, or plain loops where there is none.
namespace taffeta::solve::sa {

/// A number in fixed point, in units of 2^-14: from -2 to 2, where it ends, to 3e-5.
using Fixed = std::int16_t;
constexpr float fixed_unit = 1.0f / 16384;

#if defined(__AVX2__) && defined(__FMA__)

using V4 = __m128;
using V8 = __m256;

/// Rows of a 3x3 matrix; what their last lanes hold does not matter.
struct Rows3 {
    V4 row[3];
};

inline V4 zero4() {
    return _mm_setzero_ps();
}
inline V4 load4(const float* p) {
    return _mm_load_ps(p);
}
inline void store4(float* p, V4 v) {
    _mm_store_ps(p, v);
}
inline V4 loadu4(const float* p) {
    return _mm_loadu_ps(p);
}
inline void storeu(float* p, V4 v) {
    _mm_storeu_ps(p, v);
}
inline V4 broadcast4(const float* p) {
    return _mm_broadcast_ss(p);
}
inline V4 add4(V4 a, V4 b) {
    return _mm_add_ps(a, b);
}
inline V4 sub4(V4 a, V4 b) {
    return _mm_sub_ps(a, b);
}
/// a b + c
inline V4 fma4(V4 a, V4 b, V4 c) {
    return _mm_fmadd_ps(a, b, c);
}
inline V4 broadcast_lane(V4 v, int k) {
    return _mm_permutevar_ps(v, _mm_set1_epi32(k));
}
/// The sums of the lanes of three registers.
inline V4 totals3(const V4* v) {
    const V4 low = _mm_unpacklo_ps(v[0], v[1]), high = _mm_unpackhi_ps(v[0], v[1]);
    const V4 two = _mm_add_ps(low, high);  // 0: v0 + v2, 1: the same of v[1], then v1 + v3 of both
    const V4 third = _mm_add_ps(v[2], _mm_movehl_ps(v[2], v[2]));
    const V4 zero = _mm_setzero_ps();
    const V4 mixed = _mm_unpacklo_ps(third, zero);  // t0 0 t1 0
    return _mm_add_ps(_mm_movelh_ps(two, mixed), _mm_movehl_ps(mixed, two));
}
/// D^-1 b for a block of three columns of four floats.
inline V4 scale3(const float* inverse, V4 b) {
    V4 y = _mm_mul_ps(_mm_load_ps(inverse), _mm_shuffle_ps(b, b, 0x00));
    y = _mm_fmadd_ps(_mm_load_ps(inverse + 4), _mm_shuffle_ps(b, b, 0x55), y);
    return _mm_fmadd_ps(_mm_load_ps(inverse + 8), _mm_shuffle_ps(b, b, 0xaa), y);
}

/// The last lane made zero.
inline V4 first_three(V4 v) {
    return _mm_blend_ps(v, _mm_setzero_ps(), 8);
}
/// Three floats; what lies behind them is not touched.
inline void store3(float* p, V4 v) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), v);
    _mm_store_ss(p + 2, _mm_movehl_ps(v, v));
}
/// Nine floats from three rows of three; what lies behind them is not touched.
inline void store_rows3(float* p, const Rows3& rows) {
    _mm_storeu_ps(p, rows.row[0]);
    _mm_storeu_ps(p + 3, rows.row[1]);
    store3(p + 6, rows.row[2]);
}
/// A 3x3 block of doubles, column-major, times `scale`: its columns, or its rows.
inline Rows3 rows_of(const double* a, double scale, bool row_major) {
    const __m256d unit = _mm256_set1_pd(scale);
    const V4 x = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(a), unit));
    const V4 y = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(a + 3), unit));
    const V4 last = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(a + 5), unit));
    const V4 z = _mm_shuffle_ps(last, last, _MM_SHUFFLE(0, 3, 2, 1));
    if (!row_major) return {x, y, z};
    const V4 low = _mm_unpacklo_ps(x, y), high = _mm_unpackhi_ps(x, y);
    return {_mm_movelh_ps(low, z), _mm_shuffle_ps(low, z, _MM_SHUFFLE(2, 1, 3, 2)),
            _mm_shuffle_ps(high, z, _MM_SHUFFLE(3, 2, 1, 0))};
}

/// Fixed numbers in their units; what is stored is rounded, and nothing behind it is touched.
inline V4 load_fixed4(const Fixed* p) {
    return _mm_cvtepi32_ps(
        _mm_cvtepi16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i_u*>(p))));
}
inline V8 load_fixed8(const Fixed* p) {
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p))));
}
inline void store_fixed3(Fixed* p, V4 v) {
    const __m128i all = _mm_cvtps_epi32(v);
    const std::int64_t numbers = _mm_cvtsi128_si64(_mm_packs_epi32(all, all));
    std::memcpy(p, &numbers, 3 * sizeof(Fixed));
}
inline void store_fixed6(Fixed* p, V8 v) {
    const __m256i all = _mm256_cvtps_epi32(v);
    alignas(16) Fixed numbers[8];
    _mm_store_si128(reinterpret_cast<__m128i*>(numbers),
                    _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
    std::memcpy(p, numbers, 6 * sizeof(Fixed));
}

inline V8 zero8() {
    return _mm256_setzero_ps();
}
inline V8 load8(const float* p) {
    return _mm256_load_ps(p);
}
inline V8 loadu8(const float* p) {
    return _mm256_loadu_ps(p);
}
inline void storeu(float* p, V8 v) {
    _mm256_storeu_ps(p, v);
}
inline V8 broadcast8(const float* p) {
    return _mm256_broadcast_ss(p);
}
inline void store8(float* p, V8 v) {
    _mm256_store_ps(p, v);
}
inline V8 add8(V8 a, V8 b) {
    return _mm256_add_ps(a, b);
}
inline V8 sub8(V8 a, V8 b) {
    return _mm256_sub_ps(a, b);
}
/// a b + c
inline V8 fma8(V8 a, V8 b, V8 c) {
    return _mm256_fmadd_ps(a, b, c);
}
inline V8 broadcast_lane(V8 v, int k) {
    return _mm256_permutevar8x32_ps(v, _mm256_set1_epi32(k));
}
/// The sums of the lanes of six registers, then two zeros.
inline V8 totals6(const V8* v) {
    const V8 first = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    const V8 second = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_setzero_ps());
    return _mm256_add_ps(_mm256_permute2f128_ps(first, second, 0x20),
                         _mm256_permute2f128_ps(first, second, 0x31));
}
/// The last two lanes made zero.
inline V8 first_six(V8 v) {
    return _mm256_blend_ps(v, _mm256_setzero_ps(), 0xc0);
}
/// Six floats; what lies behind them is not touched.
inline void store6(float* p, V8 v) {
    _mm_storeu_ps(p, _mm256_castps256_ps128(v));
    _mm_storel_pi(reinterpret_cast<__m64*>(p + 4), _mm256_extractf128_ps(v, 1));
}
/// The upper half added to the lower one.
inline V4 fold(V8 v) {
    return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}
inline V8 all8(float value) {
    return _mm256_set1_ps(value);
}
/// Bit k: whether columns[k] is the wanted one, for k from 0 to 7.
inline unsigned equal_columns(const std::int32_t* columns, std::int32_t wanted) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(columns));
    return unsigned(_mm256_movemask_ps(
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(here, _mm256_set1_epi32(wanted)))));
}
/// Sum of products of floats, made in double, lane by lane.
class ProductSum {
  public:
    void add(V8 a, V8 b) {
        low_ = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                               _mm256_cvtps_pd(_mm256_castps256_ps128(b)), low_);
        high_ = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)),
                                _mm256_cvtps_pd(_mm256_extractf128_ps(b, 1)), high_);
    }
    double total() const {
        alignas(32) double lane[4];
        _mm256_store_pd(lane, _mm256_add_pd(low_, high_));
        return (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }

  private:
    __m256d low_ = _mm256_setzero_pd(), high_ = _mm256_setzero_pd();
};

#else

template <int N>
struct Lanes {
    float v[N];
};
using V4 = Lanes<4>;
using V8 = Lanes<8>;

struct Rows3 {
    V4 row[3];
};

template <int N, class F>
Lanes<N> lanes(const F& f) {
    Lanes<N> result;
    for (int k = 0; k < N; ++k)
        result.v[k] = f(k);
    return result;
}

inline V4 zero4() {
    return lanes<4>([](int) { return 0.0f; });
}
inline V4 load4(const float* p) {
    return lanes<4>([&](int k) { return p[k]; });
}
inline void store4(float* p, V4 v) {
    std::copy_n(v.v, 4, p);
}
inline V4 loadu4(const float* p) {
    return load4(p);
}
template <int N>
void storeu(float* p, const Lanes<N>& v) {
    std::copy_n(v.v, N, p);
}
inline V4 broadcast4(const float* p) {
    return lanes<4>([&](int) { return *p; });
}
inline V4 add4(V4 a, V4 b) {
    return lanes<4>([&](int k) { return a.v[k] + b.v[k]; });
}
inline V4 fma4(V4 a, V4 b, V4 c) {
    return lanes<4>([&](int k) { return a.v[k] * b.v[k] + c.v[k]; });
}
inline V4 broadcast_lane(V4 v, int k) {
    return lanes<4>([&](int) { return v.v[k]; });
}
template <int N>
float lane_sum(const Lanes<N>& v) {
    float total = 0;
    for (const float lane : v.v)
        total += lane;
    return total;
}
inline V4 totals3(const V4* v) {
    return lanes<4>([&](int k) { return k < 3 ? lane_sum(v[k]) : 0.0f; });
}
inline V4 sub4(V4 a, V4 b) {
    return lanes<4>([&](int k) { return a.v[k] - b.v[k]; });
}
inline V4 first_three(V4 v) {
    v.v[3] = 0;
    return v;
}
inline void store3(float* p, V4 v) {
    std::copy_n(v.v, 3, p);
}
inline V4 scale3(const float* inverse, V4 b) {
    return lanes<4>([&](int k) {
        return inverse[k] * b.v[0] + inverse[4 + k] * b.v[1] + inverse[8 + k] * b.v[2];
    });
}
inline void store_rows3(float* p, const Rows3& rows) {
    for (int r = 0; r < 3; ++r)
        store3(p + 3 * r, rows.row[r]);
}
inline Rows3 rows_of(const double* a, double scale, bool row_major) {
    Rows3 rows;
    for (int r = 0; r < 3; ++r)
        rows.row[r] = lanes<4>([&](int c) {
            if (c == 3) return 0.0f;
            return float(scale * (row_major ? a[3 * c + r] : a[3 * r + c]));
        });
    return rows;
}
inline V4 load_fixed4(const Fixed* p) {
    return lanes<4>([&](int k) { return float(p[k]); });
}
inline V8 load_fixed8(const Fixed* p) {
    return lanes<8>([&](int k) { return float(p[k]); });
}
inline Fixed fixed(float v) {
    constexpr float least = std::numeric_limits<Fixed>::min(),
                    most = std::numeric_limits<Fixed>::max();
    return Fixed(std::nearbyint(std::clamp(v, least, most)));
}
inline void store_fixed3(Fixed* p, const V4& v) {
    std::transform(v.v, v.v + 3, p, fixed);
}
inline void store_fixed6(Fixed* p, const V8& v) {
    std::transform(v.v, v.v + 6, p, fixed);
}
inline V8 zero8() {
    return lanes<8>([](int) { return 0.0f; });
}
inline V8 load8(const float* p) {
    return lanes<8>([&](int k) { return p[k]; });
}
inline V8 loadu8(const float* p) {
    return load8(p);
}
inline V8 broadcast8(const float* p) {
    return lanes<8>([&](int) { return *p; });
}
inline void store8(float* p, V8 v) {
    std::copy_n(v.v, 8, p);
}
inline V8 add8(V8 a, V8 b) {
    return lanes<8>([&](int k) { return a.v[k] + b.v[k]; });
}
inline V8 sub8(V8 a, V8 b) {
    return lanes<8>([&](int k) { return a.v[k] - b.v[k]; });
}
inline V8 fma8(V8 a, V8 b, V8 c) {
    return lanes<8>([&](int k) { return a.v[k] * b.v[k] + c.v[k]; });
}
inline V8 broadcast_lane(V8 v, int k) {
    return lanes<8>([&](int) { return v.v[k]; });
}
inline V8 totals6(const V8* v) {
    return lanes<8>([&](int k) { return k < 6 ? lane_sum(v[k]) : 0.0f; });
}
inline V8 first_six(V8 v) {
    v.v[6] = v.v[7] = 0;
    return v;
}
inline void store6(float* p, V8 v) {
    std::copy_n(v.v, 6, p);
}
inline V4 fold(V8 v) {
    return lanes<4>([&](int k) { return v.v[k] + v.v[4 + k]; });
}
inline V8 all8(float value) {
    return lanes<8>([&](int) { return value; });
}
inline unsigned equal_columns(const std::int32_t* columns, std::int32_t wanted) {
    unsigned equal = 0;
    for (unsigned k = 0; k < 8; ++k)
        equal |= unsigned(columns[k] == wanted) << k;
    return equal;
}
class ProductSum {
  public:
    void add(V8 a, V8 b) {
        for (int k = 0; k < 8; ++k)
            lane_[k] += double(a.v[k]) * double(b.v[k]);
    }
    double total() const {
        double sum = 0;
        for (const double lane : lane_)
            sum += lane;
        return sum;
    }

  private:
    double lane_[8] = {};
};

#endif

/// a b
inline Rows3 product3(const Rows3& a, const Rows3& b) {
    Rows3 product;
    for (int r = 0; r < 3; ++r) {
        product.row[r] = zero4();
        for (int k = 0; k < 3; ++k)
            product.row[r] = fma4(broadcast_lane(a.row[r], k), b.row[k], product.row[r]);
    }
    return product;
}

}  // namespace taffeta::solve::sa
