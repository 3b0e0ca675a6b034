//   drape
//
// 1. A scene is data: take a built-in one (or a file) and change what you like by key.
// 2. Build it: meshes are read and checked, energies bound, tools made.
// 3. Step it, and look at the state whenever you want.

#include <fmt/format.h>

#include "taffeta/scene/build.h"
#include "taffeta/scene/load.h"

int main() {
    using namespace taffeta;
    const scene::Scene sheet = scene::load_scene("drooping", {"solver.tolerance=1e-6"});
    scene::BuiltScene built = scene::build(sheet);
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    for (int frame = 1; frame <= 10; ++frame) {
        if (simulation.advance(frame) != sim::RunStatus::done) {
            fmt::print("{}\n", simulation.message());
            return 1;
        }
        const double z = vec3(simulation.world().state.x, 480).z();
        fmt::print("frame {:2}  t = {:.3f} s  centre at z = {:.4f} m\n", frame,
                   simulation.world().state.t, z);
    }
    return 0;
}
