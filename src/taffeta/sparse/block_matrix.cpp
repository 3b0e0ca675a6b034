#include "taffeta/sparse/block_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr std::size_t slack = 4;  // one AVX register past the last column
constexpr Index scan_grain = 1024;

}  // namespace

template <int R, int C>
BlockMatrix<R, C>::BlockMatrix(Pattern pattern)
    : pattern_(std::move(pattern)),
      values_(std::size_t(pattern_->blocks()) * std::size_t(block_size) + slack) {
    set_zero();
}

template <int R, int C>
void BlockMatrix<R, C>::set_zero() {
    if (!pattern_) return;
    // By rows, as the product walks them, so that each page is first touched by its reader.
    parallel_chunks(rows(), scan_grain, [&](Index begin, Index end) {
        std::fill(slot(pattern_->row_begin[std::size_t(begin)]),
                  slot(pattern_->row_begin[std::size_t(end)]), 0.0);
    });
    std::fill(values_.end() - slack, values_.end(), 0.0);
}

template class BlockMatrix<1, 1>;
template class BlockMatrix<3, 3>;
template class BlockMatrix<3, 6>;
template class BlockMatrix<6, 6>;

std::string find_not_finite(const Matrix3& A) {
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s)
            for (int k = 0; k < 9; ++k)
                if (!std::isfinite(A.slot(s)[k]))
                    return fmt::format("A({}, {}) = {} (block of vertices {} and {})",
                                       3 * i + k % 3,
                                       3 * A.pattern().column[std::size_t(s)] + k / 3, A.slot(s)[k],
                                       i, A.pattern().column[std::size_t(s)]);
    return {};
}

std::string find_asymmetry(const Matrix3& A, double tolerance) {
    double largest = 0, worst = 0;
    Index worst_row = 0, worst_column = 0;
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.pattern().column[std::size_t(s)];
            const Index mirror = A.pattern().slot(j, i);
            const double size = A.block(s).cwiseAbs().maxCoeff();
            const double difference =
                mirror < 0 ? size
                           : (A.block(s) - A.block(mirror).transpose()).cwiseAbs().maxCoeff();
            largest = std::max(largest, size);
            if (difference > worst) {
                worst = difference;
                worst_row = i;
                worst_column = j;
            }
        }
    if (worst <= tolerance * largest) return {};
    return fmt::format(
        "A is not symmetric: block ({0}, {1}) and the transpose of ({1}, {0}) differ "
        "by {2:.3g}, the largest number is {3:.3g}",
        worst_row, worst_column, worst, largest);
}

}  // namespace taffeta::sparse
