#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
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

    Range();
    Range(const Range&);
    Range(Range&&) noexcept;
    Range& operator=(const Range&);
    Range& operator=(Range&&) noexcept;
    ~Range();

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

    FieldInfo();
    FieldInfo(const FieldInfo&);
    FieldInfo(FieldInfo&&) noexcept;
    FieldInfo& operator=(const FieldInfo&);
    FieldInfo& operator=(FieldInfo&&) noexcept;
    ~FieldInfo();
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

/// One described member of some struct. What does not depend on the struct's type is compiled once.
class AnyField {
  public:
    using Reader = std::function<void(void* object, const Settings& value, const Range& range)>;
    using Writer = std::function<Settings(const void* object)>;

    AnyField(const char* key, const char* doc, Range range, void (*describe)(FieldInfo&),
             Reader read, Writer write);
    AnyField(const AnyField&);
    ~AnyField();

    const FieldInfo& info() const { return *info_; }
    const std::string& key() const { return info_->key; }
    void read(void* object, const Settings& value) const { read_(object, value, info_->range); }
    Settings write(const void* object) const { return write_(object); }

  private:
    std::shared_ptr<const FieldInfo> info_;
    Reader read_;
    Writer write_;
};

/// One described member of T.
template <class T>
class Field : public AnyField {
  public:
    template <class M>
    Field(const char* key, M T::*member, const char* doc, Range range = {})
        : AnyField(
              key, doc, std::move(range), &FieldTraits<M>::describe,
              [member](void* object, const Settings& value, const Range& allowed) {
                  FieldTraits<M>::read(static_cast<T*>(object)->*member, value, allowed);
              },
              [member](const void* object) {
                  return FieldTraits<M>::write(static_cast<const T*>(object)->*member);
              }) {}
};

/// The described members of some struct, in the order of the documentation.
class AnyFields {
  public:
    AnyFields();
    AnyFields(const AnyFields&);
    ~AnyFields();
    void add(const AnyField& field);
    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }

  private:
    std::vector<AnyField> fields_;
};

template <class T>
class Fields : public AnyFields {
  public:
    Fields() = default;
    Fields(std::initializer_list<Field<T>> fields) {
        for (const Field<T>& field : fields)
            add(field);
    }
};

[[noreturn]] void fail_unknown_key(const Settings& object, const std::string& key,
                                   const Settings& value, const std::vector<std::string>& known);
void require_kind(const Settings& value, Settings::Kind kind);
double read_number(const Settings& value, const Range& range);
int read_integer(const Settings& value, const Range& range);
/// An array of exactly `count` numbers.
void read_numbers(double* values, int count, const Settings& value, const Range& range);
Settings write_numbers(const double* values, int count);
std::string read_string(const Settings& value, const Range& range);

void read_members(void* object, const AnyFields& fields, const Settings& settings,
                  const std::vector<std::string>& also_allowed);
Settings write_members(const void* object, const AnyFields& fields);
FieldTable describe_members(const void* initial, const AnyFields& fields);

/// Overwrites the members of `object` that `settings` names. Unknown keys, wrong types and values
/// out of range throw bad input at their line and column. Keys in `also_allowed` are left to the
/// caller (`type` of a registry choice).
template <HasFields T>
void read_fields(T& object, const Settings& settings,
                 const std::vector<std::string>& also_allowed = {}) {
    read_members(&object, T::fields(), settings, also_allowed);
}

/// All members, defaults included.
template <HasFields T>
Settings write_fields(const T& object) {
    return write_members(&object, T::fields());
}

/// The table of a struct, with the defaults filled in from `T{}`.
template <HasFields T>
FieldTable field_table() {
    const T initial{};
    return describe_members(&initial, T::fields());
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
