#include "taffeta/solve/conjugate_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/base/error.h"
#include "taffeta/base/timer.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

/// Factor between the true residual and its recurrence beyond which the two have parted.
constexpr double drift = 2;
/// Relative error of the first image, in tolerances, up to which the next ones are trusted: what the
/// later ones add shrinks with the residual.
constexpr double trusted_error = 10;

std::string stopped_by_caller(const SolveReport& report) {
    return fmt::format("stopped by the caller after iteration {}, residual {:.3g}",
                       report.iterations, report.residual);
}

}  // namespace

Fields<PcgOptions> PcgOptions::fields() {
    return {{"tolerance", &PcgOptions::tolerance,
             "stop when the residual has fallen by this factor, in the chosen norm", positive()},
            {"max_iterations", &PcgOptions::max_iterations, "hard limit", at_least(1)},
            {"norm", &PcgOptions::norm,
             "norm of the residual: preconditioned (r'M^-1 r, as in [TJM15]) or euclidean",
             one_of({"preconditioned", "euclidean"})},
            {"residual_interval", &PcgOptions::residual_interval,
             "iterations after which the true residual is computed", at_least(1)},
            {"prefilter", &PcgOptions::prefilter,
             "the preconditioner is made for the filtered matrix; false: for A, for comparison"},
            {"preconditioner", &PcgOptions::preconditioner,
             "a preconditioner's key, or an object with its type and options"}};
}

/// All that stays the same during a solve.
struct ConjugateGradients::System {
    const sparse::Matrix3& A;
    const sparse::NodeFilter& filter;
    const Preconditioner& preconditioner;
    const VecX& b;
    const PcgOptions& options;
    double tolerance;
    const Progress& progress;
    const sparse::ConstraintBasis* constraints;
    Measure zero_guess;

    double relative(const Measure& now) const {
        return options.norm == "euclidean" ? std::sqrt(now.squared / zero_guess.squared)
                                           : std::sqrt(now.rho / zero_guess.rho);
    }
};

/// u <- S u
void ConjugateGradients::project(const System& system, VecX& u) {
    if (system.constraints)
        system.constraints->project(u, along_rows_);
    else
        system.filter.project(u);
}

void ConjugateGradients::apply_preconditioner(const System& system) {
    if (given_images_)
        given_images_ = system.preconditioner.apply_and_multiply(residual_, preconditioned_,
                                                                 preconditioned_image_);
    else
        system.preconditioner.apply(residual_, preconditioned_);
    if (!keeps_range(system)) project(system, preconditioned_);
}

/// Whether M^-1 maps range(S) to itself.
bool ConjugateGradients::keeps_range(const System& system) {
    return !system.constraints && system.options.prefilter;
}

/// Whether the preconditioner's A z, p being z, is as near to the product as the solve must get.
bool ConjugateGradients::image_is_good(double tolerance) {
    const double exact = sparse::dot(image_, image_, partials_);
    const double given = sparse::dot(preconditioned_image_, preconditioned_image_, partials_);
    const double both = sparse::dot(image_, preconditioned_image_, partials_);
    const double bound = trusted_error * tolerance;
    return exact - 2 * both + given <= bound * bound * exact;
}

ConjugateGradients::Measure ConjugateGradients::precondition(const System& system) {
    apply_preconditioner(system);
    return {sparse::dot(residual_, preconditioned_, partials_),
            sparse::dot(residual_, residual_, partials_)};
}

ConjugateGradients::Measure ConjugateGradients::advance(const System& system, double alpha,
                                                        VecX& y) {
    // y <- y + alpha p,  r <- r - alpha S A p,  M^-1 r
    const sparse::BlockDiagonal* inverse = system.preconditioner.block_diagonal();
    if (inverse && keeps_range(system)) {
        const auto sums =
            inverse->step(alpha, direction_, image_, y, residual_, preconditioned_, partials_);
        return {sums.rz, sums.rr};
    }
    const double squared = sparse::step(alpha, direction_, image_, y, residual_, partials_);
    apply_preconditioner(system);
    return {sparse::dot(residual_, preconditioned_, partials_), squared};
}

/// r = S c - S A y
void ConjugateGradients::make_true_residual(const System& system, const VecX& y) {
    sparse::multiply(system.A, y, residual_);
    project(system, residual_);
    sparse::xpby(right_side_, -1, residual_);
}

ConjugateGradients::Measure ConjugateGradients::true_residual(const System& system, const VecX& y) {
    make_true_residual(system, y);
    return precondition(system);
}

/// S c with c = b - A z
void ConjugateGradients::make_right_side(const System& system) {
    const sparse::ConstraintBasis* constraints = system.constraints;
    right_side_ = system.b;
    if (constraints ? constraints->has_targets() : system.filter.has_targets()) {
        if (constraints)
            constraints->targets(direction_);
        else
            system.filter.targets(direction_);
        sparse::multiply(system.A, direction_, image_);
        sparse::axpy(-1, image_, right_side_);
    }
    // What projection leaves of a force in the forbidden directions is rounding, not a load.
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    for (const sparse::NodeFilter::Entry& entry : system.filter.entries()) {
        auto c = vec3(right_side_, entry.vertex);
        const double size = c.norm();
        c = (entry.projector * c).eval();
        if (std::isfinite(size) && c.norm() <= rounding * size) c.setZero();
    }
    if (!constraints) return;
    const std::vector<Index>& coupled = constraints->columns().touched;
    double size = 0;
    for (const Index v : coupled)
        size = std::max(size, vec3(right_side_, v).norm());
    project(system, right_side_);
    for (const Index v : coupled)
        if (std::isfinite(size) && vec3(right_side_, v).norm() <= rounding * size)
            vec3(right_side_, v).setZero();
}

SolveReport ConjugateGradients::run(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                                    const Preconditioner& preconditioner, const VecX& b, VecX& x,
                                    const PcgOptions& options, double tolerance,
                                    const Progress& progress,
                                    const sparse::ConstraintBasis* constraints) {
    System system{A, filter, preconditioner, b, options, tolerance, progress, constraints, {}};
    const Timer timer;
    make_right_side(system);
    const double prefilter_seconds = timer.seconds();
    residual_ = right_side_;
    // Otherwise the preconditioner may have been made for another matrix.
    given_images_ = !preconditioner.block_diagonal() && keeps_range(system);
    const double load = sparse::dot(residual_, residual_, partials_);
    const double guess = sparse::dot(x, x, partials_);
    if (!std::isfinite(load) || !std::isfinite(guess)) return not_finite(A, b, x);

    project(system, x);
    SolveReport report;
    if (load == 0) {
        // No product has looked at A yet, see not_finite().
        const std::string fault = sparse::find_not_finite(A);
        if (!fault.empty()) return failure(SolveStatus::not_finite, fault);
        x.setZero();
    } else {
        if (!iterate_inside(system, guess > 0, x, report)) {
            residual_ = right_side_;
            image_.resize(b.size());
            system.zero_guess = precondition(system);
            report = iterate(system, x, report.iterations);
        }
        project(system, x);  // the rounding errors of many iterations
    }
    if (constraints)
        constraints->add_targets(x);
    else
        filter.add_targets(x);
    report.prefilter_seconds = prefilter_seconds;
    return report;
}

/// What an inner iteration asks of the outer one.
class ConjugateGradients::Around final : public OuterSystem {
  public:
    Around(ConjugateGradients& method, const System& system, VecX& y)
        : method_(method), system_(system), y_(y) {}

    VecX& iterate() override { return y_; }
    const VecX& residual() override {
        method_.project(system_, y_);
        method_.make_true_residual(system_, y_);
        return method_.residual_;
    }
    bool goes_on(int iterations, double residual) override {
        return !system_.progress || system_.progress(iterations, residual);
    }

  private:
    ConjugateGradients& method_;
    const System& system_;
    VecX& y_;
};

/// Lets the preconditioner iterate, where it can. True when the report is final; otherwise it has the
/// iterations that were made, and y what they gained.
bool ConjugateGradients::iterate_inside(System& system, bool guessed, VecX& y,
                                        SolveReport& report) {
    if (!given_images_ || system.options.norm != "preconditioned") return false;
    InnerLimits limits{system.tolerance, 0, system.options.max_iterations,
                       system.options.residual_interval};
    if (guessed) {
        limits.zero_rho = precondition(system).rho;
        make_true_residual(system, y);
        if (sparse::dot(residual_, residual_, partials_) == 0) return true;
    }
    Around around(*this, system, y);
    InnerReport inner;
    if (!system.preconditioner.iterate(residual_, limits, around, inner)) return false;
    report.iterations = inner.iterations;
    report.residual = inner.residual;
    if (inner.outcome == InnerReport::Outcome::gave_up) {
        given_images_ = false;
        return false;
    }
    if (inner.outcome == InnerReport::Outcome::stopped) {
        report.status = SolveStatus::max_iterations;
        report.message = stopped_by_caller(report);
    }
    return true;
}

SolveReport ConjugateGradients::iterate(const System& system, VecX& y, int iterations) {
    const PcgOptions& options = system.options;
    SolveReport report;
    report.iterations = iterations;
    const auto stop = [&](SolveStatus status, std::string message) {
        report.status = status;
        report.message = std::move(message);
        return report;
    };
    const auto preconditioner_failed = [&](double rho) {
        return stop(SolveStatus::breakdown,
                    fmt::format("r'M^-1 r = {:.3g} at iteration {}: the preconditioner is not "
                                "positive definite",
                                rho, report.iterations));
    };
    if (!(system.zero_guess.rho > 0)) return preconditioner_failed(system.zero_guess.rho);

    Measure now = system.zero_guess;
    if (sparse::dot(y, y, partials_) > 0) now = true_residual(system, y);
    report.residual = system.relative(now);
    if (now.squared == 0 || report.residual < system.tolerance) return report;

    double last_drifted = std::numeric_limits<double>::infinity();
    direction_ = preconditioned_;  // p = M^-1 r
    bool first = true;
    while (report.iterations < options.max_iterations) {
        // alpha = r'M^-1 r / p'Ap
        double curvature;
        if (given_images_ && !first) {
            curvature = sparse::dot(direction_, image_, partials_);
        } else {
            curvature = sparse::multiply_dot(system.A, direction_, image_, partials_);
            project(system, image_);
            given_images_ = given_images_ && image_is_good(system.tolerance);
            first = false;
        }
        if (!std::isfinite(curvature) || !std::isfinite(now.rho)) {
            SolveReport found = not_finite(system.A, system.b, y);
            return stop(found.status, std::move(found.message));
        }
        if (!(now.rho > 0)) return preconditioner_failed(now.rho);
        const double alpha = now.rho / curvature;
        if (given_images_ && !(curvature > 0)) {
            given_images_ = false;
            now = true_residual(system, y);
            direction_ = preconditioned_;
            continue;
        }
        if (!(curvature > 0) || !std::isfinite(alpha)) {
            std::string asymmetry = sparse::find_asymmetry(system.A);
            return stop(
                curvature < 0 ? SolveStatus::indefinite : SolveStatus::singular,
                fmt::format("p'Ap = {:.3g} at iteration {}: A is {}; {}", curvature,
                            report.iterations + 1, curvature < 0 ? "indefinite" : "singular",
                            asymmetry.empty() ? "use the PSD projection of the energies, or a "
                                                "smaller step"
                                              : asymmetry));
        }
        Measure next = advance(system, alpha, y);
        ++report.iterations;
        report.residual = system.relative(next);

        bool restart = false;
        if (report.residual < system.tolerance || next.squared == 0 ||
            report.iterations % options.residual_interval == 0) {
            const double recurrence = report.residual;
            next = true_residual(system, y);
            report.residual = system.relative(next);
            restart = report.residual > drift * recurrence && report.residual >= system.tolerance;
        }
        if (system.progress && !system.progress(report.iterations, report.residual))
            return stop(SolveStatus::max_iterations, stopped_by_caller(report));
        if (next.squared == 0 || report.residual < system.tolerance) return report;
        if (restart) {
            if (report.residual > last_drifted / 2)
                return stop(SolveStatus::breakdown,
                            fmt::format("the true residual stalls at {:.3g} after {} iterations, "
                                        "above the tolerance {:.3g}: rounding errors are the limit",
                                        report.residual, report.iterations, system.tolerance));
            last_drifted = report.residual;
        }
        // p = M^-1 r + beta p
        const double beta = restart ? 0.0 : next.rho / now.rho;
        sparse::xpby(preconditioned_, beta, direction_);
        if (restart) given_images_ = false;
        if (given_images_) sparse::xpby(preconditioned_image_, beta, image_);
        now = next;
    }
    std::string asymmetry = sparse::find_asymmetry(system.A);
    return stop(asymmetry.empty() ? SolveStatus::max_iterations : SolveStatus::indefinite,
                fmt::format("not converged after {} iterations: the residual is {:.3g}, the "
                            "tolerance {:.3g}{}",
                            report.iterations, report.residual, system.tolerance,
                            asymmetry.empty() ? "" : "; " + asymmetry));
}

}  // namespace taffeta::solve
