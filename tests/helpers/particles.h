#pragma once

#include <vector>

#include "taffeta/contact/contact_model.h"

namespace taffeta::contact {

inline Settings vector_setting(const Vec3& v) {
    Settings array = Settings::array();
    for (const double component : v)
        array.items().push_back(Settings::of(component));
    return array;
}

/// Free particles of unit density under gravity with one contact model: the smallest step that
/// gives contact all it needs. Explicit, A = M, so that physics by hand is exact:
///     M (v1 - v) = h M g + J + e,   (I - S) v1 = z,   x1 = x + h v1 + y.
struct Particles {
    VecX x, v, mass;
    Vec3 gravity = Vec3(0, -9.81, 0);
    double time = 0, step = 1.0 / 192;
    std::vector<PlacedObstacle> obstacles;
    std::vector<char> pinned;
    std::vector<double> shortest_edge;
    std::unique_ptr<ContactModel> model;
    // Of the last step:
    ContactReport report;
    VecX impulse, alteration, friction;
    std::vector<sparse::NodeFilter::Entry> constrained;

    explicit Particles(const std::vector<Vec3>& position,
                       std::string_view model_key = "constraints_1998",
                       const Settings& options = Settings::object()) {
        const auto n = Eigen::Index(position.size());
        x.resize(3 * n);
        for (Index i = 0; i < Index(n); ++i)
            vec3(x, i) = position[std::size_t(i)];
        v = VecX::Zero(3 * n);
        mass = VecX::Constant(n, 0.002);
        pinned.assign(position.size(), 0);
        shortest_edge.assign(position.size(), 0.02);
        model = find_entry(contact_models(), "contact model", model_key).make(options);
    }

    void add(std::string_view shape, const Settings& options, double friction_coefficient) {
        obstacles.push_back({std::string(shape),
                             find_entry(contact::obstacles(), "obstacle", shape).make(options),
                             friction_coefficient});
    }
    void add_plane(const Vec3& normal, double friction_coefficient,
                   const Settings& motion = Settings::object()) {
        Settings options = Settings::object();
        options["normal"] = vector_setting(normal);
        options["motion"] = motion;
        add("plane", options, friction_coefficient);
    }

    void advance(int steps = 1) {
        for (int k = 0; k < steps; ++k)
            advance_once();
    }

    void advance_once() {
        const Problem problem{x, v, mass, time, step, obstacles, pinned, shortest_edge};
        sparse::NodeFilter filter{Index(mass.size())};
        alteration = VecX::Zero(x.size());
        friction = VecX::Zero(x.size());
        Repulsion repulsion;
        report = model->before(problem, {filter, alteration, friction, repulsion});
        constrained = filter.entries();

        VecX free = v, end;
        for (Index i = 0; i < Index(mass.size()); ++i)
            vec3(free, i) += step * gravity + vec3(friction, i) / mass[i];
        end = free;
        filter.project(end);
        for (const auto& entry : filter.entries())
            vec3(end, entry.vertex) += entry.target;
        impulse = end - free;
        for (Index i = 0; i < Index(mass.size()); ++i) {
            vec3(impulse, i) *= mass[i];
            if (pinned[std::size_t(i)]) vec3(end, i) = vec3(v, i);
        }
        VecX end_x = x + step * end + alteration;
        model->after(problem, filter, impulse, end_x, end, report);
        x = end_x;
        v = end;
        time += step;
    }

    Vec3 position(Index i = 0) const { return vec3(x, i); }
    Vec3 velocity(Index i = 0) const { return vec3(v, i); }
    void set_velocity(const Vec3& velocity) { vec3(v, 0) = velocity; }
};

}  // namespace taffeta::contact
