#include "taffeta/sim/pins.h"

#include <algorithm>

namespace taffeta::sim {

Vec3 pin_target(const World& world, const Pin& pin, Index vertex, double t) {
    const bool moves = !pin.motion.keyframes.empty() || pin.motion.angular_velocity.norm() > 0;
    if (!moves) return vec3(world.initial_x, vertex);
    return pin.motion.pose(t).to_world(vec3(world.initial_x, vertex));
}

void apply_pins(const World& world, double h, sparse::NodeFilter& filter,
                std::vector<char>& pinned) {
    const double end = world.state.t + h;
    std::fill(pinned.begin(), pinned.end(), char(0));
    for (const Pin& pin : world.pins) {
        if (pin.release_time >= 0 && end > pin.release_time) continue;
        for (const Index vertex : pin.vertex) {
            if (pinned[std::size_t(vertex)]) continue;  // the first pin of a vertex wins
            pinned[std::size_t(vertex)] = 1;
            filter.fix(vertex);
            filter.set_target(
                vertex, (pin_target(world, pin, vertex, end) - vec3(world.state.x, vertex)) / h);
        }
    }
}

}  // namespace taffeta::sim
