#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "taffeta/sim/world.h"

namespace taffeta::sim {

/// Energies of the present state, J, and momenta about the origin.
struct EnergyAudit {
    double kinetic = 0;
    /// By term and in a fixed order ("stretch", "shear", "bend", "gravity"); bodies are summed.
    std::vector<std::pair<std::string_view, double>> potential;
    Vec3 momentum = Vec3::Zero();          ///< kg m/s
    Vec3 angular_momentum = Vec3::Zero();  ///< kg m^2/s

    double total() const;
    double of(std::string_view term) const;  ///< 0 when there is no such term
};

EnergyAudit audit(const World& world);

/// 64-bit hash of the bits of x and v, the fingerprint that determinism tests compare.
std::uint64_t state_hash(const World& world);

}  // namespace taffeta::sim
