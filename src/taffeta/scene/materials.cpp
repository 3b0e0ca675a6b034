#include "taffeta/scene/materials.h"

#include <algorithm>
#include <string_view>

namespace taffeta::scene {

namespace {

constexpr std::string_view benchmark =
    "the cotton of Taffeta's benchmark: within the range of "
    "measured plain weaves, stiff in shear";
constexpr std::string_view wang =
    "Wang, O'Brien, Ramamoorthi 2011, data-driven elastic models for cloth: zero-strain tangent of "
    "the measured stretch, mean of the measured bending";
constexpr std::string_view wang_isotropic =
    "isotropic entry beside the fabrics of Wang, O'Brien, Ramamoorthi 2011, read by their rule: "
    "twice the stretch and a quarter of the bending of the solid sheet";
constexpr std::string_view penava =
    "Penava et al. 2014 thickness, density, modulus and Poisson's ratio; bending is that of a "
    "homogeneous plate, which real cloth is not";

/// A fabric measured along warp, weft and bias. Bending is the mean over the five measured
/// curvatures, not the value at small curvature: drapes are made of folds. N/m and 1e-6 N m.
struct MeasuredFabric {
    std::string_view name, source;
    double density;                                      ///< kg/m^2
    double stretch_warp, stretch_weft, coupling, shear;  ///< N/m
    double bend_warp, bend_weft, bend_bias;              ///< 1e-6 N m
};

constexpr std::string_view draped =
    "typical density, stretch and shear of its class; bending calibrated by the drape coefficient "
    "that is "
    "published for it (`taffeta bench physics cusick`)";

constexpr MeasuredFabric measured_fabrics[] = {
    {"benchmark-cotton", benchmark, 0.15, 3000, 3000, 0, 300, 10, 10, 10},
    {"11oz-black-denim", wang, 0.324, 411, 2028, 20, 53, 25.9, 13.4, 14.9},
    {"aluminium", wang_isotropic, 0.071, 3600000, 3600000, 0, 1800000, 24, 24, 24},
    {"camel-ponte-roma", wang, 0.284, 62, 88, 0, 32, 7.5, 10.0, 7.3},
    {"gray-interlock", wang, 0.187, 33, 69, 0, 37, 4.0, 7.6, 4.7},
    {"ivory-rib-knit", wang, 0.276, 86, 130, 0, 83, 8.9, 18.5, 7.3},
    {"navy-sparkle-sweat", wang, 0.224, 25, 7, 0, 18, 7.6, 9.5, 7.3},
    {"paper", wang_isotropic, 0.100, 1000000, 1000000, 0, 500000, 100, 100, 100},
    {"pink-ribbon-brown", wang, 0.228, 303, 490, 212, 30, 14.9, 55.1, 20.8},
    {"royal-target", wang, 0.220, 4033, 4070, 18, 105, 47.6, 47.4, 33.3},
    {"tango-red-jet-set", wang, 0.113, 86, 343, 109, 14, 4.0, 5.4, 4.7},
    {"white-dots-on-blk", wang, 0.128, 4004, 4055, 1, 19, 6.4, 11.1, 5.8},
    {"white-swim-solid", wang, 0.204, 96, 209, 14, 61, 11.3, 13.8, 12.5},
    {"drape-cotton", draped, 0.15, 3000, 3000, 0, 60, 14, 14, 14},
    {"drape-silk", draped, 0.06, 1000, 1000, 0, 30, 1.2, 1.2, 1.2},
    {"drape-wool", draped, 0.235, 1500, 1500, 0, 40, 9, 9, 9},
    {"drape-leather", draped, 0.5, 5000, 5000, 1500, 1750, 30, 30, 30},
    {"drape-denim", draped, 0.35, 4000, 4000, 0, 150, 60, 60, 60},
};

/// A fabric taken for a homogeneous isotropic sheet.
struct SheetFabric {
    std::string_view name;
    double density;    ///< kg/m^3
    double thickness;  ///< m
    double modulus;    ///< Pa
    double poisson;
};

constexpr SheetFabric sheet_fabrics[] = {
    {"cotton", 472.6, 0.318e-3, 0.821e6, 0.243},
    {"wool", 413.4, 0.568e-3, 0.170e6, 0.277},
    {"wool-lycra", 543.3, 0.328e-3, 0.076e6, 0.071},
    {"polyester", 653.2, 0.252e-3, 0.478e6, 0.381},
};

Settings number(double value) {
    return Settings::of(value);
}

Settings material(std::string_view source, double density, Settings membrane, Settings bending) {
    Settings made = Settings::object();
    made["source"] = Settings::of(std::string(source));
    made["density"] = number(density);
    made["membrane"] = std::move(membrane);
    made["bending"] = std::move(bending);
    return made;
}

Settings baraff_witkin(double warp, double weft, double coupling, double shear) {
    Settings law = Settings::object();
    law["type"] = Settings::of(std::string("baraff_witkin"));
    law["stretch_warp"] = number(warp);
    law["stretch_weft"] = number(weft);
    law["stretch_coupling"] = number(coupling);
    law["shear"] = number(shear);
    return law;
}

Settings hinge(double warp, double weft, double bias) {
    Settings law = Settings::object();
    law["type"] = Settings::of(std::string("hinge"));
    law["warp"] = number(warp);
    law["weft"] = number(weft);
    law["bias"] = number(bias);
    return law;
}

Preset from_measured(const MeasuredFabric& fabric) {
    // Dividing by 1e6 gives the double nearest to the decimal number; multiplying by 1e-6 may not.
    return {
        std::string(fabric.name), std::string(fabric.source),
        material(
            fabric.source, fabric.density,
            baraff_witkin(fabric.stretch_warp, fabric.stretch_weft, fabric.coupling, fabric.shear),
            hinge(fabric.bend_warp / 1e6, fabric.bend_weft / 1e6, fabric.bend_bias / 1e6))};
}

Preset from_sheet(const SheetFabric& fabric) {
    const double t = fabric.thickness, nu = fabric.poisson;
    // k = E t / (1 - nu^2), coupling nu k, shear E t / (2 (1 + nu)), B = k t^2 / 12
    const double k = fabric.modulus * t / (1 - nu * nu);
    const double shear = fabric.modulus * t / (2 * (1 + nu));
    const double B = k * t * t / 12;
    return {
        std::string(fabric.name), std::string(penava),
        material(penava, fabric.density * t, baraff_witkin(k, k, nu * k, shear), hinge(B, B, B))};
}

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = [] {
        std::vector<Preset> made;
        for (const MeasuredFabric& fabric : measured_fabrics)
            made.push_back(from_measured(fabric));
        for (const SheetFabric& fabric : sheet_fabrics)
            made.push_back(from_sheet(fabric));
        return made;
    }();
    return all;
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets())
        names.push_back(preset.name);
    return names;
}

const Preset* find_preset(const std::string& name) {
    const std::vector<Preset>& all = presets();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Preset& preset) { return preset.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace taffeta::scene
