#include "solver_names.h"

#include <sstream>

#include "taffeta/scene/json.h"

namespace taffeta::app {

Settings solver_by_name(const std::string& name) {
    Settings settings = Settings::object();
    const std::string type = name.substr(0, name.find(':'));
    if (type == "ldlt" || type == "cholmod" || type == "pardiso") {
        settings["type"] = Settings::of(type);
        if (type != name) settings["ordering"] = Settings::of(name.substr(type.size() + 1));
        return settings;
    }
    settings["type"] = Settings::of(std::string("prefiltered_pcg"));
    if (const std::size_t end = name.find(":unfiltered"); end != std::string::npos) {
        Settings filtered = solver_by_name(name.substr(0, end));
        filtered["prefilter"] = Settings::of(false);
        return filtered;
    }
    if (name.find('{') != std::string::npos) {
        settings["preconditioner"] = scene::parse_json(name, "--solvers");
        return settings;
    }
    if (name == "paper2015") {
        settings["preconditioner"]["type"] = Settings::of(std::string("sa"));
        settings["preconditioner"]["preset"] = Settings::of(name);
        return settings;
    }
    settings["preconditioner"] = Settings::of(name == "diag" ? std::string("block_jacobi") : name);
    return settings;
}

std::vector<std::string> split_names(const std::string& list) {
    const char separator = list.find('{') == std::string::npos ? ',' : ';';
    std::vector<std::string> parts;
    std::istringstream stream(list);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

}  // namespace taffeta::app
