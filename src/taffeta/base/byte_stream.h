#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "taffeta/base/error.h"
#include "taffeta/base/types.h"

namespace taffeta {

/// Appends plain values to a byte buffer, in this machine's byte order.
class ByteWriter {
  public:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* first = reinterpret_cast<const char*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof(T));
    }
    void put_bytes(std::span<const char> data) {
        put(std::uint64_t(data.size()));
        bytes_.insert(bytes_.end(), data.begin(), data.end());
    }
    template <class T>
    void put_values(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put_bytes({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
    void put_vector(const VecX& values) {
        put_bytes({reinterpret_cast<const char*>(values.data()),
                   std::size_t(values.size()) * sizeof(double)});
    }
    std::vector<char> take() { return std::move(bytes_); }

  private:
    std::vector<char> bytes_;
};

/// Reads what ByteWriter wrote; throws bad input instead of reading past the end.
class ByteReader {
  public:
    explicit ByteReader(std::span<const char> bytes) : bytes_(bytes) {}

    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    std::vector<char> get_bytes() {
        const std::span<const char> data = take(get<std::uint64_t>());
        return {data.begin(), data.end()};
    }
    template <class T>
    std::vector<T> get_values() {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::span<const char> data = take(get<std::uint64_t>());
        std::vector<T> values(data.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
        return values;
    }
    VecX get_vector() {
        const std::span<const char> data = take(get<std::uint64_t>());
        VecX values(Eigen::Index(data.size() / sizeof(double)));
        std::memcpy(values.data(), data.data(), std::size_t(values.size()) * sizeof(double));
        return values;
    }
    bool at_end() const { return bytes_.empty(); }

  private:
    std::span<const char> take(std::uint64_t count) {
        if (count > bytes_.size()) fail_input("checkpoint", "the data end too early");
        const std::span<const char> taken = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return taken;
    }

    std::span<const char> bytes_;
};

}  // namespace taffeta
