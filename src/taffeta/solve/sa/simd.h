#pragma once

#include <algorithm>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

/// Registers of four and eight floats: AVX2 with FMA, or plain loops where there is none.
namespace taffeta::solve::sa {

#if defined(__AVX2__) && defined(__FMA__)

using V4 = __m128;
using V8 = __m256;

inline V4 zero4() {
    return _mm_setzero_ps();
}
inline V4 load4(const float* p) {
    return _mm_load_ps(p);
}
inline void store4(float* p, V4 v) {
    _mm_store_ps(p, v);
}
inline V4 sub4(V4 a, V4 b) {
    return _mm_sub_ps(a, b);
}
/// D^-1 b for a block of three columns of four floats.
inline V4 scale3(const float* inverse, V4 b) {
    V4 y = _mm_mul_ps(_mm_load_ps(inverse), _mm_shuffle_ps(b, b, 0x00));
    y = _mm_fmadd_ps(_mm_load_ps(inverse + 4), _mm_shuffle_ps(b, b, 0x55), y);
    return _mm_fmadd_ps(_mm_load_ps(inverse + 8), _mm_shuffle_ps(b, b, 0xaa), y);
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
/// The last two lanes made zero.
inline V8 first_six(V8 v) {
    return _mm256_blend_ps(v, _mm256_setzero_ps(), 0xc0);
}
/// Six floats; what lies behind them is not touched.
inline void store6(float* p, V8 v) {
    const __m256i six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
    _mm256_maskstore_ps(p, six, v);
}
inline float sum8(V8 v) {
    V4 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_shuffle_ps(s, s, 1));
    return _mm_cvtss_f32(s);
}

#else

template <int N>
struct Lanes {
    float v[N];
};
using V4 = Lanes<4>;
using V8 = Lanes<8>;

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
inline V4 sub4(V4 a, V4 b) {
    return lanes<4>([&](int k) { return a.v[k] - b.v[k]; });
}
inline V4 scale3(const float* inverse, V4 b) {
    return lanes<4>([&](int k) {
        return inverse[k] * b.v[0] + inverse[4 + k] * b.v[1] + inverse[8 + k] * b.v[2];
    });
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
inline V8 first_six(V8 v) {
    v.v[6] = v.v[7] = 0;
    return v;
}
inline void store6(float* p, V8 v) {
    std::copy_n(v.v, 6, p);
}
inline float sum8(V8 v) {
    float total = 0;
    for (const float lane : v.v)
        total += lane;
    return total;
}

#endif

}  // namespace taffeta::solve::sa
