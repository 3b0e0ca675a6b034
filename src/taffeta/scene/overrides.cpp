#include "taffeta/scene/overrides.h"

#include <fmt/format.h>

#include "taffeta/scene/json.h"
#include "taffeta/scene/key_path.h"

namespace taffeta::scene {

namespace {

using Kind = Settings::Kind;

/// Gives a value and all that it holds the override as its place, and its paths in the scene.
void relocate(Settings& value, const std::string& place, const std::string& path) {
    value.set_location({place, 0, 0});
    value.set_path(path);
    for (std::size_t i = 0; i < value.items().size(); ++i)
        relocate(value.items()[i], place, fmt::format("{}[{}]", path, i));
    for (auto& [key, member] : value.members())
        relocate(member, place, path + "." + key);
}

/// JSON where it parses, otherwise the text itself. What begins like a JSON array, object or
/// string must be one: there a typing error is more likely than a name.
Settings parse_value(const std::string& text, const std::string& place) {
    const bool is_json = !text.empty() && (text[0] == '{' || text[0] == '[' || text[0] == '"');
    try {
        return parse_json(text, place);
    } catch (const Error& error) {
        if (is_json) fail_input(place, error.message(), error.hint());
        return Settings::of(text);
    }
}

Settings& member(Settings& value, const PathStep& step, const std::string& place) {
    if (!step.key.empty()) {
        if (value.is(Kind::string)) {
            Settings choice = Settings::object();
            choice.set_location(value.location());
            choice.set_path(value.path());
            choice["type"] = value;
            value = choice;
        }
        if (!value.is(Kind::object) && !value.is(Kind::null))
            fail_input(place, fmt::format("'{}' is {} and has no key '{}'", escaped(value.path()),
                                          to_string(value.kind()), escaped(step.key)));
        const bool made = value.find(step.key) == nullptr;
        Settings& found = value[step.key];
        if (made) found.set_location({place, 0, 0});
        return found;
    }
    if (value.is(Kind::null)) value = Settings::array();
    const std::size_t size = value.items().size(), index = std::size_t(step.index);
    if (!value.is(Kind::array) || index > size)
        fail_input(place, fmt::format("there is no element {}", step.index),
                   value.is(Kind::array) ? fmt::format("the array has {}", size)
                                         : fmt::format("it is {}", to_string(value.kind())));
    if (index == size) {
        value.items().emplace_back();
        value.items().back().set_location({place, 0, 0});
    }
    return value.items()[index];
}

}  // namespace

void apply_override(Settings& scene, const std::string& assignment) {
    apply_override(scene, assignment, "--set " + escaped(assignment));
}

void apply_override(Settings& scene, const std::string& assignment, const std::string& place) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        fail_input(place, "is not of the form key=value", "such as solver.tolerance=1e-8");
    const std::string path = assignment.substr(0, equals);

    Settings* target = &scene;
    for (const PathStep& step : parse_path(path, place))
        target = &member(*target, step, place);
    Settings value = parse_value(assignment.substr(equals + 1), place);
    relocate(value, place, path);
    *target = std::move(value);
}

}  // namespace taffeta::scene
