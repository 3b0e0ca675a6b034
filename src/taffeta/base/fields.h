#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "taffeta/base/settings.h"
#include "taffeta/base/types.h"

/// Options that describe themselves. A plain struct lists its members once,
///
///     struct PcgOptions {
///         double tolerance = 1e-5;
///         int max_iterations = 10000;
///
///         static Fields<PcgOptions> fields() {
///             return {{"tolerance", &PcgOptions::tolerance, "stop: |r|/|r0| in the M^-1 norm",
///                      positive()},
///                     {"max_iterations", &PcgOptions::max_iterations, "hard limit", at_least(1)}};
///         }
///     };
///
/// and gains: reading with a suggestion for every unknown key, range checks that point at
/// file:line:column, writing with all defaults, a JSON schema and a table for the docs.
/// Members may be bool, int, double, std::string, Vec3, Vec2, std::optional, std::vector and
/// std::map<std::string, ...> of these, and structs with `fields()` of their own.
namespace taffeta {

/// Allowed values: an interval for numbers, a list for strings. The default allows everything
/// finite.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_open = false, high_open = false;
    std::vector<std::string> choices;  ///< for strings; empty: any
    bool required = false;             ///< the key must be present

    std::string text() const;  ///< `> 0`, `in [0, 1)`, `one of a, b`; empty when unrestricted
};

Range positive();
Range at_least(double low);
Range between(double low, double high);
Range one_of(std::vector<std::string> choices);
Range required(Range range = {});

/// What a schema or a docs table needs to know about one value.
struct FieldInfo {
    std::string key, doc;
    std::string type;  ///< number, integer, boolean, string, array, object, map
    Range range;
    Settings initial;       ///< the default; null when there is none
    bool nullable = false;  ///< std::optional
    int fixed_size = 0;     ///< array length when fixed (Vec2, Vec3)
    /// Members of an object, of an array's items (type "object") or of a map's values. A function,
    /// so that recursive structs end.
    std::function<std::vector<FieldInfo>()> members;
    std::string item_type;  ///< of an array or a map
};

using FieldTable = std::vector<FieldInfo>;

/// How one type is read, written and described. Specialise for a new value type.
template <class T, class Enable = void>
struct FieldTraits;

template <class T>
class Fields;

template <class T>
concept HasFields = requires {
    T::fields();
};

/// One described member of T.
template <class T>
class Field {
  public:
    template <class M>
    Field(const char* key, M T::*member, const char* doc, Range range = {}) {
        info_ = std::make_shared<FieldInfo>();
        info_->key = key;
        info_->doc = doc;
        info_->range = range;
        FieldTraits<M>::describe(*info_);
        read = [member, range](T& object, const Settings& value) {
            FieldTraits<M>::read(object.*member, value, range);
        };
        write = [member](const T& object) { return FieldTraits<M>::write(object.*member); };
    }

    const FieldInfo& info() const { return *info_; }
    const std::string& key() const { return info_->key; }

    std::function<void(T&, const Settings&)> read;
    std::function<Settings(const T&)> write;

  private:
    std::shared_ptr<FieldInfo> info_;
};

template <class T>
class Fields : public std::vector<Field<T>> {
  public:
    using std::vector<Field<T>>::vector;
};

[[noreturn]] void fail_unknown_key(const Settings& object, const std::string& key,
                                   const Settings& value, const std::vector<std::string>& known);
void require_kind(const Settings& value, Settings::Kind kind);
double read_number(const Settings& value, const Range& range);
int read_integer(const Settings& value, const Range& range);
std::string read_string(const Settings& value, const Range& range);

/// Overwrites the members of `object` that `settings` names. Unknown keys, wrong types and values
/// out of range throw bad input at their line and column. Keys in `also_allowed` are left to the
/// caller (`type` of a registry choice).
template <HasFields T>
void read_fields(T& object, const Settings& settings,
                 const std::vector<std::string>& also_allowed = {}) {
    if (settings.is(Settings::Kind::null) && settings.location().line == 0) return;
    require_kind(settings, Settings::Kind::object);
    const Fields<T> fields = T::fields();
    std::vector<std::string> known = also_allowed;
    for (const Field<T>& field : fields)
        known.push_back(field.key());
    for (const auto& [key, value] : settings.members()) {
        bool found = false;
        for (const Field<T>& field : fields)
            if (field.key() == key) {
                field.read(object, value);
                found = true;
            }
        for (const std::string& allowed : also_allowed)
            found = found || allowed == key;
        if (!found) fail_unknown_key(settings, key, value, known);
    }
    for (const Field<T>& field : fields)
        if (field.info().range.required && !settings.find(field.key()))
            settings.fail("missing key '" + field.key() + "'", field.info().doc);
}

/// All members, defaults included.
template <HasFields T>
Settings write_fields(const T& object) {
    Settings written = Settings::object();
    for (const Field<T>& field : T::fields())
        written[field.key()] = field.write(object);
    return written;
}

/// The table of a struct, with the defaults filled in from `T{}`.
template <HasFields T>
FieldTable field_table() {
    FieldTable table;
    const T initial{};
    for (const Field<T>& field : T::fields()) {
        table.push_back(field.info());
        table.back().initial = field.write(initial);
    }
    return table;
}

/// For a registry entry without options.
struct NoOptions {
    static Fields<NoOptions> fields() { return {}; }
};

template <class T>
T read_options(const Settings& settings) {
    T options;
    read_fields(options, settings, {"type"});
    return options;
}

}  // namespace taffeta

#include "taffeta/base/field_traits.h"
