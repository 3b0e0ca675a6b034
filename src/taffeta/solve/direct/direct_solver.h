#pragma once

#include "taffeta/base/fields.h"
#include "taffeta/solve/direct/factors.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

/// The option `ordering` in words, for each solver that has it.
extern const char* const ordering_doc;
Range ordering_choices();

struct DirectOptions {
    std::string ordering = "metis";

    static Fields<DirectOptions> fields() {
        return {{"ordering", &DirectOptions::ordering, ordering_doc, ordering_choices()}};
    }
};

/// Direct solves with the explicitly prefiltered matrix B = S A S + sigma (I - S) [TJM15] eq. 7:
/// factors of P B P', and one step of iterative refinement, which also gives the true residual.
///
/// With constraints across vertices B is S A S + sigma (I - S) for all of them, formed without
/// leaving anything out: exact, and dense where many rows share vertices.
///
/// The order of elimination, the structure of the triangle and the symbolic factors are kept as
/// long as matrices come with the same pattern object; constraints do not change them. A matrix that
/// is not positive definite is refused with the vertex of its first bad pivot, by whichever library.
class DirectSolver final : public LinearSolver {
  public:
    DirectSolver(std::unique_ptr<Factors> factors, std::string ordering)
        : factors_(std::move(factors)), ordering_(std::move(ordering)) {}

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override;
    void set_tolerance(double) override {}
    void set_constraints(const GeneralConstraints& constraints) override {
        basis_ = constraints.basis;
    }
    std::string description() const override;
    /// Analyses and factorizations: `built` and `refreshed`.
    SetupCounts setup_counts() const override { return counts_; }
    std::size_t bytes() const override;

  private:
    SolveReport factorize(const sparse::Matrix3& A, const sparse::NodeFilter& filter);
    SolveReport check_pivots(const sparse::Matrix3& A, const Triangle& B) const;
    SolveReport name_bad_pivot(const sparse::Matrix3& A);
    void project(const sparse::NodeFilter& filter, VecX& u);
    SolveReport back_solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                           const VecX& b, VecX& x);

    std::unique_ptr<Factors> factors_;
    std::string ordering_;
    SystemCheck check_;
    const sparse::ConstraintBasis* basis_ = nullptr;
    sparse::ConstrainedMatrix coupled_;  ///< with rows across vertices eliminated
    sparse::Matrix3 filtered_;           ///< B
    sparse::Pattern analysed_;
    Triangle triangle_;
    SetupCounts counts_;
    VecX pivots_, right_side_, residual_, image_, permuted_, correction_, y_, along_rows_;
};

}  // namespace taffeta::solve
