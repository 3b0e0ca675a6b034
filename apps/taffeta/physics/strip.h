#pragma once

#include <string>

#include "physics/statics.h"

/// Clamped strips: what the cases of bending have in common.
namespace taffeta::app::physics {

/// An element of bending on a kind of mesh: a candidate of the cases of bending.
struct BendingChoice {
    const char* name;
    const char* tessellation;
    const char* options;  ///< JSON members of `bending` besides the stiffness
};

/// The documented choices: `morley` everywhere, and `plate` on lattices, where it is as good and cheaper.
/// (Why not the others: docs/materials.md.)
const std::vector<BendingChoice>& bending_choices();

struct Strip {
    double length = 0.05, width = 0.01;  ///< free length, m
    double density = 0.15;               ///< kg/m^2
    double bending = 1e-5;               ///< B, N m
    double stretch = 3000, shear = 300;  ///< N/m
    int columns = 20, rows = 4;          ///< cells over the length and the width
    int seed = 1;                        ///< of an irregular mesh
    double gravity = 9.81;               ///< along -z, m/s^2

    /// The scene: along x from the clamp at x = 0, flat in z = 0. The columns at -+dx/2 are held, so that
    /// the clamp is at 0 and L = (columns + 1/2) dx.
    std::string scene(const BendingChoice& choice) const;
    double dx() const { return length / (columns + 0.5); }
    /// Vertices of the free end.
    std::vector<Index> end() const;
};

/// Mean of the positions of vertices.
Vec3 mean_position(const Statics& statics, const std::vector<Index>& vertices);

/// The static shape of the elastica under its weight: W/L and H/L.
struct HeavyElastica {
    double gamma, width, height;
};
inline constexpr HeavyElastica heavy_elastica[] = {{1, 0.991246, 0.123471},
                                                   {10, 0.656354, 0.700200},
                                                   {100, 0.159223, 0.937524},
                                                   {1000, 0.045986, 0.981141}};

}  // namespace taffeta::app::physics
