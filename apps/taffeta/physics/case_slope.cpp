#include <fmt/format.h>

#include <cmath>

#include "physics/findings.h"
#include "physics/statics.h"

namespace taffeta::app::physics {

namespace {

/// The place of the sheet of `slope` down the incline at every frame of one second, m.
plot::Series slide(double friction, int vertices, std::string& trouble) {
    sim::Simulation simulation = simulation_of(
        built_builtin("slope", vertices, {fmt::format("obstacles[0].friction={}", friction)}));
    const Vec3 down = Vec3(2, 0, -1).normalized();
    plot::Series curve{.label = fmt::format("friction {}", friction)};
    for (int frame = 0; frame <= 24; ++frame) {
        if (frame > 0 && simulation.advance(frame) != sim::RunStatus::done) {
            trouble = simulation.message();
            break;
        }
        const sim::World& world = simulation.world();
        Vec3 sum = Vec3::Zero();
        for (Index i = 0; i < world.vertex_count(); ++i)
            sum += world.mass[i] * vec3(world.state.x, i);
        curve.x.push_back(frame / 24.0);
        curve.y.push_back(sum.dot(down) / world.mass.sum());
    }
    const double start = curve.y.front();
    for (double& place : curve.y)
        place -= start;
    return curve;
}

void measure_slope(const Effort& effort, Findings& findings) {
    const double across = 2 / std::sqrt(5.0), along = 1 / std::sqrt(5.0), g = 9.81;
    plot::Panel panel{.x_label = "s", .y_label = "slid down the incline, m"};
    for (const double friction : {0.4, 0.49, 0.51, 0.6}) {
        std::string trouble;
        const std::string setup = fmt::format("friction {}", friction);
        const plot::Series curve = slide(friction, effort.quick ? 36 : 121, trouble);
        panel.series.push_back(curve);
        if (!trouble.empty()) {
            findings.missing("acceleration, m/s²", setup, trouble);
            continue;
        }
        // Between 1/2 s and 1 s: friction is known from the step before, so the first has none.
        const double middle = curve.y[24] - 2 * curve.y[18] + curve.y[12];
        const double acceleration = middle / (0.25 * 0.25);
        if (friction < 0.5)
            findings.within("acceleration, m/s²", setup, g * (along - friction * across),
                            acceleration, 0.01);
        else
            findings.near("slid in the second half of the first second, m", setup, 0,
                          curve.y[24] - curve.y[12], 1e-6);
    }
    findings.figure = {.title = "A sheet on an incline of tan 26.57° = 0.5", .panels = {panel}};
}

}  // namespace

extern const CaseEntry case_slope;
constinit const CaseEntry case_slope{
    "slope", "Sheet on an incline",
    "On an incline of 26.57°, whose tangent is 1/2, a sheet slides with g (sin θ − μ cos θ) when μ "
    "< 1/2 "
    "and stays when μ > 1/2: at 0.49 it must slide, at 0.51 it must not.",
    measure_slope};

}  // namespace taffeta::app::physics
