#include "taffeta/base/utf8.h"

namespace taffeta {

std::size_t utf8_length(std::string_view text, std::size_t position) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (length == 0 || first > 0xf4 || position + length > text.size()) return 0;

    unsigned long value = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        value = value << 6 | (byte(i) & 0x3f);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    const bool c1_control = value >= 0x80 && value <= 0x9f;
    return overlong || surrogate || c1_control || value > 0x10ffff ? 0 : length;
}

}  // namespace taffeta
