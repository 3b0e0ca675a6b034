#pragma once

#include <Eigen/Core>
#include <vector>

#include "taffeta/solve/sa/aggregate.h"
#include "taffeta/solve/sa/half_rows.h"
#include "taffeta/solve/sa/workspace.h"

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
    FloatArray block;                    ///< per fine vertex B*C, row-major
    Kernel<C> coarse;                    ///< R per aggregate
    std::vector<unsigned char> missing;  ///< per aggregate, bit k: mode k is missing
    /// Per aggregate w where R has w times one for the translations, as where all its vertices are free;
    /// else zero.
    std::vector<float> weight;
    std::vector<Index> begin, member;  ///< the vertices of each aggregate

    /// Takes the aggregates, whose values `fill_tentative` then makes.
    void set_pattern(const Aggregates& aggregates);
    std::size_t bytes() const {
        return block.bytes() + coarse.size() * sizeof(coarse[0]) + missing.size() +
               weight.size() * sizeof(float) + (begin.size() + member.size()) * sizeof(Index);
    }
};

/// K <- (I - omega D^-1 A) K, omega = 4 / (3 lambda): near a held boundary the rigid modes are no
/// slow errors, and one relaxation bends them there. Line 3.
template <int B>
void smooth_kernel(const SquareRows<B>& A, float omega, Kernel<B>& kernel);

/// The values of P^ and R. `KernelAt`: vertex -> KernelBlock<B>, a RigidMotions or one that reads a
/// Kernel<B>.
template <int C, int B, class KernelAt>
void fill_tentative(const KernelAt& kernel, Index vertices, Workspaces& workspaces,
                    Tentative<C>& result);

/// Reads a kernel that is made.
template <int B>
struct StoredKernel {
    const Kernel<B>& kernel;
    const KernelBlock<B>& operator()(Index i) const { return kernel[std::size_t(i)]; }
};

/// All at once.
template <int C, int B>
Tentative<C> tentative(const Kernel<B>& kernel, const Aggregates& aggregates) {
    Workspaces workspaces;
    Tentative<C> result;
    result.set_pattern(aggregates);
    fill_tentative<C, B>(StoredKernel<B>{kernel}, Index(kernel.size()), workspaces, result);
    return result;
}

/// The pattern of P = (I - omega D^-1 A) P^ and of its transpose; values are left alone.
template <int B, int C>
void make_prolongator_pattern(const SquareRows<B>& A, const Aggregates& aggregates,
                              ProlongatorRows<B, C>& P);

/// Values of P = (I - omega D^-1 A) P^, omega = 4 / (3 lambda). Line 9. Strips in parallel: a block of A
/// is used for its own row and transposed for the row of its column, as in a sweep. D need not be read,
/// as D^-1 D P^ = P^.
template <int B, int C>
void smooth_prolongator(const HalfRows<B>& A, const FloatArray& inverse_diagonal,
                        const Aggregates& aggregates, const FloatArray& tentative_block,
                        float omega, Workspaces& workspaces, ProlongatorRows<B, C>& P);

/// One step of descent for the energy tr(P' A P) of the columns of P: P -= omega D^-1 A P within the
/// pattern of P, without what would change the translations, P R. Columns that are lower in energy are
/// what is slow between aggregates, and cost no more in a cycle. After [MBV99], whose descent is one of
/// conjugate gradients and keeps all modes; one step of this one has most of the gain (docs/solver.md).
/// Rows with aggregates of weight zero stay as they are. Odd strips see what even ones have become.
template <int C>
void lower_energy(const HalfRows<3>& A, const FloatArray& inverse_diagonal,
                  const std::vector<float>& weight, float omega, Workspaces& workspaces,
                  ProlongatorRows<3, C>& P);

}  // namespace taffeta::solve::sa
