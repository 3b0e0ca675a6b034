#include "taffeta/energy/plate.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace taffeta::energy {

namespace {

double cross(const Vec2& a, const Vec2& b) {
    return a.x() * b.y() - a.y() * b.x();
}

double area(const PlatePatch& patch) {
    return cross(patch.corner[1] - patch.corner[0], patch.corner[2] - patch.corner[0]) / 2;
}

}  // namespace

Vec2 unfold(const std::array<Vec2, 3>& corner, int edge, const std::array<Vec2, 3>& neighbor,
            int neighbor_edge) {
    const auto k = std::size_t(edge), m = std::size_t(neighbor_edge);
    const Vec2 from = corner[(k + 1) % 3], along = corner[(k + 2) % 3] - from;
    const Vec2 n_from = neighbor[(m + 2) % 3], n_along = neighbor[(m + 1) % 3] - n_from;
    const Vec2 n_tip = neighbor[m] - n_from;
    // The foot as a fraction, so that a seam between edges of different length stays closed.
    const double foot = n_tip.dot(n_along) / n_along.squaredNorm();
    const double height = cross(n_tip, n_along) / n_along.norm();
    const Vec2 outward = Vec2(along.y(), -along.x()).normalized();
    return from + foot * along + height * outward;
}

Mat3 curvature_of_angles(const PlatePatch& patch) {
    Mat3 Z = Mat3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
        if (!patch.across[k]) continue;
        const Vec2 along = patch.corner[(k + 2) % 3] - patch.corner[(k + 1) % 3];
        const Vec2 n = Vec2(along.y(), -along.x()).normalized();
        Z.col(Eigen::Index(k)) = along.norm() / (2 * area(patch)) *
                                 Vec3(n.x() * n.x(), n.y() * n.y(), 2 * n.x() * n.y());
    }
    return Z;
}

Vec3 angle_of_curvature(const Vec2& from, const Vec2& to, const Vec2& tip, const Vec2& across) {
    // Heights of the surfaces with k11 = 1, k22 = 1, 2 k12 = 1.
    const auto heights = [](const Vec2& at) {
        return Vec3(at.x() * at.x() / 2, at.y() * at.y() / 2, at.x() * at.y() / 2);
    };
    const Vec2 along = to - from;
    const double length_sq = along.squaredNorm(), length = std::sqrt(length_sq);
    Vec3 angle = Vec3::Zero();
    for (const Vec2& corner : {tip, across}) {
        const Vec2 arm = corner - from;
        const double foot = arm.dot(along) / length_sq;
        const double height = std::abs(cross(along, arm)) / length;
        // Convex (positive) where the tips lie below the edge.
        angle += ((1 - foot) * heights(from) + foot * heights(to) - heights(corner)) / height;
    }
    return angle;
}

Mat3 angles_of_curvature(const PlatePatch& patch) {
    Mat3 Theta = Mat3::Zero();
    for (std::size_t k = 0; k < 3; ++k)
        if (patch.across[k])
            Theta.row(Eigen::Index(k)) =
                angle_of_curvature(patch.corner[(k + 1) % 3], patch.corner[(k + 2) % 3],
                                   patch.corner[k], *patch.across[k])
                    .transpose();
    return Theta;
}

Mat3 plate_form(const PlatePatch& patch, const PlateStiffness& stiffness) {
    const Mat3 Z = curvature_of_angles(patch);
    return area(patch) * Z.transpose() * stiffness.matrix() * Z;
}

Mat3 consistent_plate_form(const PlatePatch& patch, const PlateStiffness& stiffness, double blend) {
    const Mat3 Q_plate = plate_form(patch, stiffness);
    for (const auto& across : patch.across)
        if (!across) return Q_plate;
    const Mat3 Theta = angles_of_curvature(patch);
    const Eigen::SelfAdjointEigenSolver<Mat3> squares(Theta.transpose() * Theta);
    if (!(squares.eigenvalues()[0] >= 0.01 * area(patch))) return Q_plate;
    const Mat3 Z = Theta.inverse();
    const Mat3 Q_consistent = area(patch) * Z.transpose() * stiffness.matrix() * Z;
    return (1 - blend) * Q_consistent + blend * Q_plate;
}

}  // namespace taffeta::energy
