#include "taffeta/energy/hinge.h"

#include <fmt/format.h>

#include "taffeta/energy/psd.h"

namespace taffeta::energy {

Vec2 hinge_direction(const mesh::Hinge& hinge, const mesh::RestShape& rest) {
    Vec2 direction[2];
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& uv = rest.face_uv[std::size_t(hinge.face[side])];
        const auto k = std::size_t(hinge.local_edge[side]);
        direction[side] = (uv[(k + 2) % 3] - uv[(k + 1) % 3]).normalized();
    }
    // An edge has no sense, and the second face runs the other way.
    return direction[0].dot(direction[1]) < 0 ? Vec2(direction[0] - direction[1])
                                              : Vec2(direction[0] + direction[1]);
}

Mat12 hinge_hessian(const std::array<Vec3, 4>& x, double stiffness, double rest_angle,
                    PsdRule rule) {
    const Dihedral<double> hinge =
        dihedral(lane_vector(x[0]), lane_vector(x[1]), lane_vector(x[2]), lane_vector(x[3]));
    Vec12 g;
    for (int i = 0; i < 4; ++i)
        g.segment<3>(3 * i) = eigen_vector(hinge.gradient[std::size_t(i)]);
    Mat12 H = stiffness * g * g.transpose();
    if (rule == PsdRule::automatic || rule == PsdRule::gauss_newton) return H;
    H += stiffness * (hinge.angle - rest_angle) * dihedral_hessian(x[0], x[1], x[2], x[3]);
    if (rule == PsdRule::clamp) H = spectral_positive_part(H);
    return H;
}

Diagnostic folded_hinges(Index count, Index vertex_a, Index vertex_b) {
    return {Severity::warning,
            {},
            fmt::format("{} hinges are folded beyond {} rad, where the angle jumps to the other "
                        "sign; the first has the edge of vertices {} and {}",
                        count, folded_angle, vertex_a, vertex_b),
            "refine the mesh there, take smaller steps or raise the bending stiffness"};
}

}  // namespace taffeta::energy
