#include "taffeta/base/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace taffeta {

Settings::Settings() = default;
Settings::Settings(const Settings&) = default;
Settings::Settings(Settings&&) noexcept = default;
Settings& Settings::operator=(const Settings&) = default;
Settings& Settings::operator=(Settings&&) noexcept = default;
Settings::~Settings() = default;

std::string Location::text() const {
    if (line == 0) return file;
    return fmt::format("{}:{}:{}", file, line, column);
}

Settings Settings::of(bool value) {
    Settings made;
    made.kind_ = Kind::boolean;
    made.boolean_ = value;
    return made;
}

Settings Settings::of(double value) {
    Settings made;
    made.kind_ = Kind::number;
    made.number_ = value;
    return made;
}

Settings Settings::of(std::string value) {
    Settings made;
    made.kind_ = Kind::string;
    made.string_ = std::move(value);
    return made;
}

Settings Settings::array() {
    Settings made;
    made.kind_ = Kind::array;
    return made;
}

Settings Settings::object() {
    Settings made;
    made.kind_ = Kind::object;
    return made;
}

const Settings* Settings::find(std::string_view key) const {
    for (const Member& member : members_)
        if (member.first == key) return &member.second;
    return nullptr;
}

Settings& Settings::operator[](std::string_view key) {
    if (kind_ == Kind::null) kind_ = Kind::object;
    for (Member& member : members_)
        if (member.first == key) return member.second;
    members_.emplace_back(std::string(key), Settings());
    Settings& added = members_.back().second;
    added.path_ = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    return added;
}

void Settings::erase(std::string_view key) {
    std::erase_if(members_, [&](const Member& member) { return member.first == key; });
}

void Settings::fail(const std::string& what, const std::string& hint) const {
    fail_input(location_.text(), path_.empty() ? what : escaped(path_) + ": " + what, hint);
}

const char* to_string(Settings::Kind kind) {
    switch (kind) {
        case Settings::Kind::null:
            return "null";
        case Settings::Kind::boolean:
            return "a boolean";
        case Settings::Kind::number:
            return "a number";
        case Settings::Kind::string:
            return "a string";
        case Settings::Kind::array:
            return "an array";
        case Settings::Kind::object:
            return "an object";
    }
    return "?";
}

namespace {

/// Levenshtein distance with swapped neighbours counted once (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(now);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace taffeta
