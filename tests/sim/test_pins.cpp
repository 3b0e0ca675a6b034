#include <gtest/gtest.h>

#include "sim/small_world.h"
#include "taffeta/sim/pins.h"

namespace taffeta::sim {
namespace {

using testing::particles;

struct Pinned {
    sparse::NodeFilter filter;
    std::vector<char> pinned;

    Pinned(const World& world, double h)
        : filter(world.vertex_count()), pinned(std::size_t(world.vertex_count()), 1) {
        apply_pins(world, h, filter, pinned);
    }
    Vec3 target(Index vertex) const { return filter.find(vertex)->target; }
};

/// Moves 2 m along x in 4 s and turns about z by 90 degrees.
contact::Motion moving() {
    contact::Motion motion;
    motion.keyframes = {{0, Vec3::Zero(), Vec3::Zero()}, {4, Vec3(2, 0, 0), Vec3(0, 0, 90)}};
    return motion;
}

TEST(Pins, TakeAllFreedomFromTheirVerticesOnly) {
    World world = particles({Vec3::Zero(), Vec3::Ones(), Vec3(1, 2, 3)});
    world.pins = {{{2}, {}, -1}};

    const Pinned at_rest(world, 0.1);

    EXPECT_EQ(at_rest.pinned, (std::vector<char>{0, 0, 1}));
    EXPECT_EQ(at_rest.filter.entries().size(), 1u);
    EXPECT_EQ(at_rest.filter.free_directions(2), 0);
    EXPECT_EQ(at_rest.target(2), Vec3::Zero());
}

TEST(Pins, BringAVertexToItsTargetInOneStepWhereverItIs) {
    World world = particles({Vec3(1, 0, 0)});
    world.pins = {{{0}, moving(), -1}};
    world.state.t = 3;
    vec3(world.state.x, 0) = Vec3(5, 6, 7);  // drifted away

    const Pinned now(world, 1);

    // At t = 4: (1, 0, 0) turned to (0, 1, 0), moved by 2.
    EXPECT_TRUE((Vec3(5, 6, 7) + 1 * now.target(0)).isApprox(Vec3(2, 1, 0), 1e-14));
}

TEST(Pins, LetGoAtTheirReleaseTime) {
    World world = particles({Vec3::Zero()});
    world.pins = {{{0}, {}, 1.0}};

    world.state.t = 0.5;
    EXPECT_EQ(Pinned(world, 0.5).pinned[0], 1);  // ends at 1 s: held
    world.state.t = 0.75;
    EXPECT_EQ(Pinned(world, 0.5).pinned[0], 0);
    EXPECT_TRUE(Pinned(world, 0.5).filter.entries().empty());
}

TEST(Pins, TheFirstOfTwoWins) {
    World world = particles({Vec3::Zero()});
    world.pins = {{{0}, {}, -1}, {{0}, moving(), -1}};

    const Pinned now(world, 1);

    EXPECT_EQ(now.target(0), Vec3::Zero());
    EXPECT_EQ(now.filter.entries().size(), 1u);
}

}  // namespace
}  // namespace taffeta::sim
