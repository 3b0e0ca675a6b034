#include "taffeta/ode/study/work_precision.h"

#include <algorithm>
#include <cmath>

namespace taffeta::ode::study {

namespace {

constexpr double shortest_timed = 5e-3;  // s: far above the clock's own
constexpr int most_in_a_round = 100;

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The seconds of one run, from as many as the clock needs.
double timed(Problem& problem, const ChosenMethod& method, const WorkOptions& options, long steps) {
    double total = 0;
    int runs = 0;
    while (total < shortest_timed && runs < most_in_a_round) {
        total += run(problem, method, problem.end, steps, {}, options.newton).seconds;
        ++runs;
    }
    return total / runs;
}

}  // namespace

std::vector<WorkPoint> measure_work(Problem& problem, const State& exact,
                                    const ChosenMethods& methods, const WorkOptions& options,
                                    const std::function<bool(long, long)>& progress) {
    std::vector<WorkPoint> points;
    std::vector<std::vector<double>> seconds;
    const long runs = long(methods.size() * options.steps.size());
    const long total = runs * std::max(1, options.repeats);
    long done = 0;
    const auto go_on = [&] { return !progress || progress(++done, total); };
    const double size = problem.size(exact);
    for (int round = 0; round < std::max(1, options.repeats); ++round) {
        std::size_t k = 0;
        for (const ChosenMethod& method : methods)
            for (const long steps : options.steps) {
                if (round == 0) {
                    Run made = run(problem, method, problem.end, steps, {}, options.newton);
                    WorkPoint point;
                    point.method = method.label;
                    point.steps = steps;
                    point.h = (problem.end - problem.start.t) / double(steps);
                    point.counts = made.counts;
                    point.flops = made.counts.flops(problem.cost, problem.system->size());
                    point.error = problem.distance(made.end, exact) / size;
                    point.ok = made.ok && std::isfinite(point.error);
                    point.message = made.message;
                    if (made.ok && !point.ok) point.message = "the end is not finite";
                    point.seconds = made.seconds;
                    points.push_back(std::move(point));
                    seconds.emplace_back();
                }
                if (points[k].ok) seconds[k].push_back(timed(problem, method, options, steps));
                ++k;
                if (!go_on()) return points;
            }
    }
    for (std::size_t k = 0; k < points.size(); ++k)
        if (!seconds[k].empty()) points[k].seconds = median(seconds[k]);
    return points;
}

}  // namespace taffeta::ode::study
