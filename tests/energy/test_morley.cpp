#include "taffeta/energy/morley.h"

#include <gtest/gtest.h>

#include "sheet.h"
#include "taffeta/energy/dihedral.h"

namespace taffeta::energy::test {
namespace {

constexpr double curvature = 1e-6;  // 1/m: angles are linear to 1e-12

/// z = (a u^2 + b v^2 + 2 c u v)/2
struct Bowl {
    double a, b, c;
    double height(const Vec3& p) const {
        return (a * p.x() * p.x() + b * p.y() * p.y() + 2 * c * p.x() * p.y()) / 2;
    }
    Vec2 slope(const Vec2& p) const { return Vec2(a * p.x() + c * p.y(), c * p.x() + b * p.y()); }
};
constexpr Bowl bowls[] = {{1, 0, 0}, {1, 1, 0}, {0, 0, 1}, {0.8, -0.5, 0.3}};

const mesh::Tessellation tessellations[] = {
    mesh::Tessellation::regular, mesh::Tessellation::alternating, mesh::Tessellation::irregular};

Body flat_sheet(mesh::Tessellation tessellation, Index nx = 10, Index ny = 9) {
    return Body(mesh::grid(nx, ny, 0.05 * nx, 0.05 * ny, tessellation));
}

/// Vertices that are more than `rows` edges away from the edge of the sheet.
std::vector<Index> inner_vertices(const Body& body, int rows) {
    std::vector<bool> near(body.mesh.position.size(), false);
    for (const Index v : body.topology.boundary_vertex)
        near[std::size_t(v)] = true;
    for (int row = 0; row < rows; ++row) {
        std::vector<bool> more = near;
        for (const Edge& e : body.topology.edge)
            if (near[std::size_t(e[0])] || near[std::size_t(e[1])])
                more[std::size_t(e[0])] = more[std::size_t(e[1])] = true;
        near = more;
    }
    std::vector<Index> inner;
    for (std::size_t v = 0; v < near.size(); ++v)
        if (!near[v]) inner.push_back(Index(v));
    return inner;
}

/// The patch of a hinge of a sheet that lies flat in its material coordinates, and its five hinges.
struct Around {
    HingePatch patch;
    std::array<Index, 5> hinge;
};

Around around_hinge(const Body& body, Index h) {
    const mesh::Hinge& hinge = body.topology.hinge[std::size_t(h)];
    const auto at = [&](Index v) { return Vec2(body.mesh.position[std::size_t(v)].head<2>()); };
    Around found;
    found.patch = {
        at(hinge.vertex[0]), at(hinge.vertex[1]), {at(hinge.vertex[2]), at(hinge.vertex[3])}, {}};
    found.hinge.fill(-1);
    found.hinge[0] = h;
    for (std::size_t s = 0; s < 2; ++s) {
        const auto face = std::size_t(hinge.face[s]);
        for (std::size_t i = 0; i < 2; ++i) {
            // Opposite corner i of (from, to, tip), or of (to, from, tip) on side 1.
            const Index opposite = hinge.vertex[s == 0 ? i : 1 - i];
            for (std::size_t k = 0; k < 3; ++k) {
                const Index other = body.topology.face_hinge[face][k];
                if (body.mesh.face[face][k] != opposite || other < 0) continue;
                const mesh::Hinge& next = body.topology.hinge[std::size_t(other)];
                found.patch.beyond[s][i] = at(next.vertex[next.face[0] == Index(face) ? 3 : 2]);
                found.hinge[1 + 2 * s + i] = other;
            }
        }
    }
    return found;
}

TEST(Morley, TurnsToTheMiddleOfAnEdgeAreExactForQuadratics) {
    const Body body = flat_sheet(mesh::Tessellation::irregular);
    int exact = 0;
    for (const Bowl& bowl : bowls)
        for (Index h = 0; h < Index(body.topology.hinge.size()); ++h) {
            const Around around = around_hinge(body, h);
            if (std::count(around.hinge.begin(), around.hinge.end(), -1) > 1) continue;
            const auto lifted = [&](Index v) {
                Vec3 p = body.mesh.position[std::size_t(v)];
                p.z() = curvature * bowl.height(p);
                return lane_vector(p);
            };
            const SlopeShares shares = slope_shares(around.patch);
            double turn = 0, scale = 0;
            for (std::size_t k = 0; k < 5; ++k) {
                if (around.hinge[k] < 0) {
                    EXPECT_EQ(shares[k], 0);
                    continue;
                }
                const auto& v = body.topology.hinge[std::size_t(around.hinge[k])].vertex;
                const double angle =
                    dihedral_angle(lifted(v[0]), lifted(v[1]), lifted(v[2]), lifted(v[3]));
                turn += shares[k] * angle;
                scale = std::max(scale, std::abs(angle));
            }

            // Slopes out of side 0: of the plane through its corners, and of the surface.
            const HingePatch& p = around.patch;
            const Vec2 along = p.to - p.from, n = Vec2(along.y(), -along.x()).normalized();
            const auto height = [&](const Vec2& at) {
                return bowl.height(Vec3(at.x(), at.y(), 0));
            };
            Eigen::Matrix2d rows;
            rows << along.transpose(), (p.tip[0] - p.from).transpose();
            const Vec2 rise(height(p.to) - height(p.from), height(p.tip[0]) - height(p.from));
            const double det = rows(0, 0) * rows(1, 1) - rows(0, 1) * rows(1, 0);
            const Vec2 plane = Vec2(rows(1, 1) * rise[0] - rows(0, 1) * rise[1],
                                    rows(0, 0) * rise[1] - rows(1, 0) * rise[0]) /
                               det;
            const double expected = curvature * (plane - bowl.slope((p.from + p.to) / 2)).dot(n);
            EXPECT_NEAR(turn, expected, 1e-8 * scale) << "hinge " << h;
            ++exact;
        }
    EXPECT_GT(exact, 800);
}

TEST(Morley, AParallelogramNeedsNoVerticesBeyondIt) {
    //  3---2     to 2 and beyond it nothing is asked of the vertices around
    //   \ / \.
    //    0---1
    const HingePatch patch{Vec2(0, 0), Vec2(0.5, 1), {Vec2(-0.5, 1), Vec2(1, 0)}, {}};

    const SlopeShares shares = slope_shares(patch);

    EXPECT_NEAR(shares[0], 0.5, 1e-15);
    for (std::size_t k = 1; k < 5; ++k)
        EXPECT_EQ(shares[k], 0);
}

TEST(Morley, ForcesVanishInsideASheetOfConstantCurvature) {
    for (const mesh::Tessellation tessellation : tessellations)
        for (const Bowl& bowl : bowls) {
            Body body = flat_sheet(tessellation);
            for (Index i = 0; i < body.mesh.vertex_count(); ++i)
                body.x[3 * i + 2] = curvature * bowl.height(body.mesh.position[std::size_t(i)]);
            const auto largest_inside = [&](const char* key) {
                auto energy = bound(bending_terms(), key, options({{"stiffness", 1.0}}), body);
                const VecX f = force(energy, body.x, VecX::Zero(body.x.size()));
                double largest = 0;
                for (const Index v : inner_vertices(body, 2))
                    largest = std::max(largest, std::abs(f[3 * v + 2]));
                return largest / curvature;
            };

            // A moment of 1 N across edges a cell long would leave forces of that size.
            EXPECT_LT(largest_inside("morley"), 1e-8);
            if (tessellation == mesh::Tessellation::irregular) {
                EXPECT_GT(largest_inside("hinge"), 1e-2);
                EXPECT_GT(largest_inside("plate"), 1e-2);
            }
        }
}

TEST(Morley, OnlyRigidMotionsOfAFlatSheetCostNothing) {
    for (const mesh::Tessellation tessellation : tessellations) {
        Body body = flat_sheet(tessellation, 6, 5);
        auto energy = bound(bending_terms(), "morley", options({{"stiffness", 1.0}}), body);
        const Evaluated result = evaluate(energy, body);
        const Index n = body.mesh.vertex_count();
        MatX across(n, n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j)
                across(i, j) = result.K(3 * i + 2, 3 * j + 2);

        const Eigen::VectorXd values = oracle::eigenvalues(across);

        // Heave, pitch and roll; the next is the softest bending or twist of a free plate of the size a
        // of the sheet: above 10 D/a^4 by the area of a vertex, whatever the mesh.
        EXPECT_LT(std::abs(values[2]), 1e-9 * values[n - 1]);
        const double a = 0.3, area = 0.05 * 0.05;
        EXPECT_GT(values[3], 10 * area / (a * a * a * a)) << int(tessellation);
    }
}

TEST(Morley, IsThePlateInsideRegularLattices) {
    Body body = flat_sheet(mesh::Tessellation::regular);
    body.perturb(0.01, 0);
    const Settings D = options({{"warp", 3.0}, {"weft", 2.0}, {"coupling", 0.7}, {"twist", 1.3}});
    auto plate = bound(bending_terms(), "plate", D, body);
    auto morley = bound(bending_terms(), "morley", D, body);
    const VecX zero = VecX::Zero(body.x.size());
    const VecX expected = force(plate, body.x, zero), found = force(morley, body.x, zero);

    for (const Index v : inner_vertices(body, 2))
        EXPECT_LT((vec3(found, v) - vec3(expected, v)).norm(), 1e-12 * expected.norm());
}

TEST(Morley, PanelsMayHaveTheirOwnCoordinates) {
    Body body = flat_sheet(mesh::Tessellation::irregular);
    body.perturb(0.01, 0);
    Body cut = body;
    cut.mesh.uv.clear();
    cut.mesh.face_uv.clear();
    for (std::size_t f = 0; f < cut.mesh.face.size(); ++f) {
        const double turn = f % 3 == 0 ? 0.0 : 0.7 * double(f % 7);
        const Mat3 R = Eigen::AngleAxisd(turn, Vec3::UnitZ()).toRotationMatrix();
        Triangle corners;
        for (std::size_t k = 0; k < 3; ++k) {
            corners[k] = Index(cut.mesh.uv.size());
            const Vec2& uv = body.rest.face_uv[f][k];
            cut.mesh.uv.push_back((R * Vec3(uv.x(), uv.y(), 0)).head<2>() + Vec2(double(f), 3));
        }
        cut.mesh.face_uv.push_back(corners);
    }
    cut.rest = mesh::rest_from_uv(cut.mesh, cut.topology, 1);
    const Settings D = options({{"stiffness", 1.0}, {"poisson", 0.3}});

    const double whole = bound(bending_terms(), "morley", D, body)->value(body.x);
    const double panels = bound(bending_terms(), "morley", D, cut)->value(body.x);

    EXPECT_NEAR(panels, whole, 1e-10 * whole);
}

TEST(Morley, AFreeEdgeHasNoMomentAcrossIt) {
    const PlateStiffness D{3, 2, 0.7, 1.3};
    const Vec2 n = Vec2(0.6, 0.8);
    const Vec3 squared(0.36, 0.64, 0.96), k(0.8, -0.5, 0.6);

    const Mat3 free = free_across(D, std::span(&n, 1));

    EXPECT_NEAR(squared.dot(free * k), 0, 1e-15);
    // The least energy over s of k + s n n': derived by hand for D.
    const double s = -squared.dot(D.matrix() * k) / squared.dot(D.matrix() * squared);
    const Vec3 least = k + s * squared;
    EXPECT_NEAR(k.dot(free * k), least.dot(D.matrix() * least), 1e-14);
}

TEST(Morley, ACurvedRestShapeIsAtRest) {
    mesh::TriMesh dome = mesh::grid(6, 5, 0.3, 0.25, mesh::Tessellation::irregular);
    for (Vec3& p : dome.position)
        p.z() = 2 * p.x() * p.x() - p.y() * p.x();
    Body body(dome);
    body.rest = mesh::rest_from_mesh(dome, body.topology, Vec3::UnitX(), true);
    auto energy = bound(bending_terms(), "morley", options({{"stiffness", 1.0}}), body);
    const VecX turned = rotated(some_rotation(), body.x);

    EXPECT_NEAR(energy->value(turned), 0, 1e-26);
    EXPECT_LT(force(energy, turned, VecX::Zero(turned.size())).norm(), 1e-10);
}

TEST(Morley, RefusesIndefiniteStiffness) {
    const EnergyEntry& entry = find_entry(bending_terms(), "bending", "morley");

    EXPECT_THROW(entry.make(options({{"warp", 1.0}, {"weft", 1.0}, {"coupling", 1.1}})), Error);
}

}  // namespace
}  // namespace taffeta::energy::test
