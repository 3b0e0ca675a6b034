#include "taffeta/base/settings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace taffeta {

namespace {

constexpr int deepest = 8;  // objects are freed by recursion

Settings read_value(std::string_view text) {
    if (text == "true" || text == "false") return Settings::of(text == "true");
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return Settings::of(number);
    return Settings::of(std::string(text));
}

class SettingsReader {
  public:
    SettingsReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

    Settings read() {
        Settings all = Settings::object();
        all.set_location(here(0));
        constexpr std::string_view separators = " \t\r\n,;";
        for (std::size_t begin = 0; begin < text_.size();) {
            begin = text_.find_first_not_of(separators, begin);
            if (begin == std::string_view::npos) break;
            const std::size_t end = std::min(text_.find_first_of(separators, begin), text_.size());
            read_pair(all, begin, text_.substr(begin, end - begin));
            begin = end;
        }
        return all;
    }

  private:
    Location here(std::size_t place) const { return {std::string(name_), 1, int(place) + 1}; }

    [[noreturn]] void fail(std::size_t place, const std::string& what) const {
        fail_input(here(place).text(), what, "write key=value");
    }

    void read_pair(Settings& all, std::size_t place, std::string_view pair) {
        const std::size_t equals = pair.find('=');
        const std::string shown = escaped(std::string(pair.substr(0, 60)));
        if (equals == std::string_view::npos) fail(place, fmt::format("'{}' has no value", shown));
        if (equals + 1 == pair.size()) fail(place, fmt::format("'{}' has no value", shown));
        std::string_view key = pair.substr(0, equals);
        Settings* object = &all;
        int depth = 0;
        for (std::size_t dot; (dot = key.find('.')) != std::string_view::npos;) {
            if (++depth > deepest) fail(place, fmt::format("too many points in '{}'", shown));
            if (dot == 0) fail(place, fmt::format("an empty key in '{}'", shown));
            object = &member_object(*object, key.substr(0, dot), place);
            key.remove_prefix(dot + 1);
        }
        if (key.empty()) fail(place, fmt::format("an empty key in '{}'", shown));
        set(*object, key, read_value(pair.substr(equals + 1)), place);
    }

    Settings& member_object(Settings& parent, std::string_view key, std::size_t place) {
        Settings& member = parent[key];
        if (member.is(Settings::Kind::object)) return member;
        const Settings word = member;  // `preconditioner=sa` came before: it is the type
        const std::string path = member.path();
        member = Settings::object();
        member.set_path(path);
        member.set_location(here(place));
        if (!word.is(Settings::Kind::null)) set(member, "type", word, place);
        return member;
    }

    void set(Settings& object, std::string_view key, Settings value, std::size_t place) {
        const Settings* before = object.find(key);
        if (before && before->is(Settings::Kind::object)) {
            set(object[key], "type", std::move(value), place);
            return;
        }
        if (before) fail(place, fmt::format("'{}' is there twice", escaped(std::string(key))));
        Settings& member = object[key];
        const std::string path = member.path();
        member = std::move(value);
        member.set_path(path);
        member.set_location(here(place));
    }

    std::string_view text_, name_;
};

}  // namespace

Settings settings_from_text(std::string_view text, std::string_view name) {
    return SettingsReader(text, name).read();
}

}  // namespace taffeta
