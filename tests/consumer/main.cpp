#include <cstdio>

#include "taffeta/scene/build.h"
#include "taffeta/scene/load.h"

/// Twelve lines of another program: a built-in scene, ten steps, one number.
int main() {
    using namespace taffeta;
    scene::BuiltScene built = scene::build(scene::load_scene("drooping"));
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    for (int i = 0; i < 10; ++i)
        if (!simulation.step().ok()) return 1;
    const double z = simulation.world().state.x[3 * 480 + 2];
    std::printf("centre of the cloth after 20 ms: z = %.9f m\n", z);
    return z < -0.002 && z > -0.0023 ? 0 : 1;
}
