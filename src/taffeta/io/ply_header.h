#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taffeta/io/text_reader.h"

namespace taffeta::io {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::size_t size_of(PlyType type);

struct PlyProperty {
    std::string name;
    PlyType type = PlyType::float32;
    std::optional<PlyType> count_type;  ///< of a list
};

struct PlyElement {
    std::string name;
    std::int64_t count = 0;
    std::vector<PlyProperty> property;

    /// Number of the property with one of these names, or -1.
    int find(std::initializer_list<std::string_view> names) const;
    /// The fewest bytes that one takes in a binary file (lists empty).
    std::size_t least_size() const;
};

enum class PlyEncoding { ascii, little_endian, big_endian };

/// The header of a Stanford PLY file, version 1.0.
struct PlyHeader {
    PlyEncoding encoding = PlyEncoding::ascii;
    std::vector<PlyElement> element;
};

/// Reads up to and with `end_header`; `lines.rest()` is then the body. Throws bad input with
/// `file:line`.
PlyHeader read_ply_header(LineReader& lines);

}  // namespace taffeta::io
