#include <gtest/gtest.h>

#include "sim/small_world.h"
#include "taffeta/sim/cloth_system.h"

/// What holds a vertex to its path has to overcome the damping of the integrator too.
namespace taffeta::sim {
namespace {

TEST(ConstraintForce, OvercomesTheRayleighDampingOfAVertexThatIsMoved) {
    // 0.01 kg without forces, moved at a constant velocity: M a = 0 = e - r_M M v.
    World world = testing::particles({Vec3::Zero(), Vec3::Ones()});
    const Vec3 velocity(1, 0, -2);
    vec3(world.state.v, 0) = vec3(world.state.v, 1) = velocity;
    const auto solver = solve::make_linear_solver({});
    ClothSystem system(world, *solver);
    system.set_rayleigh({.rayleigh_mass = 5, .rayleigh_stiffness = 0});
    system.clear_constraints();
    system.filter().fix(0);
    system.filter().set_target(0, velocity);
    system.begin_step(0.1);
    const VecX x = world.state.x + 0.1 * world.state.v;
    VecX force, found;
    system.linearize(0.1, x, world.state.v, &force);

    system.constraint_force(VecX::Zero(6), x, world.state.v, found);

    EXPECT_LE((vec3(found, 0) - 5 * 0.01 * velocity).norm(), 1e-15);
    EXPECT_EQ(vec3(found, 1).norm(), 0);  // which is free
}

}  // namespace
}  // namespace taffeta::sim
