#include "helpers/dense.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace taffeta::oracle {

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
        .eigenvalues();
}

Eigen::MatrixXd eigenvectors_above(const Eigen::MatrixXd& symmetric, double bound) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
    const Eigen::Index count = (eigen.eigenvalues().array() > bound).count();
    return eigen.eigenvectors().rightCols(count);
}

Eigen::VectorXd solve_dense(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.fullPivLu().solve(b);
}

}  // namespace taffeta::oracle
