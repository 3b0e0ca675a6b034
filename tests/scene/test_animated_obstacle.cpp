#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "scene/simulations.h"
#include "taffeta/io/format.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/scene/json.h"

namespace taffeta::scene {
namespace {

namespace fs = std::filesystem;

class AnimatedObstacle : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / fmt::format("taffeta_animated_{}", ::getpid());
        fs::create_directories(folder_ / "body");
        for (int k = 1; k <= 3; ++k)
            write(k, mesh::icosphere(0.1 + 0.01 * k, 2));
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(int number, const mesh::TriMesh& mesh) {
        io::write_mesh(folder_ / fmt::format("body/ball.{:04}.obj", number), mesh);
    }
    Scene scene(const std::string& shape = R"("file": "body/ball.0001.obj")",
                const std::string& transform = "{}") {
        const fs::path file = folder_ / "scene.json";
        std::ofstream(file) << fmt::format(
            R"({{"bodies": [{{"mesh": {{"grid": {{"columns": 3, "rows": 3}}}},
                 "transform": {{"translate": [1, 0, 0]}}}}],
                 "obstacles": [{{"shape": {{"type": "animation", {}}}, "transform": {}}}]}})",
            shape, transform);
        return load_scene(file.string());
    }
    std::string failure() { return failure_of(scene()); }
    static std::string failure_of(const Scene& scene) {
        try {
            build(scene);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    fs::path folder_;
};

TEST_F(AnimatedObstacle, ComesFromASequenceOfFiles) {
    const BuiltScene built = build(scene(R"("file": "body/ball.0001.obj", "frame_rate": 10)",
                                         R"({"translate": [0, 2, 0], "scale": 2})"));
    const contact::Obstacle& ball = *built.world.obstacles[0].shape;

    // Radius 0.11 m in the first frame, 1 cm more in each; twice as large.
    EXPECT_NEAR(ball.sample(Vec3(0, 3, 0), 0).distance, 1 - 0.22, 1e-6);
    EXPECT_NEAR(ball.sample(Vec3(0, 3, 0), 0.15).distance, 1 - 0.25, 1e-6);
    EXPECT_NEAR(ball.sample(Vec3(0, 3, 0), 1).distance, 1 - 0.26, 1e-6);
}

TEST_F(AnimatedObstacle, ChangedTopologyIsNamedWithItsFileAndCounts) {
    write(2, mesh::icosphere(0.12, 1));
    const std::string fewer = failure();
    mesh::TriMesh turned = mesh::icosphere(0.12, 2);
    std::swap(turned.face[7][0], turned.face[7][1]);
    write(2, turned);
    const std::string other = failure();

    EXPECT_NE(fewer.find("ball.0002.obj"), std::string::npos) << fewer;
    EXPECT_NE(fewer.find("42 vertices, the first frame has 162"), std::string::npos) << fewer;
    EXPECT_NE(other.find("its faces are not those of the first frame"), std::string::npos) << other;
}

TEST_F(AnimatedObstacle, MissingFramesAreNamed) {
    fs::remove(folder_ / "body/ball.0002.obj");

    EXPECT_NE(failure().find("frame 2 of this sequence is missing"), std::string::npos)
        << failure();
    EXPECT_NO_THROW(build(scene(R"("file": "body/ball.0001.obj", "stride": 2)")));
}

TEST_F(AnimatedObstacle, EveryFrameCountsForTheIdentityOfTheScene) {
    const std::uint64_t before = scene_hash(scene());
    write(3, mesh::icosphere(0.14, 2));

    EXPECT_NE(scene_hash(scene()), before);
}

/// A sheet of four vertices, and a spike that rises between them at 1 m/s.
class AnimatedSpike : public AnimatedObstacle {
  protected:
    Scene spike_scene(double top, const std::string& contact = "{}") {
        mesh::TriMesh spike;
        spike.face = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
        for (int k = 1; k <= 2; ++k, top += 0.2) {
            spike.position = {
                {0.3, top - 1, 0.2}, {0.4, top - 1, 0.3}, {0.4, top - 1, 0.2}, {0.35, top, 0.25}};
            write(k, spike);
        }
        const fs::path file = folder_ / "spike.json";
        std::ofstream(file) << fmt::format(
            R"({{"time": {{"frame_rate": 50, "frames": 10, "step": 0.004}}, "gravity": [0, 0, 0],
                 "contact": {},
                 "bodies": [{{"mesh": {{"grid": {{"columns": 2, "rows": 2}}}},
                              "material": "benchmark-cotton", "transform": {{"rotate": [90, 0, 0]}}}}],
                 "obstacles": [{{"shape": {{"type": "animation", "file": "body/ball.0001.obj",
                                              "frame_rate": 5, "teleport": 0}}}}]}})",
            contact);
        fs::remove(folder_ / "body/ball.0003.obj");
        return load_scene(file.string());
    }
};

TEST_F(AnimatedSpike, DoesNotEnterAFaceBetweenItsVertices) {
    for (const char* const contact : {R"({"type": "pipeline_2015"})", R"({"type": "barrier"})"}) {
        BuiltScene built = build(spike_scene(-0.02, contact));
        sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
        const double before = simulation.world().state.x.sum();

        for (int step = 0; step < 50; ++step) {
            const sim::StepRecord record = simulation.step();
            ASSERT_TRUE(record.ok()) << contact << simulation.message();
            ASSERT_EQ(intersections(simulation.world()), 0u) << contact << step;
        }
        EXPECT_NE(simulation.world().state.x.sum(), before) << contact;
    }
}

TEST_F(AnimatedSpike, IntersectionsAtTheStartAreRefused) {
    const std::string failure = failure_of(spike_scene(0.1));

    EXPECT_NE(failure.find("intersect at the start"), std::string::npos) << failure;
    EXPECT_NE(failure.find("'obstacle0'"), std::string::npos) << failure;
}

TEST_F(AnimatedObstacle, FramesThatLeadOutOfTheFolderAreRefused) {
    const fs::path outside = fs::temp_directory_path() / fmt::format("outside_{}.obj", ::getpid());
    fs::rename(folder_ / "body/ball.0003.obj", outside);
    fs::create_symlink(outside, folder_ / "body/ball.0003.obj");

    EXPECT_NE(failure().find("leads out of the scene's folder"), std::string::npos) << failure();
    fs::remove(outside);
}

TEST(Kick, TheBodyOfCodimIpcIsAnObstacle) {
    const fs::path folder = fs::path(TAFFETA_DATA_DIR) / "data/codim-ipc/kick";
    if (!fs::exists(folder / "0000.obj")) GTEST_SKIP() << "no " << folder;
    const fs::path file =
        fs::temp_directory_path() / fmt::format("taffeta_kick_{}.json", ::getpid());
    std::ofstream(file) << fmt::format(
        R"({{"bodies": [{{"mesh": {{"grid": {{"columns": 3, "rows": 3}}}},
             "transform": {{"translate": [3, 0, 0]}}}}],
             "obstacles": [{{"shape": {{"type": "animation", "file": "{}", "stride": 4,
                                          "frame_rate": 6, "teleport": 200}}}}]}})",
        (folder / "0000.obj").string());

    const BuiltScene built = build(load_scene(file.string(), {}, true));

    fs::remove(file);
    const contact::Obstacle& body = *built.world.obstacles[0].shape;
    const mesh::TriMesh at_start = body.surface(0);
    ASSERT_EQ(at_start.vertex_count(), 12811);
    // Only every fourth frame is there: a foot moves 1.2 m from file to file.
    // Between frames 2 and 3: distances vanish on the surface, and rates are those of its points.
    const double t = 2.4 / 6, dt = 1e-6;
    const mesh::TriMesh surface = body.surface(t), before = body.surface(t - dt),
                        after = body.surface(t + dt);
    int checked = 0;
    for (Index i = 0; i < surface.vertex_count(); i += 97) {
        const auto v = std::size_t(i);
        const contact::Sample sample = body.sample(surface.position[v], t);
        const Vec3 rate = (after.position[v] - before.position[v]) / (2 * dt);

        EXPECT_NEAR(sample.distance, 0, 1e-12);
        checked += (sample.velocity - rate).norm() < 1e-6;
    }
    // Where the mesh touches itself another sheet may be the nearest.
    EXPECT_GT(checked, 125);
}

/// Fourteen panels around the body, which are sewn onto it as it begins to move.
TEST(Kick, TheDressOfCodimIpcGoesOnWithoutAnIntersection) {
    const fs::path folder = fs::path(TAFFETA_DATA_DIR) / "data/codim-ipc";
    if (!fs::exists(folder / "dress_knife/stage.obj")) GTEST_SKIP() << "no " << folder;
    const fs::path file =
        fs::temp_directory_path() / fmt::format("taffeta_dress_{}.json", ::getpid());
    std::ofstream(file) << fmt::format(
        R"({{"time": {{"frame_rate": 24, "frames": 121, "substeps": 20}},
             "bodies": [{{"mesh": {{"file": "{0}/dress_knife/stage.obj"}},
                          "material": "benchmark-cotton", "stitches": {{"closing_time": 0.05}},
                          "transform": {{"rotate": [-90, 0, 0], "translate": [0, 0.72, 0],
                                         "scale": 1.05}}}}],
             "obstacles": [{{"friction": 0.3,
                             "shape": {{"type": "animation", "file": "{0}/kick/0000.obj", "stride": 4,
                                        "frame_rate": 6, "teleport": 0}}}}]}})",
        folder.string());
    BuiltScene built = build(load_scene(file.string(), {}, true));
    fs::remove(file);
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);

    Index impacts = 0, springs = 0;
    for (int step = 1; step <= 24; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        impacts += record.contact.impacts;
        springs = std::max(springs, record.contact.springs);
        if (step % 8 == 0) {
            ASSERT_EQ(intersections(simulation.world()), 0u) << step;
        }
    }
    EXPECT_GT(impacts + springs, 0);
}

}  // namespace
}  // namespace taffeta::scene
