#include "taffeta/ode/stage.h"

#include <fmt/format.h>

#include <cmath>

namespace taffeta::ode {

namespace {

constexpr Coefficients stiffness_only{.m = 0, .d = 0, .k = 1};
constexpr Coefficients damping_only{.m = 0, .d = 1, .k = 0};
constexpr Coefficients mass_only{.m = 1, .d = 0, .k = 0};

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

    // a = z + y with y in range(S): (M + beta D + alpha K) y = rhs - (M + beta D + alpha K) z
    a.setZero(system.size());
    system.constrain(a, stage.h);
    if (a.squaredNorm() > 0) {
        system.apply(c, a, product_);
        residual_ -= product_;
    }
    step_.setZero(system.size());
    report.solve = system.solve(c, residual_, linear_tolerance, step_);
    report.linear_solves = 1;
    report.linear_iterations = report.solve.iterations;
    a += step_;
    if (report.ok() && !a.allFinite()) {
        report.solve.status = SolveStatus::not_finite;
        report.solve.message =
            fmt::format("the force or its slope at t = {:.6g} s is not finite", stage.t);
    }
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

StepReport StageSolver::solve_newton(SecondOrderSystem& system, const Stage& stage,
                                     const NewtonOptions& options, VecX& a) {
    StepReport report;
    const Coefficients c{.m = 1, .d = stage.beta, .k = stage.alpha};
    a.setZero(system.size());
    system.constrain(a, stage.h);
    double norm = residual(system, stage, a, residual_);
    ++report.force_evaluations;
    const double reference = system.force_scale() > 0 ? system.force_scale() : norm;
    const double goal = options.tolerance * reference;

    while (norm > goal && report.newton_iterations < options.max_iterations) {
        system.linearize(stage.t, x_, v_);
        step_.setZero(system.size());
        report.solve = system.solve(c, residual_, options.linear_tolerance, step_);
        ++report.linear_solves;
        report.linear_iterations += report.solve.iterations;
        if (!report.solve.ok()) return report;

        // Halve the step until |S r| falls. Without a line search the full step is taken.
        double length = 1, trial_norm = 0;
        for (int halvings = 0;; ++halvings, length *= 0.5) {
            trial_ = a + length * step_;
            trial_norm = residual(system, stage, trial_, trial_residual_);
            ++report.force_evaluations;
            const bool falls = trial_norm <= (1 - 1e-4 * length) * norm;
            if (falls || (!options.line_search && std::isfinite(trial_norm))) break;
            if (halvings == 10) {
                report.newton_residual = norm / reference;
                report.solve.status = SolveStatus::breakdown;
                report.solve.message = fmt::format(
                    "Newton iteration {}: no step along the direction reduces the residual "
                    "{:.3g} (goal {:.3g} N); a smaller time step or a looser newton.tolerance "
                    "helps",
                    report.newton_iterations + 1, norm, goal);
                return report;
            }
        }
        a.swap(trial_);
        residual_.swap(trial_residual_);
        norm = trial_norm;
        ++report.newton_iterations;
    }

    report.newton_residual = reference > 0 ? norm / reference : 0;
    if (!(norm <= goal)) {
        report.solve.status =
            std::isfinite(norm) ? SolveStatus::max_iterations : SolveStatus::not_finite;
        report.solve.message =
            fmt::format("Newton stopped after {} iterations at residual {:.3g} N, goal {:.3g} N",
                        report.newton_iterations, norm, goal);
    }
    return report;
}

}  // namespace taffeta::ode
