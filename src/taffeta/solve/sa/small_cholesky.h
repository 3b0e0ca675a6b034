#pragma once

#include <cmath>

#include "taffeta/base/types.h"

/// Cholesky factors of blocks of 3 or 6, unrolled: a general library's blocked products and solves
/// cost more in code and in time than the arithmetic here.
namespace taffeta::solve::sa {

/// L^-1 of D = L L'; reads the lower triangle. False, with nothing promised about the result, when
/// D is not positive definite or not finite.
template <int B>
bool inverse_cholesky_factor(const Eigen::Matrix<float, B, B>& D,
                             Eigen::Matrix<float, B, B>& inverse) {
    Eigen::Matrix<float, B, B> L;
    for (int j = 0; j < B; ++j) {
        float pivot = D(j, j);
        for (int k = 0; k < j; ++k)
            pivot -= L(j, k) * L(j, k);
        if (!(pivot > 0) || !std::isfinite(pivot)) return false;
        L(j, j) = std::sqrt(pivot);
        for (int i = j + 1; i < B; ++i) {
            float sum = D(i, j);
            for (int k = 0; k < j; ++k)
                sum -= L(i, k) * L(j, k);
            L(i, j) = sum / L(j, j);
        }
    }
    inverse.setZero();
    for (int j = 0; j < B; ++j) {
        inverse(j, j) = 1 / L(j, j);
        for (int i = j + 1; i < B; ++i) {
            float sum = 0;
            for (int k = j; k < i; ++k)
                sum -= L(i, k) * inverse(k, j);
            inverse(i, j) = sum / L(i, i);
        }
    }
    return inverse.allFinite();
}

}  // namespace taffeta::solve::sa
