#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "taffeta/base/jacobi.h"

namespace taffeta {
namespace {

using Bounded = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 18, 18>;

/// A symmetric matrix with those eigenvalues in a random basis.
Bounded with_eigenvalues(const Eigen::VectorXd& values) {
    std::srand(unsigned(values.size()));
    const Eigen::MatrixXd random = Eigen::MatrixXd::Random(values.size(), values.size());
    const Eigen::MatrixXd Q =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(random + random.transpose()).eigenvectors();
    return Q * values.asDiagonal() * Q.transpose();
}

TEST(Jacobi, FindsEigenvaluesOfEverySignAndMultiplicity) {
    std::vector<Eigen::VectorXd> spectra = {Eigen::VectorXd::Constant(1, -2),
                                            Eigen::VectorXd::Zero(4),
                                            Eigen::VectorXd::LinSpaced(18, -1, 1)};
    Eigen::VectorXd wide(6);
    wide << -1e6, -1e6, 0, 1e-3, 1, 1e6;
    spectra.push_back(wide);
    for (Eigen::VectorXd& expected : spectra) {
        const Bounded A = with_eigenvalues(expected);
        Bounded D = A, V;

        jacobi_eigen(D, V);

        const double scale = std::max(1.0, A.norm());
        Eigen::VectorXd found = D.diagonal();
        std::sort(found.begin(), found.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_LE((found - expected).norm(), 1e-13 * scale);
        EXPECT_LE((V.transpose() * V - Bounded::Identity(A.rows(), A.rows())).norm(), 1e-13);
        EXPECT_LE((V * D.diagonal().asDiagonal() * V.transpose() - A).norm(), 1e-13 * scale);
    }
}

/// Zeros on the diagonal, where a rotation by 45 degrees is the right one.
TEST(Jacobi, TakesAZeroDiagonal) {
    Mat3 A;
    A << 0, 1, 0, 1, 0, 0, 0, 0, 0;
    Mat3 D = A, V;

    jacobi_eigen(D, V);

    Vec3 values = D.diagonal();
    std::sort(values.begin(), values.end());
    EXPECT_LE((values - Vec3(-1, 0, 1)).norm(), 1e-15);
}

}  // namespace
}  // namespace taffeta
