#pragma once

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

/// The largest block of an element: six vertices of a plate.
constexpr int max_element_dofs = 18;
using ElementMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_element_dofs, max_element_dofs>;

/// The positive part of a symmetric matrix: negative eigenvalues become zero.
ElementMatrix spectral_positive_part(const ElementMatrix& H);

}  // namespace taffeta::energy
