#include "taffeta/ode/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta::ode {

namespace {

constexpr Coefficients stiffness_only{.m = 0, .d = 0, .k = 1};
constexpr Coefficients damping_only{.m = 0, .d = 1, .k = 0};
constexpr Coefficients mass_only{.m = 1, .d = 0, .k = 0};

/// Whether the error that an iteration leaves is below what the tolerance of the step allows, by how
/// changes shrank before.
class ChangeTest {
  public:
    ChangeTest(const StageForecast& forecast, const Stage& stage)
        : forecast_(forecast), stage_(stage) {}

    /// After a whole Newton step from (x, v).
    bool suffices(const VecX& step, const VecX& x, const VecX& v) {
        if (!forecast_.scale) return false;
        const ErrorScale& scale = *forecast_.scale;
        const double change =
            scale.per_step(stage_.h) * scale.norm(stage_.alpha, stage_.beta, step, x, v);
        double& rate = *forecast_.rate;
        const bool seen = last_ > 0;
        if (seen) see(change / last_);
        last_ = change;
        if (change * rate > forecast_.allowed) return false;
        // What was not looked at again is trusted the less the longer ago it was seen.
        if (!seen) rate = std::min(1.0, 1.2 * rate);
        return true;
    }
    /// After a Newton step, of which `part` was taken and left so much of the residual.
    void judge(double part, double left, bool last) {
        if (!forecast_.scale) return;
        if (part < 1) {  // says nothing of the next one
            last_ = 0;
            *forecast_.rate = 1;
        } else if (last) {
            see(left);
        }
    }

  private:
    void see(double rate) {
        *forecast_.rate = std::min(1.0, std::max(0.3 * *forecast_.rate, rate));
    }

    const StageForecast& forecast_;
    const Stage& stage_;
    double last_ = 0;
};

/// Tolerances of the linear solves, one after the other.
class Forcing {
  public:
    explicit Forcing(const NewtonOptions& options)
        : inexact_(options.type == "inexact"),
          adaptive_(options.forcing == "eisenstat_walker"),
          eta_(inexact_ ? options.eta : options.linear_tolerance) {}

    /// For the system of residual `norm`; `goal` is where Newton's iteration ends.
    double next(double norm, double goal) {
        if (inexact_ && adaptive_ && last_ > 0) {
            // eta = 0.9 (|r|/|r_last|)^2, but not far below what the last one was
            const double ratio = norm / last_, kept = 0.9 * eta_ * eta_;
            eta_ = 0.9 * ratio * ratio;
            if (kept > 0.1) eta_ = std::max(eta_, kept);
            // and no smaller than what the goal asks for
            eta_ = std::min(0.9, std::max(eta_, 0.5 * goal / norm));
        }
        last_ = norm;
        return eta_;
    }

  private:
    bool inexact_, adaptive_;
    double eta_, last_ = 0;
};

}  // namespace

StepReport StageSolver::solve_linearised(SecondOrderSystem& system, const Stage& stage,
                                         const VecX& x0, const VecX& v0, double linear_tolerance,
                                         VecX& a) {
    StepReport report;
    const Coefficients c{.m = 1, .d = stage.beta, .k = stage.alpha};

    // rhs = f0 - K (xp - x0) - D (vp - v0)
    system.linearize(stage.t, x0, v0, &force_);
    report.force_evaluations = 1;
    difference_ = stage.xp - x0;
    system.apply(stiffness_only, difference_, product_);
    residual_ = force_ - product_;
    difference_ = stage.vp - v0;
    if (difference_.squaredNorm() > 0) {
        system.apply(damping_only, difference_, product_);
        residual_ -= product_;
    }

    StepReport solved = solve_linear(system, c, stage.h, residual_, linear_tolerance, a);
    solved.force_evaluations = report.force_evaluations;
    if (solved.ok() && !a.allFinite()) {
        solved.solve.status = SolveStatus::not_finite;
        solved.solve.message =
            fmt::format("the force or its slope at t = {:.6g} s is not finite", stage.t);
    }
    return solved;
}

StepReport StageSolver::solve_linear(SecondOrderSystem& system, const Coefficients& c, double h,
                                     VecX& rhs, double linear_tolerance, VecX& a) {
    // a = z + y with y in range(S): (m M + d D + k K) y = rhs - (m M + d D + k K) z
    StepReport report;
    a.setZero(system.size());
    system.constrain(a, h);
    if (a.squaredNorm() > 0) {
        system.apply(c, a, product_);
        rhs -= product_;
    }
    step_.setZero(system.size());
    report.solve = system.solve(c, rhs, linear_tolerance, step_);
    report.linear_solves = 1;
    report.linear_iterations = report.solve.iterations;
    a += step_;
    return report;
}

double StageSolver::residual(SecondOrderSystem& system, const Stage& stage, const VecX& a,
                             VecX& r) {
    x_ = stage.xp + stage.alpha * a;
    v_ = stage.vp + stage.beta * a;
    system.force(stage.t, x_, v_, force_);
    system.apply(mass_only, a, inertia_);
    r = force_ - inertia_;
    system.project(r);
    return r.norm();
}

/// What rounding makes of the residual: eps (|f| + |M a|), and K and D times the rounding of x and
/// v. Errors of independent signs add up as squares, which a fixed sequence of signs shows without
/// the entries of K.
double StageSolver::rounding_floor(SecondOrderSystem& system, const Stage& stage, const VecX& a) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const auto spread = [&](const VecX& predicted, double share, const Coefficients& c) {
        difference_.resize(a.size());
        for (Eigen::Index i = 0; i < a.size(); ++i) {
            const double size = std::abs(predicted[i]) + share * std::abs(a[i]);
            const bool odd = (std::uint32_t(i) * 2654435761U) >> 31 != 0;
            difference_[i] = odd ? -size : size;
        }
        system.apply(c, difference_, product_);
        system.project(product_);
        return product_.norm();
    };
    const double terms =
        spread(stage.xp, stage.alpha, stiffness_only) + spread(stage.vp, stage.beta, damping_only);
    system.project(force_);
    return 4 * eps * (terms + force_.norm() + inertia_.norm());
}

StepReport StageSolver::solve_newton(SecondOrderSystem& system, const Stage& stage,
                                     const NewtonOptions& options, VecX& a,
                                     const StageForecast& forecast) {
    const StepReport tried = iterate(system, stage, options, forecast, a);
    if (tried.ok() || !forecast.guess) return tried;
    StageForecast anew = forecast;
    anew.guess = nullptr;
    if (anew.rate) *anew.rate = 1;
    StepReport report = iterate(system, stage, options, anew, a);
    report.linear_solves += tried.linear_solves;
    report.linear_iterations += tried.linear_iterations;
    report.newton_iterations += tried.newton_iterations;
    report.force_evaluations += tried.force_evaluations;
    report.newton_rejected += tried.newton_rejected + 1;  // the start of the guess too
    return report;
}

SolveReport StageSolver::solve_direction(SecondOrderSystem& system, const Stage& stage,
                                         const NewtonOptions& options, int iteration,
                                         double tolerance) {
    if (options.type == "springs") {
        if (iteration == 0)
            if (SolveReport prepared = springs_.prepare(system, stage.alpha); !prepared.ok())
                return prepared;
        return springs_.solve(system, residual_, step_);
    }
    if (options.type != "simplified" || iteration == 0) system.linearize(stage.t, x_, v_);
    step_.setZero(system.size());
    return system.solve({.m = 1, .d = stage.beta, .k = stage.alpha}, residual_, tolerance, step_);
}

StepReport StageSolver::iterate(SecondOrderSystem& system, const Stage& stage,
                                const NewtonOptions& options, const StageForecast& forecast,
                                VecX& a) {
    constexpr double diverged = 1e4;  // times the first residual
    StepReport report;
    Forcing forcing(options);
    ChangeTest changes(forecast, stage);
    if (forecast.guess) {
        a = *forecast.guess;
    } else {
        a.setZero(system.size());
    }
    system.constrain(a, stage.h);
    double norm = residual(system, stage, a, residual_);
    ++report.force_evaluations;
    const double first = norm;
    double reference = system.force_scale();
    if (!(reference > 0)) {
        // That of a = 0 was |f|: |M a| is as large where the guess is good, and r next to nothing.
        if (forecast.guess) system.project(inertia_);
        reference = forecast.guess ? std::max(first, inertia_.norm()) : first;
    }
    const double goal = options.tolerance * reference;
    double last = norm, floor = 0;

    const auto stop = [&](SolveStatus status, std::string why) {
        report.newton_residual = norm / reference;
        report.solve.status = status;
        report.solve.message = std::move(why);
        return report;
    };

    while (norm > goal && report.newton_iterations < options.max_iterations) {
        report.solve = solve_direction(system, stage, options, report.newton_iterations,
                                       forcing.next(norm, goal));
        ++report.linear_solves;
        report.linear_iterations += report.solve.iterations;
        if (!report.solve.ok()) return report;

        if (changes.suffices(step_, x_, v_)) {
            a += step_;
            ++report.newton_iterations;
            report.newton_residual = norm / reference;
            return report;
        }

        // Halve the step until |S r| falls. Without a line search the full step is taken.
        double length = 1, trial_norm = 0;
        bool ended = false;
        for (int halvings = 0;; ++halvings, length *= 0.5) {
            trial_ = a + length * step_;
            trial_norm = residual(system, stage, trial_, trial_residual_);
            ++report.force_evaluations;
            if (trial_norm <= (1 - 1e-4 * length) * norm) break;
            ++report.newton_rejected;
            // The whole step does not help: is there nothing left but rounding?
            if (halvings == 0) {
                if (options.type == "springs") system.linearize(stage.t, x_, v_);
                floor = rounding_floor(system, stage, trial_);
                ended = norm <= floor;
            }
            if (ended) break;
            if (!options.line_search && std::isfinite(trial_norm)) {
                --report.newton_rejected;  // taken all the same
                break;
            }
            if (halvings == 10)
                return stop(SolveStatus::breakdown,
                            fmt::format("Newton iteration {}: no step along the direction reduces "
                                        "the residual {:.3g} (goal {:.3g} N); a smaller time step "
                                        "or a looser newton.tolerance helps",
                                        report.newton_iterations + 1, norm, goal));
        }
        if (ended) break;
        changes.judge(length, trial_norm / norm, trial_norm <= goal);
        a.swap(trial_);
        residual_.swap(trial_residual_);
        last = norm;
        norm = trial_norm;
        ++report.newton_iterations;
        if (norm > diverged * first)
            return stop(SolveStatus::breakdown,
                        fmt::format("Newton diverges: after {} iterations the residual has grown "
                                    "from {:.3g} to {:.3g} N; a smaller time step or "
                                    "newton.line_search helps",
                                    report.newton_iterations, first, norm));
    }

    report.newton_residual = reference > 0 ? norm / reference : 0;
    if (norm > goal && norm <= floor) {
        report.newton_floor = floor / reference;
    } else if (!(norm <= goal)) {
        return stop(std::isfinite(norm) ? SolveStatus::max_iterations : SolveStatus::not_finite,
                    fmt::format("Newton stopped after {} iterations at residual {:.3g} N, goal "
                                "{:.3g} N; the last one multiplied it by {:.3g}",
                                report.newton_iterations, norm, goal, norm / last));
    }
    return report;
}

}  // namespace taffeta::ode
