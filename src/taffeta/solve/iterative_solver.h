#pragma once

#include "taffeta/solve/linear_solver.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

/// What iterative solvers have in common: options with a `tolerance` and a `preconditioner`, the
/// override of the tolerance, the near kernel and the progress callback.
template <class Options>
class IterativeSolver : public LinearSolver {
  public:
    IterativeSolver(const Options& options, const char* default_preconditioner)
        : options_(options),
          preconditioner_(make_entry(preconditioners(), "preconditioner", options.preconditioner,
                                     default_preconditioner)) {}

    void set_tolerance(double tolerance) override { tolerance_override_ = tolerance; }
    void set_near_kernel(const NearKernel& near_kernel) override { near_kernel_ = near_kernel; }
    void set_stiff_terms(const StiffTerms& terms) override { stiff_terms_ = terms; }
    void set_progress(Progress progress) override { progress_ = std::move(progress); }
    void reset() override { preconditioner_->reset(); }
    void settle() override { preconditioner_->settle(); }
    std::vector<char> save() const override { return preconditioner_->save(); }
    void load(std::span<const char> bytes) override { preconditioner_->load(bytes); }
    std::string description() const override { return preconditioner_->description(); }
    SetupCounts setup_counts() const override { return preconditioner_->setup_counts(); }
    std::size_t bytes() const override { return preconditioner_->bytes() + vector_bytes_; }

  protected:
    double tolerance() const {
        return tolerance_override_ > 0 ? tolerance_override_ : options_.tolerance;
    }

    Options options_;
    std::unique_ptr<Preconditioner> preconditioner_;
    NearKernel near_kernel_;
    StiffTerms stiff_terms_;
    Progress progress_;
    SystemCheck check_;
    std::size_t vector_bytes_ = 0;  ///< of the iteration

  private:
    double tolerance_override_ = 0;
};

}  // namespace taffeta::solve
