#include "taffeta/energy/plate.h"

#include <gtest/gtest.h>

#include "references.h"
#include "taffeta/energy/deformation.h"
#include "taffeta/energy/dihedral.h"

namespace taffeta::energy::test {
namespace {

constexpr double bending = 1e-5;    // N m
constexpr double curvature = 1e-6;  // 1/m: angles are linear to 1e-12

/// z = (a u^2 + b v^2 + 2 c u v)/2
struct Quadratic {
    double a, b, c;
    double height(const Vec3& p) const {
        return curvature * (a * p.x() * p.x() + b * p.y() * p.y() + 2 * c * p.x() * p.y()) / 2;
    }
};

Quadratic cylinder(double degrees) {
    const double phi = degrees * std::numbers::pi / 180, s = std::sin(phi), c = std::cos(phi);
    return {c * c, s * s, s * c};
}
constexpr Quadratic sphere{1, 1, 0}, twist{0, 0, 1};

enum class Lattice { uniform, alternating, equilateral };

/// Energy of n x n cells of size 0.05 m under a quadratic surface.
double energy_of(const char* key, const Settings& settings, Lattice lattice, Index n,
                 const Quadratic& surface) {
    const double h = 0.05;
    mesh::TriMesh mesh =
        mesh::grid(n, n, h * n, h * n,
                   lattice == Lattice::alternating ? mesh::Tessellation::alternating
                                                   : mesh::Tessellation::regular);
    if (lattice == Lattice::equilateral)
        for (Index i = 0; i < mesh.vertex_count(); ++i) {
            Vec3& p = mesh.position[std::size_t(i)];
            p = Vec3(p.x() - p.y() / 2, std::sqrt(0.75) * p.y(), 0);
            mesh.uv[std::size_t(i)] = p.head<2>();
        }
    Body body(std::move(mesh));
    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        body.x[3 * i + 2] = surface.height(body.mesh.position[std::size_t(i)]);
    return bound(bending_terms(), key, settings, body)->value(body.x);
}

/// Energy density over B kappa^2/2. The second difference by the size of the sheet removes what its
/// edges and its corners add.
double effective_stiffness(const char* key, const Settings& settings, Lattice lattice,
                           const Quadratic& surface) {
    const auto energy = [&](Index n) { return energy_of(key, settings, lattice, n, surface); };
    const double area = (lattice == Lattice::equilateral ? std::sqrt(0.75) : 1) * 0.05 * 0.05;
    const Index n = 4;
    const double density = (energy(3 * n) - 2 * energy(2 * n) + energy(n)) / (2 * n * n * area);
    return density / (bending * curvature * curvature / 2);
}

TEST(BendingStiffness, OfHingesDependsOnTheDirection) {
    const Settings none = Settings::object();
    const double expected[3][6] = {{1.00, 2.2071, 3.00, 1.00, 2.00, 6.00},
                                   {1.00, 1.25, 1.50, 1.50, 2.00, 4.00},
                                   {1.00, 1.00, 1.00, 1.00, 4.0 / 3, 8.0 / 3}};
    const Quadratic surfaces[] = {cylinder(0),   cylinder(22.5), cylinder(45),
                                  cylinder(135), sphere,         twist};
    for (int lattice = 0; lattice < 3; ++lattice)
        for (int surface = 0; surface < 6; ++surface)
            EXPECT_NEAR(effective_stiffness("hinge", none, Lattice(lattice), surfaces[surface]),
                        expected[lattice][surface], 1e-4)
                << lattice << ' ' << surface;
}

TEST(BendingStiffness, OfPlatesIsThatOfAPlateOnRegularLattices) {
    const double expected[3][6] = {{1.00, 1.00, 1.00, 1.00, 2.00, 2.00},
                                   {1.00, 1.25, 1.50, 1.50, 2.00, 4.00},
                                   {1.00, 1.00, 1.00, 1.00, 2.00, 2.00}};
    const Quadratic surfaces[] = {cylinder(0),   cylinder(22.5), cylinder(45),
                                  cylinder(135), sphere,         twist};
    for (int lattice = 0; lattice < 3; ++lattice)
        for (int surface = 0; surface < 6; ++surface)
            EXPECT_NEAR(effective_stiffness("plate", Settings::object(), Lattice(lattice),
                                            surfaces[surface]),
                        expected[lattice][surface], 1e-6)
                << lattice << ' ' << surface;
}

TEST(BendingStiffness, BothVariantsAgreeOnRegularLattices) {
    const Settings consistent = options({{"variant", "platex"}, {"blend", 0.0}});
    for (const Lattice lattice : {Lattice::uniform, Lattice::equilateral})
        for (const Quadratic& surface : {cylinder(30), sphere, twist})
            EXPECT_NEAR(effective_stiffness("plate", consistent, lattice, surface),
                        effective_stiffness("plate", Settings::object(), lattice, surface), 1e-6);
}

TEST(BendingStiffness, OrthotropicPlateIsExactForAnyCurvature) {
    const PlateStiffness D{3 * bending, 2 * bending, 0.7 * bending, 1.3 * bending};
    const Settings settings =
        options({{"warp", D.d11}, {"weft", D.d22}, {"coupling", D.d12}, {"twist", D.d33}});
    const Quadratic q{0.8, -0.5, 0.3};
    const Vec3 k(q.a, q.b, 2 * q.c);
    const double expected = k.dot(D.matrix() * k) / bending;

    EXPECT_NEAR(effective_stiffness("plate", settings, Lattice::uniform, q), expected, 1e-6);
    EXPECT_NEAR(effective_stiffness("plate", settings, Lattice::equilateral, q), expected, 1e-6);
}

TEST(BendingStiffness, OfHingesFollowsWarpAndWeft) {
    const Settings settings = options({{"warp", 3 * bending}, {"weft", bending / 2}});

    EXPECT_NEAR(effective_stiffness("hinge", settings, Lattice::uniform, cylinder(0)), 3, 1e-6);
    EXPECT_NEAR(effective_stiffness("hinge", settings, Lattice::uniform, cylinder(90)), 0.5, 1e-6);
}

TEST(BendingStiffness, BetaScalesHinges) {
    EXPECT_NEAR(
        effective_stiffness("hinge", options({{"beta", 3.0}}), Lattice::uniform, cylinder(0)), 3,
        1e-6);
}

/// The patches of an irregular mesh that have three neighbours, with the angles of a quadratic.
struct Angles {
    PlatePatch patch;
    Vec3 angle;
};

std::vector<Angles> irregular_patches(const Quadratic& surface) {
    const Body body(mesh::grid(8, 7, 0.4, 0.35, mesh::Tessellation::irregular));
    const auto lifted = [&](Index v) {
        Vec3 p = body.mesh.position[std::size_t(v)];
        p.z() = surface.height(p);
        return lane_vector(p);
    };
    std::vector<Angles> patches;
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f) {
        Angles found{{body.rest.face_uv[f], {}}, Vec3::Zero()};
        for (std::size_t k = 0; k < 3; ++k) {
            const Index h = body.topology.face_hinge[f][k];
            if (h < 0) continue;
            const mesh::Hinge& hinge = body.topology.hinge[std::size_t(h)];
            const std::size_t other = hinge.face[0] == Index(f) ? 1 : 0;
            const auto& v = hinge.vertex;
            found.patch.across[k] =
                unfold(found.patch.corner, int(k),
                       body.rest.face_uv[std::size_t(hinge.face[other])], hinge.local_edge[other]);
            found.angle[Eigen::Index(k)] =
                dihedral_angle(lifted(v[0]), lifted(v[1]), lifted(v[2]), lifted(v[3]));
        }
        const auto& across = found.patch.across;
        if (across[0] && across[1] && across[2]) patches.push_back(found);
    }
    return patches;
}

double area(const PlatePatch& patch) {
    return deformation_map(patch.corner).area;
}

TEST(Plate, AnglesOfCurvatureAreThoseOfTheSurface) {
    const Quadratic q{0.8, -0.5, 0.3};
    const Vec3 k = curvature * Vec3(q.a, q.b, 2 * q.c);
    for (const Angles& found : irregular_patches(q))
        EXPECT_LT((angles_of_curvature(found.patch) * k - found.angle).norm(),
                  1e-9 * found.angle.norm());
}

TEST(Plate, ConsistentVariantIsExactForQuadraticsOnAnyMesh) {
    const PlateStiffness D{3, 2, 0.7, 1.3};
    const Quadratic q{0.8, -0.5, 0.3};
    const Vec3 k = curvature * Vec3(q.a, q.b, 2 * q.c);
    int exact = 0, kept = 0;
    for (const Angles& found : irregular_patches(q)) {
        const Mat3 Q = consistent_plate_form(found.patch, D, 0);
        const double expected = area(found.patch) * k.dot(D.matrix() * k);
        if (Q == plate_form(found.patch, D)) {
            ++kept;
            continue;
        }
        ++exact;
        EXPECT_NEAR(found.angle.dot(Q * found.angle), expected, 1e-8 * expected);
    }
    EXPECT_GT(exact, 3 * kept);
}

TEST(Plate, BlendIsLinear) {
    const PlateStiffness D = PlateStiffness::isotropic(1, 0.3);
    for (const Angles& found : irregular_patches(sphere)) {
        const Mat3 whole = consistent_plate_form(found.patch, D, 1),
                   none = consistent_plate_form(found.patch, D, 0),
                   blended = consistent_plate_form(found.patch, D, 0.2);

        EXPECT_EQ(whole, plate_form(found.patch, D));
        EXPECT_LT((blended - 0.8 * none - 0.2 * whole).norm(), 1e-12 * blended.norm());
    }
}

TEST(Plate, MissingEdgeKeepsThePlate) {
    PlatePatch patch = irregular_patches(sphere)[0].patch;
    patch.across[1].reset();

    const Mat3 Q = consistent_plate_form(patch, PlateStiffness::isotropic(1, 0), 0);

    EXPECT_EQ(Q, plate_form(patch, PlateStiffness::isotropic(1, 0)));
    EXPECT_EQ(Q.row(1).norm(), 0);
}

TEST(Plate, UnfoldsAPanelWithItsOwnCoordinates) {
    //      2                 the neighbour's panel is turned by 90 degrees and moved
    //     / .
    //    0---1   edge 2 of the corners, shared with the neighbour below it
    //     . /
    //      3
    const std::array<Vec2, 3> corner = {Vec2(0, 0), Vec2(1, 0), Vec2(0.4, 0.8)};
    const Vec2 below(0.7, -0.5);
    const auto turned = [](const Vec2& p) { return Vec2(5 - p.y(), 7 + p.x()); };
    // Runs 1, 0, 3, so its edge 2 is the shared one; started at another corner, edge 1.
    const std::array<Vec2, 3> neighbor = {turned(corner[1]), turned(corner[0]), turned(below)};
    const std::array<Vec2, 3> rolled = {turned(corner[0]), turned(below), turned(corner[1])};

    EXPECT_LT((unfold(corner, 2, neighbor, 2) - below).norm(), 1e-15);
    EXPECT_LT((unfold(corner, 2, rolled, 1) - below).norm(), 1e-15);
}

TEST(Plate, RefusesIndefiniteStiffness) {
    const EnergyEntry& entry = find_entry(bending_terms(), "bending", "plate");

    EXPECT_THROW(entry.make(options({{"warp", 1.0}, {"weft", 1.0}, {"coupling", 1.1}})), Error);
    EXPECT_THROW(entry.make(options({{"blend", 1.5}})), Error);
    EXPECT_THROW(entry.make(options({{"variant", "quad"}})), Error);
}

}  // namespace
}  // namespace taffeta::energy::test
