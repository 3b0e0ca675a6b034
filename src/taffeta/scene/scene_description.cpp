#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

using Kind = Settings::Kind;

Fields<OutputDescription> OutputDescription::fields() {
    return {
        {"formats", &OutputDescription::formats, "of the frames (`taffeta list sink`)"},
        {"every", &OutputDescription::every, "write each n-th frame", at_least(1)},
        {"checkpoint_every", &OutputDescription::checkpoint_every, "frames between checkpoints",
         at_least(1)},
        {"energies", &OutputDescription::energies, "whether the statistics hold the energies"},
    };
}

Fields<SceneDescription> SceneDescription::fields() {
    return {
        {"$schema", &SceneDescription::schema, "for editors: the output of `taffeta schema`"},
        {"name", &SceneDescription::name, "of the scene"},
        {"description", &SceneDescription::description, "what it shows"},
        {"up_axis", &SceneDescription::up_axis, "the axis against gravity", one_of({"Y", "Z"})},
        {"time", &SceneDescription::time, "the clock"},
        {"gravity", &SceneDescription::gravity, "m/s^2; by default 9.81 against the up axis",
         between(-1e4, 1e4)},
        {"air", &SceneDescription::air, "drag and wind; absent: none"},
        {"integrator", &SceneDescription::integrator, "how a step is taken"},
        {"newton", &SceneDescription::newton, "how implicit integrators solve their stages"},
        {"solver", &SceneDescription::solver, "of the linear systems"},
        {"contact", &SceneDescription::contact, "how bodies meet obstacles"},
        {"bodies", &SceneDescription::bodies, "the pieces of cloth and the soft bodies",
         required()},
        {"materials", &SceneDescription::materials,
         "fabrics, and what soft bodies are made of, by name"},
        {"obstacles", &SceneDescription::obstacles, "what the bodies rest on"},
        {"output", &SceneDescription::output, "what a run writes"},
    };
}

namespace {

/// Members that hold null stand for "absent" and are dropped, at every depth.
Settings without_nulls(const Settings& value) {
    if (value.is(Kind::array)) {
        Settings kept = Settings::array();
        for (const Settings& item : value.items())
            kept.items().push_back(without_nulls(item));
        return kept;
    }
    if (!value.is(Kind::object)) return value;
    Settings kept = Settings::object();
    for (const auto& [key, member] : value.members())
        if (!member.is(Kind::null)) kept.members().emplace_back(key, without_nulls(member));
    return kept;
}

}  // namespace

Settings write_scene(const SceneDescription& description) {
    return without_nulls(write_fields(description));
}

}  // namespace taffeta::scene
