#include "taffeta/energy/law_measured.h"

#include <fmt/format.h>

#include <cmath>

#include "taffeta/energy/membrane.h"

namespace taffeta::energy {

Fields<MeasuredOptions> MeasuredOptions::fields() {
    using O = MeasuredOptions;
    return {
        {"stretching", &O::stretching,
         "c11, c12, c22, c33 in N/m of six rows: at no strain, and at a stretch of 7/6 along 0, "
         "22.5, 45, "
         "67.5 and 90 degrees from the warp; negative ones count as none; by default the benchmark "
         "cotton"},
        {"tau", &O::tau, "damping as a time: stress tau c : dG/dt, s", at_least(0)},
        {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
    };
}

void MeasuredOptions::check(const Settings& settings) const {
    if (stretching.size() != 24)
        settings.fail(fmt::format("stretching has {} numbers, not 24", stretching.size()),
                      "six rows of c11, c12, c22, c33");
    for (std::size_t i = 0; i < 24; ++i)
        if (!std::isfinite(stretching[i]))
            settings.fail(fmt::format("stretching[{}] is not finite", i));
    if (!(stretching[0] > 0 && stretching[2] > 0))
        settings.fail("stretching: c11 and c22 at no strain must be positive");
}

Measured::Measured(const Options& options)
    : potential_(options.stretching),
      coupling_bound_(std::sqrt(potential_.rest()[0] * potential_.rest()[2])),
      tau_(options.tau) {}

double Measured::larger_strain(const Deformation<double>& F) {
    const double uu = dot(F.u, F.u), vv = dot(F.v, F.v), uv = dot(F.u, F.v);
    return 0.25 * (uu + vv) - 0.5 + 0.5 * std::hypot(0.5 * (uu - vv), uv);
}

extern const EnergyEntry entry_measured;
constinit const EnergyEntry entry_measured{Measured::key,
                                           "a measured fabric by its tables over direction and "
                                           "strain, of Wang, O'Brien, Ramamoorthi 2011; a "
                                           "material's `arcsim` fills them",
                                           EnergyProperties{.conservative = true, .internal = true},
                                           field_table<MeasuredOptions>, make_membrane<Measured>};

}  // namespace taffeta::energy
