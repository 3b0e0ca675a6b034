#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "physics/findings.h"
#include "physics/statics.h"

/// Manufactured solution: a smooth map x(u, v) of the unit square; the forces that hold it there are
/// -div P(F(x)), and what the mesh makes of them is compared with the map.
namespace taffeta::app::physics {

namespace {

/// The map: stretched by a fifth to a half everywhere, because a membrane in compression wrinkles, and
/// bulging out of the plane.
Vec3 smooth_map(const Vec2& p) {
    return {1.3 * p.x() + 0.04 * std::sin(2.5 * p.x() + 1) * std::cos(2 * p.y()),
            1.3 * p.y() + 0.03 * std::cos(2 * p.x()) * std::sin(3 * p.y() + 0.5),
            0.08 * std::sin(2 * p.x() + 0.3) * std::sin(2.2 * p.y() + 0.2)};
}

using Gradient = Eigen::Matrix<double, 3, 2>;
using Stress = std::function<Gradient(const Gradient&)>;

/// Derivative by central differences of fourth order.
template <class Value>
auto slope_of(const Value& value, double h) {
    return ((8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h)).eval();
}

Gradient gradient_at(const Vec2& p) {
    Gradient F;
    F.col(0) = slope_of([&](double s) { return smooth_map(p + Vec2(s, 0)); }, 1e-3);
    F.col(1) = slope_of([&](double s) { return smooth_map(p + Vec2(0, s)); }, 1e-3);
    return F;
}

/// -div P, N/m^2.
Vec3 body_force(const Stress& stress, const Vec2& p) {
    const auto part = [&](int axis) {
        const Vec2 along = axis == 0 ? Vec2(1, 0) : Vec2(0, 1);
        return slope_of(
            [&](double s) { return Vec3(stress(gradient_at(p + s * along)).col(axis)); }, 4e-3);
    };
    return -(part(0) + part(1));
}

Gradient stvk_stress(const Gradient& F) {
    constexpr double c11 = 1000, c12 = 300, c33 = 350;  // E t and nu of the scene below
    const Eigen::Matrix2d G = 0.5 * (F.transpose() * F - Eigen::Matrix2d::Identity());
    Eigen::Matrix2d S;
    S << c11 * G(0, 0) + c12 * G(1, 1), 2 * c33 * G(0, 1), 2 * c33 * G(0, 1),
        c11 * G(1, 1) + c12 * G(0, 0);
    return F * S;
}

Gradient baraff_witkin_stress(const Gradient& F) {
    constexpr double k = 1000, shear = 350;
    const double s = F.col(0).dot(F.col(1));
    Gradient P;
    for (int axis = 0; axis < 2; ++axis) {
        const double length = F.col(axis).norm();
        P.col(axis) = k * (length - 1) / length * F.col(axis) + shear * s * F.col(1 - axis);
    }
    return P;
}

/// Root mean square of the distance between mesh and map, m.
double distance_from_map(const char* law, const Stress& stress, const char* tessellation, int cells,
                         std::string& trouble) {
    Statics statics(built_scene(fmt::format(
        R"({{"up_axis": "Z", "gravity": [0, 0, 0], "solver": "ldlt",
          "time": {{"frame_rate": 24, "frames": 1, "quasistatic": {{"tolerance": 1e-7}}}},
          "bodies": [{{"mesh": {{"grid": {{"columns": {}, "rows": {}, "width": 1, "height": 1,
                                          "tessellation": "{}"}}}},
                      "material": "sheet", "pins": [{{"region": "boundary"}}]}}],
          "materials": {{"sheet": {{"density": 1, "membrane": {}, "bending": {{"type": "hinge",
                                  "stiffness": 0}}}}}}}})",
        cells, cells, tessellation, law)));
    const sim::Body& body = statics.world().bodies[0];
    VecX force = VecX::Zero(statics.x().size()), exact(statics.x().size());
    // The load of each triangle by the three points inside that are exact for quadratics.
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            Vec2 p = Vec2::Zero();
            for (std::size_t j = 0; j < 3; ++j)
                p += body.rest.face_uv[f][j] * (j == k ? 2.0 / 3 : 1.0 / 6);
            const Vec3 q = body.rest.area[f] / 3 * body_force(stress, p);
            for (std::size_t j = 0; j < 3; ++j)
                vec3(force, body.mesh.face[f][j]) += (j == k ? 2.0 / 3 : 1.0 / 6) * q;
        }
    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        vec3(exact, i) = smooth_map(statics.position(i).head<2>());
    statics.load(force);
    statics.x() = exact;
    if (const sim::EquilibriumReport report = statics.solve(); !report.ok())
        trouble = report.message;
    return (statics.x() - exact).norm() / std::sqrt(double(exact.size()) / 3);
}

void measure_membrane_order(const Effort& effort, Findings& findings) {
    const struct {
        const char *name, *settings;
        Stress stress;
    } laws[] = {{"baraff_witkin",
                 R"({"type": "baraff_witkin", "stretch_warp": 1000, "stretch_weft": 1000,
                     "shear": 350, "psd": "exact"})",
                 baraff_witkin_stress},
                // E t / (1 - nu^2) = 1000 N/m, nu = 0.3
                {"stvk", R"({"type": "stvk", "young": 910000, "poisson": 0.3, "thickness": 1e-3,
                     "psd": "exact"})",
                 stvk_stress}};
    plot::Panel panel{.x_label = "cells along an edge",
                      .y_label = "distance from the map, m",
                      .log_x = true,
                      .log_y = true};
    for (const auto& law : laws)
        for (const char* tessellation : {"regular", "irregular"}) {
            plot::Series curve{.label = std::string(law.name) + ", " + tessellation,
                               .style = plot::Style::line_points};
            std::string trouble;
            for (int cells = 8; cells <= (effort.quick ? 16 : 64); cells *= 2) {
                curve.x.push_back(cells);
                curve.y.push_back(
                    distance_from_map(law.settings, law.stress, tessellation, cells, trouble));
            }
            if (!trouble.empty()) {
                findings.missing("order", curve.label, trouble);
                continue;
            }
            const std::size_t last = curve.y.size() - 1;
            findings.near("order",
                          fmt::format("{}, {:.0f} and {:.0f} cells", curve.label, curve.x[last - 1],
                                      curve.x[last]),
                          2, std::log2(curve.y[last - 1] / curve.y[last]), 0.2);
            panel.series.push_back(curve);
        }
    panel.series.push_back(
        {.label = "second order", .x = {8, 64}, .y = {2e-4, 2e-4 / 64}, .dashed = true});
    findings.figure = {.title = "Membranes converge to a smooth map", .panels = {panel}};
}

}  // namespace

extern const CaseEntry case_membrane_order;
constinit const CaseEntry case_membrane_order{
    "membrane_order", "Order of the membranes",
    "A manufactured solution: the forces −div P that "
    "hold a smooth map of the unit square, stretched by "
    "a fifth to a half and bulging out of its plane, act on "
    "meshes with its boundary held; the distance of "
    "their vertices from the map falls at second order.",
    measure_membrane_order};

}  // namespace taffeta::app::physics
