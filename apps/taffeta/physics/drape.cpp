#include "physics/drape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::app::physics {

namespace {

constexpr double plate_radius = 0.09, disc_radius = 0.15;

}  // namespace

double drape_coefficient(const sim::World& world) {
    // Points of a grid of 1/3 mm: the error of an area is far below the differences between fabrics.
    constexpr int cells = 960;
    constexpr double half = 0.16, size = 2 * half / cells;
    std::vector<char> dark(std::size_t(cells) * cells, 0);
    for (const Triangle& face : world.bodies[0].mesh.face) {
        const Vec2 a = vec3(world.state.x, face[0]).head<2>();
        const Vec2 b = vec3(world.state.x, face[1]).head<2>();
        const Vec2 c = vec3(world.state.x, face[2]).head<2>();
        const auto cross = [](const Vec2& p, const Vec2& q) {
            return p.x() * q.y() - p.y() * q.x();
        };
        const double area = cross(b - a, c - a);
        if (area == 0) continue;
        const auto cell_of = [&](double value) {
            return std::clamp(int(std::floor((value + half) / size)), 0, cells - 1);
        };
        for (int j = cell_of(std::min({a.y(), b.y(), c.y()}));
             j <= cell_of(std::max({a.y(), b.y(), c.y()})); ++j)
            for (int i = cell_of(std::min({a.x(), b.x(), c.x()}));
                 i <= cell_of(std::max({a.x(), b.x(), c.x()})); ++i) {
                const Vec2 p((i + 0.5) * size - half, (j + 0.5) * size - half);
                const double u = cross(b - a, p - a) / area, v = cross(p - a, c - a) / area;
                if (u >= 0 && v >= 0 && u + v <= 1)
                    dark[std::size_t(j) * cells + std::size_t(i)] = 1;
            }
    }
    double shadow = 0, ring = 0;
    for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
            const double r = std::hypot((i + 0.5) * size - half, (j + 0.5) * size - half);
            if (r < plate_radius) continue;
            ring += r < disc_radius;
            shadow += dark[std::size_t(j) * cells + std::size_t(i)];
        }
    return 100 * shadow / ring;
}

std::vector<Vec2> shadow_rim(const sim::World& world) {
    const sim::Body& body = world.bodies[0];
    std::vector<std::pair<double, Vec2>> found;
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        const Vec2 uv = body.mesh.uv[std::size_t(i)];
        if (uv.norm() > 0.9999 * disc_radius)
            found.emplace_back(std::atan2(uv.y(), uv.x()), vec3(world.state.x, i).head<2>());
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Vec2> rim;
    for (const auto& [angle, point] : found)
        rim.push_back(point);
    return rim;
}

int count_folds(const std::vector<Vec2>& rim) {
    constexpr double rise = 0.05 * (disc_radius - plate_radius);
    // Around from the innermost point: a maximum counts when the rim has risen to it and falls again.
    const auto n = rim.size();
    std::size_t start = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (rim[i].norm() < rim[start].norm()) start = i;
    int folds = 0;
    bool rising = false;
    double low = rim[start].norm(), high = low;
    for (std::size_t k = 1; k <= n; ++k) {
        const double r = rim[(start + k) % n].norm();
        if (!rising) {
            low = std::min(low, r);
            if (r > low + rise) rising = true, high = r;
        } else {
            high = std::max(high, r);
            if (r < high - rise) rising = false, low = r, ++folds;
        }
    }
    return folds;
}

Drape drape_of(const std::string& material, const DrapeMesh& mesh) {
    const int held = int(std::round(0.6 * mesh.rings + 0.5));  // as the scene has it
    Statics statics(
        built_builtin("cusick", 1 + 3 * mesh.rings * (mesh.rings + 1),
                      {fmt::format("materials.cloth={}", material),
                       fmt::format("bodies[0].mesh.disc.tessellation={}", mesh.tessellation),
                       fmt::format("bodies[0].mesh.disc.still_rings={}", held),
                       fmt::format("bodies[0].mesh.disc.seed={}", mesh.seed)}));
    Drape drape;
    drape.report = statics.solve();
    drape.coefficient = drape_coefficient(statics.world());
    drape.rim = shadow_rim(statics.world());
    drape.folds = count_folds(drape.rim);
    return drape;
}

}  // namespace taffeta::app::physics
