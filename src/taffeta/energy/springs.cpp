#include "taffeta/energy/springs.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::energy {

namespace {

/// A triangle laid along one of its edges: the edge from 0 to `length`, its corner across.
struct LaidTriangle {
    double length, along, height;
};

LaidTriangle lay(const Vec2& first, const Vec2& last, const Vec2& corner) {
    const Vec2 edge = last - first, to = corner - first;
    const double length = edge.norm();
    return {length, to.dot(edge) / length,
            std::abs(edge.x() * to.y() - edge.y() * to.x()) / length};
}

/// Distance of the corners across a hinge that is folded by an angle.
double across(const LaidTriangle& a, const LaidTriangle& b, double angle) {
    const double shift = a.along - b.along;
    return std::sqrt(shift * shift + a.height * a.height + b.height * b.height +
                     2 * a.height * b.height * std::cos(angle));
}

}  // namespace

void add_edge_springs(const BodyView& body, const SheetTangent& sheet,
                      std::vector<EnergySpring>& springs) {
    // A sheet without shear stiffness has none along its bias: a little keeps C invertible.
    const Mat3 compliance =
        (sheet.stiffness + 1e-9 * sheet.stiffness.trace() * Mat3::Identity()).inverse();
    if (!compliance.allFinite()) return;
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
            const Vec2 edge = (body.rest.face_uv[f][b] - body.rest.face_uv[f][a])
                                  .cwiseProduct(sheet.rest_stretch);
            const double length = edge.norm();
            const Vec2 d = edge / length;
            const Vec3 s(d.x() * d.x(), d.y() * d.y(), d.x() * d.y());
            const Vec3 strain = compliance * s;
            const double stiffness = body.rest.area[f] / (length * length * s.dot(strain));
            const double tau =
                strain.dot(sheet.viscosity * strain) / strain.dot(sheet.stiffness * strain);
            springs.push_back({body.first_vertex + body.mesh.face[f][a],
                               body.first_vertex + body.mesh.face[f][b], length, stiffness,
                               tau * stiffness});
        }
}

void add_hinge_springs(const BodyView& body, const BendingStiffness& bending, double beta,
                       double tau, std::vector<EnergySpring>& springs) {
    constexpr double fold = std::numbers::pi / 2;
    for (std::size_t h = 0; h < body.topology.hinge.size(); ++h) {
        if (!(body.rest.hinge_length[h] > 0)) continue;
        const mesh::Hinge& hinge = body.topology.hinge[h];
        const auto f = std::size_t(hinge.face[0]), g = std::size_t(hinge.face[1]);
        const auto a = std::size_t(hinge.local_edge[0]), b = std::size_t(hinge.local_edge[1]);
        const auto& uv = body.rest.face_uv[f];
        const auto& other = body.rest.face_uv[g];
        // Vertex 0 to vertex 1 runs against the second face.
        const LaidTriangle first = lay(uv[(a + 1) % 3], uv[(a + 2) % 3], uv[a]);
        const LaidTriangle second = lay(other[(b + 2) % 3], other[(b + 1) % 3], other[b]);

        const Vec2 edge = hinge_direction(hinge, body.rest);
        const double stiffness =
            hinge_stiffness(bending.along(Vec2(-edge.y(), edge.x())), beta,
                            body.rest.hinge_length[h], body.rest.area[f] + body.rest.area[g]);
        const double rest = std::abs(body.rest.hinge_angle[h]);
        const double folded = rest <= fold ? rest + fold : rest - fold;
        const double length = across(first, second, rest);
        const double change = across(first, second, folded) - length;
        const double k = stiffness * (fold / change) * (fold / change);
        springs.push_back({body.first_vertex + hinge.vertex[2], body.first_vertex + hinge.vertex[3],
                           length, k, tau * k});
    }
}

void merge_springs(std::vector<EnergySpring>& springs) {
    for (EnergySpring& s : springs)
        if (s.i > s.j) std::swap(s.i, s.j);
    std::stable_sort(springs.begin(), springs.end(), [](const auto& a, const auto& b) {
        return a.i != b.i ? a.i < b.i : a.j < b.j;
    });
    std::size_t kept = 0;
    for (const EnergySpring& s : springs) {
        if (!(s.stiffness > 0) || s.i == s.j) continue;
        if (kept > 0 && springs[kept - 1].i == s.i && springs[kept - 1].j == s.j) {
            EnergySpring& sum = springs[kept - 1];
            const double stiffness = sum.stiffness + s.stiffness;
            sum.length = (sum.stiffness * sum.length + s.stiffness * s.length) / stiffness;
            sum.stiffness = stiffness;
            sum.damping += s.damping;
        } else {
            springs[kept++] = s;
        }
    }
    springs.resize(kept);
}

}  // namespace taffeta::energy
