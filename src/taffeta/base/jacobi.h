#pragma once

#include <cmath>

#include "taffeta/base/types.h"

namespace taffeta {

/// The eigenvalues and the eigenvectors (columns of V) of a small symmetric matrix, A = V diag V', by
/// cyclic Jacobi rotations: each makes one pair of numbers beside the diagonal zero. For blocks and
/// elements of up to some twenty rows; a general library's reduction to tridiagonal form is faster
/// from there on. [Golub, Van Loan] section 8.5.
///
/// `A` becomes diagonal. Matrix is a square Eigen matrix of doubles, of fixed or bounded size.
template <class Matrix>
void jacobi_eigen(Matrix& A, Matrix& V) {
    const Eigen::Index n = A.rows();
    V.setIdentity(n, n);
    const double small = 1e-17 * A.norm();
    constexpr int sweeps = 30;  // a handful are enough: the convergence is quadratic
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        bool rotated = false;
        for (Eigen::Index p = 0; p < n; ++p)
            for (Eigen::Index q = p + 1; q < n; ++q) {
                if (!(std::abs(A(p, q)) > small)) continue;
                rotated = true;
                const double tau = (A(q, q) - A(p, p)) / (2 * A(p, q));
                const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
                const double c = 1 / std::sqrt(1 + t * t), s = t * c;
                for (Eigen::Index k = 0; k < n; ++k) {
                    const double x = A(k, p), y = A(k, q);
                    A(k, p) = c * x - s * y;
                    A(k, q) = s * x + c * y;
                    const double v = V(k, p), w = V(k, q);
                    V(k, p) = c * v - s * w;
                    V(k, q) = s * v + c * w;
                }
                for (Eigen::Index k = 0; k < n; ++k) {
                    const double x = A(p, k), y = A(q, k);
                    A(p, k) = c * x - s * y;
                    A(q, k) = s * x + c * y;
                }
                A(p, q) = A(q, p) = 0;
            }
        if (!rotated) return;
    }
}

}  // namespace taffeta
