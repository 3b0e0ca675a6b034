#pragma once

#include "taffeta/base/fields.h"

/// Reading, writing and describing of the value types that options are made of (base/fields.h).
namespace taffeta {

template <>
struct FieldTraits<bool> {
    static void describe(FieldInfo& info) { info.type = "boolean"; }
    static void read(bool& value, const Settings& settings, const Range&) {
        require_kind(settings, Settings::Kind::boolean);
        value = settings.boolean();
    }
    static Settings write(bool value) { return Settings::of(value); }
};

template <>
struct FieldTraits<double> {
    static void describe(FieldInfo& info) { info.type = "number"; }
    static void read(double& value, const Settings& settings, const Range& range) {
        value = read_number(settings, range);
    }
    static Settings write(double value) { return Settings::of(value); }
};

template <>
struct FieldTraits<int> {
    static void describe(FieldInfo& info) { info.type = "integer"; }
    static void read(int& value, const Settings& settings, const Range& range) {
        value = read_integer(settings, range);
    }
    static Settings write(int value) { return Settings::of(double(value)); }
};

template <>
struct FieldTraits<std::string> {
    static void describe(FieldInfo& info) { info.type = "string"; }
    static void read(std::string& value, const Settings& settings, const Range& range) {
        value = read_string(settings, range);
    }
    static Settings write(const std::string& value) { return Settings::of(value); }
};

/// Vec2 and Vec3: arrays of fixed length; the range holds for each component.
template <int N>
struct FieldTraits<Eigen::Matrix<double, N, 1>> {
    using Vector = Eigen::Matrix<double, N, 1>;

    static void describe(FieldInfo& info) {
        info.type = "array";
        info.item_type = "number";
        info.fixed_size = N;
    }
    static void read(Vector& value, const Settings& settings, const Range& range) {
        read_numbers(value.data(), N, settings, range);
    }
    static Settings write(const Vector& value) { return write_numbers(value.data(), N); }
};

template <HasFields T>
struct FieldTraits<T> {
    static void describe(FieldInfo& info) {
        info.type = "object";
        info.members = [] { return field_table<T>(); };
    }
    static void read(T& value, const Settings& settings, const Range&) {
        read_fields(value, settings);
    }
    static Settings write(const T& value) { return write_fields(value); }
};

template <class T>
struct FieldTraits<std::optional<T>> {
    static void describe(FieldInfo& info) {
        FieldTraits<T>::describe(info);
        info.nullable = true;
    }
    static void read(std::optional<T>& value, const Settings& settings, const Range& range) {
        if (settings.is(Settings::Kind::null)) {
            value.reset();
            return;
        }
        T read_value{};
        FieldTraits<T>::read(read_value, settings, range);
        value = std::move(read_value);
    }
    static Settings write(const std::optional<T>& value) {
        return value ? FieldTraits<T>::write(*value) : Settings();
    }
};

template <class T>
struct FieldTraits<std::vector<T>> {
    static void describe(FieldInfo& info) {
        FieldInfo item;
        FieldTraits<T>::describe(item);
        info.type = "array";
        info.item_type = item.type;
        info.members = item.members;
    }
    static void read(std::vector<T>& value, const Settings& settings, const Range& range) {
        require_kind(settings, Settings::Kind::array);
        value.clear();
        for (const Settings& item : settings.items()) {
            value.emplace_back();
            FieldTraits<T>::read(value.back(), item, range);
        }
    }
    static Settings write(const std::vector<T>& value) {
        Settings written = Settings::array();
        for (const T& item : value)
            written.items().push_back(FieldTraits<T>::write(item));
        return written;
    }
};

template <class T>
struct FieldTraits<std::map<std::string, T>> {
    static void describe(FieldInfo& info) {
        FieldInfo item;
        FieldTraits<T>::describe(item);
        info.type = "map";
        info.item_type = item.type;
        info.members = item.members;
    }
    static void read(std::map<std::string, T>& value, const Settings& settings,
                     const Range& range) {
        require_kind(settings, Settings::Kind::object);
        for (const auto& [key, item] : settings.members())
            FieldTraits<T>::read(value[key], item, range);
    }
    static Settings write(const std::map<std::string, T>& value) {
        Settings written = Settings::object();
        for (const auto& [key, item] : value)
            written[key] = FieldTraits<T>::write(item);
        return written;
    }
};

/// A free-form subtree, read by somebody else (the options of a registry choice).
template <>
struct FieldTraits<Settings> {
    static void describe(FieldInfo& info) { info.type = "object"; }
    static void read(Settings& value, const Settings& settings, const Range&) { value = settings; }
    static Settings write(const Settings& value) { return value; }
};

}  // namespace taffeta
