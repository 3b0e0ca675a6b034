#pragma once

#include <string_view>

#include "render/image.h"

namespace taffeta::render {

/// Draws a line of text with its top left corner at (left, top): digits, point, minus, blank and
/// `s`, which is what a time in seconds needs. `height` is that of a digit in pixels. Other
/// characters are drawn as a box.
void draw_label(Image& image, std::string_view text, double left, double top, double height,
                const Color& display);

/// Width of that line, in pixels.
double label_width(std::string_view text, double height);

}  // namespace taffeta::render
