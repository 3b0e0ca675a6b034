#include "taffeta/io/ply_header.h"

#include <fmt/format.h>

#include <charconv>

namespace taffeta::io {

namespace {

constexpr std::size_t most_elements = 1000;

struct TypeName {
    std::string_view name;
    PlyType type;
};

/// The names of 1994 and those with sizes.
constexpr TypeName type_names[] = {
    {"char", PlyType::int8},      {"int8", PlyType::int8},       {"uchar", PlyType::uint8},
    {"uint8", PlyType::uint8},    {"short", PlyType::int16},     {"int16", PlyType::int16},
    {"ushort", PlyType::uint16},  {"uint16", PlyType::uint16},   {"int", PlyType::int32},
    {"int32", PlyType::int32},    {"uint", PlyType::uint32},     {"uint32", PlyType::uint32},
    {"float", PlyType::float32},  {"float32", PlyType::float32}, {"double", PlyType::float64},
    {"float64", PlyType::float64}};

PlyType type_of(std::string_view word, const LineReader& lines) {
    for (const TypeName& known : type_names)
        if (known.name == word) return known.type;
    lines.fail(fmt::format("unknown type '{}'", shown(word)), "char uchar short ... double");
}

PlyEncoding encoding_of(std::string_view line, const LineReader& lines) {
    const std::string_view name = take_word(line), version = take_word(line);
    if (version != "1.0")
        lines.fail(fmt::format("version '{}' of PLY", shown(version)), "only 1.0 is read");
    if (name == "ascii") return PlyEncoding::ascii;
    if (name == "binary_little_endian") return PlyEncoding::little_endian;
    if (name == "binary_big_endian") return PlyEncoding::big_endian;
    lines.fail(fmt::format("unknown format '{}'", shown(name)),
               "ascii, binary_little_endian or binary_big_endian");
}

PlyElement element_of(std::string_view line, const PlyHeader& header, const LineReader& lines) {
    PlyElement element;
    element.name = take_word(line);
    const std::string_view count = take_word(line);
    const auto [end, code] =
        std::from_chars(count.data(), count.data() + count.size(), element.count);
    if (code != std::errc() || end != count.data() + count.size() || element.count < 0)
        lines.fail(fmt::format("'{}' is no number of elements", shown(count)));
    for (const PlyElement& other : header.element)
        if (other.name == element.name)
            lines.fail(fmt::format("a second element '{}'", shown(element.name)));
    if (header.element.size() >= most_elements)
        lines.fail("too many elements", fmt::format("at most {}", most_elements));
    return element;
}

PlyProperty property_of(std::string_view line, const LineReader& lines) {
    PlyProperty property;
    std::string_view word = take_word(line);
    if (word == "list") {
        property.count_type = type_of(take_word(line), lines);
        if (*property.count_type == PlyType::float32 || *property.count_type == PlyType::float64)
            lines.fail("a list counted by a fraction");
        word = take_word(line);
    }
    property.type = type_of(word, lines);
    property.name = take_word(line);
    if (property.name.empty()) lines.fail("a property without a name");
    return property;
}

}  // namespace

std::size_t size_of(PlyType type) {
    switch (type) {
        case PlyType::int8:
        case PlyType::uint8:
            return 1;
        case PlyType::int16:
        case PlyType::uint16:
            return 2;
        case PlyType::int32:
        case PlyType::uint32:
        case PlyType::float32:
            return 4;
        case PlyType::float64:
            return 8;
    }
    return 0;
}

int PlyElement::find(std::initializer_list<std::string_view> names) const {
    for (const std::string_view wanted : names)
        for (std::size_t i = 0; i < property.size(); ++i)
            if (property[i].name == wanted) return int(i);
    return -1;
}

std::size_t PlyElement::least_size() const {
    std::size_t size = 0;
    for (const PlyProperty& one : property)
        size += size_of(one.count_type.value_or(one.type));
    return size;
}

PlyHeader read_ply_header(LineReader& lines) {
    std::string_view line;
    if (!lines.next(line) || take_word(line) != "ply")
        lines.fail("the file does not begin with 'ply'", "is this really a PLY file?");
    PlyHeader header;
    bool has_format = false;
    while (lines.next(line)) {
        const std::string_view word = take_word(line);
        if (word == "end_header") {
            if (!has_format) lines.fail("a header without a format line");
            return header;
        }
        if (word.empty() || word == "comment" || word == "obj_info") continue;
        if (word == "format") {
            header.encoding = encoding_of(line, lines);
            has_format = true;
        } else if (word == "element") {
            header.element.push_back(element_of(line, header, lines));
        } else if (word == "property") {
            if (header.element.empty()) lines.fail("a property before the first element");
            header.element.back().property.push_back(property_of(line, lines));
        } else {
            lines.fail(fmt::format("unknown header line '{}'", shown(word)));
        }
    }
    lines.fail("the header has no end", "end_header");
}

}  // namespace taffeta::io
