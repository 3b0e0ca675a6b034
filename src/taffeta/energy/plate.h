#pragma once

#include <array>
#include <optional>

#include "taffeta/base/types.h"

/// The three-hinge plate element: bending of a triangle from the hinge angles of its edges.
///
/// With kappa = sum_i theta_i l_i/(2A) n_i n_i' over the three edges (n_i the material normal of
/// edge i) the plate energy A/2 kappa : D : kappa is a constant quadratic form of the angles,
///     E = 1/2 dtheta' Q dtheta,   Q = A Z' D Z,
/// Z having a column per edge. It is exact for quadratic surfaces on every regular lattice of
/// triangles, which single hinges are not, at a stencil of six vertices; on irregular meshes it is
/// 9 to 23 % too stiff.                                              after [GG+06], [Morley71]
///
/// The consistent variant replaces Z by the inverse of Theta, which maps (k11, k22, 2 k12) to the
/// small hinge angles of the triangle on the mesh as it is: exact for quadratics on any mesh, but
/// soft in one mode of alternating meshes, hence blended, Q = (1 - w) Q_x + w Q_plate.
namespace taffeta::energy {

/// psi = D11 k11^2/2 + D22 k22^2/2 + D12 k11 k22 + D33 (2 k12)^2/2, N m.
struct PlateStiffness {
    double d11, d22, d12, d33;

    static PlateStiffness isotropic(double bending, double poisson) {
        return {bending, bending, poisson * bending, bending * (1 - poisson) / 2};
    }
    Mat3 matrix() const {
        Mat3 D;
        D << d11, d12, 0, d12, d22, 0, 0, 0, d33;
        return D;
    }
};

/// A triangle in material coordinates with the corners across its edges, unfolded into its plane;
/// edge k is opposite corner k, and a boundary edge has no corner across.
struct PlatePatch {
    std::array<Vec2, 3> corner;
    std::array<std::optional<Vec2>, 3> across;
};

/// The corner of a neighbouring triangle laid into the frame of `corner`: `neighbor` has its own
/// material coordinates (another panel perhaps), its edge `neighbor_edge` runs against edge `edge`.
Vec2 unfold(const std::array<Vec2, 3>& corner, int edge, const std::array<Vec2, 3>& neighbor,
            int neighbor_edge);

/// Z: hinge angles to (k11, k22, 2 k12), 1/m. Columns of boundary edges are zero.
Mat3 curvature_of_angles(const PlatePatch& patch);

/// A row of Theta: (k11, k22, 2 k12) to the small angle at the flat rest state, m, of the hinge on
/// from-to with the corners `tip` and `across` on its two sides.
Vec3 angle_of_curvature(const Vec2& from, const Vec2& to, const Vec2& tip, const Vec2& across);

/// Theta: (k11, k22, 2 k12) to small hinge angles at the flat rest state, m. Rows of boundary edges
/// are zero.
Mat3 angles_of_curvature(const PlatePatch& patch);

/// Q of the plate, N m.
Mat3 plate_form(const PlatePatch& patch, const PlateStiffness& stiffness);

/// Q of the consistent variant blended with weight w in [0, 1]; that of the plate where an edge is
/// missing or Theta is nearly singular (smallest singular value < 0.1 sqrt(A)).
Mat3 consistent_plate_form(const PlatePatch& patch, const PlateStiffness& stiffness, double blend);

}  // namespace taffeta::energy
