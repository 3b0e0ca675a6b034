#pragma once

#include "taffeta/energy/lane_matrix.h"

/// Drag of the air on a triangle that moves with u relative to it, u = u_n n + u_t.
///
///     quadratic: f = -rho A/2 (c_n |u_n| u_n n + c_t |u| u_t)     c without unit
///     linear:    f = -A (c_n u_n n + c_t u_t)                     c in N s/m^3
///
/// A is the area and n the unit normal of the triangle as it is. Of -df/du only the symmetric
/// positive semidefinite part is given: the term c_t u_t u'/|u| of the quadratic law keeps
/// u_t u_t'/|u|.
namespace taffeta::energy {

struct AirDrag {
    bool quadratic = true;
    double density = 1.2;      ///< rho, kg/m^3, quadratic only
    double normal = 1.2;       ///< c_n
    double tangential = 0.05;  ///< c_t

    template <class Real>
    Vector3<Real> force(Real area, const Vector3<Real>& n, const Vector3<Real>& u) const {
        const Real u_n = dot(u, n);
        const Vector3<Real> u_t = u - u_n * n;
        if (!quadratic) return (-area * (normal * u_n)) * n + (-area * tangential) * u_t;
        const Real speed = square_root(dot(u, u)), scale = -0.5 * density * area;
        return (scale * normal * larger(u_n, -u_n) * u_n) * n + (scale * tangential * speed) * u_t;
    }

    /// The positive semidefinite part of -df/du, N s/m.
    template <class Real>
    Symmetric33<Real> jacobian(Real area, const Vector3<Real>& n, const Vector3<Real>& u) const {
        const Real u_n = dot(u, n);
        if (!quadratic) {
            const Real c_t = area * tangential;
            return outer(area * normal - c_t, n) + scaled_identity(c_t);
        }
        const Vector3<Real> u_t = u - u_n * n;
        const Real speed = square_root(dot(u, u)), scale = 0.5 * density * area;
        const Real across = scale * tangential * speed;
        const Real along = scale * tangential * guarded_reciprocal(speed, broadcast<Real>(1e-12));
        return outer(2.0 * scale * normal * larger(u_n, -u_n) - across, n) +
               scaled_identity(across) + outer(along, u_t);
    }
};

}  // namespace taffeta::energy
