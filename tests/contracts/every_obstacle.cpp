#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "../helpers/particles.h"
#include "taffeta/contact/closest_point.h"
#include "taffeta/mesh/generators.h"

// What holds for every registered obstacle, at rest and in motion.
namespace taffeta::contact {
namespace {

class EveryObstacle : public testing::TestWithParam<const ObstacleEntry*> {
  protected:
    /// With default options, but tumbling; one that needs a file gets a ball, one that needs many gets
    /// a ball that turns and becomes an egg.
    std::unique_ptr<Obstacle> make() {
        const ObstacleEntry& entry = *GetParam();
        Settings options = Settings::object();
        for (const FieldInfo& field : entry.fields()) {
            if (field.key == "file") options["file"] = Settings::of(std::string("ball.obj"));
            if (field.key == "motion") options["motion"] = tumbling();
        }
        auto obstacle = entry.make(options);
        Diagnostics diagnostics;
        if (obstacle->animated())
            obstacle->set_frames(wobbling_ball(), diagnostics);
        else if (!obstacle->file().empty())
            obstacle->set_surface(mesh::icosphere(0.5, 3), diagnostics);
        return obstacle;
    }

    static Settings tumbling() {
        Settings motion = Settings::object(), start = Settings::object(), end = Settings::object();
        start["time"] = Settings::of(0.0);
        end["time"] = Settings::of(2.0);
        end["translate"] = vector_setting(Vec3(0.3, -0.2, 0.1));
        end["rotate"] = vector_setting(Vec3(40, 70, -20));
        motion["keyframes"] = Settings::array();
        motion["keyframes"].items() = {start, end};
        motion["angular_velocity"] = vector_setting(Vec3(0.2, 0.5, -0.3));
        motion["pivot"] = vector_setting(Vec3(0.1, 0.2, 0.3));
        return motion;
    }

    static SurfaceFrames wobbling_ball() {
        SurfaceFrames frames;
        frames.mesh = mesh::icosphere(0.5, 3);
        frames.frame_rate = 2;
        for (int k = 0; k < 5; ++k) {
            VecX x(3 * Eigen::Index(frames.mesh.vertex_count()));
            const Mat3 turn = Eigen::AngleAxisd(0.2 * k, Vec3(1, 2, 0).normalized()).matrix();
            for (Index i = 0; i < frames.mesh.vertex_count(); ++i)
                vec3(x, i) =
                    turn *
                        Vec3(1, 1 + 0.1 * k, 1).cwiseProduct(frames.mesh.position[std::size_t(i)]) +
                    0.05 * k * Vec3(1, 0, -1);
            frames.frame.push_back(x);
        }
        return frames;
    }

    Vec3 point() {
        std::uniform_real_distribution<double> coordinate(-1.2, 1.2);
        return {coordinate(random_), coordinate(random_), coordinate(random_)};
    }

    std::mt19937 random_{7};
    static constexpr double time_ = 0.7;
};

Vec3 gradient(const Obstacle& obstacle, const Vec3& p, double t, double delta) {
    Vec3 result;
    for (int k = 0; k < 3; ++k) {
        const Vec3 offset = delta * Vec3::Unit(k);
        result[k] =
            (obstacle.sample(p + offset, t).distance - obstacle.sample(p - offset, t).distance) /
            (2 * delta);
    }
    return result;
}

TEST_P(EveryObstacle, NormalIsTheUnitGradientOfTheDistance) {
    const auto obstacle = make();
    int checked = 0;
    for (int k = 0; k < 500; ++k) {
        const Vec3 p = point();
        const Sample sample = obstacle->sample(p, time_);
        ASSERT_TRUE(std::isfinite(sample.distance));
        ASSERT_NEAR(sample.normal.norm(), 1, 1e-12);
        // Outside, where a distance has no ridge as long as the solid is convex.
        if (sample.distance < 0.02) continue;

        const Vec3 difference = gradient(*obstacle, p, time_, 1e-5);

        EXPECT_NEAR(difference.norm(), 1, 1e-6) << p.transpose();
        EXPECT_LT((difference - sample.normal).norm(), 1e-4) << p.transpose();
        ++checked;
    }
    EXPECT_GT(checked, 100);
}

TEST_P(EveryObstacle, DistanceIsTheWayToTheSurfaceAlongTheNormal) {
    const auto obstacle = make();
    for (int k = 0; k < 500; ++k) {
        const Vec3 p = point();
        const Sample sample = obstacle->sample(p, time_);

        const Sample foot = obstacle->sample(p - sample.distance * sample.normal, time_);

        EXPECT_NEAR(foot.distance, 0, 1e-9) << p.transpose();
    }
}

TEST_P(EveryObstacle, DistanceIsOneLipschitz) {
    const auto obstacle = make();
    for (int k = 0; k < 500; ++k) {
        const Vec3 p = point(), q = point();

        const double difference =
            std::abs(obstacle->sample(p, time_).distance - obstacle->sample(q, time_).distance);

        EXPECT_LE(difference, (p - q).norm() + 1e-12);
    }
}

TEST_P(EveryObstacle, VelocityIsThatOfTheSurface) {
    const auto obstacle = make();
    const double dt = 1e-6;
    for (int k = 0; k < 200; ++k) {
        const Vec3 p = point();
        const Sample sample = obstacle->sample(p, time_);
        if (sample.distance < 0.02) continue;

        const double rate =
            (obstacle->sample(p, time_ + dt).distance - obstacle->sample(p, time_ - dt).distance) /
            (2 * dt);

        // The surface coming nearer shortens the distance at a fixed point.
        EXPECT_NEAR(rate, -sample.normal.dot(sample.velocity), 1e-4) << p.transpose();
    }
}

TEST_P(EveryObstacle, CarriedPointsKeepTheirDistanceAndMoveWithItsVelocity) {
    const auto obstacle = make();
    const double dt = 1e-6;
    for (int k = 0; k < 200; ++k) {
        Vec3 p = point();
        const Sample sample = obstacle->sample(p, time_);
        p -= sample.distance * sample.normal;
        const Vec3 later = obstacle->carried(p, time_, time_ + 0.5);

        const Vec3 rate =
            (obstacle->carried(p, time_, time_ + dt) - obstacle->carried(p, time_, time_ - dt)) /
            (2 * dt);

        EXPECT_NEAR(obstacle->sample(later, time_ + 0.5).distance, 0, 1e-9);
        EXPECT_LT((rate - sample.velocity).norm(), 1e-7);
        EXPECT_LT((obstacle->carried(p, time_, time_) - p).norm(), 1e-12);
    }
}

TEST_P(EveryObstacle, NearNeverMisses) {
    const auto obstacle = make();
    for (int k = 0; k < 2000; ++k) {
        const Vec3 p = point();
        const double distance = obstacle->sample(p, time_).distance;

        EXPECT_TRUE(obstacle->near(p, distance + 1e-9, time_));
        EXPECT_FALSE(obstacle->near(p + Vec3(1e6, 1e6, 0), -1e7, time_));
    }
}

TEST_P(EveryObstacle, SurfaceIsWhereTheDistanceVanishesAndFacesOutward) {
    const auto obstacle = make();
    const mesh::TriMesh surface = obstacle->surface(time_);
    ASSERT_GT(surface.face_count(), 0);
    for (const Vec3& position : surface.position)
        EXPECT_NEAR(obstacle->sample(position, time_).distance, 0, 2e-3);
    for (const Triangle& face : surface.face) {
        const Vec3& a = surface.position[std::size_t(face[0])];
        const Vec3& b = surface.position[std::size_t(face[1])];
        const Vec3& c = surface.position[std::size_t(face[2])];
        const Vec3 area = (b - a).cross(c - a);
        const Vec3 center = (a + b + c) / 3;
        if (area.norm() < 1e-12) continue;
        EXPECT_GT(area.normalized().dot(obstacle->sample(center, time_).normal), 0.7);
    }
}

TEST_P(EveryObstacle, DistanceAgreesWithItsSurface) {
    const auto obstacle = make();
    const mesh::TriMesh surface = obstacle->surface(time_);
    if (GetParam()->key == "plane") GTEST_SKIP() << "the surface of a plane is a finite piece";
    for (int k = 0; k < 300; ++k) {
        const Vec3 p = point();
        double least = 1e300;
        for (const Triangle& face : surface.face) {
            const ClosestPoint closest = closest_on_triangle(
                p, surface.position[std::size_t(face[0])], surface.position[std::size_t(face[1])],
                surface.position[std::size_t(face[2])]);
            least = std::min(least, (closest.point - p).norm());
        }

        // Facets lie up to their sagitta inside a round surface.
        EXPECT_NEAR(std::abs(obstacle->sample(p, time_).distance), least, 3e-3);
    }
}

TEST_P(EveryObstacle, SpecialPointsAreFinite) {
    const auto obstacle = make();
    std::vector<Vec3> special = {Vec3::Zero(), Vec3(0, 1e-300, 0), Vec3(1e8, 0, 0)};
    for (const Vec3& position : obstacle->surface(0).position)
        special.push_back(position);

    for (const Vec3& p : special) {
        const Sample sample = obstacle->sample(p, 0);
        EXPECT_TRUE(std::isfinite(sample.distance));
        EXPECT_NEAR(sample.normal.norm(), 1, 1e-12) << p.transpose();
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryObstacle, testing::ValuesIn(obstacles()),
                         [](const auto& parameter) { return std::string(parameter.param->key); });

}  // namespace
}  // namespace taffeta::contact
