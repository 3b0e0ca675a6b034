#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

/// The words every layer shares: indices, small vectors, and the flat state vector.
///
/// A field over the vertices (positions, velocities, forces) is one flat `VecX` of length 3 n in
/// the order x0 y0 z0 x1 y1 z1 ...; `vec3(field, i)` is the part of vertex i.
namespace taffeta {

using Index = std::int32_t;

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Mat32 = Eigen::Matrix<double, 3, 2>;
using VecX = Eigen::VectorXd;

using Edge = std::array<Index, 2>;
using Triangle = std::array<Index, 3>;

inline auto vec3(VecX& field, Index vertex) {
    return field.segment<3>(3 * Eigen::Index(vertex));
}
inline auto vec3(const VecX& field, Index vertex) {
    return field.segment<3>(3 * Eigen::Index(vertex));
}

}  // namespace taffeta
