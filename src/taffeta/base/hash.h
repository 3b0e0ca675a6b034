#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taffeta {

/// FNV-1a over bytes, 64 bits. For frame hashes, scene hashes and checksums: it detects damage,
/// it does not resist an adversary. Doubles are hashed by their bits, so +0 and -0 differ.
class Hash {
  public:
    Hash& add(const void* data, std::size_t bytes);
    Hash& add(std::string_view text) { return add(text.data(), text.size()); }
    template <class T>
    Hash& add_values(std::span<const T> values) {
        return add(values.data(), values.size_bytes());
    }

    std::uint64_t value() const { return state_; }
    std::string hex() const;  ///< 16 hexadecimal digits

  private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace taffeta
