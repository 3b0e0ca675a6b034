#pragma once

#include <array>
#include <optional>
#include <span>

#include "taffeta/energy/plate.h"

/// Bending by the triangle of Morley, with the slopes across edges recovered from hinge angles.
///
/// Morley's element is a quadratic on every triangle that is held by the heights of the corners and by
/// the slopes across the middles of the edges, which its two triangles share:
///
///     kappa = 1/A sum_k l_k s_k n_k n_k',      E = A/2 kappa : D : kappa,
///
/// s_k the turn from the plane of the triangle to the surface at the middle of edge k, n_k the normal of
/// the edge in material coordinates. The turns to both sides of an edge add up to its hinge angle.
/// It converges on every mesh, but has an unknown for every edge.           [Morley71], [Ciarlet78]
///
/// Here the turn is a fixed sum of hinge angles instead: a share of the angle of the edge itself by the
/// heights of its two triangles, and the smallest correction by the angles of the four edges around them
/// that makes it exact for all quadratic surfaces. So vertices are the only unknowns, and what the
/// sheet can do is a part of what Morley's can: the energy is never below that of Morley's element, whose
/// kernel holds rigid motions alone, and forces vanish inside a sheet of constant curvature, which is what
/// makes it converge (the elements of plate.h fail that, except on lattices, and with the shares
/// of one half that they take so would this one). Second order in displacements on irregular meshes.
///
/// A free edge has no moment: the slope across an edge of one triangle is what makes the energy least.
namespace taffeta::energy {

/// A hinge and what lies around it, in one plane. Side 0 holds the corners from, to, tip 0 in the order of
/// its material coordinates, side 1 to, from, tip 1; `beyond[s][i]` is the corner across the edge of
/// side s that is opposite its corner i, i = 0, 1.
struct HingePatch {
    Vec2 from, to;
    std::array<Vec2, 2> tip;
    std::array<std::array<std::optional<Vec2>, 2>, 2> beyond;
};

/// The turn to side 0 as a sum of angles: of the hinge, of the edges of side 0 and of those of side 1 in
/// the order of `beyond`. The turn to side 1 is the angle of the hinge less that.
///
/// Exact for quadratics when the angles tell them apart; directions in which they do not (fewer than
/// three edges, or parallel ones: beside a free edge) are left uncorrected.
using SlopeShares = std::array<double, 5>;
SlopeShares slope_shares(const HingePatch& patch);

/// D without the moment across edges of these unit normals: s eliminated from the least energy.
Mat3 free_across(const PlateStiffness& stiffness, std::span<const Vec2> normals);

/// The symmetric square root of a positive semidefinite matrix.
Mat3 square_root(const Mat3& A);

}  // namespace taffeta::energy
