#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "physics/findings.h"
#include "physics/strip.h"

namespace taffeta::app::physics {

namespace {

/// rho g L^3/D at which the strip on edge leaves its plane: across it, K = G + D B with the stresses of the
/// weight in G and the unit plate in B, so D is the largest eigenvalue of -G by B.
double buckling_threshold(const BendingChoice& choice, double slenderness, int columns, int rows,
                          double poisson, std::string& trouble) {
    VecX level;  // positions under the weight; a stiff plate keeps them in their plane
    const auto across = [&](double bending) {
        Strip strip;
        strip.length = 1, strip.width = slenderness;
        strip.columns = columns, strip.rows = rows;
        strip.bending = bending, strip.stretch = 1e6, strip.shear = 5e5;
        Statics statics(built_scene(strip.scene(choice),
                                    {"gravity=[0, -9.81, 0]", "time.quasistatic.tolerance=1e-5",
                                     fmt::format("materials.strip.bending.poisson={}", poisson)}));
        if (level.size() > 0)
            statics.x() = level;
        else if (const sim::EquilibriumReport report = statics.solve(); !report.ok())
            trouble = report.message;
        level = statics.x();
        return part_of(dense_stiffness(statics.world()), free_coordinates(statics.world(), 2));
    };
    const MatX K = across(1), G = across(0);
    const Eigen::LLT<MatX> B(K - G);
    // Mirrored loads buckle alike: eigenvalues of B^-1 G come in pairs of both signs, so its square is iterated.
    VecX mode = VecX::LinSpaced(G.rows(), 1, 2);
    double largest = 0;
    for (int k = 0; k < 60; ++k) {
        mode = B.solve(G * B.solve(G * mode));
        largest = mode.norm();
        mode /= largest;
    }
    return 0.15 * 9.81 / std::sqrt(largest);
}

void measure_lateral_buckling(const Effort& effort, Findings& findings) {
    plot::Panel panel{.x_label = "w/L", .y_label = "Γ at the threshold"};
    panel.series.push_back(
        {.label = "narrow limit", .x = {0.03, 0.2}, .y = {14.51, 14.51}, .dashed = true});
    const int rows = effort.quick ? 4 : 8;
    for (const BendingChoice& choice : bending_choices()) {
        plot::Series curve{.label = choice.name + std::string(", ") + choice.tessellation,
                           .style = plot::Style::line_points};
        std::string trouble;
        for (const double slenderness : {0.2, 0.1, 0.05}) {
            const int columns = int(std::lround(rows / slenderness));  // square cells
            curve.x.push_back(slenderness);
            curve.y.push_back(buckling_threshold(choice, slenderness, columns, rows, 0.3, trouble));
        }
        panel.series.push_back(curve);
        const std::string setup =
            fmt::format("{}, {}, {} square cells across", choice.name, choice.tessellation, rows);
        // On to w = 0 along the line through the two narrowest.
        if (trouble.empty())
            findings.within("Γ, ν = 0.3", setup, 14.51, 2 * curve.y[2] - curve.y[1], 0.05);
        else
            findings.missing("Γ, ν = 0.3", setup, trouble);
    }
    findings.remark =
        "With cells that are longer than wide `plate` is too stiff along the free edges: at w/L = "
        "0.05 "
        "its threshold is 15.5 with 160 x 8 cells, 16.9 with 80 x 8 and 18.9 with 80 x 16; that of "
        "`morley` is 15.0 to 15.1 for all.";
    findings.figure = {.title = "A strip on edge buckles sideways", .panels = {panel}};
}

}  // namespace

extern const CaseEntry case_lateral_buckling;
constinit const CaseEntry case_lateral_buckling{
    "lateral_buckling", "Lateral buckling",
    "A strip clamped in a vertical plane turns out of it when Γ = ρ g L³/D passes a threshold, "
    "18.178 (1 − ν) √(1 + ν) for a narrow one (q L³/√(EI GJ) = 12.8538, the first zero of "
    "J_{-1/6}) "
    "[Romero et al. 2021, test 3]. Measured from the smallest eigenvalue of the exact stiffness at "
    "w/L = "
    "0.1 and 0.05, and from there on to no width along a line.",
    measure_lateral_buckling};

}  // namespace taffeta::app::physics
