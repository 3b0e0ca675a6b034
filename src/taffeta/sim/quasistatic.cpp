#include "taffeta/sim/quasistatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/sim/rest_problem.h"

namespace taffeta::sim {

const char* to_string(EquilibriumStatus status) {
    switch (status) {
        case EquilibriumStatus::converged:
            return "converged";
        case EquilibriumStatus::at_rounding:
            return "at_rounding";
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

// Of the damping, s. A single folded triangle of height e has curvatures B/e^2, beyond those of all
// membranes, and 1/h^2 must get over the most negative one.
constexpr double smallest_step = 1e-12, largest_step = 1e4;
constexpr double good_ratio = 0.75, poor_ratio = 0.25;  ///< fall of the energy over the model's
constexpr double grow = 4, shrink = 0.25;               ///< h by these
constexpr double armijo = 1e-4;    ///< part of the promised fall that is enough
constexpr double overshoot = 0.9;  ///< slope back at the end of a step, over that at its start
constexpr double rough = 1e-4;     ///< of the weight, on the way to the whole weight
constexpr int most_halvings = 12;
constexpr int hope = 5;       ///< iterations without halving it, before rounding is asked for
constexpr int patience = 60;  ///< iterations without halving the gradient, where energies are mute

/// The state of one search.
class Search {
  public:
    Search(RestProblem problem, const QuasistaticOptions& options, VecX& x)
        : problem_(std::move(problem)), options_(options), x_(x) {}

    EquilibriumReport run() {
        report_.energy_start = energy(x_);
        for (int k = options_.load_steps; k > 0; --k) {
            problem_.relieve(1 - std::ldexp(1.0, -k));
            search(rough);
            if (report_.status == EquilibriumStatus::not_finite) return report_;
        }
        problem_.relieve(0);
        return search(options_.tolerance);
    }

  private:
    /// What was taken of a direction.
    struct Taken {
        double cut = 0;    ///< the part of it; 0: none
        double ratio = 1;  ///< fall of the energy over the model's, 1 where energies are mute
    };

    /// From the present positions under the present weight.
    EquilibriumReport search(double tolerance) {
        energy_ = energy(x_);
        best_ = std::numeric_limits<double>::infinity();
        best_at_ = report_.iterations;
        drowned_ = false;
        report_.floor = 0;
        const int most = report_.iterations + options_.max_iterations;
        double h = options_.first_step;
        for (;;) {
            problem_.linearise(x_, f_);
            report_.gradient = f_.norm() / problem_.force_scale();
            if (!std::isfinite(energy_) || !std::isfinite(report_.gradient))
                return end(EquilibriumStatus::not_finite,
                           "the energy or its gradient is not finite");
            if (report_.gradient <= tolerance) return end(EquilibriumStatus::converged, {});
            if (report_.iterations == most)
                return end(EquilibriumStatus::max_iterations,
                           fmt::format("{} iterations left {:.3g} of the weight, {:.3g} is wanted",
                                       options_.max_iterations, report_.gradient, tolerance));
            const int vain = since_best();
            if (drowned_ && vain > hope && rounded()) return report_;
            if (drowned_ && vain > patience)
                return end(EquilibriumStatus::stalled,
                           fmt::format("rounding leaves {:.3g} of the weight, {:.3g} is wanted",
                                       best_, tolerance));
            ++report_.iterations;
            if (!advance(h)) return report_;
        }
    }

    double energy(const VecX& x) {
        ++report_.evaluations;
        return problem_.value(x);
    }

    /// Iterations since the gradient was last halved.
    int since_best() {
        if (report_.gradient < 0.5 * best_) best_ = report_.gradient, best_at_ = report_.iterations;
        return report_.iterations - best_at_;
    }

    /// Whether what is left is rounding.
    bool rounded() {
        const double floor = problem_.rounding(x_) / problem_.force_scale();
        problem_.linearise(x_, f_);
        if (report_.gradient > floor) return false;
        report_.floor = floor;
        end(EquilibriumStatus::at_rounding,
            fmt::format("positions of doubles leave {:.3g} of the weight, {:.3g} is reached, "
                        "{:.3g} was wanted",
                        floor, report_.gradient, options_.tolerance));
        return true;
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
        for (; h >= smallest_step; h *= shrink, ++report_.refused) {
            const double tolerance = std::clamp(0.1 * std::sqrt(report_.gradient), 1e-8, 1e-2);
            const SolveReport solve = problem_.solve(1 / (h * h), f_, tolerance, direction_);
            report_.linear_iterations += solve.iterations;
            const double slope = f_.dot(direction_);  // of the fall
            if (!solve.ok() && !(slope > 0)) {
                trouble = solve.message;
                status = EquilibriumStatus::solver_failed;
                continue;
            }
            const double curvature = problem_.curvature(direction_);
            if (!(slope > 0) || !(slope - 0.5 * curvature > 0)) continue;
            const Taken taken = take(slope, curvature);
            if (taken.cut == 0) {
                status = EquilibriumStatus::stalled;
                problem_.linearise(x_, f_);  // trials have moved its contact
                continue;
            }
            const double factor = taken.cut < 0.5 || taken.ratio < poor_ratio ? shrink
                                  : taken.cut < 1 || taken.ratio < good_ratio ? 1
                                                                              : grow;
            h = std::clamp(factor * h, 10 * smallest_step, largest_step);
            return true;
        }
        if (status == EquilibriumStatus::stalled && rounded()) return false;
        const std::string nearest = problem_.nearest();
        end(status, fmt::format("{}; {:.3g} of the weight is left after {} iterations{}{}", trouble,
                                report_.gradient, report_.iterations, nearest.empty() ? "" : "; ",
                                nearest));
        return false;
    }

    /// The whole direction if the energy falls with it, else what is left of it after halvings.
    Taken take(double slope, double curvature) {
        // Below this the difference of two energies says nothing.
        const double rounding = 1e-14 * problem_.magnitude(x_);
        double cut = 1;
        for (int halving = 0; halving < most_halvings; ++halving, cut *= 0.5) {
            trial_ = x_ + cut * direction_;
            cut *= problem_.shorten(x_, trial_);
            if (cut == 0) return {};
            const double value = energy(trial_);
            if (!std::isfinite(value)) continue;
            const bool drowned = cut * slope < 1e3 * rounding;
            bool taken = !drowned && value <= energy_ - armijo * cut * slope;
            if (drowned && value <= energy_ + rounding) {
                problem_.force(trial_, f_trial_);
                taken = f_trial_.dot(direction_) >= -overshoot * slope;
            }
            if (!taken) continue;
            const double fall = energy_ - value;
            const double promised = cut * slope - 0.5 * cut * cut * curvature;
            drowned_ = drowned;
            report_.largest_rise = std::max(report_.largest_rise, -fall);
            std::swap(x_, trial_);
            energy_ = value;
            return {cut, drowned ? 1 : fall / promised};
        }
        return {};
    }

    RestProblem problem_;
    const QuasistaticOptions& options_;
    VecX& x_;
    VecX f_, f_trial_, direction_, trial_;
    double energy_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
    int best_at_ = 0;
    bool drowned_ = false;  ///< whether the last step was beyond what energies can tell
    EquilibriumReport report_;
};

}  // namespace

EquilibriumReport find_equilibrium(const World& world, ClothSystem& system, double t,
                                   const QuasistaticOptions& options, VecX& x,
                                   contact::PositionContact* contact) {
    return Search(RestProblem(world, system, contact, t), options, x).run();
}

}  // namespace taffeta::sim
