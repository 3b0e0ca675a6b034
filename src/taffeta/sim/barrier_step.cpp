#include "taffeta/sim/barrier_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/timer.h"

namespace taffeta::sim {
namespace {

constexpr double turned_back =
    0.9;  ///< slope back at the end of an iteration, over that at its start
constexpr int barrier_cuts = 20;
/// Of a linear system: Newton's method converges linearly here, however exact its steps are.
constexpr double barrier_linear_tolerance = 0.03;

class BarrierStep {
  public:
    BarrierStep(const World& world, ClothSystem& system, contact::PositionContact& contact,
                double h)
        : system_(system), contact_(contact), h_(h), start_(world.state) {}

    ode::StepReport run(ode::State& state) {
        x_ = start_.x;
        // Where the held directions end: those of x(t) + h v + h^2 a with the prescribed a.
        a_.setZero(x_.size());
        system_.constrain(a_, h_);
        end_ = start_.x + h_ * start_.v + h_ * h_ * a_;
        const double goal = contact_.tolerance() * h_;
        while (report_.newton_iterations < contact_.max_iterations()) {
            if (!find_direction()) return report_;
            if (part_ == 1 && direction_.lpNorm<Eigen::Infinity>() <= goal) {
                state.t = start_.t + h_;
                state.v = (x_ - start_.x) / h_;
                state.x = x_;
                return report_;
            }
            if (!advance()) return report_;
        }
        return fail(
            SolveStatus::max_iterations,
            fmt::format("the barrier's minimum was not found in {} iterations: a vertex would "
                        "still change its velocity by {:.3g} m/s",
                        report_.newton_iterations, direction_.lpNorm<Eigen::Infinity>() / h_));
    }

  private:
    ode::StepReport fail(SolveStatus status, std::string message) {
        report_.solve.status = status;
        report_.solve.message = std::move(message);
        return report_;
    }

    /// r = f(x, (x - x(t)) / h) - M (x - x^) / h^2, with K and D when the matrix is wanted.
    void residual(const VecX& x, double part, double aim, bool with_matrix, VecX& r) {
        if (!springs_known_) {
            const ScopedTimer timer(system_.times().contact);
            contact_.linearise(x, part, aim, system_.repulsion().springs());
            system_.repulsion_changed();
        }
        springs_known_ = false;
        v_ = (x - start_.x) / h_;
        if (with_matrix)
            system_.linearize(start_.t + h_, x, v_, &r);
        else
            system_.force(start_.t + h_, x, v_, r);
        ++report_.force_evaluations;
        a_ = (v_ - start_.v) / h_;
        system_.apply({.m = 1, .d = 0, .k = 0}, a_, product_);
        r -= product_;
    }

    bool find_direction() {
        residual(x_, part_, 1, true, residual_);
        if (!residual_.allFinite()) {
            fail(SolveStatus::not_finite, "the force is not finite");
            return false;
        }
        // In accelerations: (M + h D + h^2 K) u = r, u = z + y, where z is what is held.
        const ode::Coefficients c{.m = 1, .d = h_, .k = h_ * h_};
        held_ = (end_ - x_) / (h_ * h_);
        product_ = held_;
        system_.project(product_);
        held_ -= product_;
        if (held_.squaredNorm() > 0) {
            system_.apply(c, held_, product_);
            rhs_ = residual_ - product_;
        } else {
            rhs_ = residual_;
        }
        direction_.setZero(x_.size());
        report_.solve = system_.solve(c, rhs_, barrier_linear_tolerance, direction_);
        ++report_.linear_solves;
        report_.linear_iterations += report_.solve.iterations;
        if (!report_.solve.ok()) return false;
        ++report_.newton_iterations;
        direction_ = h_ * h_ * (direction_ + held_);
        return true;
    }

    /// One accepted iteration.
    bool advance() {
        // While obstacles move, the energy is another one at each end: then only contact cuts.
        const bool settled = part_ == 1 && held_.squaredNorm() == 0;
        system_.project(residual_);
        const double slope = residual_.dot(direction_);
        double length = 1;
        for (int cut = 0; cut < barrier_cuts; ++cut, length *= 0.5) {
            trial_ = x_ + length * direction_;
            double part = part_ + length * (1 - part_);
            if (length == 1) part = 1;
            double share = 0;
            {
                const ScopedTimer timer(system_.times().contact);
                share = contact_.shorten(x_, part_, trial_, part);
            }
            if (share == 0) break;
            length *= share;
            if (settled) {
                residual(trial_, part, part, false, trial_residual_);
                system_.project(trial_residual_);
                const double back = trial_residual_.dot(direction_);
                if (!(back >= -turned_back * slope)) continue;
            }
            x_.swap(trial_);
            part_ = part;
            springs_known_ = settled;
            return true;
        }
        fail(SolveStatus::breakdown,
             fmt::format("contact: infeasible motion at {}, after {:.0f} % of the obstacles' way: "
                         "nothing can give way any more",
                         contact_.nearest(), 100 * part_));
        return false;
    }

    ClothSystem& system_;
    contact::PositionContact& contact_;
    const double h_;
    const ode::State& start_;
    double part_ = 0;  ///< of the obstacles' way
    bool springs_known_ =
        false;  ///< those of `x_` and `part_`: the test of the last iteration made them
    VecX x_, v_, a_, end_, held_, residual_, trial_, trial_residual_, direction_, rhs_, product_;
    ode::StepReport report_;
};

}  // namespace

ode::StepReport take_barrier_step(const World& world, ClothSystem& system,
                                  contact::PositionContact& contact, double h, ode::State& state) {
    return BarrierStep(world, system, contact, h).run(state);
}

}  // namespace taffeta::sim
