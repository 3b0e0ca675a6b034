#include <fmt/format.h>

#include <set>

#include "taffeta/contact/contact_model.h"
#include "taffeta/ode/adaptive.h"
#include "taffeta/scene/key_path.h"
#include "taffeta/scene/materials.h"
#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

using Kind = Settings::Kind;

namespace {

/// A copy of the scene whose `materials` are complete: presets written out, and the fabrics that
/// bodies name without defining them added.
Settings with_materials(Settings settings) {
    if (!settings.is(Kind::object)) return settings;
    Settings materials = Settings::object();
    materials.set_path("materials");
    if (const Settings* given = settings.find("materials")) {
        require_kind(*given, Kind::object);
        materials = *given;
    }
    std::set<std::string> used;
    if (const Settings* bodies = settings.find("bodies")) {
        for (const Settings& body : bodies->items()) {
            const Settings* name = body.find("material");
            if (!name) used.insert(BodyDescription().material);
            if (name && name->is(Kind::string)) used.insert(name->string());
        }
    }
    for (const std::string& name : used)
        if (!materials.find(name) && find_preset(name))
            materials[name]["preset"] = Settings::of(name);
    settings["materials"] = with_presets(materials);
    return settings;
}

void check_names(const Scene& scene) {
    std::set<std::string> names;
    const auto check = [&](const std::string& path, const std::string& name) {
        for (const char c : name)
            if (c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 0x20)
                scene.fail(path + ".name",
                           fmt::format("'{}' cannot be part of a file name", escaped(name)),
                           "no slash, colon or control character");
        if (name[0] == '.') scene.fail(path + ".name", "a name may not begin with a dot");
        if (name.size() > 100) scene.fail(path + ".name", "a name may have 100 bytes");
        if (!names.insert(name).second)
            scene.fail(path + ".name", fmt::format("the name '{}' is used twice", escaped(name)));
    };
    const SceneDescription& description = scene.description;
    for (std::size_t i = 0; i < description.bodies.size(); ++i)
        check(fmt::format("bodies[{}]", i), description.bodies[i].name);
    for (std::size_t i = 0; i < description.obstacles.size(); ++i)
        check(fmt::format("obstacles[{}]", i), description.obstacles[i].name);
}

/// A cloth needs a fabric, a soft body a solid.
void check_laws(const Scene& scene, std::size_t number) {
    const BodyDescription& body = scene.description.bodies[number];
    const MaterialDescription& material = scene.description.materials.at(body.material);
    const auto is_given = [](const Settings& choice) { return !choice.is(Kind::null); };
    const std::string path = fmt::format("bodies[{}].material", number);
    if (body.soft() && !is_given(material.solid.value))
        scene.fail(path, fmt::format("'{}' has no law of solids", escaped(body.material)),
                   "give `solid` in the material (`taffeta list solid`)");
    if (!body.soft() && !(is_given(material.membrane.value) && is_given(material.bending.value)))
        scene.fail(path, fmt::format("'{}' is no fabric", escaped(body.material)),
                   "give `membrane` and `bending` in the material, or say \"type\": \"soft\"");
}

void check_materials(const Scene& scene) {
    const SceneDescription& description = scene.description;
    std::vector<std::string> known = preset_names();
    for (const auto& [name, material] : description.materials)
        known.push_back(name);
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const std::string& name = description.bodies[i].material;
        if (description.materials.count(name)) {
            check_laws(scene, i);
            continue;
        }
        const std::string near = nearest(name, known);
        scene.fail(fmt::format("bodies[{}].material", i),
                   fmt::format("unknown material '{}'", escaped(name)),
                   near.empty() ? "see `materials` and `taffeta list material`"
                                : fmt::format("did you mean '{}'?", near));
    }
}

void check_output(const Scene& scene) {
    const OutputDescription& output = scene.description.output;
    std::vector<std::string> known;
    for (const ChoiceEntry& entry : family_entries(Family::frame_sink))
        known.push_back(entry.key);
    for (std::size_t i = 0; i < output.formats.size(); ++i) {
        bool found = false;
        for (const std::string& key : known)
            found = found || key == output.formats[i];
        if (found) continue;
        const std::string near = nearest(output.formats[i], known);
        scene.fail(
            fmt::format("output.formats[{}]", i),
            fmt::format("unknown frame format '{}'", escaped(output.formats[i])),
            near.empty() ? "see `taffeta list sink`" : fmt::format("did you mean '{}'?", near));
    }
}

void check_pins(const Scene& scene) {
    const auto& bodies = scene.description.bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t k = 0; k < bodies[i].pins.size(); ++k) {
            const PinDescription& pin = bodies[i].pins[k];
            const std::string path = fmt::format("bodies[{}].pins[{}]", i, k);
            const int given = int(!pin.vertices.empty()) + int(!pin.group.empty()) +
                              int(!pin.region.empty()) + int(pin.box.has_value()) +
                              int(pin.sphere.has_value());
            if (given != 1)
                scene.fail(path, given == 0 ? "selects no vertices" : "has more than one selector",
                           "give one of vertices, group, region, box, sphere");
            if (pin.box && (pin.box->min.array() > pin.box->max.array()).any())
                scene.fail(path + ".box", "min is larger than max");
            for (std::size_t m = 1; m < pin.motion.keyframes.size(); ++m)
                if (pin.motion.keyframes[m].time <= pin.motion.keyframes[m - 1].time)
                    scene.fail(fmt::format("{}.motion.keyframes[{}].time", path, m),
                               "the times of keyframes must increase");
        }
}

void check_mesh(const Scene& scene, const std::string& path, const BodyDescription& body) {
    const MeshDescription& mesh = body.mesh;
    const int given = int(!mesh.file.empty()) + int(mesh.grid.has_value()) +
                      int(mesh.l_shape.has_value()) + int(mesh.disc.has_value()) +
                      int(mesh.garment.has_value()) + int(mesh.tube.has_value()) +
                      int(mesh.bight.has_value()) + int(mesh.box.has_value());
    if (given != 1)
        scene.fail(path, given == 0 ? "names no shape" : "has more than one shape",
                   body.soft() ? "give one of file, box"
                               : "give one of file, grid, l_shape, disc, tube, bight, garment");
    if (body.soft() && mesh.file.empty() && !mesh.box)
        scene.fail(path, "is a surface, a soft body needs tets", "give one of file, box");
    if (!body.soft() && mesh.box)
        scene.fail(path + ".box", "is a solid of tets", "say \"type\": \"soft\" of the body");
    if (mesh.l_shape && (mesh.l_shape->cut_columns >= mesh.l_shape->columns ||
                         mesh.l_shape->cut_rows >= mesh.l_shape->rows))
        scene.fail(path + ".l_shape", "the cut is as large as the square",
                   "cut_columns < columns and cut_rows < rows");
}

/// An equilibrium is a minimum of an energy, which some things have not.
void check_quasistatic(const Scene& scene) {
    const SceneDescription& description = scene.description;
    if (!description.time.quasistatic) return;
    const std::string path = "time.quasistatic";
    const Settings contact = description.contact.completed();
    const auto model = make_entry(contact::contact_models(), "contact model", contact,
                                  family_fallback(Family::contact));
    if (!description.obstacles.empty() && !model->within_step())
        scene.fail(
            path,
            fmt::format(
                "bodies cannot meet obstacles in it with the contact model '{}', which acts on "
                "motions",
                contact.find("type")->string()),
            "\"contact\": {\"type\": \"barrier\"} is a part of the energy");
    if (description.air)
        scene.fail(path, "the drag of `air` has no potential energy", "leave out one of both");
    for (std::size_t i = 0; i < description.bodies.size(); ++i)
        if (description.bodies[i].pressure != 0)
            scene.fail(fmt::format("bodies[{}].pressure", i),
                       "has no potential energy here, which time.quasistatic needs");
}

/// Steps that adapt need a method that says how wrong they are, or how hard they were.
void check_adaptive_time(const Scene& scene) {
    const sim::TimeOptions& time = scene.description.time;
    if (!time.adaptive) return;
    const std::string path = "time.adaptive";
    if (time.quasistatic) scene.fail(path, "there are no steps in equilibria", "leave out one");
    if (time.step > 0)
        scene.fail("time.step", "is fixed, but time.adaptive is given", "leave out one");
    const Settings integrator = scene.description.integrator.completed();
    const std::string key = integrator.find("type")->string();
    const ode::IntegratorProperties& properties =
        find_entry(ode::integrators(), "integrator", key).properties;
    const auto made_to_estimate = [&] {
        return make_entry(ode::integrators(), "integrator", integrator, key)
            ->made_to_estimate_error();
    };
    if (time.adaptive->control == "error" && !properties.estimates_error && !made_to_estimate())
        scene.fail(path, "integrator '" + key + "' estimates no error to control the step by",
                   "bdf2 does, and a tableau with b_hat; an implicit one can be controlled by "
                   "\"newton\"");
    try {
        ode::check_adaptive(*time.adaptive, properties);
    } catch (const Error& error) {
        scene.fail(path, error.where() + ": " + error.message(), error.hint());
    }
}

/// Whatever the tables of the fields cannot say.
void check_scene(const Scene& scene) {
    const SceneDescription& description = scene.description;
    if (description.bodies.empty()) scene.fail("bodies", "there is no body to simulate");
    check_quasistatic(scene);
    check_adaptive_time(scene);
    if (!description.time.quasistatic && !description.time.adaptive && description.time.h() > 0.1)
        scene.fail("time", fmt::format("a step of {} s is too large", description.time.h()),
                   "at most 0.1 s: raise `substeps` or give `step`");
    check_names(scene);
    check_materials(scene);
    check_output(scene);
    check_pins(scene);
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const std::string path = fmt::format("bodies[{}]", i);
        check_mesh(scene, path + ".mesh", description.bodies[i]);
        if (!description.bodies[i].soft() && description.bodies[i].elements != "linear")
            scene.fail(path + ".elements", "is for soft bodies");
        const RestDescription& rest = description.bodies[i].rest;
        if (rest.from == "file" && rest.file.empty())
            scene.fail(path + ".rest", "a rest shape from a file needs `file`");
        if (rest.from != "file" && !rest.file.empty())
            scene.fail(path + ".rest.file", "is given, but `from` is '" + rest.from + "'");
        if (rest.warp.norm() < 1e-12) scene.fail(path + ".rest.warp", "has no length");
    }
    for (std::size_t i = 0; i < description.obstacles.size(); ++i) {
        const ObstacleDescription& obstacle = description.obstacles[i];
        const std::string path = fmt::format("obstacles[{}]", i);
        const Transform& transform = obstacle.transform;
        const bool moved =
            transform.scale != 1 || !transform.translate.isZero(0) || !transform.rotate.isZero(0);
        if (obstacle.file().empty() && moved)
            scene.fail(path + ".transform", "only a mesh can be transformed",
                       "give the place and size in `shape`");
    }
}

}  // namespace

void Scene::fail(const std::string& path, const std::string& what, const std::string& hint) const {
    fail_input(where(path), escaped(path) + ": " + what, hint);
}

Diagnostic Scene::warning(const std::string& path, const std::string& message,
                          const std::string& hint) const {
    return {Severity::warning, where(path), escaped(path) + ": " + message, hint};
}

std::string Scene::where(const std::string& path) const {
    return follow_path(source, path).location().text();
}

Scene read_scene(const Settings& settings) {
    Scene scene;
    scene.source = with_materials(settings);
    read_fields(scene.description, scene.source);
    SceneDescription& description = scene.description;
    if (!description.gravity)
        description.gravity = description.z_up() ? Vec3(0, 0, -9.81) : Vec3(0, -9.81, 0);
    if (description.time.adaptive && description.integrator.value.is(Settings::Kind::null))
        description.integrator.value = Settings::of(std::string(ode::default_adaptive_integrator));
    for (std::size_t i = 0; i < description.bodies.size(); ++i)
        if (description.bodies[i].name.empty())
            description.bodies[i].name = fmt::format("body{}", i);
    for (std::size_t i = 0; i < description.obstacles.size(); ++i)
        if (description.obstacles[i].name.empty())
            description.obstacles[i].name = fmt::format("obstacle{}", i);
    check_scene(scene);
    return scene;
}

}  // namespace taffeta::scene
