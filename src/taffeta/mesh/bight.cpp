#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "taffeta/base/error.h"
#include "taffeta/mesh/generators.h"

/// One of the two ribbons of a reef knot.
///
/// A reef knot is two bights, each with both legs through the other. Seen from above this one has its
/// legs on the left and its bend on the right; the other is this one turned by 180 degrees about y:
///
///       y       ______               at x = -c both legs are over the other's bend,
///     ---------/      \.             at x =  0 under its legs,
///        c    0     c  )  x          at x = +c, in the bend, over its legs again:
///     ---------\______/              z = -d cos(pi x / c)
///
/// The ribbon stands on its edge, so that bends in the plane do not strain it, and turns upward and
/// downward by bending in its own plane, by a few per cent.
namespace taffeta::mesh {

namespace {
namespace bight_pattern {

constexpr double leg_y = 0.02, bend_radius = 0.05;  ///< m
constexpr double leg_spread = 0.06;                 ///< legs diverge between -this and this, m
constexpr double leg_end = 0.36;                    ///< legs start at x = -this, m

/// Where the bend meets the legs of the other ribbon.
const double cross = leg_spread + std::sqrt(bend_radius * bend_radius - leg_y * leg_y);

/// The point of a leg (side = +-1) above x <= leg_spread, in the plane.
Vec2 leg(double x, double side) {
    const double part = std::clamp((x + leg_spread) / (2 * leg_spread), 0.0, 1.0);
    const double smooth = part * part * (3 - 2 * part);
    return {x, side * (leg_y + (bend_radius - leg_y) * smooth)};
}

double height_at(double x, double lift) {
    if (x >= -cross) return -lift * std::cos(std::numbers::pi * x / cross);
    const double part = std::min(1.0, (-cross - x) / cross);
    return lift * (1 + std::cos(std::numbers::pi * part)) / 2;
}

/// The middle of the ribbon as a fine polyline from end to end.
std::vector<Vec3> middle_line(double lift) {
    constexpr int leg_points = 4000, bend_points = 1500;
    std::vector<Vec3> line;
    const auto add = [&](const Vec2& p) {
        line.emplace_back(p.x(), p.y(), height_at(p.x(), lift));
    };
    const auto along_leg = [](int k) {
        return -leg_end + (leg_end + leg_spread) * k / double(leg_points);
    };
    for (int k = 0; k < leg_points; ++k)
        add(leg(along_leg(k), 1));
    for (int k = 0; k <= bend_points; ++k) {
        const double angle = std::numbers::pi * (0.5 - k / double(bend_points));
        add(Vec2(leg_spread + bend_radius * std::cos(angle), bend_radius * std::sin(angle)));
    }
    for (int k = leg_points - 1; k >= 0; --k)
        add(leg(along_leg(k), -1));
    return line;
}

/// Length of the ribbon up to every point of the line.
std::vector<double> lengths_along(const std::vector<Vec3>& line) {
    std::vector<double> length(line.size());
    for (std::size_t k = 1; k < line.size(); ++k)
        length[k] = length[k - 1] + (line[k] - line[k - 1]).norm();
    return length;
}

/// Edges of ribbons that cross are most of a width apart.
double lift_of(double width) {
    return 0.9 * width;
}

}  // namespace bight_pattern
}  // namespace

TriMesh bight(double width, Index across) {
    using namespace bight_pattern;
    if (!(width > 0) || width > 0.016)
        fail_input("bight", fmt::format("a ribbon {} m wide", width), "up to 0.016 m");
    if (across < 1 || across > 400)
        fail_input("bight", fmt::format("{} cells across", across), "1 to 400");
    const std::vector<Vec3> line = middle_line(lift_of(width));
    const std::vector<double> length = lengths_along(line);
    const Index along = Index(std::lround(length.back() * across / width));
    TriMesh mesh = grid(along, across, length.back(), width, Tessellation::alternating);
    std::size_t piece = 1;
    for (Index i = 0; i <= along; ++i) {
        const double s = length.back() * i / along;
        while (piece + 1 < line.size() && length[piece] < s)
            ++piece;
        const double part = (s - length[piece - 1]) / (length[piece] - length[piece - 1]);
        const Vec3 middle = line[piece - 1] + part * (line[piece] - line[piece - 1]);
        const Vec3 tangent =
            (line[std::min(piece + 1, line.size() - 1)] - line[piece > 1 ? piece - 2 : 0])
                .normalized();
        const Vec3 up = tangent.cross(Vec3::UnitZ()).cross(tangent).normalized();
        for (Index j = 0; j <= across; ++j) {
            const Index vertex = j * (along + 1) + i;
            mesh.position[std::size_t(vertex)] = middle - up * (width * j / across - width / 2);
            if (i == 0 || i == along) mesh.group["ends"].push_back(vertex);
        }
    }
    return mesh;
}

Index bight_vertices(double width, Index across) {
    using namespace bight_pattern;
    const double length = lengths_along(middle_line(lift_of(width))).back();
    return (Index(std::lround(length * across / width)) + 1) * (across + 1);
}

}  // namespace taffeta::mesh
