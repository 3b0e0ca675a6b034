#include "taffeta/sim/quasistatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta::sim {

const char* to_string(EquilibriumStatus status) {
    switch (status) {
        case EquilibriumStatus::converged:
            return "converged";
        case EquilibriumStatus::max_iterations:
            return "max_iterations";
        case EquilibriumStatus::stalled:
            return "stalled";
        case EquilibriumStatus::solver_failed:
            return "solver_failed";
        case EquilibriumStatus::not_finite:
            return "not_finite";
    }
    return "?";
}

namespace {

constexpr double smallest_step = 1e-7, largest_step = 1e4;  ///< of the damping, s
constexpr double armijo = 1e-4;    ///< part of the promised fall that is enough
constexpr double overshoot = 0.9;  ///< slope back at the end of a step, over that at its start
constexpr double rough = 1e-4;     ///< of the weight, on the way to the whole weight
constexpr int most_halvings = 12;
constexpr int patience = 60;  ///< iterations without halving the gradient, where energies are mute

/// The state of one search.
class Search {
  public:
    Search(const World& world, ClothSystem& system, double t, const QuasistaticOptions& options,
           VecX& x)
        : world_(world),
          system_(system),
          options_(options),
          t_(t),
          x_(x),
          still_(VecX::Zero(x.size())) {}

    EquilibriumReport run() {
        report_.energy_start = energy(x_);
        for (int k = options_.load_steps; k > 0; --k) {
            relief_ = 1 - std::ldexp(1.0, -k);
            search(rough);
            if (report_.status == EquilibriumStatus::not_finite) return report_;
        }
        relief_ = 0;
        return search(options_.tolerance);
    }

  private:
    /// From the present positions under the present weight.
    EquilibriumReport search(double tolerance) {
        energy_ = energy(x_);
        best_ = std::numeric_limits<double>::infinity();
        best_at_ = report_.iterations;
        drowned_ = false;
        const int most = report_.iterations + options_.max_iterations;
        double h = options_.first_step;
        for (;;) {
            system_.linearize(t_, x_, still_, &f_);
            add_weight(-relief_, f_);
            system_.project(f_);
            report_.gradient = f_.norm() / system_.force_scale();
            if (!std::isfinite(energy_) || !std::isfinite(report_.gradient))
                return end(EquilibriumStatus::not_finite,
                           "the energy or its gradient is not finite");
            if (report_.gradient <= tolerance) return end(EquilibriumStatus::converged, {});
            if (report_.iterations == most)
                return end(EquilibriumStatus::max_iterations,
                           fmt::format("{} iterations left {:.3g} of the weight, {:.3g} is wanted",
                                       options_.max_iterations, report_.gradient, tolerance));
            if (drowned_ && since_best() > patience)
                return end(EquilibriumStatus::stalled,
                           fmt::format("rounding leaves {:.3g} of the weight, {:.3g} is wanted",
                                       best_, tolerance));
            ++report_.iterations;
            if (!advance(h)) return report_;
        }
    }

    double energy(const VecX& x) {
        ++report_.evaluations;
        double sum = 0;
        for (const auto& energy : world_.energies)
            sum += energy->value(x);
        if (relief_ == 0) return sum;
        // A part of the weight is missing, and with it the same part of - sum m g.x.
        for (Index i = 0; i < world_.vertex_count(); ++i)
            sum += relief_ * world_.mass[i] * world_.gravity.dot(vec3(x, i));
        return sum;
    }
    void add_weight(double part, VecX& f) const {
        if (part == 0) return;
        for (Index i = 0; i < world_.vertex_count(); ++i)
            vec3(f, i) += part * world_.mass[i] * world_.gravity;
    }

    /// Iterations since the gradient was last halved.
    int since_best() {
        if (report_.gradient < 0.5 * best_) best_ = report_.gradient, best_at_ = report_.iterations;
        return report_.iterations - best_at_;
    }

    EquilibriumReport end(EquilibriumStatus status, std::string message) {
        report_.status = status;
        report_.message = std::move(message);
        report_.energy_end = energy_;
        return report_;
    }

    /// One accepted step; false when there is none, and the report says why.
    bool advance(double& h) {
        std::string trouble = "no step along the direction of descent lowers the energy";
        EquilibriumStatus status = EquilibriumStatus::stalled;
        for (; h >= smallest_step; h *= 0.1) {
            direction_.setZero(x_.size());
            const double tolerance = std::clamp(0.1 * std::sqrt(report_.gradient), 1e-8, 1e-2);
            const SolveReport solve =
                system_.solve({.m = 1 / (h * h), .d = 0, .k = 1}, f_, tolerance, direction_);
            report_.linear_iterations += solve.iterations;
            const double slope = f_.dot(direction_);  // of the fall
            if (!solve.ok() && !(slope > 0)) {
                trouble = solve.message;
                status = EquilibriumStatus::solver_failed;
                continue;
            }
            if (!(slope > 0)) continue;
            const double cut = line_search(slope);
            if (cut == 0) continue;
            h = std::clamp(cut == 1      ? 4 * h
                           : cut >= 0.25 ? h
                                         : 0.25 * h,
                           10 * smallest_step, largest_step);
            return true;
        }
        end(status, fmt::format("{}; {:.3g} of the weight is left after {} iterations", trouble,
                                report_.gradient, report_.iterations));
        return false;
    }

    /// The part of the direction that was taken, 0 for none.
    double line_search(double slope) {
        // Below this the difference of two energies says nothing.
        const double rounding = 1e-14 * magnitude();
        double cut = 1;
        for (int halving = 0; halving < most_halvings; ++halving, cut *= 0.5) {
            trial_ = x_ + cut * direction_;
            const double value = energy(trial_);
            if (!std::isfinite(value)) continue;
            const bool drowned = cut * slope < 1e3 * rounding;
            bool taken = !drowned && value <= energy_ - armijo * cut * slope;
            if (drowned && value <= energy_ + rounding) {
                system_.force(t_, trial_, still_, f_trial_);
                add_weight(-relief_, f_trial_);
                system_.project(f_trial_);
                taken = f_trial_.dot(direction_) >= -overshoot * slope;
            }
            if (!taken) continue;
            drowned_ = drowned;
            report_.largest_rise = std::max(report_.largest_rise, value - energy_);
            std::swap(x_, trial_);
            energy_ = value;
            return cut;
        }
        return 0;
    }

    /// What the energy is a difference of: the sum of the sizes of its parts.
    double magnitude() const {
        double sum = std::abs(energy_);
        for (const auto& energy : world_.energies)
            sum += std::abs(energy->value(x_));
        return sum;
    }

    const World& world_;
    ClothSystem& system_;
    const QuasistaticOptions& options_;
    double t_;
    VecX& x_;
    VecX still_, f_, f_trial_, direction_, trial_;
    double energy_ = 0;
    double relief_ = 0;  ///< part of the weight that does not act yet
    double best_ = std::numeric_limits<double>::infinity();
    int best_at_ = 0;
    bool drowned_ = false;  ///< whether the last step was beyond what energies can tell
    EquilibriumReport report_;
};

}  // namespace

EquilibriumReport find_equilibrium(const World& world, ClothSystem& system, double t,
                                   const QuasistaticOptions& options, VecX& x) {
    return Search(world, system, t, options, x).run();
}

}  // namespace taffeta::sim
