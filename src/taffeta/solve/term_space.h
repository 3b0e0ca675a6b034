#pragma once

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <optional>
#include <vector>

#include "taffeta/base/report.h"
#include "taffeta/solve/sa/coarse_terms.h"
#include "taffeta/solve/stiff_terms.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve {

/// Makes a preconditioner V of E one of A = E + Q K Q', whatever the size of K: Q has a column for each
/// stiff term, K their k on its diagonal.
///
///     M^-1 = F' V F + D^-1 Q R K^-1 R Q' D^-1,     F = I - Q R Q' D^-1,
///     R = (K^-1 + G)^-1,  G = Q' D^-1 Q,  D = block diagonal of E
///
/// The forces l of the terms in equilibrium with y minimise |y - Q l|^2 in E^-1 plus |l|^2 in K^-1, and
/// the minimum is y' A^-1 y. Where E is as D, they are l = R Q' D^-1 y; M^-1 is what these cost with V for
/// E^-1. So it is positive definite where V is, it equals (D + Q K Q')^-1 for V = D^-1, and with V = E^-1
/// it is never smaller than A^-1. For large K, F' maps to vectors that no term feels.
/// With V = E^-1 the largest eigenvalue of M^-1 A is at most
///
///     lambda_max(D^-1 E) lambda_max(G^-1 Q' E^-1 Q),
///
/// whatever K is, and less where V knows of the terms, if only as no stiffer than E: so a multigrid
/// method has their `soft` form on its coarse levels, and nothing of them on its finest one. Why not the terms in all levels? Their couplings are of no mesh: aggregates, patterns and the
/// order of sweeps would change with them, and what coarse functions violate a little costs K times that.
///
/// Constraints: q is projected, q <- S q, and D is the diagonal of S E S + sigma (I - S), so M^-1 maps
/// range(S) to itself where V does.
class TermSpace {
  public:
    struct Wish {
        /// Terms that would take more iterations alone are too stiff to be met in sweeps.
        double most_in_sweeps = usually;
        bool apart = false;  ///< also terms that are not
    };
    static constexpr double usually = 12;  ///< iterations of a solve that nothing is known of

    /// Fails where a block of D is not positive definite, or k not positive and finite. It stays empty,
    /// which is no failure, where terms are met in sweeps, or where the factors of K^-1 + G would cost more
    /// than they save: they may be the larger the stiffer the terms are.
    /// `most` numbers in place of what stiffness and costs say.
    SolveReport make(const sparse::Matrix3& E, const sparse::NodeFilter& filter,
                     std::span<const RankOneTerm> terms, const Wish& wish,
                     std::optional<std::int64_t> most = std::nullopt);
    void clear() {
        count_ = 0;
        place_of_terms_ = Place::nowhere;
        complete_ = true;
    }
    bool empty() const { return count_ == 0; }

    /// Where terms are dealt with.
    enum class Place {
        nowhere,    ///< there are none
        apart,      ///< here
        in_sweeps,  ///< in V, one of A: by smoother and coarse levels
        in_matrix   ///< in V, made from A as if nothing were known
    };
    Place place() const { return place_of_terms_; }

    /// The terms for the coarse levels of V: where they are kept apart with k capped where the vertices of a
    /// term resist far less.
    sa::SoftTerms soft() const {
        const bool known = place() == Place::apart || place() == Place::in_sweeps;
        return known ? sa::SoftTerms{vertex_, q_, soft_} : sa::SoftTerms();
    }

    /// r <- F r.
    void reduce(VecX& r) const;
    /// z <- F' z + D^-1 Q R K^-1 R Q' D^-1 r for the r that was last reduced.
    void complete(VecX& z) const;
    /// The same, and image <- (E + Q K Q') z for image = E z with the z before. E must still be there.
    void complete(VecX& z, VecX& image) const;
    /// Whether the image costs less than a product, and all terms are there.
    bool knows_images() const { return complete_ && 2 * felt_.size() < place_.size(); }

    std::size_t bytes() const;

  private:
    using Matrix = Eigen::SparseMatrix<double>;
    struct Factors : Eigen::SimplicialLLT<Matrix, Eigen::Lower> {
        /// Known after the analysis.
        std::int64_t entries() const { return m_matrix.outerIndexPtr()[m_matrix.outerSize()]; }
    };

    void collect_corners(Index rows);
    Index scale_by_inverse(const sparse::Matrix3& E, const sparse::NodeFilter& filter);
    double soften();
    void leave_out_soft_ones(Index rows);
    SolveReport leave(Place place);
    void make_couplings();
    void find_felt_rows();
    void gather(const std::vector<Vec3>& along, const VecX& u, VecX& out) const;
    void subtract(const std::vector<Vec3>& along, const VecX& weight, VecX& u) const;
    void solve(VecX& y) const;
    void balance(const VecX& z) const;

    Index count_ = 0;
    Place place_of_terms_ = Place::nowhere;
    bool complete_ = true;       ///< no term was left out
    std::vector<Index> vertex_;  ///< four a term
    std::vector<Vec3> q_, p_;    ///< S q and D^-1 S q, four a term
    VecX stiffness_;             ///< k
    std::vector<double> soft_;   ///< the same, capped where terms are apart
    std::vector<Index> place_;   ///< of each vertex in `touched_`, or -1
    std::vector<Index> touched_, begin_,
        corner_;        ///< vertices with terms; which of the four a term
    Matrix couplings_;  ///< lower triangle of K^-1 + G
    Factors factors_;
    const sparse::Matrix3* E_ = nullptr;
    std::vector<Index> felt_;  ///< rows of E with a block for a vertex with terms
    mutable VecX force_, gap_, permuted_;
    mutable std::vector<Vec3> change_;  ///< of z at the vertices with terms
};

}  // namespace taffeta::solve
