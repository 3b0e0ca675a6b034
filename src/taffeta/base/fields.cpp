#include "taffeta/base/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taffeta {

Range::Range() = default;
Range::Range(const Range&) = default;
Range::Range(Range&&) noexcept = default;
Range& Range::operator=(const Range&) = default;
Range& Range::operator=(Range&&) noexcept = default;
Range::~Range() = default;

FieldInfo::FieldInfo() = default;
FieldInfo::FieldInfo(const FieldInfo&) = default;
FieldInfo::FieldInfo(FieldInfo&&) noexcept = default;
FieldInfo& FieldInfo::operator=(const FieldInfo&) = default;
FieldInfo& FieldInfo::operator=(FieldInfo&&) noexcept = default;
FieldInfo::~FieldInfo() = default;

AnyField::AnyField(const char* key, const char* doc, Range range, void (*describe)(FieldInfo&),
                   Reader read, Writer write)
    : read_(std::move(read)), write_(std::move(write)) {
    const auto info = std::make_shared<FieldInfo>();
    info->key = key;
    info->doc = doc;
    info->range = std::move(range);
    describe(*info);
    info_ = info;
}

AnyField::AnyField(const AnyField&) = default;
AnyField::~AnyField() = default;

AnyFields::AnyFields() = default;
AnyFields::AnyFields(const AnyFields&) = default;
AnyFields::~AnyFields() = default;

void AnyFields::add(const AnyField& field) {
    fields_.push_back(field);
}

std::string Range::text() const {
    if (!choices.empty()) return fmt::format("one of {}", joined(choices));
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
               near.empty() ? fmt::format("known keys: {}", joined(sorted))
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

void read_numbers(double* values, int count, const Settings& value, const Range& range) {
    require_kind(value, Settings::Kind::array);
    if (value.items().size() != std::size_t(count))
        value.fail(fmt::format("expected {} numbers, found {}", count, value.items().size()));
    for (int i = 0; i < count; ++i)
        values[i] = read_number(value.items()[std::size_t(i)], range);
}

Settings write_numbers(const double* values, int count) {
    Settings written = Settings::array();
    for (int i = 0; i < count; ++i)
        written.items().push_back(Settings::of(values[i]));
    return written;
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

void read_members(void* object, const AnyFields& fields, const Settings& settings,
                  const std::vector<std::string>& also_allowed) {
    if (settings.is(Settings::Kind::null) && settings.location().line == 0) return;
    require_kind(settings, Settings::Kind::object);
    std::vector<std::string> known = also_allowed;
    for (const AnyField& field : fields)
        known.push_back(field.key());
    for (const auto& [key, value] : settings.members()) {
        bool found = false;
        for (const AnyField& field : fields)
            if (field.key() == key) {
                field.read(object, value);
                found = true;
            }
        for (const std::string& allowed : also_allowed)
            found = found || allowed == key;
        if (!found) fail_unknown_key(settings, key, value, known);
    }
    for (const AnyField& field : fields)
        if (field.info().range.required && !settings.find(field.key()))
            settings.fail("missing key '" + field.key() + "'", field.info().doc);
}

Settings write_members(const void* object, const AnyFields& fields) {
    Settings written = Settings::object();
    for (const AnyField& field : fields)
        written[field.key()] = field.write(object);
    return written;
}

FieldTable describe_members(const void* initial, const AnyFields& fields) {
    FieldTable table;
    for (const AnyField& field : fields) {
        table.push_back(field.info());
        table.back().initial = field.write(initial);
    }
    return table;
}

}  // namespace taffeta
