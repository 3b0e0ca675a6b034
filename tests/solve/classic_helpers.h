#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "solve/solve_helpers.h"
#include "taffeta/solve/triangular_sweeps.h"

/// What the tests of SSOR, IC(0) and Chebyshev share.
namespace taffeta::testing {

inline std::unique_ptr<solve::Preconditioner> make_preconditioner(
    const std::string& key, const std::vector<std::pair<std::string, double>>& numbers = {}) {
    return make_entry(solve::preconditioners(), "preconditioner", solver_settings(key, numbers),
                      "block_jacobi");
}

/// B = S A S + sigma (I - S).
inline Eigen::MatrixXd dense_prefiltered(sparse::Matrix3 A, const sparse::NodeFilter& filter) {
    sparse::prefilter(A, filter);
    return dense(A);
}

/// M^-1, column by column.
inline Eigen::MatrixXd dense_inverse(const solve::Preconditioner& preconditioner, Index vertices) {
    const Eigen::Index n = 3 * Eigen::Index(vertices);
    Eigen::MatrixXd inverse(n, n);
    VecX z;
    for (Eigen::Index k = 0; k < n; ++k) {
        preconditioner.apply(VecX::Unit(n, k), z);
        inverse.col(k) = z;
    }
    return inverse;
}

/// Row k of the result is the vertex that the sweeps eliminate as number k.
inline std::vector<Index> elimination_order(const sparse::Matrix3& A) {
    solve::TriangularSweeps sweeps;
    sweeps.plan(A.shared_pattern());
    std::vector<Index> order;
    for (Index i = 0; i < sweeps.rows(); ++i)
        order.push_back(sweeps.vertex(i));
    return order;
}

/// The matrix with its 3 x 3 blocks in that order, and the way back for vectors.
inline Eigen::MatrixXd permuted(const Eigen::MatrixXd& B, const std::vector<Index>& order) {
    Eigen::MatrixXd result(B.rows(), B.cols());
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < order.size(); ++j)
            result.block<3, 3>(3 * Eigen::Index(i), 3 * Eigen::Index(j)) =
                B.block<3, 3>(3 * order[i], 3 * order[j]);
    return result;
}
inline VecX permuted(const VecX& x, const std::vector<Index>& order) {
    VecX result(x.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        vec3(result, Index(i)) = vec3(x, order[i]);
    return result;
}

/// Iterations to 1e-6 from zero; fails the test when there is no convergence.
inline int iterations_with(const Settings& preconditioner, const sparse::Matrix3& A,
                           const sparse::NodeFilter& filter) {
    Settings settings = solver_settings("prefiltered_pcg", {{"tolerance", 1e-6}});
    settings["preconditioner"] = preconditioner;
    VecX x = VecX::Zero(3 * Eigen::Index(A.rows()));
    const SolveReport report =
        solve::make_linear_solver(settings)->solve(A, filter, Random(5).field(A.rows()), x);
    EXPECT_TRUE(report.ok()) << report.message;
    return report.iterations;
}

/// What each of the three says about blocks that are not SPD and numbers that are not finite.
inline void expect_named_failures(const std::string& key) {
    const sparse::Matrix3 good = grid_matrix(4, 4, 1, 0, 1);
    const sparse::NodeFilter free(16);
    const auto preconditioner = make_preconditioner(key);
    const auto expect = [&](const sparse::Matrix3& A, SolveStatus status, const std::string& name) {
        const SolveReport report = preconditioner->setup(A, free, {});
        EXPECT_EQ(report.status, status) << report.message;
        EXPECT_NE(report.message.find(name), std::string::npos) << report.message;
    };
    sparse::Matrix3 zero = good, negative = good, not_a_number = good, infinite = good;
    zero.block(good.pattern().diagonal[7]).setZero();
    negative.block(good.pattern().diagonal[7]) = Vec3(1, -2, 1).asDiagonal();
    not_a_number.block(good.pattern().diagonal[7])(1, 1) = std::nan("");
    for (const auto& [i, j] : {std::pair(6, 7), std::pair(7, 6)})
        infinite.block(good.pattern().slot(i, j))(0, 0) = std::numeric_limits<double>::infinity();

    expect(zero, SolveStatus::singular, "vertex 7");
    expect(negative, SolveStatus::indefinite, "vertex 7");
    expect(not_a_number, SolveStatus::not_finite, "vertex 7");
    expect(infinite, SolveStatus::not_finite, "vertices 6 and 7");
    EXPECT_TRUE(preconditioner->setup(good, free, {}).ok());
}

}  // namespace taffeta::testing
