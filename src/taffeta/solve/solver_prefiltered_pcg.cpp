#include "taffeta/base/timer.h"
#include "taffeta/solve/conjugate_gradients.h"
#include "taffeta/solve/iterative_solver.h"

namespace taffeta::solve {

namespace {

/// With constraints across vertices, the matrix that the preconditioner is made for has their rows
/// eliminated; it is handed out with the node filter, as A is without them.
class PrefilteredPcg final : public IterativeSolver<PcgOptions> {
  public:
    explicit PrefilteredPcg(const PcgOptions& options) : IterativeSolver(options, "auto") {}

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override {
        SolveReport report = check_.run(A, filter, b, x);
        if (!report.ok() || A.rows() == 0) return report;
        if (constraints_.basis) report = check_constraints(*constraints_.basis, filter);
        if (!report.ok()) return report;
        Timer timer;
        const bool coupled = constraints_.basis && constraints_.basis->rank() > 0;
        const bool formed =
            coupled && prefiltered_.update(A, *constraints_.basis, constraints_.limits);
        NearKernel near_kernel = near_kernel_;
        near_kernel.constraints = formed ? constraints_.basis : nullptr;
        preconditioner_->set_stiff_terms(formed ? StiffTerms() : stiff_terms_);
        if (!options_.prefilter && none_.vertices() != A.rows())
            none_ = sparse::NodeFilter(A.rows());
        report = preconditioner_->setup(formed ? prefiltered_.matrix() : A,
                                        options_.prefilter ? filter : none_, near_kernel);
        const double setup_seconds = timer.restart();
        if (report.ok())
            report = conjugate_gradients_.run(A, filter, *preconditioner_, b, x, options_,
                                              tolerance(), progress_, constraints_.basis);
        preconditioner_->learn(report);
        vector_bytes_ = conjugate_gradients_.bytes() + prefiltered_.bytes();
        report.setup_seconds = setup_seconds;
        report.solve_seconds = timer.seconds();
        return report;
    }

    void set_constraints(const GeneralConstraints& constraints) override {
        constraints_ = constraints;
    }

  private:
    GeneralConstraints constraints_;
    sparse::NodeFilter none_;
    sparse::ConstrainedMatrix prefiltered_;
    ConjugateGradients conjugate_gradients_;
};

}  // namespace

extern const SolverEntry entry_prefiltered_pcg;
constinit const SolverEntry entry_prefiltered_pcg{
    .key = "prefiltered_pcg",
    .doc = "conjugate gradients on (S A S + sigma (I - S)) y = S (b - A z) [TJM15]",
    .properties = {.coupled = true},
    .fields = [] { return field_table<PcgOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        return std::make_unique<PrefilteredPcg>(read_options<PcgOptions>(settings));
    }};

}  // namespace taffeta::solve
