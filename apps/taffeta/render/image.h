#pragma once

#include <cstdint>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::render {

/// A colour: red, green, blue. Linear light while rendering, display values in an `Image`.
using Color = Vec3;

/// Display value (sRGB, in [0, 1]) to linear light and back, component by component.
Color to_linear(const Color& display);
Color to_display(const Color& linear);

/// A picture of 8-bit sRGB pixels, row by row from the top left.
class Image {
  public:
    Image() = default;
    Image(int width, int height, const Color& display = Color::Zero());

    int width() const { return width_; }
    int height() const { return height_; }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }
    std::uint8_t* pixel(int x, int y) { return &bytes_[3 * offset(x, y)]; }
    const std::uint8_t* pixel(int x, int y) const { return &bytes_[3 * offset(x, y)]; }
    const std::uint8_t* row(int y) const { return pixel(0, y); }

    /// Sets a pixel from display values; they are clamped to [0, 1] and rounded.
    void set(int x, int y, const Color& display);
    /// Lays a colour over a pixel; `cover` in [0, 1].
    void blend(int x, int y, const Color& display, double cover);
    /// Copies `other` with its top left corner at (left, top); what sticks out is cut off.
    void paste(const Image& other, int left, int top);

  private:
    std::size_t offset(int x, int y) const {
        return std::size_t(y) * std::size_t(width_) + std::size_t(x);
    }

    int width_ = 0, height_ = 0;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace taffeta::render
