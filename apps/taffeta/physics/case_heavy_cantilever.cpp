#include <fmt/format.h>

#include <cmath>

#include "physics/findings.h"
#include "physics/strip.h"

namespace taffeta::app::physics {

namespace {

/// W/L and H/L of the strip with B = rho g L^3 / gamma.
Vec2 cantilever_extent(const BendingChoice& choice, double gamma, int columns,
                       std::string& trouble) {
    Strip strip;
    strip.columns = columns;
    strip.rows = std::max(2, columns / 5);
    strip.bending = strip.density * strip.gravity * std::pow(strip.length, 3) / gamma;
    Statics statics(built_scene(strip.scene(choice)));
    const sim::EquilibriumReport report = statics.solve();
    if (!report.ok()) trouble = report.message;
    const Vec3 tip = mean_position(statics, strip.end());
    return {tip.x() / strip.length, -tip.z() / strip.length};
}

void measure_heavy_cantilever(const Effort& effort, Findings& findings) {
    findings.figure = {.title = "Heavy cantilever: distance of the tip from that of the elastica"};
    for (const double gamma : {10.0, 100.0})
        findings.figure.panels.push_back({.title = fmt::format("Γ = {:.0f}", gamma),
                                          .x_label = "cells along the strip",
                                          .y_label = "distance / L",
                                          .log_x = true,
                                          .log_y = true});
    findings.figure.columns = 2;
    for (const BendingChoice& choice : bending_choices()) {
        for (const HeavyElastica& exact : heavy_elastica) {
            // A strip bends over L/sqrt(Gamma): the softest one needs finer cells.
            const int finest = exact.gamma > 100 && !effort.quick ? 80 : 40;
            plot::Series errors{.label = choice.name + std::string(", ") + choice.tessellation,
                                .style = plot::Style::line_points};
            Vec2 tip = Vec2::Zero();
            std::string trouble;
            for (int columns = 10; columns <= finest; columns *= 2) {
                tip = cantilever_extent(choice, exact.gamma, columns, trouble);
                errors.x.push_back(columns);
                errors.y.push_back((tip - Vec2(exact.width, exact.height)).norm());
            }
            const std::string setup =
                fmt::format("{}, {} {} x {}, Γ = {:g}", choice.name, choice.tessellation, finest,
                            std::max(2, finest / 5), exact.gamma);
            if (!trouble.empty()) {
                findings.missing("W/L, H/L", setup, trouble);
                continue;
            }
            findings.within("W/L", setup, exact.width, tip.x(), 0.01);
            findings.within("H/L", setup, exact.height, tip.y(), 0.01);
            if (exact.gamma == 10) findings.figure.panels[0].series.push_back(errors);
            if (exact.gamma == 100) findings.figure.panels[1].series.push_back(errors);
        }
    }
}

}  // namespace

extern const CaseEntry case_heavy_cantilever;
constinit const CaseEntry case_heavy_cantilever{
    "heavy_cantilever", "Heavy cantilever",
    "A strip clamped level at one end bends under its weight; W and H are how far its tip is from "
    "the "
    "clamp. Published: the inextensible elastica for Γ = ρ g L³/B [Romero et al. 2021, test 1].",
    measure_heavy_cantilever};

}  // namespace taffeta::app::physics
