#pragma once

#include <Eigen/SparseCholesky>
#include <optional>
#include <vector>

#include "taffeta/base/report.h"
#include "taffeta/solve/sa/coarse_terms.h"
#include "taffeta/solve/stiff_terms.h"
#include "taffeta/solve/term_columns.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve {

/// Makes a preconditioner V of E one of A = E + Q K Q', whatever the size of K: Q has a column for each
/// stiff term, K their k on its diagonal.
///
///     M^-1 = F' V F + H^-1 - H^-1 D H^-1,     F = D H^-1,     H = D + Q K Q',    D = block diagonal of E
///
/// The forces l of the terms in equilibrium with y minimise |y - Q l|^2 in E^-1 plus |l|^2 in K^-1, and
/// the minimum is y' A^-1 y. Where E is as D, they are what H^-1 says; M^-1 is what these cost with V for
/// E^-1. So it is positive definite where V is, it equals H^-1 for V = D^-1, and with V = E^-1
/// it is never smaller than A^-1. For large K, F' maps to vectors that no term feels.
/// With V = E^-1 the largest eigenvalue of M^-1 A is at most
///
///     lambda_max(D^-1 E) lambda_max(G^-1 Q' E^-1 Q),    G = Q' D^-1 Q,
///
/// whatever K is, and less where V knows of the terms, if only as no stiffer than E: so a multigrid
/// method has their `soft` form on its coarse levels, and nothing of them on its finest one. Why not the
/// terms in all levels? Their couplings are of no mesh: aggregates, patterns and the order of sweeps would
/// change with them, and what coarse functions violate a little costs K times that.
///
/// Two matrices know H^-1 = D^-1 - P Z P':
///
///     P = D^-1 Q,  Z = R = (K^-1 + G)^-1             a row for each term
///     P = Y,       Z = I - (I + (Y'Q) K (Y'Q)')^-1   a row for each direction that terms hold at a vertex
///
/// In a pile the terms of a vertex are many, and all along the normal of the sheets: there are ten times as many
/// terms as directions Y (`directions_of`). Where few terms hold many vertices it is the other way round. The
/// one with fewer rows is made, and factored by Cholesky. What is far softer than E is left out of either; what is
/// said above of bounds holds where nothing is.
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
    /// which is no failure, where terms are met in sweeps, or where the factors would cost more
    /// than they save: they may be the larger the stiffer the terms are.
    /// `most` numbers in place of what stiffness and costs say.
    SolveReport make(const sparse::Matrix3& E, const sparse::NodeFilter& filter,
                     std::span<const RankOneTerm> terms, const Wish& wish,
                     std::optional<std::int64_t> most = std::nullopt);
    void clear() {
        count_ = 0;
        place_of_terms_ = Place::nowhere;
        stiffness_.clear();
    }
    bool empty() const { return count_ == 0; }
    /// Whether it has a row for each direction in which terms hold a vertex, or one for each term.
    bool by_directions() const { return flexibility_.size() == 0; }

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
        return known ? sa::SoftTerms{terms_.vertex, terms_.dp, soft_} : sa::SoftTerms();
    }

    /// r <- F r.
    void reduce(VecX& r) const;
    /// z <- F' z + (H^-1 - H^-1 D H^-1) r for the r that was last reduced.
    void complete(VecX& z) const;
    /// The same, and image <- A z for image = E z with the z before.
    void complete(const sparse::Matrix3& A, VecX& z, VecX& image) const;
    /// Whether the image costs less than a product.
    bool knows_images() const { return 2 * felt_.size() < terms_.place.size(); }

    std::size_t bytes() const;
    /// What `make`, and `reduce` with `complete`, cost, in blocks of a product with A.
    double blocks_a_make() const;
    double blocks_an_iteration() const { return empty() ? 0 : 4 * double(factors_.entries()); }

  private:
    using Matrix = Eigen::SparseMatrix<double>;
    struct Factors : Eigen::SimplicialLLT<Matrix, Eigen::Lower> {
        /// Known after the analysis.
        std::int64_t entries() const { return m_matrix.outerIndexPtr()[m_matrix.outerSize()]; }
    };

    Index invert_blocks(const sparse::Matrix3& E, const sparse::NodeFilter& filter);
    double soften();
    void choose_columns(std::optional<std::int64_t> most);
    TermColumns stiff_terms(double least);
    SolveReport leave(Place place);
    void find_felt_rows(const sparse::BlockPattern& pattern);
    void apply_inverse(VecX& y) const;

    Index count_ = 0;  ///< of columns P
    Place place_of_terms_ = Place::nowhere;
    TermColumns terms_;              ///< p = D^-1 S q, dp = S q
    std::vector<Mat3> blocks_;       ///< of D at their vertices
    std::vector<double> give_;       ///< q' D^-1 q
    std::vector<double> stiffness_;  ///< k
    std::vector<double> soft_;       ///< the same, capped where terms are apart
    TermColumns columns_;            ///< P
    VecX flexibility_;  ///< K^-1 where columns are terms, else empty: they are directions
    Factors factors_;
    std::vector<Index> felt_;                            ///< rows of A that see vertices with terms
    mutable VecX force_, left_, gap_, rest_, permuted_;  ///< f, P' r - f by directions, scratch
};

}  // namespace taffeta::solve
