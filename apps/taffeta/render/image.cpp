#include "render/image.h"

#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::render {
namespace {

double linear_of(double display) {
    return display <= 0.04045 ? display / 12.92 : std::pow((display + 0.055) / 1.055, 2.4);
}

double display_of(double linear) {
    if (linear <= 0.0031308) return 12.92 * std::max(linear, 0.0);
    return 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

std::uint8_t byte_of(double display) {
    return std::uint8_t(std::lround(255 * std::clamp(display, 0.0, 1.0)));
}

}  // namespace

Color to_linear(const Color& display) {
    return display.unaryExpr(&linear_of);
}
Color to_display(const Color& linear) {
    return linear.unaryExpr(&display_of);
}

Image::Image(int width, int height, const Color& display) : width_(width), height_(height) {
    TAFFETA_ASSERT(width > 0 && height > 0);
    bytes_.resize(3 * std::size_t(width) * std::size_t(height));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            set(x, y, display);
}

void Image::set(int x, int y, const Color& display) {
    for (int c = 0; c < 3; ++c)
        pixel(x, y)[c] = byte_of(display[c]);
}

void Image::blend(int x, int y, const Color& display, double cover) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_ || cover <= 0) return;
    for (int c = 0; c < 3; ++c)
        pixel(x, y)[c] = byte_of((1 - cover) * pixel(x, y)[c] / 255.0 + cover * display[c]);
}

void Image::paste(const Image& other, int left, int top) {
    const int x0 = std::max(0, left), x1 = std::min(width_, left + other.width());
    const int y0 = std::max(0, top), y1 = std::min(height_, top + other.height());
    if (x0 >= x1) return;
    for (int y = y0; y < y1; ++y)
        std::copy_n(other.pixel(x0 - left, y - top), 3 * (x1 - x0), pixel(x0, y));
}

}  // namespace taffeta::render
