#pragma once

#include <string>
#include <vector>

#include "taffeta/solve/linear_solver.h"

namespace taffeta::app {

/// What one solver took for the systems of an animation.
struct SolverTotals {
    std::string name;
    std::unique_ptr<solve::LinearSolver> solver;
    int every = 1;  ///< it solves each `every`th system only
    int solves = 0;
    long iterations = 0;
    int most_iterations = 0;
    double rates = 0;  ///< sum of residual^(1/iterations)
    double setup_seconds = 0, solve_seconds = 0, prefilter_seconds = 0;
    double error = 0;  ///< relative A-norm error of the last system
    /// Seconds for the last system, with the average set-up, to a relative A-norm error of
    /// `Comparison::equal_error`; 0: not reached.
    double equal_error_seconds = 0;
    bool failed = false;
    std::string message;

    double seconds() const { return setup_seconds + solve_seconds; }
    double mean_seconds() const { return solves > 0 ? seconds() / solves : 0; }
};

/// Solves every system with several solvers, one after the other, so that all see the same matrices
/// of the same animation and the same state of the machine. The simulation goes on with the
/// solution of the first of those that solve every system.
class Comparison final : public solve::LinearSolver {
  public:
    /// `every`: it solves each such system only; for one that takes long and carries nothing over.
    void add(const std::string& name, const Settings& settings, int every = 1);

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override;
    void set_tolerance(double tolerance) override;
    void set_near_kernel(const solve::NearKernel& near_kernel) override;
    void set_stiff_terms(const solve::StiffTerms& terms) override;
    void reset() override;
    void settle() override;

    static constexpr double equal_error = 1e-4;
    /// Measures the A-norm error of each solver's solution of the last system, and its time to an
    /// equal error: the stop in the M^-1 norm flatters those whose M is far from A.
    void measure_errors();

    const std::vector<SolverTotals>& totals() const { return totals_; }
    std::size_t matrix_bytes() const;

  private:
    std::vector<SolverTotals> totals_;
    std::vector<VecX> solution_;
    std::vector<bool> current_;  ///< whether a solution is of the last system
    long systems_ = 0;
    sparse::Matrix3 A_;
    sparse::NodeFilter filter_;
    VecX b_, start_;
    solve::NearKernel near_kernel_;
};

}  // namespace taffeta::app
