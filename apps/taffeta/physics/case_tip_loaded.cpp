#include <fmt/format.h>

#include "physics/findings.h"
#include "physics/strip.h"

namespace taffeta::app::physics {

namespace {

void measure_tip_loaded(const Effort& effort, Findings& findings) {
    // P L^2 / (E I) from 0.2 to 4, u/L and w/L of the elastica.
    constexpr struct {
        double load, shortening, deflection;
    } published[] = {{0.2, 0.002647, 0.066364},
                     {1, 0.056433, 0.301721},
                     {2, 0.160642, 0.493457},
                     {4, 0.328941, 0.669964}};
    plot::Panel panel{.x_label = "P L²/(E I)", .y_label = "displacement of the tip / L"};
    plot::Series u{.label = "u, elastica"}, w{.label = "w, elastica"};
    for (const auto& point : published) {
        u.x.push_back(point.load), u.y.push_back(point.shortening);
        w.x.push_back(point.load), w.y.push_back(point.deflection);
    }
    panel.series = {u, w};
    for (const BendingChoice& choice : bending_choices()) {
        Strip strip;  // E = 1.2e6, nu = 0, h = 0.1
        strip.length = 10, strip.width = 1, strip.density = 1, strip.gravity = 0;
        strip.bending = 100, strip.stretch = 1.2e5, strip.shear = 6e4;
        strip.columns = effort.quick ? 20 : 40;
        Statics statics(built_scene(strip.scene(choice)));
        const std::string setup = fmt::format("{}, {} {} x {}", choice.name, choice.tessellation,
                                              strip.columns, strip.rows);
        plot::Series found_u{.label = std::string("u, ") + setup, .style = plot::Style::points};
        plot::Series found_w{.label = std::string("w, ") + setup, .style = plot::Style::points};
        const Vec3 start = mean_position(statics, strip.end());
        double before = 0;
        for (const auto& point : published) {
            VecX force = VecX::Zero(statics.x().size());
            for (const Index vertex : strip.end()) {
                const bool corner = vertex == strip.end().front() || vertex == strip.end().back();
                force[3 * vertex + 2] = -(point.load - before) / strip.rows / (corner ? 2 : 1);
            }
            before = point.load;
            statics.load(force);
            const sim::EquilibriumReport report = statics.solve();
            const Vec3 moved = (mean_position(statics, strip.end()) - start) / strip.length;
            found_u.x.push_back(point.load), found_u.y.push_back(-moved.x());
            found_w.x.push_back(point.load), found_w.y.push_back(-moved.z());
            if (point.load < 4) continue;
            if (!report.ok()) {
                findings.missing("u/L, w/L", setup, report.message);
                continue;
            }
            findings.within("u/L", setup, point.shortening, -moved.x(), 0.01);
            findings.within("w/L", setup, point.deflection, -moved.z(), 0.01);
        }
        panel.series.push_back(found_u);
        panel.series.push_back(found_w);
    }
    findings.figure = {.title = "Cantilever with a load at its tip", .panels = {panel}};
}

}  // namespace

extern const CaseEntry case_tip_loaded;
constinit const CaseEntry case_tip_loaded{
    "tip_loaded", "Cantilever with a load at its tip",
    "The first benchmark of Sze et al. 2004 for shells, E = 1.2e6, ν = 0, L = 10, b = 1, h = 0.1, "
    "P = 4; "
    "published: the elastica, whose tip moves by 3.2894 and 6.6996 (their shells: 3.286, 6.698).",
    measure_tip_loaded};

}  // namespace taffeta::app::physics
