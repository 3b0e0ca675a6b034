#include "taffeta/sim/energy_audit.h"

#include <Eigen/Geometry>

#include "taffeta/base/hash.h"

namespace taffeta::sim {

double EnergyAudit::total() const {
    double sum = kinetic;
    for (const auto& [name, value] : potential)
        sum += value;
    return sum;
}

double EnergyAudit::of(std::string_view term) const {
    for (const auto& [name, value] : potential)
        if (name == term) return value;
    return 0;
}

EnergyAudit audit(const World& world) {
    EnergyAudit result;
    for (Index i = 0; i < world.vertex_count(); ++i) {
        const Vec3 v = vec3(world.state.v, i), momentum = world.mass[i] * v;
        result.momentum += momentum;
        if (!world.consistent_mass.empty()) continue;
        result.kinetic += 0.5 * momentum.dot(v);
        result.angular_momentum += Vec3(vec3(world.state.x, i)).cross(momentum);
    }
    for (const auto& [i, j, mass] : world.consistent_mass) {
        const Vec3 vi = vec3(world.state.v, i), vj = vec3(world.state.v, j);
        result.kinetic += (i == j ? 0.5 : 1) * mass * vi.dot(vj);
        result.angular_momentum += mass * Vec3(vec3(world.state.x, i)).cross(vj);
        if (i != j) result.angular_momentum += mass * Vec3(vec3(world.state.x, j)).cross(vi);
    }
    for (const auto& energy : world.energies)
        for (const auto& [name, value] : energy->parts(world.state.x)) {
            bool found = false;
            for (auto& [known, sum] : result.potential)
                if (known == name) {
                    sum += value;
                    found = true;
                }
            if (!found) result.potential.emplace_back(name, value);
        }
    return result;
}

std::uint64_t state_hash(const World& world) {
    return Hash()
        .add(world.state.x.data(), std::size_t(world.state.x.size()) * sizeof(double))
        .add(world.state.v.data(), std::size_t(world.state.v.size()) * sizeof(double))
        .value();
}

}  // namespace taffeta::sim
