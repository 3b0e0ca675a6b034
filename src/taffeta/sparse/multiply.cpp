#include <algorithm>
#include <cstdint>

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"
#include "taffeta/sparse/block_matrix.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define TAFFETA_AVX2 1
#else
#define TAFFETA_AVX2 0
#endif

/// The product y = A x for 3 x 3 blocks.
///
/// A row reads 76 bytes a block (nine numbers, one column) once, and little else: the product runs
/// at the speed of memory as soon as a block costs fewer cycles than its bytes. With columns of
/// three doubles in a row, a block is three unaligned loads of four doubles (the fourth lane holds
/// the next column's first number; it is computed and dropped), three broadcasts of x_j and three
/// fused multiply-adds into independent accumulators. No lane is shuffled. The hardware sees
/// one long stream, so software prefetch gains nothing (measured). Why not four rows at once in sliced form? It needs a second copy of the matrix, and memory is already the limit.
namespace taffeta::sparse {

namespace {

// About half a megabyte of matrix a chunk: large against the cost of a task, small against the
// share of a thread.
constexpr Index product_grain = 512;

#if TAFFETA_AVX2

/// Lanes 0..2 of the result are y_i; lane 3 is meaningless.
inline __m256d multiply_row(const double* block, const Index* column, const Index* end,
                            const double* x) {
    __m256d sum0 = _mm256_setzero_pd(), sum1 = sum0, sum2 = sum0;
    for (; column != end; ++column, block += 9) {
        const double* xj = x + 3 * std::ptrdiff_t(*column);
        sum0 = _mm256_fmadd_pd(_mm256_loadu_pd(block), _mm256_broadcast_sd(xj), sum0);
        sum1 = _mm256_fmadd_pd(_mm256_loadu_pd(block + 3), _mm256_broadcast_sd(xj + 1), sum1);
        sum2 = _mm256_fmadd_pd(_mm256_loadu_pd(block + 6), _mm256_broadcast_sd(xj + 2), sum2);
    }
    return _mm256_add_pd(_mm256_add_pd(sum0, sum1), sum2);
}

inline void store(double* y, __m256d row) {
    // Two stores of three doubles in all: a chunk never writes into the row after its last.
    _mm_storeu_pd(y, _mm256_castpd256_pd128(row));
    _mm_store_sd(y + 2, _mm256_extractf128_pd(row, 1));
}

#else

inline void multiply_row(const double* block, const Index* column, const Index* end,
                         const double* x, double* y) {
    double y0 = 0, y1 = 0, y2 = 0;
    for (; column != end; ++column, block += 9) {
        const double* xj = x + 3 * std::ptrdiff_t(*column);
        y0 += block[0] * xj[0] + block[3] * xj[1] + block[6] * xj[2];
        y1 += block[1] * xj[0] + block[4] * xj[1] + block[7] * xj[2];
        y2 += block[2] * xj[0] + block[5] * xj[1] + block[8] * xj[2];
    }
    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}

#endif

/// y = A x for the rows of a chunk; returns their part of x'y.
double multiply_rows(const Matrix3& A, const double* x, double* y, Index begin, Index end) {
    const BlockPattern& pattern = A.pattern();
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
        const Index first = pattern.row_begin[std::size_t(i)];
        const Index last = pattern.row_begin[std::size_t(i) + 1];
        const Index* column = pattern.column.data();
        double* yi = y + 3 * std::ptrdiff_t(i);
        const double* xi = x + 3 * std::ptrdiff_t(i);
#if TAFFETA_AVX2
        store(yi, multiply_row(A.slot(first), column + first, column + last, x));
#else
        multiply_row(A.slot(first), column + first, column + last, x, yi);
#endif
        sum += xi[0] * yi[0] + xi[1] * yi[1] + xi[2] * yi[2];
    }
    return sum;
}

}  // namespace

void multiply(const Matrix3& A, const VecX& x, VecX& y) {
    TAFFETA_ASSERT(&x != &y && x.size() == 3 * Eigen::Index(A.rows()));
    y.resize(x.size());
    parallel_chunks(A.rows(), product_grain, [&](Index begin, Index end) {
        multiply_rows(A, x.data(), y.data(), begin, end);
    });
}

double multiply_dot(const Matrix3& A, const VecX& x, VecX& y, Partials& scratch) {
    TAFFETA_ASSERT(&x != &y && x.size() == 3 * Eigen::Index(A.rows()));
    y.resize(x.size());
    scratch.resize(std::size_t(A.rows() / product_grain + 1));
    scratch.back() = 0;
    parallel_chunks(A.rows(), product_grain, [&](Index begin, Index end) {
        scratch[std::size_t(begin / product_grain)] =
            multiply_rows(A, x.data(), y.data(), begin, end);
    });
    double sum = 0;
    for (const double part : scratch)
        sum += part;
    return sum;
}

}  // namespace taffeta::sparse
