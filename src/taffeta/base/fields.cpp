#include "taffeta/base/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace taffeta {

std::string Range::text() const {
    if (!choices.empty()) return fmt::format("one of {}", fmt::join(choices, ", "));
    const bool below = std::isfinite(low), above = std::isfinite(high);
    if (below && above)
        return fmt::format("in {}{}, {}{}", low_open ? "(" : "[", low, high, high_open ? ")" : "]");
    if (below) return fmt::format("{} {}", low_open ? ">" : ">=", low);
    if (above) return fmt::format("{} {}", high_open ? "<" : "<=", high);
    return {};
}

Range positive() {
    Range range;
    range.low = 0;
    range.low_open = true;
    return range;
}

Range at_least(double low) {
    Range range;
    range.low = low;
    return range;
}

Range between(double low, double high) {
    Range range;
    range.low = low;
    range.high = high;
    return range;
}

Range one_of(std::vector<std::string> choices) {
    Range range;
    range.choices = std::move(choices);
    return range;
}

Range required(Range range) {
    range.required = true;
    return range;
}

void fail_unknown_key(const Settings& object, const std::string& key, const Settings& value,
                      const std::vector<std::string>& known) {
    const std::string near = nearest(key, known);
    std::vector<std::string> sorted = known;
    std::sort(sorted.begin(), sorted.end());
    const std::string prefix = object.path().empty() ? "" : escaped(object.path()) + ": ";
    fail_input(value.location().text(), prefix + fmt::format("unknown key '{}'", escaped(key)),
               near.empty() ? fmt::format("known keys: {}", fmt::join(sorted, ", "))
                            : fmt::format("did you mean '{}'?", near));
}

void require_kind(const Settings& value, Settings::Kind kind) {
    if (!value.is(kind))
        value.fail(fmt::format("expected {}, found {}", to_string(kind), to_string(value.kind())));
}

double read_number(const Settings& value, const Range& range) {
    require_kind(value, Settings::Kind::number);
    const double number = value.number();
    const bool inside = (range.low_open ? number > range.low : number >= range.low) &&
                        (range.high_open ? number < range.high : number <= range.high);
    if (!std::isfinite(number)) value.fail(fmt::format("{} is not a finite number", number));
    if (!inside) value.fail(fmt::format("{} is out of range", number), "must be " + range.text());
    return number;
}

int read_integer(const Settings& value, const Range& range) {
    const double number = read_number(value, range);
    if (number != std::floor(number)) value.fail(fmt::format("{} is not an integer", number));
    if (std::abs(number) > 2147483647.0) value.fail(fmt::format("{} is too large", number));
    return int(number);
}

std::string read_string(const Settings& value, const Range& range) {
    require_kind(value, Settings::Kind::string);
    const std::vector<std::string>& choices = range.choices;
    if (!choices.empty() &&
        std::find(choices.begin(), choices.end(), value.string()) == choices.end()) {
        const std::string near = nearest(value.string(), choices);
        value.fail(
            fmt::format("unknown value '{}'", escaped(value.string())),
            near.empty() ? "must be " + range.text() : fmt::format("did you mean '{}'?", near));
    }
    return value.string();
}

}  // namespace taffeta
