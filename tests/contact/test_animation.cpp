#include <gtest/gtest.h>

#include "../helpers/particles.h"
#include "taffeta/contact/obstacle.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::contact {
namespace {

VecX positions(const std::vector<Vec3>& points) {
    VecX x(3 * Eigen::Index(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
        vec3(x, Index(i)) = points[i];
    return x;
}

/// A cube of side 2 that grows to side 4 within one frame of half a second, then moves along x by 1.
SurfaceFrames growing_cube() {
    SurfaceFrames frames;
    frames.mesh = mesh::box(Vec3(1, 1, 1));
    const VecX x = positions(frames.mesh.position);
    const VecX aside = positions(std::vector<Vec3>(frames.mesh.position.size(), Vec3(1, 0, 0)));
    frames.frame = {x, 2 * x, 2 * x + aside};
    frames.frame_rate = 2;
    frames.name = {"cube.1.obj", "cube.2.obj", "cube.3.obj"};
    return frames;
}

std::unique_ptr<Obstacle> animation(SurfaceFrames frames, double start = 0, double teleport = 100) {
    Settings options = Settings::object();
    options["file"] = Settings::of(std::string("cube.1.obj"));
    options["start"] = Settings::of(start);
    options["teleport"] = Settings::of(teleport);
    auto obstacle = find_entry(obstacles(), "obstacle", "animation").make(options);
    Diagnostics diagnostics;
    obstacle->set_frames(std::move(frames), diagnostics);
    return obstacle;
}

TEST(Animation, MovesEvenlyFromFrameToFrame) {
    const auto cube = animation(growing_cube());
    const Vec3 p(5, 0.3, -0.2);
    // Half the side is 1 + 2 t up to 0.5 s; then the cube moves by 2 m/s, and stays from 1 s on.
    const struct {
        double t, distance, speed;
    } cases[] = {{-1, 4, 0},     {0, 4, 2}, {0.25, 3.5, 2}, {0.5, 3, 2},
                 {0.75, 2.5, 2}, {1, 2, 0}, {9, 2, 0}};
    for (const auto& [t, distance, speed] : cases) {
        const Sample sample = cube->sample(p, t);

        EXPECT_NEAR(sample.distance, distance, 1e-12) << t;
        EXPECT_NEAR(sample.velocity.x(), speed, 1e-12) << t;
        EXPECT_LT((sample.normal - Vec3(1, 0, 0)).norm(), 1e-12) << t;
    }
    // While it grows, the foot also moves along the face.
    const Vec3 foot(1.5, 0.3, -0.2);
    EXPECT_LT((cube->sample(p, 0.25).velocity - foot / 1.5 * 2).norm(), 1e-12);
}

TEST(Animation, StartsWhenToldAndIsNegativeInside) {
    const auto cube = animation(growing_cube(), 3);

    EXPECT_NEAR(cube->sample(Vec3(0.9, 0, 0), 2).distance, -0.1, 1e-12);
    EXPECT_NEAR(cube->sample(Vec3(0.9, 0, 0), 3.25).distance, -0.6, 1e-12);
}

TEST(Animation, CarriesPointsWithTheirFace) {
    const auto cube = animation(growing_cube());

    const Vec3 on = cube->carried(Vec3(1, 0.5, 0.25), 0, 0.5);
    const Vec3 above = cube->carried(Vec3(1.1, 0.5, 0.25), 0, 0.5);

    EXPECT_LT((on - Vec3(2, 1, 0.5)).norm(), 1e-12);
    EXPECT_LT((above - Vec3(2.1, 1, 0.5)).norm(), 1e-12);
}

TEST(Animation, GivesTheSameAnswersWhenTimesComeInAnyOrder) {
    const auto cube = animation(growing_cube()), other = animation(growing_cube());
    const Vec3 p(1.7, 0.4, 0.9);
    std::vector<double> forward;
    for (int k = 0; k <= 20; ++k)
        forward.push_back(cube->sample(p, 0.05 * k).distance);
    for (int k = 20; k >= 0; --k) {
        EXPECT_EQ(other->sample(p, 0.05 * k).distance, forward[std::size_t(k)]);
        EXPECT_EQ(cube->sample(p, 0.05 * (20 - k)).distance, forward[std::size_t(20 - k)]);
    }
}

TEST(Animation, ShrunkFacesAreLeftToTheirNeighbours) {
    SurfaceFrames frames = growing_cube();
    // The top collapses to a point: a pyramid whose top faces have no area.
    for (Index i = 0; i < 8; ++i)
        if (frames.mesh.position[std::size_t(i)].z() > 0) vec3(frames.frame[1], i) = Vec3(0, 0, 1);
    const auto pyramid = animation(frames);

    const Sample above = pyramid->sample(Vec3(0, 0, 3), 0.5);

    EXPECT_NEAR(above.distance, 2, 1e-12);
    EXPECT_LT((above.normal - Vec3(0, 0, 1)).norm(), 1e-12);
}

TEST(Animation, JumpsAreNamed) {
    SurfaceFrames frames = growing_cube();
    vec3(frames.frame[2], 5) = Vec3(700, 0, 0);

    try {
        animation(frames);
        FAIL();
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("cube.3.obj"), std::string::npos) << text;
        EXPECT_NE(text.find("vertex 5 jumps"), std::string::npos) << text;
    }
    EXPECT_NO_THROW(animation(frames, 0, 0));
}

TEST(Animation, OpenSurfacesAreNoted) {
    SurfaceFrames frames;
    frames.mesh = mesh::grid(4, 4, 1, 1, mesh::Tessellation::regular);
    frames.frame = {positions(frames.mesh.position)};
    Settings options = Settings::object();
    options["file"] = Settings::of(std::string("sheet.obj"));
    const auto sheet = find_entry(obstacles(), "obstacle", "animation").make(options);
    Diagnostics diagnostics;

    sheet->set_frames(frames, diagnostics);

    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_NE(diagnostics[0].text().find("16 edges"), std::string::npos) << diagnostics[0].text();
    EXPECT_NEAR(sheet->sample(Vec3(0.3, 0.4, 0.2), 0).distance, 0.2, 1e-15);
    EXPECT_NEAR(sheet->sample(Vec3(0.3, 0.4, -0.2), 0).distance, -0.2, 1e-15);
}

}  // namespace
}  // namespace taffeta::contact
