#include <gtest/gtest.h>

#include "taffeta/contact/intersections.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/load.h"

namespace taffeta::scene {
namespace {

TEST(Figure, NothingIntersectsAtTheStartAndClothHasRoom) {
    for (const int vertices : {0, 2000, 50000}) {
        const BuiltScene scene =
            build(load_settings(builtin_scene("figure", {vertices, ""}).settings));
        const sim::World& world = scene.world;
        contact::Surfaces surfaces;
        for (const sim::Body& body : world.bodies)
            surfaces.add(body.mesh.vertex_count(), body.mesh.face, false);
        EXPECT_TRUE(contact::find_intersections(surfaces, world.state.x).empty()) << vertices;

        // Not only vertices: coarse faces cut corners of the body.
        double least = 1e300;
        for (const Triangle& face : surfaces.face) {
            const Vec3 middle = (vec3(world.state.x, face[0]) + vec3(world.state.x, face[1]) +
                                 vec3(world.state.x, face[2])) /
                                3;
            for (const Vec3& p : {middle, Vec3(vec3(world.state.x, face[0]))})
                least = std::min(least, world.obstacles[0].shape->sample(p, 0).distance);
        }
        EXPECT_GT(least, 0.006) << vertices;
    }
}

TEST(Figure, TheTunicHangsOutsideTheSkirt) {
    const BuiltScene scene = build(load_settings(builtin_scene("figure", {0, ""}).settings));
    const std::vector<Vec3>& tunic = scene.world.bodies[0].mesh.position;
    const std::vector<Vec3>& skirt = scene.world.bodies[1].mesh.position;

    double least = 1e300;
    for (const Vec3& p : tunic) {
        if (p.y() > 1.06) continue;
        for (const Vec3& q : skirt) {
            if (std::abs(q.y() - p.y()) > 0.03) continue;
            least = std::min(least, (q - p).norm());
        }
    }
    EXPECT_GT(least, 0.012);
}

TEST(Figure, HasAboutTheVerticesAskedFor) {
    EXPECT_NEAR(builtin_scene("figure", {0, ""}).vertices, 20000, 1500);
    for (const int wanted : {2000, 5000, 20000, 100000, 400000})
        EXPECT_NEAR(builtin_scene("figure", {wanted, ""}).vertices, wanted, 0.03 * wanted);
}

}  // namespace
}  // namespace taffeta::scene
