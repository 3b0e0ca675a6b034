#include "render/label.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace taffeta::render {
namespace {

/// A glyph on a grid eight units high. Each stroke lists its points as digit pairs xy (y downwards);
/// `~` makes a smooth curve through them, closed when it ends where it began.
struct Glyph {
    char character;
    double width;
    std::vector<std::string_view> strokes;
};

const Glyph& glyph(char character) {
    static const std::vector<Glyph> table = {
        {'0', 6, {"~30 51 64 57 38 17 04 11 30"}},
        {'1', 4, {"02 20 28"}},
        {'2', 6, {"~02 11 30 51 52 44 08", "08 68"}},
        {'3', 6, {"~01 20 40 52 43 24", "~24 44 66 47 28 07"}},
        {'4', 6, {"48 40 06 66"}},
        {'5', 6, {"60 10 04", "~04 33 54 66 48 28 07"}},
        {'6', 6, {"~50 22 05 17 38 57 65 43 24 05"}},
        {'7', 6, {"00 60 28"}},
        {'8', 6, {"~30 52 34 12 30", "~34 55 66 38 06 15 34"}},
        {'9', 6, {"~18 46 63 51 30 11 03 25 44 63"}},
        {'.', 0.4, {"08 08"}},
        {'-', 4, {"04 44"}},
        {' ', 1.6, {}},
        {'s', 4, {"~44 23 04 25 47 28 07"}},
    };
    static const Glyph box = {0, 5, {"00 50 58 08 00"}};
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Glyph& g) { return g.character == character; });
    return found == table.end() ? box : *found;
}

constexpr double grid_height = 8;
constexpr double gap = 2;            ///< between glyphs, in grid units
constexpr double half_stroke = 0.5;  ///< half a pen's width, in grid units

/// Catmull-Rom through p1 and p2.
Vec2 curve(const Vec2& p0, const Vec2& p1, const Vec2& p2, const Vec2& p3, double t) {
    return p1 +
           0.5 * t *
               ((p2 - p0) + t * ((2 * p0 - 5 * p1 + 4 * p2 - p3) + t * (3 * (p1 - p2) + p3 - p0)));
}

std::vector<Vec2> points_of(std::string_view stroke) {
    const bool smooth = stroke.starts_with('~');
    std::vector<Vec2> knots;
    for (std::size_t c = smooth ? 1 : 0; c + 1 < stroke.size(); c += 3)
        knots.emplace_back(stroke[c] - '0', stroke[c + 1] - '0');
    if (!smooth) return knots;

    const int last = int(knots.size()) - 1;
    const bool closed = knots.front() == knots.back();
    const auto knot = [&](int k) {
        if (k < 0) k = closed ? last + k : 0;
        if (k > last) k = closed ? k - last : last;
        return knots[std::size_t(k)];
    };
    std::vector<Vec2> points = {knots.front()};
    constexpr int pieces = 6;
    for (int k = 0; k < last; ++k)
        for (int piece = 1; piece <= pieces; ++piece)
            points.push_back(
                curve(knot(k - 1), knot(k), knot(k + 1), knot(k + 2), double(piece) / pieces));
    return points;
}

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
    const Vec2 along = b - a;
    const double length_sq = along.squaredNorm();
    const double t = length_sq > 0 ? std::clamp((p - a).dot(along) / length_sq, 0.0, 1.0) : 0;
    return (p - a - t * along).norm();
}

/// Pen's distance from every pixel centre near the glyph gives the cover of that pixel.
void draw_glyph(Image& image, const Glyph& drawn, const Vec2& corner, double unit,
                const Color& display) {
    std::vector<std::vector<Vec2>> strokes;
    for (std::string_view stroke : drawn.strokes)
        strokes.push_back(points_of(stroke));
    const double border = 2 * half_stroke * unit + 1;
    for (int y = int(corner.y() - border); y <= int(corner.y() + grid_height * unit + border); ++y)
        for (int x = int(corner.x() - border); x <= int(corner.x() + drawn.width * unit + border);
             ++x) {
            const Vec2 p = (Vec2(x + 0.5, y + 0.5) - corner) / unit;
            double distance = INFINITY;
            for (const std::vector<Vec2>& points : strokes)
                for (std::size_t k = 0; k + 1 < points.size(); ++k)
                    distance = std::min(distance, distance_to_segment(p, points[k], points[k + 1]));
            image.blend(x, y, display, std::clamp((half_stroke - distance) * unit + 0.5, 0.0, 1.0));
        }
}

}  // namespace

double label_width(std::string_view text, double height) {
    double width = 0;
    for (char character : text)
        width += glyph(character).width + gap;
    return text.empty() ? 0 : (width - gap) * height / grid_height;
}

void draw_label(Image& image, std::string_view text, double left, double top, double height,
                const Color& display) {
    const double unit = height / grid_height;
    for (char character : text) {
        const Glyph& next = glyph(character);
        draw_glyph(image, next, Vec2(left, top), unit, display);
        left += (next.width + gap) * unit;
    }
}

}  // namespace taffeta::render
