#include "taffeta/base/hash.h"

#include <fmt/format.h>

namespace taffeta {

Hash& Hash::add(const void* data, std::size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        state_ = (state_ ^ byte[i]) * 0x100000001b3u;
    return *this;
}

std::string Hash::hex() const {
    return fmt::format("{:016x}", state_);
}

}  // namespace taffeta
