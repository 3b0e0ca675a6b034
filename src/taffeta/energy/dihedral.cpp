#include "taffeta/energy/dihedral.h"

#include <Eigen/Geometry>

namespace taffeta::energy {

namespace {

using Row = Eigen::Matrix<double, 1, 12>;   // derivative of a number
using Rows = Eigen::Matrix<double, 3, 12>;  // derivative of a vector

/// skew(a) b = a x b
Mat3 skew(const Vec3& a) {
    Mat3 m;
    m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return m;
}

/// Derivative of the difference of vertex `to` and vertex 0.
Rows difference(int to) {
    Rows D = Rows::Zero();
    D.leftCols<3>() = -Mat3::Identity();
    D.middleCols<3>(3 * to) = Mat3::Identity();
    return D;
}

/// A face of the hinge: y = n/|n|^2 and the foot b of its vertex, with derivatives.
struct Side {
    Vec3 y;
    Rows Dy;
    double b;
    Row Db;
};

Side make_side(const Vec3& n, const Rows& Dn, const Vec3& p, const Rows& Dp, const Vec3& e,
               const Rows& De) {
    const double n_sq = n.squaredNorm(), l_sq = e.squaredNorm();
    Side side;
    side.y = n / n_sq;
    side.Dy = (Dn - 2 / n_sq * n * (n.transpose() * Dn)) / n_sq;
    side.b = p.dot(e) / l_sq;
    side.Db = (e.transpose() * Dp + p.transpose() * De - 2 * side.b * e.transpose() * De) / l_sq;
    return side;
}

}  // namespace

Mat12 dihedral_hessian(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    const Vec3 e = x1 - x0, p = x2 - x0, q = x3 - x0;
    const Rows De = difference(1), Dp = difference(2), Dq = difference(3);
    const Vec3 n1 = e.cross(p), n2 = q.cross(e);
    const Rows Dn1 = -skew(p) * De + skew(e) * Dp;
    const Rows Dn2 = -skew(e) * Dq + skew(q) * De;
    const double l = e.norm();
    const Row Dl = e.transpose() / l * De;
    const Side s2 = make_side(n1, Dn1, p, Dp, e, De);
    const Side s3 = make_side(n2, Dn2, q, Dq, e, De);

    const Vec3 g2 = -l * s2.y, g3 = -l * s3.y;
    const Rows Dg2 = -s2.y * Dl - l * s2.Dy;
    const Rows Dg3 = -s3.y * Dl - l * s3.Dy;
    const Rows Dg1 = -s2.b * Dg2 - s3.b * Dg3 - g2 * s2.Db - g3 * s3.Db;
    const Rows Dg0 = -(1 - s2.b) * Dg2 - (1 - s3.b) * Dg3 + g2 * s2.Db + g3 * s3.Db;
    Mat12 H;
    H << Dg0, Dg1, Dg2, Dg3;
    return H;
}

}  // namespace taffeta::energy
