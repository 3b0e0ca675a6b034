#include <fmt/format.h>

#include <cmath>

#include "physics/findings.h"
#include "physics/statics.h"

namespace taffeta::app::physics {

namespace {

constexpr double stick_length = 0.1,
                 stick_push = 0.3303;  ///< m; of its length, where the tip lies flat

/// A strip of 0.1 m stands on a floor, its upper end clamped upright and pushed down; the part of its length
/// by which it was pushed when its tip has slipped by a hundredth of that length, or 1 if it has not.
double slip_onset(double friction, int columns, plot::Series& path, std::string& trouble) {
    constexpr double width = 0.02, seconds = 4, thickness = 2e-4;
    const double dx = stick_length / (columns + 0.5);
    sim::Simulation simulation = simulation_of(built_scene(fmt::format(
        R"({{"up_axis": "Z", "gravity": [0.002, 0, 0],
          "time": {{"frame_rate": 60, "frames": {}, "substeps": 8}}, "solver": "ldlt",
          "contact": {{"type": "pipeline_2015", "thickness": {}}},
          "bodies": [{{"mesh": {{"grid": {{"columns": {}, "rows": 2, "width": {}, "height": {}}}}},
            "material": "strip",
            "transform": {{"rotate": [0, 90, 0], "translate": [0, 0, {}]}},
            "pins": [{{"box": {{"min": [-1, -1, {}], "max": [1, 1, 1]}},
                       "motion": {{"keyframes": [{{"time": 0}},
                         {{"time": {}, "translate": [0, 0, {}]}}]}}}}]}}],
          "materials": {{"strip": {{"density": 0.1,
            "membrane": {{"type": "baraff_witkin", "stretch_warp": 3e4, "stretch_weft": 3e4,
                          "shear": 1e4, "tau_stretch": 1e-3}},
            "bending": {{"type": "plate", "stiffness": 1e-3, "tau": 0.01}}}}}},
          "obstacles": [{{"shape": {{"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}},
                          "friction": {}}}]}})",
        int(60 * seconds), thickness, columns + 1, stick_length + dx / 2, width,
        stick_length + dx / 2 + thickness, stick_length - dx + thickness, seconds,
        -stick_push * stick_length, friction)));
    const sim::World& world = simulation.world();
    const auto tip = [&] {
        double sum = 0;
        for (Index j = 0; j < 3; ++j)
            sum += vec3(world.state.x, j * (columns + 2) + columns + 1).x() / 3;
        return sum;
    };
    const double start = tip(), top = vec3(world.state.x, 0).z();
    path.label = fmt::format("friction {}", friction);
    double onset = 1;
    for (int frame = 1; frame <= int(60 * seconds); ++frame) {
        if (simulation.advance(frame) != sim::RunStatus::done) {
            trouble = simulation.message();
            break;
        }
        const double pushed = (top - vec3(world.state.x, 0).z()) / stick_length;
        const double moved = std::abs(tip() - start) / stick_length;
        path.x.push_back(pushed);
        path.y.push_back(moved);
        if (moved > 0.01) {
            onset = pushed;
            break;
        }
    }
    return onset;
}

void measure_stick_slip(const Effort& effort, Findings& findings) {
    const int columns = effort.quick ? 16 : 32;
    plot::Panel panel{.x_label = "pushed / L", .y_label = "tip slid / L"};
    std::string trouble;
    constexpr struct {
        double friction, onset;
    } published[] = {{0.1, 0.0470}, {0.2, 0.1549}, {0.3, 0.2716}};
    for (const auto& [friction, onset] : published) {
        plot::Series path;
        const double found = slip_onset(friction, columns, path, trouble);
        findings.near("pushed / L at the slip", path.label, onset, found, 0.02);
        panel.series.push_back(path);
    }
    double slips = 0.3, sticks = 0.42;
    for (int k = 0; k < 5; ++k) {
        plot::Series path;
        const double middle = (slips + sticks) / 2;
        (slip_onset(middle, columns, path, trouble) < 1 ? slips : sticks) = middle;
    }
    if (trouble.empty())
        findings.near("friction above which it never slips", fmt::format("{} x 2 cells", columns),
                      0.356, (slips + sticks) / 2, 0.02);
    else
        findings.missing("friction above which it never slips", "", trouble);
    findings.figure = {.title = "A strip pushed on a rough floor", .panels = {panel}};
}

}  // namespace

extern const CaseEntry case_stick_slip;
constinit const CaseEntry case_stick_slip{"stick_slip", "Stick and slip",
                                          "A strip stands on a rough floor, clamped upright above, "
                                          "and is pushed down; it buckles, and its tip slips "
                                          "when the horizontal force exceeds friction times the "
                                          "vertical one. Published: the elastica between a "
                                          "clamp and a pin, whose ratio of forces never exceeds "
                                          "0.356 [Sano, Yamaguchi, Wada 2017; Romero et al. "
                                          "2021, test 4].",
                                          measure_stick_slip};

}  // namespace taffeta::app::physics
