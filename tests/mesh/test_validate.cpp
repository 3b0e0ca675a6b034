#include "taffeta/mesh/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "taffeta/mesh/generators.h"
#include "taffeta/mesh/topology.h"

namespace taffeta::mesh {
namespace {

TriMesh mesh_of(std::vector<Vec3> positions, std::vector<Triangle> faces) {
    TriMesh mesh;
    mesh.position = std::move(positions);
    mesh.face = std::move(faces);
    return mesh;
}

/// The finding whose text contains `part`; an empty one when there is none.
Diagnostic finding(const TriMesh& mesh, const std::string& part,
                   const ValidateOptions& options = {}) {
    std::string all;
    for (const Diagnostic& diagnostic : validate(mesh, options)) {
        if (diagnostic.text().find(part) != std::string::npos) return diagnostic;
        all += diagnostic.text() + "\n";
    }
    ADD_FAILURE() << "nothing says '" << part << "':\n" << all;
    return {};
}

std::size_t count_above_note(const Diagnostics& found) {
    std::size_t count = 0;
    for (const Diagnostic& diagnostic : found)
        if (diagnostic.severity != Severity::note) ++count;
    return count;
}

const std::vector<Vec3> square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

TEST(Validate, GoodMeshesHaveNoWarnings) {
    EXPECT_EQ(count_above_note(validate(grid(20, 20, 1, 1, Tessellation::irregular))), 0u);
    EXPECT_EQ(count_above_note(validate(icosphere(1, 3))), 0u);
    EXPECT_EQ(count_above_note(validate(cylinder(.1, 1, 24))), 0u);
    EXPECT_EQ(count_above_note(validate(mesh_of({square[0], square[1], square[2]}, {{0, 1, 2}}))),
              0u);
}

/// Three pages of a book on the spine 0-1.
TEST(Validate, NonManifoldEdgeIsNamedAndStrictMakesItAnError) {
    TriMesh mesh = mesh_of({{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}},
                           {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
    mesh.source = "book.obj";
    mesh.face_line = {6, 7, 8};

    const Diagnostic warning = finding(mesh, "non-manifold");
    const Diagnostic error = finding(mesh, "non-manifold", {.strict = true});

    EXPECT_EQ(warning.where, "book.obj:6");
    EXPECT_NE(warning.message.find("edge 0-1 has faces 0, 1 and 2"), std::string::npos);
    EXPECT_EQ(warning.severity, Severity::warning);
    EXPECT_EQ(error.severity, Severity::error);
}

TEST(Validate, BowTieIsOneVertexWithTwoFans) {
    const TriMesh mesh = mesh_of({{0, 0, 0}, {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}},
                                 {{0, 2, 1}, {0, 3, 4}});

    EXPECT_NE(finding(mesh, "bow-tie").message.find("vertex 0; the first 2 fans"),
              std::string::npos);
}

TEST(Validate, BadFacesAreNamed) {
    const TriMesh mesh = mesh_of({square[0], square[1], square[2], square[3], {.5, 0, 0}},
                                 {{0, 1, 2}, {0, 2, 3}, {2, 0, 1}, {1, 1, 2}, {0, 4, 1}});

    EXPECT_NE(finding(mesh, "repeats an earlier").message.find("face 2"), std::string::npos);
    EXPECT_NE(finding(mesh, "names a vertex twice").message.find("face 3"), std::string::npos);
    EXPECT_NE(finding(mesh, "has no area").message.find("face 4"), std::string::npos);
}

TEST(Validate, FlatFacesAreAnErrorFromOnePercentOn) {
    TriMesh mesh = grid(10, 10, 1, 1, Tessellation::regular);
    mesh.position.emplace_back(.05, 0, 0);
    const Index middle = mesh.vertex_count() - 1;
    mesh.face_uv.clear();
    mesh.uv.clear();

    mesh.face.push_back({0, middle, 1});
    EXPECT_EQ(finding(mesh, "no area").severity, Severity::warning);
    mesh.face.push_back({middle, 1, 2});
    mesh.face.push_back({middle, 2, 3});
    EXPECT_EQ(finding(mesh, "no area").severity, Severity::error);
}

TEST(Validate, SliverAndZeroLengthEdge) {
    const TriMesh sliver = mesh_of({{0, 0, 0}, {1, 0, 0}, {.5, 1e-5, 0}}, {{0, 1, 2}});
    const TriMesh zero = mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, {{0, 1, 2}});

    EXPECT_NE(finding(sliver, "sliver").message.find("the first 1e+05 times"), std::string::npos);
    EXPECT_EQ(finding(zero, "edge of length 0").severity, Severity::error);
    EXPECT_NE(finding(zero, "coincides").message.find("vertex 2; the first with vertex 1"),
              std::string::npos);
}

TEST(Validate, WindingAndInsideOut) {
    TriMesh turned = grid(4, 4, 1, 1, Tessellation::regular);
    std::swap(turned.face[7][1], turned.face[7][2]);
    TriMesh inverted = icosphere(1, 1);
    for (Triangle& face : inverted.face)
        std::swap(face[1], face[2]);

    EXPECT_NE(finding(turned, "wound against").message.find("1 face is wound"), std::string::npos);
    EXPECT_NE(finding(turned, "wound against").message.find("face 7"), std::string::npos);
    EXPECT_EQ(finding(inverted, "inside out").severity, Severity::warning);
}

TEST(Validate, ACavityIsNotInsideOut) {
    TriMesh hollow = box(Vec3(1, 1, 1));
    TriMesh cavity = box(Vec3(.5, .5, .5));
    for (Triangle face : cavity.face)
        hollow.face.push_back({face[0] + 8, face[2] + 8, face[1] + 8});
    hollow.position.insert(hollow.position.end(), cavity.position.begin(), cavity.position.end());

    EXPECT_EQ(count_above_note(validate(hollow)), 0u);
}

/// A strip of triangles closed with a half turn: vertices 2 i below, 2 i + 1 above.
TEST(Validate, MoebiusStripHasNoTwoSides) {
    TriMesh mesh;
    const Index steps = 12;
    for (Index i = 0; i < steps; ++i) {
        const double angle = 2 * M_PI * i / steps, half = angle / 2;
        for (const double side : {-.3, .3})
            mesh.position.emplace_back((1 + side * std::cos(half)) * std::cos(angle),
                                       (1 + side * std::cos(half)) * std::sin(angle),
                                       side * std::sin(half));
        const bool last = i + 1 == steps;
        const Index a = 2 * i, b = 2 * i + 1, c = last ? 1 : a + 2, d = last ? 0 : b + 2;
        mesh.face.push_back({a, c, b});
        mesh.face.push_back({b, c, d});
    }

    EXPECT_EQ(finding(mesh, "Moebius").severity, Severity::warning);
    EXPECT_EQ(finding(mesh, "open").severity, Severity::note);
}

///  3 ----- 2        the lower triangle has the edge 0-1, the upper faces meet at 4 on it
///  | \ 4 / |
///  0 --+-- 1
///      5
TEST(Validate, TJunctionAndComponents) {
    const TriMesh mesh =
        mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {.5, 0, 0}, {.5, -1, 0}},
                {{0, 4, 3}, {4, 1, 2}, {4, 2, 3}, {0, 5, 1}});

    EXPECT_NE(finding(mesh, "T-junction").message.find("vertex 4 on edge 0-1"), std::string::npos);
    EXPECT_NE(finding(mesh, "separate parts").message.find("2 separate"), std::string::npos);
}

TEST(Validate, EmptyAndUnused) {
    EXPECT_EQ(finding(TriMesh{}, "empty").severity, Severity::error);
    EXPECT_EQ(finding(mesh_of(square, {}), "4 vertices and 0 faces").severity, Severity::error);
    EXPECT_NE(finding(mesh_of(square, {{0, 1, 2}}), "in no face").message.find("vertex 3"),
              std::string::npos);
    EXPECT_EQ(finding(mesh_of(square, {{0, 1, 9}}), "outside 0 to 3").severity, Severity::error);
}

TEST(Validate, NumbersOutOfRange) {
    TriMesh mesh = grid(2, 2, 1, 1, Tessellation::regular);
    TriMesh not_a_number = mesh, huge = mesh, far = mesh, millimetres = mesh, tiny = mesh;
    not_a_number.position[3].y() = std::numeric_limits<double>::quiet_NaN();
    huge.position[4].z() = 1e308;
    for (Vec3& x : far.position)
        x += Vec3(5e5, 0, 0);
    for (Vec3& x : millimetres.position)
        x *= 1000;
    for (Vec3& x : tiny.position)
        x *= 1e-320;

    EXPECT_NE(finding(not_a_number, "not finite").message.find("vertex 3"), std::string::npos);
    EXPECT_EQ(finding(huge, "beyond").severity, Severity::error);
    EXPECT_EQ(finding(far, "from the origin").severity, Severity::warning);
    EXPECT_NE(finding(millimetres, "median edge").message.find("is 500 m"), std::string::npos);
    EXPECT_EQ(finding(tiny, "large").severity, Severity::error);
}

TEST(Validate, UvFindings) {
    TriMesh mesh = grid(3, 3, 1, 1, Tessellation::regular);
    TriMesh flat = mesh, folded = mesh, small = mesh;
    for (Index k = 0; k < 3; ++k)
        flat.face_uv[5][std::size_t(k)] = 0;
    folded.uv[0] = Vec2(.9, .8);
    for (Vec2& uv : small.uv)
        uv *= .25;

    EXPECT_NE(finding(flat, "without area in uv").message.find("face 5"), std::string::npos);
    EXPECT_EQ(finding(folded, "turned over in uv").severity, Severity::warning);
    EXPECT_NE(finding(small, "those in uv").message.find("4 times"), std::string::npos);
    EXPECT_NEAR(uv_ratio(small), 4, 1e-12);
}

TEST(Validate, HundredThousandFacesTakeMoments) {
    const TriMesh mesh = grid(224, 224, 1, 1, Tessellation::irregular);
    TriMesh soup = mesh;
    soup.position.clear();
    soup.face.clear();
    soup.face_uv.clear();
    soup.uv.clear();
    for (const Triangle& face : mesh.face) {
        const Index first = soup.vertex_count();
        for (const Index vertex : face)
            soup.position.push_back(mesh.position[std::size_t(vertex)]);
        soup.face.push_back({first, first + 1, first + 2});
    }
    TriMesh all_in_one_place = mesh;
    for (Vec3& x : all_in_one_place.position)
        x = Vec3(.1, .2, .3);
    const std::clock_t start = std::clock();

    validate(mesh);
    validate(soup);
    validate(all_in_one_place);

    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 15);
}

TEST(Repair, DropsTurnsAndRenumbers) {
    TriMesh mesh = mesh_of({{9, 9, 9}, square[0], square[1], square[2], square[3]},
                           {{1, 2, 3}, {1, 4, 3}, {3, 1, 2}, {2, 2, 3}});
    mesh.group["collar"] = {0, 3, 4};

    const Repaired repaired = repair(mesh);

    EXPECT_EQ(repaired.mesh.face, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(repaired.vertex_map, (std::vector<Index>{-1, 0, 1, 2, 3}));
    EXPECT_EQ(repaired.mesh.group.at("collar"), (std::vector<Index>{2, 3}));
    EXPECT_EQ(repaired.changes.size(), 4u);
    EXPECT_EQ(count_above_note(validate(repaired.mesh)), 0u);
}

TEST(Repair, WeldsOnlyWhenAsked) {
    const TriMesh mesh =
        mesh_of({square[0], square[1], square[2], {1e-7, 0, 0}, {1, 1, 1e-7}, square[3]},
                {{0, 1, 2}, {3, 4, 5}});

    const Repaired kept = repair(mesh);
    const Repaired welded = repair(mesh, {.weld_tolerance = 1e-6});

    EXPECT_EQ(kept.mesh.vertex_count(), 6);
    EXPECT_EQ(welded.mesh.vertex_count(), 4);
    EXPECT_EQ(welded.vertex_map, (std::vector<Index>{0, 1, 2, 0, 2, 3}));
    EXPECT_EQ(make_topology(welded.mesh).hinge.size(), 1u);
}

TEST(Repair, TurnsAClosedMeshOutside) {
    TriMesh mesh = icosphere(1, 2);
    for (Triangle& face : mesh.face)
        std::swap(face[1], face[2]);
    std::swap(mesh.face[4][1], mesh.face[4][2]);

    const Repaired repaired = repair(mesh);

    EXPECT_EQ(count_above_note(validate(repaired.mesh)), 0u);
    EXPECT_EQ(repaired.mesh.position, mesh.position);
}

TEST(Repair, RefusesIndicesOutsideTheMesh) {
    EXPECT_THROW(repair(mesh_of(square, {{0, 1, 7}})), Error);
    EXPECT_THROW(repair(mesh_of(square, {{0, 1, -1}})), Error);
}

}  // namespace
}  // namespace taffeta::mesh
