#pragma once

#include <cstddef>
#include <string>

#include "taffeta/base/settings.h"

/// JSON <-> Settings. The reader is the only place that knows the JSON library.
namespace taffeta::scene {

/// What a scene file may cost at most. A hostile file of a few bytes must not take gigabytes.
struct JsonLimits {
    std::size_t bytes = std::size_t(16) << 20;
    std::size_t values = 1'000'000;  ///< numbers, strings, arrays and objects together
    int depth = 64;                  ///< nested brackets
};

/// Parses strict JSON plus `//` and `/* */` comments. Every value gets its file, line, column and
/// path (`bodies[0].pins[1].box`).
///
/// Refused, with the position: trailing commas, duplicate keys, NaN and Infinity, numbers beyond
/// double, invalid UTF-8, NUL, text after the end, and whatever exceeds the limits.
Settings parse_json(const std::string& text, const std::string& file_name,
                    const JsonLimits& limits = {});

/// Text of a value: numbers in their shortest round-trip form whatever the locale, members in
/// their order, arrays of scalars on one line. `indent` 0 gives a single line without spaces.
/// Throws bad input for NaN and Inf, which JSON cannot say.
std::string write_json(const Settings& value, int indent = 2);

}  // namespace taffeta::scene
