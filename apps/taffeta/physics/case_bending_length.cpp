#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "physics/findings.h"
#include "physics/strip.h"

namespace taffeta::app::physics {

namespace {

void measure_bending_length(const Effort& effort, Findings& findings) {
    // The elastica's chord falls by 41.5 degrees at this Gamma; bending length = overhang / 2, G = rho g c^3.
    constexpr double gamma = 8.0042;
    for (const BendingChoice& choice : bending_choices()) {
        Strip strip;
        strip.columns = effort.quick ? 20 : 40;
        strip.rows = strip.columns / 5;
        strip.bending = strip.density * strip.gravity * std::pow(strip.length, 3) / gamma;
        Statics statics(built_scene(strip.scene(choice)));
        const std::string setup = fmt::format("{}, {} {} x {}", choice.name, choice.tessellation,
                                              strip.columns, strip.rows);
        if (const sim::EquilibriumReport report = statics.solve(); !report.ok()) {
            findings.missing("angle of the chord, °", setup, report.message);
            continue;
        }
        const Vec3 tip = mean_position(statics, strip.end());
        findings.within("angle of the chord, °", setup, 41.5,
                        std::atan2(-tip.z(), tip.x()) * 180 / std::numbers::pi, 0.01);
    }
}

}  // namespace

extern const CaseEntry case_bending_length;
constinit const CaseEntry case_bending_length{"bending_length", "Bending length by the 41.5° test",
                                              "A strip whose overhang is twice its bending length, "
                                              "G = ρ g c³, must touch the plane of 41.5° of "
                                              "the cantilever test for fabrics [ASTM D1388].",
                                              measure_bending_length};

}  // namespace taffeta::app::physics
