#pragma once

#include <Eigen/Core>
#include <vector>

#include "taffeta/solve/sa/aggregate.h"
#include "taffeta/solve/sa/ordering.h"

namespace taffeta::solve::sa {

constexpr int modes = 6;  ///< three translations, three rotations

/// The near kernel on one level: B x 6 per vertex, double, row-major. All six modes go down all
/// levels, also where a level takes the translations alone.
template <int B>
using KernelBlock = Eigen::Matrix<double, B, modes, Eigen::RowMajor>;
template <int B>
using Kernel = std::vector<KernelBlock<B>, Eigen::aligned_allocator<KernelBlock<B>>>;

/// The tentative prolongator: per aggregate the orthonormal factor of the thin QR of the first C
/// modes of its kernel rows, K = P^ R. [TJM15] Algorithm 3, lines 7 and 11.
///
/// C = 6: rigid motions. C = 3: translations; what a rotation of all looks like there, a translation
/// of each aggregate, is in R, so that levels below can have it.
///
/// Aggregates that carry fewer modes (collinear, or held by constraints) get zero columns in P^ and
/// zero rows in R; `missing` marks them, and the coarse matrix gets a positive number on their
/// diagonal.
template <int C>
struct Tentative {
    std::vector<float> block;            ///< per fine vertex B*C, row-major
    Kernel<C> coarse;                    ///< R per aggregate
    std::vector<unsigned char> missing;  ///< per aggregate, bit k: mode k is missing
};

/// K <- (I - omega D^-1 A) K, omega = 4 / (3 lambda): near a held boundary the rigid modes are no
/// slow errors, and one relaxation bends them there. Line 3.
template <int B>
void smooth_kernel(const SquareRows<B>& A, float omega, Kernel<B>& kernel);

template <int C, int B>
Tentative<C> tentative(const Kernel<B>& kernel, const Aggregates& aggregates);

/// The pattern of P = (I - omega D^-1 A) P^ and of its transpose; values are left alone.
template <int B, int C>
void make_prolongator_pattern(const SquareRows<B>& A, const Aggregates& aggregates,
                              ProlongatorRows<B, C>& P);

/// Values of P = (I - omega D^-1 A) P^, omega = 4 / (3 lambda). Line 9. `Rows`: SquareRows<B>, or
/// FilteredRows on the finest level.
template <int B, int C, class Rows>
void smooth_prolongator(const Rows& A, const Aggregates& aggregates,
                        const std::vector<float>& tentative_block, float omega,
                        ProlongatorRows<B, C>& P);

}  // namespace taffeta::solve::sa
