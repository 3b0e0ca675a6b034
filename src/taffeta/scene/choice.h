#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taffeta/base/fields.h"

/// A scene value that picks one entry of a registry: `"ssor"`, or `{"type": "ssor", "omega": 1.2}`.
/// This is where the registries of all layers meet, so that reading, writing, the schema, the docs
/// and `taffeta list` treat them alike.
namespace taffeta::scene {

enum class Family {
    integrator,
    solver,
    preconditioner,
    contact,
    membrane,
    bending,
    solid,
    limit,
    air,
    obstacle,
    mesh_format,
    tet_format,
    frame_sink,
};

/// One registered thing, whatever its kind.
struct ChoiceEntry {
    std::string key, doc;
    FieldTable (*fields)();
    void (*check)(const Settings& options);  ///< makes it and throws it away: validates options
};

const char* family_name(Family family);  ///< one word: "preconditioner"
const std::vector<Family>& all_families();
/// Those that a scene chooses from; mesh formats and frame sinks are named by files.
std::vector<Family> scene_families();
std::vector<ChoiceEntry> family_entries(Family family);
/// Why an entry cannot be used on this machine, with the remedy; empty when it can.
std::string lack_of(Family family, const std::string& key);
/// What a scene that says nothing gets; empty where a choice must be made.
std::string family_fallback(Family family);
/// The family of a nested choice: `preconditioner` in the options of a solver. False when `key` is
/// an ordinary option.
bool nested_family(Family outer, const std::string& key, Family& inner);

/// The choice as an object with its `type` and every option, defaults included, in table order.
/// Throws bad input, at the position of the culprit, for unknown types, keys and values.
Settings completed_choice(Family family, const Settings& choice);

/// Whether a choice was made (a null value means the fallback).
template <Family F>
struct Choice {
    Settings value;

    Settings completed() const { return completed_choice(F, value); }
};

}  // namespace taffeta::scene

namespace taffeta {

template <scene::Family F>
struct FieldTraits<scene::Choice<F>> {
    static void describe(FieldInfo& info) {
        info.type = "choice";
        info.item_type = scene::family_name(F);
    }
    static void read(scene::Choice<F>& value, const Settings& settings, const Range&) {
        value.value = scene::completed_choice(F, settings);
    }
    static Settings write(const scene::Choice<F>& value) {
        if (value.value.is(Settings::Kind::null) && scene::family_fallback(F).empty())
            return Settings();
        return value.completed();
    }
};

}  // namespace taffeta
