#pragma once

#include <Eigen/SparseCore>
#include <span>

#include "taffeta/solve/term_columns.h"

namespace taffeta::solve {

/// The lower triangle of K^-1 + Q' D^-1 Q for the columns Q = D P of terms and their 1 / k: those are coupled
/// that share a vertex.
Eigen::SparseMatrix<double> couple_terms(const TermColumns& terms, const VecX& flexibility);

/// Directions of the vertices of terms, Y' D Y = I: at each vertex the eigenvectors of its block of Q K Q' in
/// the norm of D whose eigenvalues exceed `least`. `blocks`: D at the touched vertices of the terms.
TermColumns directions_of(const TermColumns& terms, std::span<const double> k,
                          std::span<const Mat3> blocks, double least);

/// The lower triangle of I + (Y'Q) K (Y'Q)' for such directions Y: those are coupled that share a term.
Eigen::SparseMatrix<double> couple_directions(const TermColumns& terms, std::span<const double> k,
                                              const TermColumns& directions);

}  // namespace taffeta::solve
