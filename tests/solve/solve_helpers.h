#pragma once

#include <string>
#include <utility>
#include <vector>

#include "helpers/dense.h"
#include "sparse/systems.h"
#include "taffeta/solve/linear_solver.h"

namespace taffeta::testing {

/// {"type": key, name: value, ...} with numbers or strings.
inline Settings solver_settings(const std::string& key,
                                const std::vector<std::pair<std::string, double>>& numbers = {},
                                const std::string& preconditioner = {}) {
    Settings settings = Settings::object();
    settings["type"] = Settings::of(key);
    for (const auto& [name, value] : numbers)
        settings[name] = Settings::of(value);
    if (!preconditioner.empty()) settings["preconditioner"] = Settings::of(preconditioner);
    return settings;
}

inline std::unique_ptr<solve::LinearSolver> make_solver(
    const std::string& key, const std::vector<std::pair<std::string, double>>& numbers = {},
    const std::string& preconditioner = {}) {
    return solve::make_linear_solver(solver_settings(key, numbers, preconditioner));
}

/// Positive diagonal blocks, negative curvature: what only the iteration can see.
inline sparse::Matrix3 indefinite_matrix() {
    sparse::Matrix3 A = grid_matrix(5, 5, 10, 0, 1);
    for (Index i = 0; i < A.rows(); ++i) {
        auto block = A.block(A.pattern().diagonal[std::size_t(i)]);
        block -= 6 * Mat3::Identity();
        const double low = oracle::eigenvalues(block)[0];
        if (low < 0.5) block += (0.5 - low) * Mat3::Identity();
    }
    return A;
}

/// 16 vertices, one of them without mass and stiffness.
inline sparse::Matrix3 matrix_with_empty_vertex(Index vertex) {
    sparse::Matrix3 A = grid_matrix(4, 4, 1, 0, 1);
    for (Index s = A.pattern().row_begin[std::size_t(vertex)];
         s < A.pattern().row_begin[std::size_t(vertex) + 1]; ++s) {
        A.block(s).setZero();
        A.block(A.pattern().slot(A.pattern().column[std::size_t(s)], vertex)).setZero();
    }
    return A;
}

/// The solution under constraints by Lagrange multipliers, (A C'; C 0) (x; l) = (b; C z), where the
/// rows of C span range(I - S): an oracle that shares nothing with the solvers.
inline VecX kkt_solution(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                         const VecX& b) {
    const Eigen::Index n = b.size();
    VecX z;
    filter.targets(z);
    const Eigen::MatrixXd forbidden = Eigen::MatrixXd::Identity(n, n) - dense(filter);
    const Eigen::MatrixXd C = oracle::eigenvectors_above(forbidden, 0.5).transpose();
    const Eigen::Index constraints = C.rows();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + constraints, n + constraints);
    K.topLeftCorner(n, n) = dense(A);
    K.topRightCorner(n, constraints) = C.transpose();
    K.bottomLeftCorner(constraints, n) = C;
    VecX right_side(n + constraints);
    right_side << b, C * z;
    return oracle::solve_dense(K, right_side).head(n);
}

}  // namespace taffeta::testing
