#pragma once

#include <vector>

#include "taffeta/energy/energy.h"
#include "taffeta/energy/hinge.h"

/// Springs that stand for an energy, for the integrators that step springs alone.
///
/// Springs are not the energy: along the edges of triangles they cannot have the Poisson's ratio of
/// a sheet, nor the same shear in all directions, and a spring across a hinge that is flat resists
/// bending only in the fourth order of the angle. What they are made to agree in is said beside each.
namespace taffeta::energy {

/// Small strains of a sheet about its rest, in the order (e_uu, e_vv, 2 e_uv).
struct SheetTangent {
    Mat3 stiffness;                    ///< C, N/m
    Mat3 viscosity = Mat3::Zero();     ///< N s/m
    Vec2 rest_stretch = Vec2::Ones();  ///< of warp and weft where there is no stress
};

/// Along every edge, k = sum over its triangles of E A/l^2, with E the modulus of a strip that is cut
/// along the edge, 1/E = s' C^-1 s, s = (d_u^2, d_v^2, d_u d_v); structural springs of [Provot95] with
/// the stiffness of [VanGelder98], for cloth whose directions differ. Refining the mesh changes the
/// sheet no more than its irregularity does. Edges of two triangles come twice, see `merge_springs`.
void add_edge_springs(const BodyView& body, const SheetTangent& sheet,
                      std::vector<EnergySpring>& springs);

/// Between the vertices across every hinge, of the length that they have at the rest angle, flexion
/// springs of [Provot95]; such that the energy of a further fold by a right angle is that of the
/// hinge, k_e (pi/2)^2/2. A smaller one costs less than the hinge, the more so the smaller it is.
void add_hinge_springs(const BodyView& body, const BendingStiffness& bending, double beta,
                       double tau, std::vector<EnergySpring>& springs);

/// Sorts springs by their ends and makes one of those between the same two vertices, with their
/// summed energy up to a constant. Springs without stiffness are dropped.
void merge_springs(std::vector<EnergySpring>& springs);

}  // namespace taffeta::energy
