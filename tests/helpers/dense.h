#pragma once

#include <Eigen/Core>

/// Dense linear algebra for oracles. Compiled once: Eigen's decompositions take ten seconds in every
/// file that names them.
namespace taffeta::oracle {

/// Of a symmetric matrix, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

/// The eigenvectors of a symmetric matrix with eigenvalues above `bound`, as columns.
Eigen::MatrixXd eigenvectors_above(const Eigen::MatrixXd& symmetric, double bound);

/// x of A x = b, by elimination with full pivoting.
Eigen::VectorXd solve_dense(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace taffeta::oracle
