#include "taffeta/ode/study/advice.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "taffeta/base/error.h"
#include "taffeta/ode/study/reference.h"

namespace taffeta::ode::study {

namespace {

constexpr double stiff_from = 20;        // fastest rate over that of the motion
constexpr double nonlinear_from = 0.05;  // relative change of the slopes
constexpr long most_trial_steps = 1 << 16;
constexpr long checks = 4;  // times at which a trial is compared with the exact motion

/// Rates and changes of the slopes along the motion, seen on a run of a method that follows it.
void look_along(Problem& problem, Advice& advice) {
    const double span = problem.end - problem.start.t;
    const double rate = std::max(advice.spectrum.fastest_rate(), 1 / span);
    const long steps = std::clamp(long(4 * rate * span), 200L, 200000L);
    const ChosenMethod rk4 = find_entry(integrators(), "integrator", "rk4");
    const double h = span / double(steps);
    double speed = 0, change = 0;
    State last = problem.start, now;
    std::vector<State> samples;
    long count = 0;
    run(problem, rk4, problem.end, steps, [&](const State& state) {
        if (count > 0) {
            change += (state.v - last.v).squaredNorm() / (h * h);
            speed += state.v.squaredNorm();
        }
        if (count++ % std::max(1L, steps / 16) == 0) samples.push_back(state);
        last = state;
    });
    advice.motion_rate = speed > 0 ? std::sqrt(change / speed) : 0;

    VecX u(problem.start.x.size()), image, first;
    for (Eigen::Index i = 0; i < u.size(); ++i)
        u[i] = std::sin(7.13 * double(i + 1));
    for (const bool damping : {false, true}) {
        const Coefficients c{.m = 0, .d = damping ? 1.0 : 0.0, .k = damping ? 0.0 : 1.0};
        first.resize(0);
        for (const State& state : samples) {
            if (!state.x.allFinite() || !state.v.allFinite()) break;
            if (problem.prepare) problem.prepare(state, h);
            problem.system->linearize(state.t, state.x, state.v);
            problem.system->apply(c, u, image);
            if (first.size() == 0) first = image;
            if (first.norm() > 0)
                advice.nonlinearity =
                    std::max(advice.nonlinearity, (image - first).norm() / first.norm());
        }
    }
}

Trial try_method(Problem& problem, const ChosenMethod& method, const std::vector<State>& exact,
                 double tolerance) {
    Trial trial;
    trial.method = method.label;
    NewtonOptions newton;
    newton.max_iterations = 50;
    newton.tolerance = std::min(1e-6, 1e-4 * tolerance);
    double size = 0;
    for (const State& state : exact)
        size = std::max(size, problem.size(state));
    const auto attempt = [&](long steps_between) {
        const long steps = checks * steps_between;
        double error = 0;
        long step = 0;
        const auto observe = [&](const State& state) {
            if (step > 0 && step % steps_between == 0) {
                const auto check = std::size_t(step / steps_between - 1);
                error = std::max(error, problem.distance(state, exact[check]) / size);
                if (!state.x.allFinite() || !state.v.allFinite()) error = HUGE_VAL;
            }
            ++step;
        };
        const Run made = run(problem, method, problem.end, steps, observe, newton);
        if (!made.ok || !(error <= tolerance)) return false;
        trial.met = true;
        trial.steps = steps;
        trial.h = (problem.end - problem.start.t) / double(steps);
        trial.error = error;
        trial.flops = made.counts.flops(problem.cost, problem.system->size());
        return true;
    };
    // Doubling, and then between the last two: a few percent of the step are enough.
    long low = 0, high = 1;
    while (!attempt(high)) {
        low = high;
        high *= 2;
        if (high * checks > most_trial_steps) return trial;
    }
    while (high - low > std::max(1L, high / 16)) {
        const long middle = (low + high) / 2;
        (attempt(middle) ? high : low) = middle;
    }
    return trial;
}

std::string explain_stiffness(const Advice& advice) {
    return fmt::format(
        "The fastest mode goes at {:.3g} 1/s, the motion itself at {:.3g} 1/s: a ratio of {:.3g}, "
        "{}.",
        advice.spectrum.fastest_rate(), advice.motion_rate, advice.stiffness_ratio,
        advice.stiffness_ratio >= stiff_from
            ? "so the problem is stiff, and an explicit method spends its steps on stability"
            : "so the problem is not stiff, and nothing forbids explicit methods");
}

std::string explain_damping(const Problem& problem, const Advice& advice) {
    if (problem.first_order) return "It is a system of the first order.";
    if (advice.spectrum.damping == 0)
        return "Nothing damps it: a symplectic method keeps the energy bounded over any time.";
    return fmt::format("The fastest vibration has the damping ratio {:.3g}: {}.",
                       advice.spectrum.damping_ratio(),
                       advice.spectrum.damping_ratio() >= 1
                           ? "it is overdamped, which asks explicit methods for h < 2/rate"
                           : "it swings and decays; the order of Verlet methods falls to one");
}

std::string explain_nonlinearity(const Advice& advice) {
    if (advice.nonlinearity == 0)
        return "It is linear: one linear solve a step is exact, Newton's method has nothing to do.";
    return fmt::format("Its slopes change by {:.0f} % along the motion: {}.",
                       100 * advice.nonlinearity,
                       advice.nonlinearity < nonlinear_from
                           ? "little, so that a linearised method loses nothing"
                           : "so implicit methods need Newton's iteration, or small steps");
}

void explain_choice(const Problem& problem, double tolerance, const Trial& best,
                    const IntegratorProperties& properties, Advice& advice) {
    advice.reasons.push_back(fmt::format(
        "Of the methods tried, {} is the cheapest that stays within {:.2g} % of the solution: {} "
        "steps of {:.3g} s with an error of {:.2g} %, {:.2g} operations.",
        best.method, 100 * tolerance, best.steps, best.h, 100 * best.error, best.flops));
    const double hw = best.h * advice.spectrum.fastest_rate();
    if (!properties.implicit && hw > 1)
        advice.reasons.push_back(
            fmt::format("Its step times the fastest rate is {:.3g}, near the limit of stability: a "
                        "stiffer system, such as a finer mesh, needs a smaller step.",
                        hw));
    if (properties.implicit && hw > 3)
        advice.reasons.push_back(fmt::format(
            "Its step times the fastest rate is {:.3g}, beyond every explicit method.", hw));
    if (properties.linearised && advice.nonlinearity > nonlinear_from)
        advice.reasons.emplace_back(
            "It takes one linear solve a step: at this precision Newton's iteration costs more "
            "than it "
            "gains.");
    if (!properties.symplectic && advice.spectrum.damping == 0 && !problem.first_order)
        advice.reasons.emplace_back(
            "For motion over many periods take a symplectic one instead: energy_error of "
            "`taffeta ode energy` shows why.");
    if (properties.a_stable && !properties.l_stable && advice.stiffness_ratio >= stiff_from)
        advice.reasons.emplace_back(
            "It keeps every fast vibration; where contact excites them, an L-stable method (bdf2, "
            "sdirk2) looks calmer.");
}

}  // namespace

ChosenMethods advised_candidates() {
    ChosenMethods methods;
    for (const char* key : {"velocity_verlet", "rk4", "linearised_backward_euler", "backward_euler",
                            "linearised_bdf2", "bdf2", "implicit_midpoint", "sdirk2"})
        methods.emplace_back(find_entry(integrators(), "integrator", key));
    return methods;
}

Advice advise(Problem& problem, double tolerance, const ChosenMethods& candidates,
              const std::function<bool(long, long)>& progress) {
    Advice advice;
    advice.spectrum = measure_spectrum(problem, problem.start);
    look_along(problem, advice);
    if (advice.motion_rate > 0)
        advice.stiffness_ratio = advice.spectrum.fastest_rate() / advice.motion_rate;
    std::vector<State> exact;
    for (long k = 1; k <= checks; ++k) {
        const double t = problem.start.t + (problem.end - problem.start.t) * double(k) / checks;
        const Reference reference = reference_state(problem, t, std::min(1e-8, 1e-3 * tolerance));
        if (!reference.ok && reference.error > 0.1 * tolerance)
            fail_input(problem.key, reference.message, "a shorter end or a larger tolerance helps");
        exact.push_back(reference.state);
    }
    advice.energy_loss = std::numeric_limits<double>::quiet_NaN();
    if (problem.energy && problem.energy(problem.start) != 0)
        advice.energy_loss = 1 - problem.energy(exact.back()) / problem.energy(problem.start);

    const Trial* best = nullptr;
    advice.trials.reserve(candidates.size());
    for (const ChosenMethod& method : candidates) {
        Trial trial = try_method(problem, method, exact, tolerance);
        if (advice.motion_rate > 0 && trial.met)
            trial.steps_per_period = 2 * std::numbers::pi / advice.motion_rate / trial.h;
        advice.trials.push_back(trial);
        if (progress && !progress(long(advice.trials.size()), long(candidates.size()))) break;
    }
    for (const Trial& trial : advice.trials)
        if (trial.met && (!best || trial.flops < best->flops)) best = &trial;

    advice.reasons = {explain_stiffness(advice), explain_damping(problem, advice),
                      explain_nonlinearity(advice)};
    if (!best) {
        advice.reasons.push_back(fmt::format("No method tried came within {:.2g} % in {} steps.",
                                             100 * tolerance, most_trial_steps));
        return advice;
    }
    advice.method = best->method;
    advice.h = best->h;
    explain_choice(problem, tolerance, *best,
                   candidates[std::size_t(best - advice.trials.data())].properties, advice);
    return advice;
}

}  // namespace taffeta::ode::study
