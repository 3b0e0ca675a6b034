#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "taffeta/base/byte_stream.h"
#include "taffeta/base/report.h"
#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/sa/chebyshev_smoother.h"
#include "taffeta/solve/sa/coarse_terms.h"
#include "taffeta/solve/sa/galerkin.h"
#include "taffeta/solve/sa/half_rows.h"
#include "taffeta/solve/sa/local_sweeps.h"
#include "taffeta/solve/sa/prolongator.h"
#include "taffeta/solve/sa/rigid_motions.h"
#include "taffeta/solve/sa/workspace.h"

namespace taffeta::solve::sa {

/// One level: its matrix, the way to the next one, and the vectors of the cycle.
template <int B>
struct Level {
    SquareRows<B> A;   ///< with its values while it is made, and for Chebyshev
    HalfRows<B> half;  ///< the same for Gauss-Seidel
    Aggregates aggregates;
    ProlongatorRows<B, 6> P;  ///< to six motions an aggregate
    Tentative<6> basis;       ///< P^ of that
    float lambda = 0;         ///< lambda_max(D^-1 A), with its safety factor
    mutable FloatArray b, x;  ///< of the cycle

    /// More vectors of the cycle, in the memory of the diagonal blocks: the residual, and the product or
    /// the direction of the Chebyshev smoother. B * B floats a row are enough for both.
    FloatSpan r() const { return {half.diagonal.data(), length()}; }
    FloatSpan d() const { return {half.diagonal.data() + (length() + 7) / 8 * 8, length()}; }
    std::size_t length() const { return std::size_t(rows()) * stride<B>; }
    Index rows() const { return A.rows(); }
};

/// Smoothed aggregation for S A S + sigma (I - S). [TJM15] Algorithm 3 with the changes that
/// docs/solver.md measures: single precision, aggregates over two strong edges, a Gauss-Seidel
/// smoother fused with the residual, patterns and plans made once.
///
/// Where the system is local, the first coarse level takes the translations of its aggregates alone:
/// its blocks and those of P are a quarter and half of the size. Rotations enter below it.
///
/// Aggregates ignore constraints, which come and go; vertices that are fixed when the hierarchy is
/// made are left out of it where they are more than half.
class Hierarchy {
  public:
    explicit Hierarchy(const Recipe& recipe) : asked_(recipe), recipe_(recipe) {}

    /// Everything: numbering, aggregates, patterns, values.
    SolveReport build(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel);
    /// New values on the old patterns.
    SolveReport refresh(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                        const NearKernel& near_kernel, bool coarse);
    /// True when `refresh` may follow: A has the pattern of the last `build`, or, as `equal_serves`, one
    /// that is equal to it or to what was loaded; and no vertex outside the hierarchy is free.
    bool fits(const sparse::Matrix3& A, const sparse::NodeFilter& filter, bool equal_serves);

    /// Terms that the coarse levels made from now on shall have; the finest level stays without, or has them
    /// from `whole`. What they point to must outlive the set-ups.
    void set_terms(const SoftTerms& terms) { terms_ = terms; }
    /// The next `refresh` makes patterns without the couplings of terms that were there before.
    void forget_couplings() { new_patterns_ = std::exchange(coupled_, false) || new_patterns_; }

    /// What does not depend on the values of the matrix for long: numbering, aggregates, lambdas. A
    /// hierarchy that loads it is as the one that saved it once both are refreshed.
    void save(ByteWriter& bytes) const;
    void load(ByteReader& bytes);

    /// Share of the vertices that were free when the coarse levels were made and are constrained
    /// now, or the other way round.
    double changed_constraints(const sparse::NodeFilter& filter) const;

    /// Share of the vertices with terms that had none when the coarse levels were made.
    double new_contact() const;

    /// z = one V-cycle for r.
    void cycle(const VecX& r, VecX& z) const;
    /// The same and image = (S A S + sigma (I - S)) z in single precision, from the last sweep. False,
    /// with z alone, when the smoother does not know it.
    bool cycle_and_multiply(const VecX& r, VecX& z, VecX& image) const;

    /// The vectors of the finest level, for methods that stay in its numbering. Its matrix is `scale`
    /// times the one that was given.
    FloatArray& right_side() const { return fine_.b; }
    FloatArray& solution() const { return fine_.x; }
    FloatSpan product() const { return fine_.d(); }
    double scale() const { return scale_; }
    /// solution = one V-cycle for right_side, and product = matrix * solution.
    void cycle_and_multiply() const;
    /// Whether the smoother knows that product.
    bool knows_products() const { return !recipe_.chebyshev && recipe_.fused_product; }
    /// to = unit * r in the numbering of the finest level, and back.
    void load(const VecX& r, double unit, FloatArray& to) const;
    void store(const float* from, double unit, VecX& to) const;
    /// to += unit * from
    void add(const float* from, double unit, VecX& to) const;
    /// Memory that set-ups need and cycles do not.
    FloatArray& scratch() const { return scratch_; }

    std::size_t bytes() const;
    /// A table of the levels for people.
    std::string table() const;
    double operator_complexity() const;

  private:
    /// Of the pattern of A, or of that of the matrix it was saved with.
    std::uint64_t pattern_hash() const;
    void number_vertices(const sparse::Matrix3& A, const sparse::NodeFilter& filter);
    void make_finest_pattern(const sparse::Matrix3& A);
    template <int B>
    static void make_half(Level<B>& level);
    template <int B, int C>
    void make_coarse_pattern(const Level<B>& fine, const ProlongatorRows<B, C>& P,
                             Level<C>& coarse) const;
    template <int C>
    void make_first_pattern(const ProlongatorRows<3, C>& P, Level<C>& coarse);
    void make_loaded_patterns(const sparse::Matrix3& A);
    SolveReport build_levels(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                             const NearKernel& near_kernel);
    template <int B, int C>
    void make_aggregates(Level<B>& fine, ProlongatorRows<B, C>& P, Tentative<C>& basis);
    template <int B, class Coarsen>
    bool add_level(Level<B>& fine, const Coarsen& coarsen);
    /// What the smoother reads of the finest level. Its first vertex without a Cholesky factor, or -1.
    Index load_fine(const sparse::Matrix3& A, const sparse::NodeFilter& filter);
    /// All its blocks.
    void load_all(const sparse::Matrix3& A, const sparse::NodeFilter& filter);
    Kernel<3> kernel_of(const RigidMotions& motions, const NearKernel& near_kernel) const;
    void project_kernel(const sparse::ConstraintBasis& constraints, Kernel<3>& kernel) const;
    template <int C>
    bool coarsen_finest(const RigidMotions& motions, const NearKernel& near_kernel,
                        ProlongatorRows<3, C>& P, Tentative<C>& basis, Level<C>& coarse,
                        bool first_time);
    template <int B>
    bool coarsen_below(Level<B>& fine, Kernel<B>& kernel, Level<6>& coarse, bool first_time);
    template <int B, int C>
    void make_coarse_values(const Level<B>& fine, const ProlongatorRows<B, C>& P,
                            const std::vector<unsigned char>& missing, Level<C>& coarse);
    template <int C>
    bool finish(Level<C>& coarse);
    template <int C>
    void couple_terms(const ProlongatorRows<3, C>& P, Level<C>& coarse);
    bool factor_bottom(const Level<6>& level);
    void release_values();
    void remember_terms();
    template <int B>
    void smooth_before(const Level<B>& level, const char* kept = nullptr) const;
    template <int B>
    void smooth_after(const Level<B>& level, const char* kept = nullptr) const;
    void visit_below_finest() const;
    void correct_finest() const;
    template <int B>
    void visit_coarse(const Level<B>& level, std::size_t next) const;
    template <int B>
    void descend(const Level<B>& level, std::size_t next) const;

    Recipe asked_;   ///< by the user
    Recipe recipe_;  ///< for the matrix at hand
    sparse::Pattern pattern_;
    mutable std::optional<std::uint64_t> pattern_hash_;  ///< once somebody has asked
    bool loaded_ = false;  ///< numbering and aggregates are there, patterns are not
    SoftTerms terms_;
    CoarseTerms coarse_runs_;
    bool coupled_ = false;           ///< patterns below the finest level have couplings of terms
    bool new_patterns_ = false;      ///< to be made from the finest level's
    std::vector<Index> vertex_;      ///< position on the finest level -> vertex
    std::vector<Index> position_;    ///< vertex -> position or -1
    std::vector<Index> source_;      ///< slot of fine_.A -> slot of A, while all blocks are read
    std::vector<char> constrained_;  ///< of the finest level as it is
    std::vector<char> coarse_constrained_;  ///< when the coarse levels were made
    std::vector<char> coarse_terms_;        ///< vertices with terms, then; empty: none
    Level<3> fine_;
    LocalSweeps local_;  ///< of the finest level
    ProlongatorRows<3, 3> to_translations_;
    Tentative<3> translations_basis_;
    std::unique_ptr<Level<3>> translations_;  ///< between the finest and the others, or none
    std::vector<std::unique_ptr<Level<6>>> coarse_;
    struct {
        std::vector<Index> row_begin, column, diagonal;
    } uncoupled_;  ///< pattern of the first coarse level before terms coupled it
    mutable FloatArray
        scratch_;  ///< P^, then the values of a coarse level, of one level after the other
    Workspaces workspaces_;
    Eigen::MatrixXd bottom_matrix_;
    Eigen::LLT<Eigen::MatrixXd> bottom_;
    mutable VecX bottom_vector_;
    double scale_ = 1;  ///< of the copy in single precision
};

}  // namespace taffeta::solve::sa
