#include "schema_check.h"

#include <cmath>

#include "taffeta/scene/json.h"

namespace taffeta::scene {

namespace {

using Kind = Settings::Kind;

bool has_type(const std::string& type, const Settings& value) {
    if (type == "object") return value.is(Kind::object);
    if (type == "array") return value.is(Kind::array);
    if (type == "string") return value.is(Kind::string);
    if (type == "boolean") return value.is(Kind::boolean);
    if (type == "null") return value.is(Kind::null);
    if (type == "number") return value.is(Kind::number);
    return value.is(Kind::number) && value.number() == std::floor(value.number());
}

bool equal(const Settings& a, const Settings& b) {
    return write_json(a, 0) == write_json(b, 0);
}

std::string number_problem(const Settings& schema, double value) {
    const auto bound = [&](const char* key) { return schema.find(key); };
    if (bound("minimum") && value < bound("minimum")->number()) return "below minimum";
    if (bound("maximum") && value > bound("maximum")->number()) return "above maximum";
    if (bound("exclusiveMinimum") && value <= bound("exclusiveMinimum")->number())
        return "not above minimum";
    if (bound("exclusiveMaximum") && value >= bound("exclusiveMaximum")->number())
        return "not below maximum";
    return {};
}

std::string object_problem(const Settings& schema, const Settings& value, const Settings& root,
                           const std::string& path) {
    if (const Settings* required = schema.find("required"))
        for (const Settings& key : required->items())
            if (!value.find(key.string())) return path + ": missing " + key.string();
    const Settings* properties = schema.find("properties");
    const Settings* additional = schema.find("additionalProperties");
    for (const auto& [key, member] : value.members()) {
        const Settings* known = properties ? properties->find(key) : nullptr;
        if (!known && additional && additional->is(Kind::boolean) && !additional->boolean())
            return path + ": unknown " + key;
        if (!known && additional && additional->is(Kind::object)) known = additional;
        if (!known) continue;
        const std::string problem = schema_problem(*known, member, root, path + "." + key);
        if (!problem.empty()) return problem;
    }
    return {};
}

}  // namespace

std::string schema_problem(const Settings& schema, const Settings& value, const Settings& root,
                           const std::string& path) {
    if (const Settings* reference = schema.find("$ref")) {
        const std::string name = reference->string().substr(std::string("#/$defs/").size());
        return schema_problem(*root.find("$defs")->find(name), value, root, path);
    }
    if (const Settings* options = schema.find("anyOf")) {
        std::string last;
        for (const Settings& option : options->items()) {
            last = schema_problem(option, value, root, path);
            if (last.empty()) return {};
        }
        return path + ": no option fits, last: " + last;
    }
    if (const Settings* type = schema.find("type"))
        if (!has_type(type->string(), value)) return path + ": is no " + type->string();
    if (const Settings* constant = schema.find("const"))
        if (!equal(*constant, value)) return path + ": is not the constant";
    if (const Settings* allowed = schema.find("enum")) {
        bool found = false;
        for (const Settings& item : allowed->items())
            found = found || equal(item, value);
        if (!found) return path + ": not in the enumeration";
    }
    if (value.is(Kind::number)) {
        const std::string problem = number_problem(schema, value.number());
        if (!problem.empty()) return path + ": " + problem;
    }
    if (value.is(Kind::array)) {
        const double size = double(value.items().size());
        if (schema.find("minItems") && size < schema.find("minItems")->number())
            return path + ": too short";
        if (schema.find("maxItems") && size > schema.find("maxItems")->number())
            return path + ": too long";
        if (const Settings* items = schema.find("items"))
            for (const Settings& item : value.items()) {
                const std::string problem = schema_problem(*items, item, root, path + "[]");
                if (!problem.empty()) return problem;
            }
    }
    return value.is(Kind::object) ? object_problem(schema, value, root, path) : std::string();
}

}  // namespace taffeta::scene
