#pragma once

#include "taffeta/ode/integrator.h"
#include "taffeta/ode/study/problem.h"

namespace taffeta::ode::study::testing {

inline const IntegratorEntry& method(std::string_view key) {
    return find_entry(integrators(), "integrator", key);
}

inline const ProblemEntry& problem_entry(std::string_view key) {
    return find_entry(problems(), "problem", key);
}

/// {"key": number, ...}
inline Settings options(std::initializer_list<std::pair<const char*, double>> values) {
    Settings settings = Settings::object();
    for (const auto& [key, value] : values)
        settings[key] = Settings::of(value);
    return settings;
}

}  // namespace taffeta::ode::study::testing
