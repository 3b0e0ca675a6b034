#include "taffeta/scene/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/scene/body_builder.h"
#include "taffeta/scene/motion_check.h"
#include "taffeta/scene/obstacle_builder.h"
#include "taffeta/scene/pin_selection.h"
#include "taffeta/scene/start_check.h"

namespace taffeta::scene {

namespace {

class WorldBuilder {
  public:
    explicit WorldBuilder(const Scene& scene) : scene_(scene), description_(scene.description) {}

    BuiltScene build() {
        built_.time = description_.time;
        built_.world.gravity = *description_.gravity;
        for (std::size_t i = 0; i < description_.bodies.size(); ++i)
            bodies_.push_back(build_body(scene_, i, built_.diagnostics));
        place_bodies();
        for (std::size_t i = 0; i < bodies_.size(); ++i)
            add_pins(i);
        check_masses();
        place_consistent_masses();
        bind_energies();
        add_obstacles(scene_, built_);
        make_tools();
        check_start(scene_, built_.world, *built_.tools.contact);
        return std::move(built_);
    }

  private:
    void warn(const std::string& path, const std::string& message, const std::string& hint = {}) {
        built_.diagnostics.push_back(scene_.warning(path, message, hint));
    }

    void place_bodies() {
        sim::World& world = built_.world;
        Index vertices = 0;
        for (BuiltBody& made : bodies_) {
            made.body.first_vertex = vertices;
            vertices += made.body.mesh.vertex_count();
            world.bodies.push_back(std::move(made.body));
            built_.vertex_map.push_back(made.vertex_map);
        }
        world.mass.resize(vertices);
        world.state.x.resize(3 * Eigen::Index(vertices));
        world.state.v.resize(3 * Eigen::Index(vertices));
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const sim::Body& body = world.bodies[b];
            for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
                const Index vertex = body.first_vertex + i;
                world.mass[vertex] = bodies_[b].mass[std::size_t(i)];
                vec3(world.state.x, vertex) = body.mesh.position[std::size_t(i)];
                vec3(world.state.v, vertex) = description_.bodies[b].initial.velocity;
            }
        }
        world.initial_x = world.state.x;
        owner_.assign(std::size_t(vertices), -1);
    }

    void add_pins(std::size_t number) {
        sim::World& world = built_.world;
        const sim::Body& body = world.bodies[number];
        const auto& pins = description_.bodies[number].pins;
        const SelectionTarget target{body.mesh, body.topology, bodies_[number].vertex_map};
        for (std::size_t k = 0; k < pins.size(); ++k) {
            const std::string path = fmt::format("bodies[{}].pins[{}]", number, k);
            sim::Pin pin;
            pin.motion = pins[k].motion;
            pin.release_time = pins[k].release_time.value_or(-1);
            Index shared = 0;
            for (const Index local : select_vertices(scene_, path, pins[k], target)) {
                const Index vertex = body.first_vertex + local;
                int& owner = owner_[std::size_t(vertex)];
                if (owner >= 0) {
                    ++shared;
                    continue;
                }
                owner = int(world.pins.size());
                pin.vertex.push_back(vertex);
                // A held vertex starts with the velocity of its pin.
                vec3(world.state.v, vertex) =
                    pin.motion.pose(0).velocity(vec3(world.state.x, vertex));
            }
            if (shared > 0)
                warn(path, fmt::format("{} of its vertices are held by an earlier pin", shared),
                     "the earlier pin wins");
            warn_of_speed(path, pin);
            if (!pin.vertex.empty()) world.pins.push_back(std::move(pin));
        }
    }

    void warn_of_speed(const std::string& path, const sim::Pin& pin) {
        if (pin.vertex.empty() || pin.motion.at_rest()) return;
        const Vec3 start = vec3(built_.world.initial_x, pin.vertex[0]);
        const double step =
            largest_step([&](double t) { return pin.motion.pose(t).to_world(start); }, built_.time);
        constexpr double far = 0.05;
        if (step > far)
            warn(path + ".motion", fmt::format("carries its vertices {:.3g} m in one step", step),
                 "raise `time.substeps`");
    }

    /// Masses come from faces or tets; a vertex without one can only be held where it is.
    void check_masses() {
        sim::World& world = built_.world;
        for (std::size_t b = 0; b < world.bodies.size(); ++b) {
            const sim::Body& body = world.bodies[b];
            const double mean = std::max(
                world.mass.segment(body.first_vertex, body.mesh.vertex_count()).mean(), 1e-12);
            const std::string path = fmt::format("bodies[{}].mesh", b);
            for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
                const Index vertex = body.first_vertex + i;
                if (world.mass[vertex] > 0) continue;
                const bool held =
                    owner_[std::size_t(vertex)] >= 0 &&
                    world.pins[std::size_t(owner_[std::size_t(vertex)])].release_time < 0;
                if (!held)
                    scene_.fail(path,
                                fmt::format("vertex {} has no {} and so no mass", i,
                                            body.soft() ? "tet" : "face"),
                                "`\"repair\": true` drops such vertices");
                warn(path, fmt::format("vertex {} has no face; a pin holds it", i));
                world.mass[vertex] = mean;
            }
        }
    }

    /// One matrix for the world, when a body has one; the others are diagonal in it.
    void place_consistent_masses() {
        const auto has = [](const BuiltBody& made) { return !made.consistent_mass.empty(); };
        if (std::none_of(bodies_.begin(), bodies_.end(), has)) return;
        sim::World& world = built_.world;
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const Index first = world.bodies[b].first_vertex;
            for (const mesh::MassEntry& entry : bodies_[b].consistent_mass)
                world.consistent_mass.push_back({entry.i + first, entry.j + first, entry.mass});
            if (has(bodies_[b])) continue;
            for (Index i = 0; i < world.bodies[b].mesh.vertex_count(); ++i)
                world.consistent_mass.push_back({first + i, first + i, world.mass[first + i]});
        }
    }

    void bind(const energy::EnergyEntry& entry, const Settings& options, const sim::Body& body) {
        auto made = entry.make(options);
        made->bind(built_.world.view(body), built_.diagnostics);
        built_.world.energies.push_back(std::move(made));
    }

    void bind_choice(Registry<energy::EnergyEntry> registry, const Settings& choice,
                     const sim::Body& body) {
        bind(find_entry(registry, "energy", choice.find("type")->string()), choice, body);
    }

    /// A stiffness, or bounds that are kept after each step.
    void bind_limit(const Settings& choice, const sim::Body& body) {
        const std::string type = choice.find("type")->string();
        for (const energy::StrainProjectionEntry* entry : energy::strain_projections())
            if (entry->key == type) {
                auto made = entry->make(choice);
                made->bind(built_.world.view(body));
                built_.world.projections.push_back(std::move(made));
                return;
            }
        bind_choice(energy::strain_limits(), choice, body);
    }

    void bind_energies() {
        const std::vector<sim::Body>& bodies = built_.world.bodies;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            const MaterialDescription& material =
                description_.materials.at(description_.bodies[b].material);
            if (bodies[b].soft()) {
                bind_choice(energy::solid_laws(), material.solid.completed(), bodies[b]);
                continue;
            }
            bind_choice(energy::membrane_laws(), material.membrane.completed(), bodies[b]);
            bind_choice(energy::bending_terms(), material.bending.completed(), bodies[b]);
            if (!material.limit.value.is(Settings::Kind::null))
                bind_limit(material.limit.completed(), bodies[b]);
        }
        Settings gravity = Settings::object();
        gravity["acceleration"] = FieldTraits<Vec3>::write(*description_.gravity);
        for (const sim::Body& body : bodies)
            bind(find_entry(energy::load_terms(), "load", "gravity"), gravity, body);
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (description_.bodies[b].pressure == 0) continue;
            Settings pressure = Settings::object();
            pressure["pressure"] = Settings::of(description_.bodies[b].pressure);
            bind(find_entry(energy::load_terms(), "load", "pressure"), pressure, bodies[b]);
        }
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (bodies[b].mesh.stitch.empty()) continue;
            const StitchDescription& stitches = description_.bodies[b].stitches;
            Settings options = Settings::object();
            options["stiffness"] = Settings::of(stitches.stiffness);
            options["closing_time"] = Settings::of(stitches.closing_time);
            bind(find_entry(energy::load_terms(), "load", "stitches"), options, bodies[b]);
        }
        if (description_.air)
            for (const sim::Body& body : bodies)
                bind_choice(energy::load_terms(), description_.air->completed(), body);
    }

    void make_tools() {
        sim::Tools& tools = built_.tools;
        const Settings integrator = description_.integrator.completed();
        tools.integrator = make_entry(ode::integrators(), "integrator", integrator,
                                      family_fallback(Family::integrator));
        if (const Settings* r = integrator.find("rayleigh_mass"))
            tools.rayleigh.rayleigh_mass = r->number();
        if (const Settings* r = integrator.find("rayleigh_stiffness"))
            tools.rayleigh.rayleigh_stiffness = r->number();
        tools.integrator->set_newton(description_.newton);
        tools.solver = solve::make_linear_solver(description_.solver.completed());
        tools.contact =
            make_entry(contact::contact_models(), "contact model", description_.contact.completed(),
                       family_fallback(Family::contact));
        check_integrator();
        check_projections();
    }

    /// Contact that follows positions takes the step in its own hands.
    void check_integrator() {
        if (!built_.tools.contact->within_step()) return;
        const std::string type = description_.integrator.completed().find("type")->string();
        if (type == "backward_euler" || type == family_fallback(Family::integrator)) return;
        scene_.fail("integrator",
                    fmt::format("the contact model '{}' steps by backward Euler, not by {}",
                                description_.contact.completed().find("type")->string(), type),
                    "leave `integrator` out, or choose another contact model");
    }

    /// What moves vertices after the step must leave contact the last word, and needs a step.
    void check_projections() {
        if (built_.world.projections.empty()) return;
        const std::string hint = "\"limit\": {\"type\": \"stiffening\"} is a part of the energy";
        if (built_.tools.contact->within_step())
            scene_.fail("contact",
                        fmt::format("a limit of strain that acts after the step could cross what "
                                    "'{}' keeps apart within it",
                                    description_.contact.completed().find("type")->string()),
                        hint);
        if (description_.time.quasistatic)
            scene_.fail("time.quasistatic", "a limit of strain that acts after steps has none here",
                        hint);
    }

    const Scene& scene_;
    const SceneDescription& description_;
    BuiltScene built_;
    std::vector<BuiltBody> bodies_;
    std::vector<int> owner_;  ///< per vertex of the world, its pin or -1
};

}  // namespace

BuiltScene build(const Scene& scene) {
    return WorldBuilder(scene).build();
}

}  // namespace taffeta::scene
