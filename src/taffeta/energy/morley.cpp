#include "taffeta/energy/morley.h"

#include <Eigen/Eigenvalues>

namespace taffeta::energy {

namespace {

/// (n1^2, n2^2, 2 n1 n2): the product with moments is the moment across an edge.
Vec3 squared(const Vec2& n) {
    return Vec3(n.x() * n.x(), n.y() * n.y(), 2 * n.x() * n.y());
}

/// An edge with one of its sides: `foot` of the tip as a fraction of the edge, height above it.
struct EdgeSide {
    double foot, height;

    EdgeSide(const Vec2& from, const Vec2& to, const Vec2& tip) {
        const Vec2 along = to - from, arm = tip - from;
        foot = arm.dot(along) / along.squaredNorm();
        height = std::abs(along.x() * arm.y() - along.y() * arm.x()) / along.norm();
    }
};

/// (k11, k22, 2 k12) to the turn from the plane of side 0 to the surface at the middle of the edge.
Vec3 turn_of_curvature(const HingePatch& patch) {
    const auto heights = [](const Vec2& at) {
        return Vec3(at.x() * at.x() / 2, at.y() * at.y() / 2, at.x() * at.y() / 2);
    };
    const EdgeSide side(patch.from, patch.to, patch.tip[0]);
    const Vec2 along = patch.to - patch.from, middle = (patch.from + patch.to) / 2;
    const Vec2 n = Vec2(along.y(), -along.x()) / along.norm();  // out of side 0
    const Vec3 slope(middle.x() * n.x(), middle.y() * n.y(),
                     (middle.x() * n.y() + middle.y() * n.x()) / 2);
    return ((1 - side.foot) * heights(patch.from) + side.foot * heights(patch.to) -
            heights(patch.tip[0])) /
               side.height -
           slope;
}

}  // namespace

SlopeShares slope_shares(const HingePatch& patch) {
    const double height0 = EdgeSide(patch.from, patch.to, patch.tip[0]).height;
    const double height1 = EdgeSide(patch.from, patch.to, patch.tip[1]).height;
    SlopeShares shares{height0 / (height0 + height1), 0, 0, 0, 0};

    Eigen::Matrix<double, 5, 3> Theta = Eigen::Matrix<double, 5, 3>::Zero();
    Theta.row(0) = angle_of_curvature(patch.from, patch.to, patch.tip[0], patch.tip[1]).transpose();
    for (std::size_t s = 0; s < 2; ++s) {
        const Vec2 corner[3] = {s == 0 ? patch.from : patch.to, s == 0 ? patch.to : patch.from,
                                patch.tip[s]};
        for (std::size_t i = 0; i < 2; ++i)
            if (const auto& beyond = patch.beyond[s][i])
                Theta.row(Eigen::Index(1 + 2 * s + i)) =
                    angle_of_curvature(corner[i + 1], corner[(i + 2) % 3], corner[i], *beyond)
                        .transpose();
    }
    const Vec3 missing = turn_of_curvature(patch) - shares[0] * Theta.row(0).transpose();
    // Two triangles that make a parallelogram need no correction, and then no vertices beyond.
    if (missing.norm() < 1e-9 * Theta.row(0).norm()) return shares;

    // The smallest d with Theta' d = missing, without directions of small singular values.
    const double area = (patch.to - patch.from).norm() * (height0 + height1) / 4;  // the mean
    const Eigen::SelfAdjointEigenSolver<Mat3> squares(Theta.transpose() * Theta);
    Vec3 multiplier = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
        if (squares.eigenvalues()[k] > 0.01 * area)
            multiplier += squares.eigenvectors().col(k) *
                          squares.eigenvectors().col(k).dot(missing) / squares.eigenvalues()[k];
    for (std::size_t k = 0; k < 5; ++k)
        shares[k] += Theta.row(Eigen::Index(k)).dot(multiplier);
    return shares;
}

Mat3 free_across(const PlateStiffness& stiffness, std::span<const Vec2> normals) {
    Mat3 D = stiffness.matrix();
    const double small = 1e-12 * D.trace();
    for (const Vec2& n : normals) {
        const Vec3 Dn = D * squared(n);
        const double nDn = squared(n).dot(Dn);
        if (nDn > small) D -= Dn * Dn.transpose() / nDn;
    }
    return D;
}

Mat3 square_root(const Mat3& A) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(A);
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
           eigen.eigenvectors().transpose();
}

}  // namespace taffeta::energy
