#include <fmt/format.h>

#include "taffeta/base/timer.h"
#include "taffeta/solve/conjugate_gradients.h"
#include "taffeta/solve/iterative_solver.h"

namespace taffeta::solve {

namespace {

/// For systems without constraints; refuses others rather than to ignore them.
class Pcg final : public IterativeSolver<PcgOptions> {
  public:
    explicit Pcg(const PcgOptions& options) : IterativeSolver(options, "auto") {}

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override {
        SolveReport report = check_.run(A, filter, b, x);
        if (!report.ok() || A.rows() == 0) return report;
        if (!filter.entries().empty())
            return failure(SolveStatus::bad_filter,
                           fmt::format("pcg takes no constraints, but {} vertices have one (the "
                                       "first is {}); use prefiltered_pcg",
                                       filter.entries().size(), filter.entries().front().vertex));
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

extern const SolverEntry entry_pcg;
constinit const SolverEntry entry_pcg{
    .key = "pcg",
    .doc = "conjugate gradients without constraints",
    .properties = {.constrained = false},
    .fields = [] { return field_table<PcgOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        return std::make_unique<Pcg>(read_options<PcgOptions>(settings));
    }};

}  // namespace taffeta::solve
