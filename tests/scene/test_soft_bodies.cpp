#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

namespace taffeta::scene {
namespace {

const std::string materials =
    R"("materials": {"jelly": {"density": 1000, "solid": {"type": "arap", "young": 1e4}}})";

BuiltScene built(const std::string& body, const std::string& more = materials) {
    return build(
        load_settings(parse_json(R"({"bodies": [)" + body + R"(], )" + more + "}", "test.json")));
}

std::string failure(const std::string& body, const std::string& more = materials) {
    try {
        built(body, more);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

const std::string box = R"("type": "soft", "material": "jelly",
    "mesh": {"box": {"columns": 3, "rows": 2, "layers": 2, "size": [0.3, 0.2, 0.2]}})";

TEST(SoftBodies, StartAtRestWhereverTheyArePlaced) {
    const BuiltScene scene =
        built("{" + box +
              R"(, "transform": {"translate": [1, 2, 3], "rotate": [30, 40, 50], "scale": 2}})");
    const sim::World& world = scene.world;

    ASSERT_EQ(world.energies.size(), 2u);  // the law and gravity
    EXPECT_EQ(world.energies[0]->name(), "arap");
    EXPECT_NEAR(world.mass.sum(), 1000 * 8 * 0.012, 1e-9);
    EXPECT_NEAR(world.energies[0]->value(world.state.x), 0, 1e-15);
}

TEST(SoftBodies, ShowTheirBoundaryOnly) {
    const BuiltScene scene = built("{" + box + "}");
    const sim::Body& body = scene.world.bodies[0];

    const mesh::TriMesh shown = sim::shown_mesh(body);
    VecX part;
    sim::shown_part(body, scene.world.state.x, part);

    EXPECT_EQ(body.mesh.vertex_count(), 4 * 3 * 3);
    EXPECT_EQ(shown.vertex_count(), 4 * 3 * 3 - 2);  // two vertices lie inside
    EXPECT_EQ(shown.face_count(), 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
    ASSERT_EQ(part.size(), 3 * shown.vertex_count());
    for (Index i = 0; i < shown.vertex_count(); ++i)
        EXPECT_EQ(Vec3(vec3(part, i)), shown.position[std::size_t(i)]);
}

TEST(SoftBodies, MayBeQuadraticAndHeldByTheirSides) {
    const BuiltScene scene =
        built("{" + box + R"(, "elements": "quadratic", "pins": [{"group": "x_min"}]})");

    EXPECT_EQ(scene.world.vertex_count(), 7 * 5 * 5);
    EXPECT_EQ(scene.world.pins[0].vertex.size(), 25u);
    EXPECT_EQ(sim::shown_mesh(scene.world.bodies[0]).face_count(), 8 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
}

TEST(SoftBodies, AndClothShareAWorld) {
    const BuiltScene scene = built("{" + box + R"(}, {"mesh": {"grid": {"columns": 2, "rows": 2}},
                            "transform": {"translate": [0, 0, 5]}})");

    EXPECT_EQ(scene.world.vertex_count(), 36 + 9);
    EXPECT_EQ(scene.world.bodies[1].first_vertex, 36);
    EXPECT_FALSE(scene.world.bodies[1].soft());
    EXPECT_EQ(scene.world.energies.size(), 1u + 2u + 2u);
}

TEST(SoftBodies, ComeFromFiles) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "taffeta_soft";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "one.vtk") << "# vtk DataFile Version 3.0\none\nASCII\n"
                                         "DATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                                         "0 0 0 1 0 0 0 1 0 0 0 1\n"
                                         "CELLS 1 5\n4 0 2 1 3\nCELL_TYPES 1\n10\n";
    const std::string text = R"({"bodies": [{"type": "soft", "material": "jelly", REPAIR
        "mesh": {"file": "one.vtk"}}], )" +
                             materials + "}";
    const auto scene_of = [&](const std::string& repair) {
        std::string whole = text;
        whole.replace(whole.find("REPAIR"), 6, repair);
        std::ofstream(folder / "scene.json") << whole;
        return load_scene((folder / "scene.json").string());
    };

    const BuiltScene scene = build(scene_of(R"("repair": true,)"));

    EXPECT_NEAR(scene.world.mass.sum(), 1000.0 / 6, 1e-10);
    ASSERT_EQ(scene.diagnostics.size(), 1u);
    EXPECT_NE(scene.diagnostics[0].message.find("turned"), std::string::npos);
    EXPECT_THROW(build(scene_of("")), Error);  // inside out
}

TEST(SoftBodies, MistakesAreNamed) {
    const std::string fabric = R"({"mesh": {"grid": {}}, "material": "jelly"})";
    EXPECT_NE(failure(fabric).find("'jelly' is no fabric"), std::string::npos);
    EXPECT_NE(failure("{" + box + "}", R"("materials": {"jelly": {"preset": "cotton"}})")
                  .find("no law of solids"),
              std::string::npos);
    EXPECT_NE(failure(R"({"type": "soft", "mesh": {"grid": {}}, "material": "jelly"})")
                  .find("needs tets"),
              std::string::npos);
    EXPECT_NE(failure(R"({"mesh": {"box": {}}})").find("soft"), std::string::npos);
    EXPECT_NE(failure("{" + box + R"(, "rest": {"from": "mesh"}})").find("for cloth"),
              std::string::npos);
    EXPECT_NE(failure(R"({"mesh": {"grid": {}}, "elements": "quadratic"})").find("soft bodies"),
              std::string::npos);
    EXPECT_NE(failure("{" + box + R"(, "pins": [{"region": "u_min"}]})").find("uv"),
              std::string::npos);
}

}  // namespace
}  // namespace taffeta::scene
