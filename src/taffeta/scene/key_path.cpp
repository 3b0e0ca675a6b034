#include "taffeta/scene/key_path.h"

#include <fmt/format.h>

#include <charconv>

namespace taffeta::scene {

std::vector<PathStep> parse_path(const std::string& path, const std::string& where) {
    const auto fail = [&](const std::string& what) {
        fail_input(where, fmt::format("'{}': {}", escaped(path), what),
                   "a path reads like bodies[0].pins[1].group");
    };
    std::vector<PathStep> steps;
    std::size_t i = 0;
    while (i < path.size()) {
        if (path[i] == '[') {
            const std::size_t close = path.find(']', i);
            if (steps.empty() || close == std::string::npos) fail("a bracket out of place");
            PathStep step;
            const char* end = path.data() + close;
            const auto [rest, status] = std::from_chars(path.data() + i + 1, end, step.index);
            if (status != std::errc() || rest != end || step.index < 0)
                fail("an index must be a whole number from 0");
            steps.push_back(step);
            i = close + 1;
            if (i < path.size() && path[i] != '.' && path[i] != '[') fail("expected '.' or '['");
        } else {
            if (path[i] == '.') {
                if (steps.empty()) fail("it begins with a dot");
                ++i;
            }
            const std::size_t end = std::min(path.find_first_of(".[]", i), path.size());
            if (end == i || (end < path.size() && path[end] == ']')) fail("a key is missing");
            steps.push_back({path.substr(i, end - i), 0});
            i = end;
        }
    }
    if (steps.empty() || path.back() == '.') fail("a key is missing");
    return steps;
}

const Settings& follow_path(const Settings& root, const std::string& path) {
    const Settings* value = &root;
    for (const PathStep& step : parse_path(path)) {
        const Settings* next = nullptr;
        if (!step.key.empty())
            next = value->find(step.key);
        else if (std::size_t(step.index) < value->items().size())
            next = &value->items()[std::size_t(step.index)];
        if (!next) break;
        value = next;
    }
    return *value;
}

}  // namespace taffeta::scene
