#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "render/camera.h"

namespace taffeta::render {
namespace {

/// Film coordinates in [-1, 1] of a point; the third is its depth.
Vec3 projected(const Camera& camera, double aspect, const Vec3& point) {
    const Camera::Frame frame = camera.frame();
    const Vec3 p = point - camera.eye;
    const double depth = p.dot(frame.forward);
    const double tangent = std::tan(camera.vertical_fov * std::numbers::pi / 360);
    return {p.dot(frame.right) / (depth * tangent * aspect), p.dot(frame.up) / (depth * tangent),
            depth};
}

TEST(Camera, FrameIsOrthonormalAndRightHanded) {
    Camera camera;
    camera.eye = Vec3(3, 2, 1);
    camera.target = Vec3(-1, 0.5, 0.2);

    const Camera::Frame frame = camera.frame();

    EXPECT_NEAR(frame.right.dot(frame.up), 0, 1e-15);
    EXPECT_NEAR(frame.right.dot(frame.forward), 0, 1e-15);
    EXPECT_NEAR((frame.right.cross(frame.up) + frame.forward).norm(), 0, 1e-15);
    EXPECT_GT(frame.up.y(), 0);
}

TEST(Camera, LookingAlongUpStillHasAFrame) {
    Camera camera;
    camera.eye = Vec3(0, 5, 0);

    const Camera::Frame frame = camera.frame();

    EXPECT_NEAR(frame.right.norm(), 1, 1e-15);
    EXPECT_NEAR(frame.up.norm(), 1, 1e-15);
}

TEST(FitCamera, HoldsAllPointsAndWastesNoDistance) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> in(-1, 1);
    for (const Vec3& up : {Vec3(0, 1, 0), Vec3(0, 0, 1)})
        for (double aspect : {0.5, 1.0, 1.78}) {
            Outline outline;
            for (int p = 0; p < 500; ++p)
                outline.add(Vec3(100 + 3 * in(random), in(random), -40 + 0.5 * in(random)));
            View view;
            view.margin = 0.1;

            const Camera camera = fit_camera(outline, up, aspect, view);

            // The border is a tenth of the height on every side: 0.8 of the film's half-height.
            double widest = 0;
            for (const Vec3& point : outline.points()) {
                const Vec3 film = projected(camera, aspect, point);
                EXPECT_GT(film.z(), 0);
                widest = std::max({widest, std::abs(film.x()) * aspect / (aspect - 0.2),
                                   std::abs(film.y()) / 0.8});
            }
            EXPECT_NEAR(widest, 1, 1e-9);
            EXPECT_GT((camera.eye - camera.target).dot(up), 0);
        }
}

TEST(FitCamera, StandsInFrontToTheRightForBothUpAxes) {
    Outline outline;
    for (int corner = 0; corner < 8; ++corner)
        outline.add(Vec3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1));

    const Vec3 y_up = fit_camera(outline, Vec3::UnitY(), 1).eye;
    const Vec3 z_up = fit_camera(outline, Vec3::UnitZ(), 1).eye;

    EXPECT_GT(y_up.z(), 0);
    EXPECT_GT(y_up.x(), 0);
    EXPECT_LT(z_up.y(), 0);
    EXPECT_GT(z_up.x(), 0);
}

TEST(FitCamera, TakesAnEmptyOutlineAndASinglePoint) {
    Outline single;
    single.add(Vec3(1, 2, 3));

    EXPECT_TRUE(fit_camera(Outline(), Vec3::UnitY(), 1).eye.allFinite());
    const Camera camera = fit_camera(single, Vec3::UnitY(), 1);

    EXPECT_TRUE(camera.eye.allFinite());
    EXPECT_NEAR((camera.target - Vec3(1, 2, 3)).norm(), 0, 1e-12);
    EXPECT_GT((camera.eye - camera.target).norm(), 0);
}

TEST(Outline, PassesOverPointsThatAreNotNumbers) {
    Outline outline;

    outline.add(Vec3(1, 1, 1));
    outline.add(Vec3(NAN, 0, 0));
    outline.add(Vec3(0, -INFINITY, 0));

    EXPECT_EQ(outline.low(), Vec3(1, 1, 1));
    EXPECT_EQ(outline.high(), Vec3(1, 1, 1));
}

}  // namespace
}  // namespace taffeta::render
