#pragma once

#include <string>
#include <vector>

#include "physics/statics.h"

/// The drape tester of Cusick: a disc of 30 cm on a plate of 18 cm, and what is measured of its shadow.
namespace taffeta::app::physics {

struct DrapeMesh {
    int rings = 26;
    const char* tessellation = "regular";  ///< of what hangs; the rings on the plate are even
    int seed = 1;
};

struct Drape {
    double coefficient = 0;  ///< of the shadow's area beyond the plate, %
    int folds = 0;           ///< maxima of the shadow's rim
    std::vector<Vec2> rim;   ///< of the shadow, m
    sim::EquilibriumReport report;
};

/// The part of the ring around the plate that is in shadow, %: triangles seen from above, each point once.
double drape_coefficient(const sim::World& world);
/// Folds: maxima of the rim's distance from the axis that rise by a twentieth of the ring above the minima
/// beside them.
int count_folds(const std::vector<Vec2>& rim);
std::vector<Vec2> shadow_rim(const sim::World& world);

/// The equilibrium of a fabric (JSON of a material) by the path of the scene `cusick`.
Drape drape_of(const std::string& material, const DrapeMesh& mesh);

}  // namespace taffeta::app::physics
