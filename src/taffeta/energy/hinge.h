#pragma once

#include "taffeta/energy/dihedral.h"
#include "taffeta/energy/energy.h"

/// Bending of a hinge, E = k_e/2 (theta - theta0)^2.                                    [GHDS03]
namespace taffeta::energy {

/// Bending stiffness of a woven cloth by direction, N m.
struct BendingStiffness {
    double warp, weft, bias;  ///< B_u, B_v, B_45

    /// B(phi) = B_u c^4 + B_v s^4 + (4 B_45 - B_u - B_v) s^2 c^2 when bent along `direction` (a
    /// material direction of any length, so normal to the edge): the cylinder stiffness of an
    /// orthotropic plate.
    double along(const Vec2& direction) const {
        const double length_sq = direction.squaredNorm();
        const double c_sq = direction.x() * direction.x() / length_sq;
        const double s_sq = direction.y() * direction.y() / length_sq;
        return warp * c_sq * c_sq + weft * s_sq * s_sq + (4 * bias - warp - weft) * s_sq * c_sq;
    }
};

/// k_e = beta B l^2/(A1 + A2), N m.
///
/// beta = 1 makes a cylinder bent along a mesh line exact (3, the constant of [GHDS03], makes it
/// three times too stiff). One hinge stiffness cannot be right in every direction: on uniform right
/// triangles the effective stiffness is B (1 + s + s^2), s = sin 2 phi, from 0.75 B to 3 B; where
/// bending must be right use the plate (plate.h).
inline double hinge_stiffness(double bending, double beta, double length, double area_sum) {
    return beta * bending * length * length / area_sum;
}

/// The edge of a hinge in material coordinates, as the mean of its directions in its two faces.
Vec2 hinge_direction(const mesh::Hinge& hinge, const mesh::RestShape& rest);

/// The 12x12 Hessian of k_e/2 (theta - theta0)^2 under a rule; `automatic` is Gauss-Newton,
/// k_e g g'. The part k_e (theta - theta0) D2theta is indefinite at any other angle.
Mat12 hinge_hessian(const std::array<Vec3, 4>& x, double stiffness, double rest_angle,
                    PsdRule rule);

/// Beyond this a hinge is folded onto itself and its angle is about to change its sign, rad.
inline constexpr double folded_angle = 3.0;

/// The finding of Energy::inspect for `count` hinges, the first on the edge of two vertices.
Diagnostic folded_hinges(Index count, Index vertex_a, Index vertex_b);

}  // namespace taffeta::energy
