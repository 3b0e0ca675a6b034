#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace taffeta::io {

static_assert(std::endian::native == std::endian::little,
              "binary files are written from and read into little-endian memory");

/// The bytes of a value, as the machine and every little-endian file has them.
template <class T>
void append_little(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The bytes of a value, most significant first.
template <class T>
void append_big(std::string& bytes, T value) {
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    std::reverse(raw.begin(), raw.end());
    bytes.append(raw.data(), raw.size());
}

template <class T>
T read_little(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

template <class T>
T read_big(const char* bytes) {
    std::array<char, sizeof(T)> raw;
    std::reverse_copy(bytes, bytes + sizeof(T), raw.begin());
    return std::bit_cast<T>(raw);
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace taffeta::io
