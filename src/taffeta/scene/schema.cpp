#include "taffeta/scene/schema.h"

#include <cmath>

#include "taffeta/scene/choice.h"
#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

namespace {

Settings text(const std::string& value) {
    return Settings::of(value);
}

Settings texts(const std::vector<std::string>& values) {
    Settings made = Settings::array();
    for (const std::string& value : values)
        made.items().push_back(text(value));
    return made;
}

Settings of_type(const std::string& type) {
    Settings made = Settings::object();
    made["type"] = text(type);
    return made;
}

Settings reference(const std::string& family) {
    Settings made = Settings::object();
    made["$ref"] = text("#/$defs/" + family);
    return made;
}

void add_range(Settings& schema, const Range& range) {
    if (std::isfinite(range.low))
        schema[range.low_open ? "exclusiveMinimum" : "minimum"] = Settings::of(range.low);
    if (std::isfinite(range.high))
        schema[range.high_open ? "exclusiveMaximum" : "maximum"] = Settings::of(range.high);
    if (!range.choices.empty()) schema["enum"] = texts(range.choices);
}

Settings object_schema(const FieldTable& table, const Family* family = nullptr);

/// Of a value, or of the items of an array or map (`type` is then the items').
Settings type_schema(const FieldInfo& info, const std::string& type) {
    if (type == "choice") return reference(info.item_type);
    if (type == "object") return info.members ? object_schema(info.members()) : Settings::object();
    Settings schema = of_type(type);
    add_range(schema, info.range);
    return schema;
}

Settings value_schema(const FieldInfo& info) {
    if (info.type == "array") {
        Settings schema = of_type("array");
        schema["items"] = type_schema(info, info.item_type);
        if (info.fixed_size > 0) {
            schema["minItems"] = Settings::of(double(info.fixed_size));
            schema["maxItems"] = Settings::of(double(info.fixed_size));
        }
        return schema;
    }
    if (info.type == "map") {
        Settings schema = of_type("object");
        schema["additionalProperties"] = type_schema(info, info.item_type);
        return schema;
    }
    return type_schema(info, info.type);
}

Settings nullable(Settings schema) {
    Settings either = Settings::object();
    either["anyOf"] = Settings::array();
    either["anyOf"].items() = {std::move(schema), of_type("null")};
    return either;
}

/// `family`: of the choice that the table belongs to, whose options may be choices themselves.
Settings object_schema(const FieldTable& table, const Family* family) {
    Settings schema = of_type("object");
    Settings& properties = schema["properties"] = Settings::object();
    Settings required_keys = Settings::array();
    for (const FieldInfo& info : table) {
        Family inner;
        Settings value = family && nested_family(*family, info.key, inner)
                             ? reference(family_name(inner))
                             : value_schema(info);
        if (info.nullable) value = nullable(std::move(value));
        value["description"] = text(info.doc);
        const bool plain = info.type != "object" && info.type != "choice" && info.type != "map" &&
                           !info.initial.is(Settings::Kind::null);
        if (plain) value["default"] = info.initial;
        properties[info.key] = std::move(value);
        if (info.range.required) required_keys.items().push_back(text(info.key));
    }
    if (!required_keys.items().empty()) schema["required"] = std::move(required_keys);
    schema["additionalProperties"] = Settings::of(false);
    return schema;
}

/// A choice is the name of an entry, or an object with its options. `type` may be left out where
/// there is a fallback, and in a material, whose preset names it.
Settings choice_schema(Family family) {
    Settings options = Settings::array();
    std::vector<std::string> keys;
    const std::string fallback = family_fallback(family);
    const bool preset = family == Family::membrane || family == Family::bending;
    for (const ChoiceEntry& entry : family_entries(family)) {
        keys.push_back(entry.key);
        Settings schema = object_schema(entry.fields(), &family);
        Settings type = Settings::object();
        type["const"] = text(entry.key);
        type["description"] = text(entry.doc);
        schema["properties"]["type"] = std::move(type);
        if (entry.key != fallback && !preset) {
            Settings& needed = schema["required"];
            if (needed.is(Settings::Kind::null)) needed = Settings::array();
            needed.items().push_back(text("type"));
        }
        schema["description"] = text(entry.doc);
        options.items().push_back(std::move(schema));
    }
    Settings name = Settings::object();
    name["enum"] = texts(keys);
    options.items().insert(options.items().begin(), std::move(name));
    Settings made = Settings::object();
    made["anyOf"] = std::move(options);
    return made;
}

}  // namespace

Settings scene_schema() {
    Settings schema = Settings::object();
    schema["$schema"] = text("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = text("Taffeta scene");
    const Settings scene = object_schema(field_table<SceneDescription>());
    for (const auto& [key, value] : scene.members())
        schema[key] = value;
    Settings& definitions = schema["$defs"] = Settings::object();
    for (const Family family : scene_families())
        definitions[family_name(family)] = choice_schema(family);
    return schema;
}

}  // namespace taffeta::scene
