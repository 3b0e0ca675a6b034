#pragma once

#include <optional>
#include <string>

#include "taffeta/base/fields.h"
#include "taffeta/energy/plate.h"
#include "taffeta/energy/psd.h"
#include "taffeta/energy/springs.h"

/// The constants that every element of a bent plate takes, as options.
namespace taffeta::energy {

struct PlateConstants {
    double stiffness = 1e-5;
    double poisson = 0;
    std::optional<double> warp, weft, coupling, twist;
    double tau = 0;
    std::string psd = "automatic";

    PlateStiffness plate() const;
    /// Throws bad input at `settings` when warp, weft and coupling do not make a stable plate.
    void check(const Settings& settings) const;
    /// Single hinges with the plate's stiffness along warp, weft and bias, as springs.
    void add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const;
};

/// The fields of options that derive from PlateConstants, after their own.
template <class O>
Fields<O> plate_fields(std::initializer_list<Field<O>> own) {
    Fields<O> fields(own);
    const auto number = [](double PlateConstants::*member) {
        return static_cast<double O::*>(member);
    };
    const auto choice = [](std::optional<double> PlateConstants::*member) {
        return static_cast<std::optional<double> O::*>(member);
    };
    for (const Field<O>& field : std::initializer_list<Field<O>>{
             {"stiffness", number(&PlateConstants::stiffness),
              "bending stiffness B of an isotropic plate, N m", at_least(0)},
             {"poisson", number(&PlateConstants::poisson), "Poisson's ratio of bending",
              between(-0.99, 0.99)},
             {"warp", choice(&PlateConstants::warp), "D11, N m; else `stiffness`", at_least(0)},
             {"weft", choice(&PlateConstants::weft), "D22, N m; else `stiffness`", at_least(0)},
             {"coupling", choice(&PlateConstants::coupling),
              "D12, N m; else `poisson` x sqrt(D11 D22)"},
             {"twist", choice(&PlateConstants::twist),
              "D33, N m; B_45 - (D11 + D22 + 2 D12)/4 from a bias strip; else "
              "(1 - `poisson`)/2 x sqrt(D11 D22)",
              at_least(0)},
             {"tau", number(&PlateConstants::tau), "damping of the angles as a time, d = tau Q, s",
              at_least(0)},
             {"psd", static_cast<std::string O::*>(&PlateConstants::psd), psd_rule_doc,
              one_of(psd_rule_names())},
         })
        fields.add(field);
    return fields;
}

}  // namespace taffeta::energy
