#pragma once

#include <cstddef>
#include <string_view>

namespace taffeta {

/// Bytes of the well-formed UTF-8 character that starts at `position`, 0 if there is none.
/// Overlong forms, surrogates, values above U+10FFFF and the C1 control characters are refused:
/// a terminal may take the last for escape sequences.
std::size_t utf8_length(std::string_view text, std::size_t position);

}  // namespace taffeta
