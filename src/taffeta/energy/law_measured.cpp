#include "taffeta/energy/law_measured.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

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

/// The polynomial in x = cos 2 phi of each constant, from its values at the five directions.
Measured::Measured(const Options& options) : tau_(options.tau) {
    TAFFETA_ASSERT(options.stretching.size() == 24);
    constexpr double factor[4] = {2, 2, 2, 1};
    const auto entry = [&](std::size_t row, std::size_t m) {
        return factor[m] * std::max(0.0, options.stretching[4 * row + m]);
    };
    using Mat5 = Eigen::Matrix<double, 5, 5>;
    using Vec5 = Eigen::Matrix<double, 5, 1>;
    Mat5 powers;
    for (int row = 0; row < 5; ++row)
        for (int k = 0; k < 5; ++k)
            powers(row, k) = std::pow(std::cos(std::numbers::pi * row / 4), k);
    const Eigen::PartialPivLU<Mat5> solver(powers);
    for (std::size_t m = 0; m < 4; ++m) {
        rest_[m] = entry(0, m);
        Vec5 values;
        for (std::size_t row = 0; row < 5; ++row)
            values[Eigen::Index(row)] = entry(row + 1, m) - rest_[m];
        const Vec5 coefficients = solver.solve(values);
        for (std::size_t k = 0; k < 5; ++k)
            direction_[m][k] = coefficients[Eigen::Index(k)];
        // Mean of cos^2 is 1/2 and of cos^4 3/8 over all directions.
        mean_[m] = direction_[m][0] + direction_[m][2] / 2 + direction_[m][4] * 3 / 8;
    }
    coupling_bound_ = std::sqrt(rest_[0] * rest_[2]);
}

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
