#include "physics/findings.h"
#include "physics/statics.h"

namespace taffeta::app::physics {

namespace {

void measure_hanging_strip(const Effort&, Findings& findings) {
    for (const char* tessellation : {"regular", "alternating", "irregular"}) {
        Statics statics(built_builtin(
            "hang-strip", 0, {std::string("bodies[0].mesh.grid.tessellation=") + tessellation}));
        const std::string setup = std::string(tessellation) + " 4 x 20";
        if (const sim::EquilibriumReport report = statics.solve(); !report.ok()) {
            findings.missing("stretch of the strip, m", setup, report.message);
            continue;
        }
        double lower_edge = 0;
        for (Index i = 0; i < 5; ++i)
            lower_edge += statics.position(i).y();
        findings.within("stretch of the strip, m", setup, 0.15 * 9.81 / (2 * 50), -lower_edge / 5,
                        1e-4);
    }
}

}  // namespace

extern const CaseEntry case_hanging_strip;
constinit const CaseEntry case_hanging_strip{"hanging_strip", "Hanging strip",
                                             "A strip of 1 m hangs at rest; its end moves down by "
                                             "ρ g L²/(2 k) = 14.715 mm for k = 50 N/m and "
                                             "0.15 kg/m².",
                                             measure_hanging_strip};

}  // namespace taffeta::app::physics
