#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "taffeta/base/timer.h"
#include "taffeta/solve/iterative_solver.h"
#include "taffeta/sparse/vector_ops.h"

/// The modified conjugate gradients of Baraff and Witkin 1998, section 5.2, as printed there.
///
/// Two remarks. The paper defines P_ii = 1/A_ii and then uses both P (in delta_0) and P^-1 (in the
/// loop); only P^-1 r = r/A_ii makes sense in the loop, so M^-1 = diag(1/A_ii), or another
/// preconditioner of the unfiltered A, stands for both here. And delta_0 = filter(b)' M^-1
/// filter(b) ignores that the iteration starts at z [Ascher and Boxerman 2003]: when filter(b) = 0
/// but A z is not, the printed loop would have no end; delta_0 is then that of the first residual.
namespace taffeta::solve {

namespace {

constexpr double projection_rounding = 64 * std::numeric_limits<double>::epsilon();

struct FilteredCgOptions {
    double tolerance = 1e-5;
    int max_iterations = 10000;
    bool warm_start = false;
    Settings preconditioner;

    static Fields<FilteredCgOptions> fields() {
        return {{"tolerance", &FilteredCgOptions::tolerance,
                 "stop when r'M^-1 r < tolerance^2 delta_0", positive()},
                {"max_iterations", &FilteredCgOptions::max_iterations, "hard limit", at_least(1)},
                {"warm_start", &FilteredCgOptions::warm_start,
                 "start from the free part of the guess instead of zero, as [Ascher03] advise"},
                {"preconditioner", &FilteredCgOptions::preconditioner,
                 "of the unfiltered matrix; the paper's is jacobi"}};
    }
};

class FilteredCg final : public IterativeSolver<FilteredCgOptions> {
  public:
    explicit FilteredCg(const FilteredCgOptions& options) : IterativeSolver(options, "jacobi") {}

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override {
        SolveReport report = check_.run(A, filter, b, x);
        if (!report.ok() || A.rows() == 0) return report;
        if (basis_) report = check_constraints(*basis_, filter);
        if (!report.ok()) return report;
        Timer timer;
        if (unconstrained_.vertices() != A.rows()) unconstrained_ = sparse::NodeFilter(A.rows());
        report = preconditioner_->setup(A, unconstrained_, near_kernel_);
        const double setup_seconds = timer.restart();
        if (report.ok()) report = iterate(A, filter, b, x);
        preconditioner_->learn(report);
        report.setup_seconds = setup_seconds;
        report.solve_seconds = timer.seconds();
        return report;
    }

    /// `filter` of the paper, with the projector of all constraints instead of the vertices' own.
    void set_constraints(const GeneralConstraints& constraints) override {
        basis_ = constraints.basis;
    }

  private:
    void project(const sparse::NodeFilter& filter, VecX& u) {
        if (basis_)
            basis_->project(u, along_rows_);
        else
            filter.project(u);
    }

    SolveReport iterate(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                        VecX& x) {
        const double guess = sparse::dot(x, x, partials_);
        // delta_0 = filter(b)' M^-1 filter(b)
        r_ = b;
        project(filter, r_);
        preconditioner_->apply(r_, s_);
        double delta_0 = sparse::dot(r_, s_, partials_);
        if (!std::isfinite(delta_0) || !std::isfinite(guess)) return not_finite(A, b, x);

        // x = z, or z + S guess;  r = filter(b - A x);  c = filter(M^-1 r)
        if (options_.warm_start)
            project(filter, x);
        else
            x.setZero();
        if (basis_)
            basis_->add_targets(x);
        else
            filter.add_targets(x);
        sparse::multiply(A, x, r_);
        sparse::xpby(b, -1, r_);
        const double load = basis_ ? r_.norm() : 0;
        project(filter, r_);
        // What projection onto few free directions leaves of a load may be rounding: no work for it.
        if (basis_ && r_.norm() <= projection_rounding * load) return {};
        preconditioner_->apply(r_, s_);
        c_ = s_;
        project(filter, c_);
        q_.resize(c_.size());
        double delta_new = sparse::dot(r_, c_, partials_);
        if (!std::isfinite(delta_new)) return not_finite(A, b, x);
        if (!(delta_0 > 0)) delta_0 = delta_new;
        if (delta_0 < 0)
            return failure(SolveStatus::breakdown,
                           fmt::format("r'M^-1 r = {:.3g} before the first iteration: the "
                                       "preconditioner is not positive definite",
                                       delta_0));

        SolveReport report;
        const double limit = tolerance() * tolerance() * delta_0;
        const auto stop = [&](SolveStatus status, std::string message) {
            report.status = status;
            report.message = std::move(message);
            return report;
        };
        report.residual = delta_0 > 0 ? std::sqrt(std::max(delta_new, 0.0) / delta_0) : 0;
        while (delta_new > limit) {
            if (report.iterations == options_.max_iterations)
                return stop(
                    SolveStatus::max_iterations,
                    fmt::format("not converged after {} iterations: the residual is {:.3g}, "
                                "the tolerance {:.3g}",
                                report.iterations, report.residual, tolerance()));
            // q = filter(A c);  alpha = delta_new / c'q
            const double curvature = sparse::multiply_dot(A, c_, q_, partials_);
            project(filter, q_);
            if (!std::isfinite(curvature)) {
                SolveReport found = not_finite(A, b, x);
                return stop(found.status, std::move(found.message));
            }
            const double alpha = delta_new / curvature;
            if (!(curvature > 0) || !std::isfinite(alpha))
                return stop(
                    curvature < 0 ? SolveStatus::indefinite : SolveStatus::singular,
                    fmt::format("c'Ac = {:.3g} at iteration {}: A is {}", curvature,
                                report.iterations + 1, curvature < 0 ? "indefinite" : "singular"));
            // x += alpha c;  r -= alpha q;  s = M^-1 r;  delta_new = r's
            const double delta_old = delta_new;
            delta_new = advance(alpha, x);
            // Each projection of q leaves rounding outside range(S). Left in r, which the paper never
            // filters again, it adds up, and once r is small the directions grow without bound.
            project(filter, r_);
            ++report.iterations;
            if (!std::isfinite(delta_new) || delta_new < 0)
                return stop(SolveStatus::breakdown,
                            fmt::format("r'M^-1 r = {:.3g} at iteration {}: the preconditioner is "
                                        "not positive definite",
                                        delta_new, report.iterations));
            report.residual = std::sqrt(delta_new / delta_0);
            if (progress_ && !progress_(report.iterations, report.residual))
                return stop(SolveStatus::max_iterations,
                            fmt::format("stopped by the caller after iteration {}, residual {:.3g}",
                                        report.iterations, report.residual));
            // c = filter(s + delta_new/delta_old c)
            sparse::xpby(s_, delta_new / delta_old, c_);
            project(filter, c_);
        }
        return report;
    }

    double advance(double alpha, VecX& x) {
        if (const sparse::BlockDiagonal* inverse = preconditioner_->block_diagonal())
            return inverse->step(alpha, c_, q_, x, r_, s_, partials_).rz;
        sparse::step(alpha, c_, q_, x, r_, partials_);
        preconditioner_->apply(r_, s_);
        return sparse::dot(r_, s_, partials_);
    }

    const sparse::ConstraintBasis* basis_ = nullptr;
    VecX along_rows_;  ///< Q u
    sparse::NodeFilter unconstrained_;
    VecX r_, s_, c_, q_;  ///< the letters of the paper
    sparse::Partials partials_;
};

}  // namespace

extern const SolverEntry entry_filtered_cg;
constinit const SolverEntry entry_filtered_cg{
    .key = "filtered_cg",
    .doc = "modified conjugate gradients that filter in every iteration [BW98], as published",
    .properties = {.coupled = true},
    .fields = [] { return field_table<FilteredCgOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        return std::make_unique<FilteredCg>(read_options<FilteredCgOptions>(settings));
    }};

}  // namespace taffeta::solve
