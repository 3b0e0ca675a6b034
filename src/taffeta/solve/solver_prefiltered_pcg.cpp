#include "taffeta/base/timer.h"
#include "taffeta/solve/conjugate_gradients.h"
#include "taffeta/solve/iterative_solver.h"

namespace taffeta::solve {

namespace {

class PrefilteredPcg final : public IterativeSolver<PcgOptions> {
  public:
    explicit PrefilteredPcg(const PcgOptions& options) : IterativeSolver(options, "auto") {}

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override {
        SolveReport report = check_.run(A, filter, b, x);
        if (!report.ok() || A.rows() == 0) return report;
        Timer timer;
        report = preconditioner_->setup(A, filter, near_kernel_);
        const double setup_seconds = timer.restart();
        if (report.ok())
            report = conjugate_gradients_.run(A, filter, *preconditioner_, b, x, options_,
                                              tolerance(), progress_);
        preconditioner_->learn(report);
        vector_bytes_ = conjugate_gradients_.bytes();
        report.setup_seconds = setup_seconds;
        report.solve_seconds = timer.seconds();
        return report;
    }

  private:
    ConjugateGradients conjugate_gradients_;
};

}  // namespace

extern const SolverEntry entry_prefiltered_pcg;
constinit const SolverEntry entry_prefiltered_pcg{
    .key = "prefiltered_pcg",
    .doc = "conjugate gradients on (S A S + sigma (I - S)) y = S (b - A z) [TJM15]",
    .properties = {},
    .fields = [] { return field_table<PcgOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        return std::make_unique<PrefilteredPcg>(read_options<PcgOptions>(settings));
    }};

}  // namespace taffeta::solve
