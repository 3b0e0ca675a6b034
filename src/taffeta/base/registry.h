#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taffeta/base/fields.h"

/// Registries: a thing that can be chosen by name is one file plus one line in an `.inc` table.
///
/// The file defines `constinit const XEntry entry_<key>{...}`; the `.inc` line
/// `TAFFETA_ENTRY(<key>)` makes the layer's `registry.cpp` declare it and put its address into the
/// table. No header for the new class, and no static initialiser that a linker could drop.
namespace taffeta {

struct NoProperties {};

/// One registered thing: how to make it, and the properties that it declares about itself, which
/// `tests/contracts` measure for everything registered.
template <class Made, class Properties = NoProperties>
struct Entry {
    using made_type = Made;

    std::string_view key;
    std::string_view doc;  ///< one line, with its source
    Properties properties;
    FieldTable (*fields)();  ///< its options, for schema and docs
    std::unique_ptr<Made> (*make)(const Settings& options);
};

/// The registered entries of one kind, in table order.
template <class EntryType>
using Registry = std::span<const EntryType* const>;

[[noreturn]] void fail_unknown_entry(const Settings& value, std::string_view kind,
                                     std::string_view key, const std::vector<std::string>& known);

template <class EntryType>
std::vector<std::string> registry_keys(Registry<EntryType> registry) {
    std::vector<std::string> keys;
    for (const EntryType* entry : registry)
        keys.emplace_back(entry->key);
    return keys;
}

/// The entry of that key; throws bad input at `value` with the nearest name. `kind` is the word
/// for the message, such as "preconditioner".
template <class EntryType>
const EntryType& find_entry(Registry<EntryType> registry, std::string_view kind,
                            std::string_view key, const Settings& value = {}) {
    for (const EntryType* entry : registry)
        if (entry->key == key) return *entry;
    fail_unknown_entry(value, kind, key, registry_keys(registry));
}

/// Makes what `settings` asks for: a string (`"ssor"`), or an object whose `type` is the key and
/// whose other members are the options; null makes `fallback` with its defaults.
template <class EntryType>
std::unique_ptr<typename EntryType::made_type> make_entry(Registry<EntryType> registry,
                                                          std::string_view kind,
                                                          const Settings& settings,
                                                          std::string_view fallback) {
    if (settings.is(Settings::Kind::string))
        return find_entry(registry, kind, settings.string(), settings).make(Settings::object());
    const Settings* type = settings.find("type");
    if (!type) return find_entry(registry, kind, fallback, settings).make(settings);
    require_kind(*type, Settings::Kind::string);
    return find_entry(registry, kind, type->string(), *type).make(settings);
}

}  // namespace taffeta
