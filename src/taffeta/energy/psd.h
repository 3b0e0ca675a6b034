#pragma once

#include <Eigen/Eigenvalues>
#include <string>
#include <vector>

#include "taffeta/energy/energy.h"

/// The rule by which a Hessian is made positive semidefinite, as an option, and its general means.
namespace taffeta::energy {

inline constexpr const char* psd_rule_doc =
    "indefinite part of the stiffness: automatic (closed clamp for membranes, Gauss-Newton for "
    "bending), clamp, gauss_newton, or exact (kept: for tests of derivatives; solvers may fail)";

std::vector<std::string> psd_rule_names();
/// Throws an internal error for a name that is not in the list.
PsdRule psd_rule(const std::string& name);

/// The positive part of a symmetric matrix: negative eigenvalues become zero.
template <class Matrix>
void clamp_to_positive(Matrix& H) {
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(H);
    H = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
        eigen.eigenvectors().transpose();
}

}  // namespace taffeta::energy
