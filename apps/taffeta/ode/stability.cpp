#include "taffeta/ode/study/stability.h"

#include <fmt/format.h>

#include <cmath>

#include "ode/common.h"
#include "plot.h"

/// `taffeta ode stability`: limits on the axes, regions of the complex plane, and what a step makes
/// of an undamped spring.
namespace taffeta::app {

namespace {

using ode::study::ChosenMethod;
using ode::study::StabilityMeasurement;
using ode::study::StepMap;

struct StabilityArguments {
    std::vector<std::string> methods;
    bool spring = false, quiet = false;
    Outputs outputs;
};

std::string limit_text(double limit, bool weak) {
    if (std::isnan(limit)) return "-";
    if (std::isinf(limit)) return "none";
    if (weak) return "0, weakly";
    return limit == 0 ? "0" : fmt::format("{:.6f}", limit);
}

const std::vector<double> growth_levels = {0.25, 0.5, 0.75, 0.9, 1 + 1e-9};

/// The line where the growth is 1, as pieces through the cells of the grid.
plot::Series boundary(const ode::study::StabilityRegion& region) {
    plot::Series line{"", {}, {}, plot::Style::line, false, true, 6};
    const auto value = [&](int row, int column) {
        const double radius = region.radius[std::size_t(row * region.columns + column)];
        return std::isfinite(radius) ? radius - 1 - 1e-9 : 1e3;
    };
    for (int row = 0; row + 1 < region.rows; ++row)
        for (int column = 0; column + 1 < region.columns; ++column) {
            // Around the cell; a change of sign on a side is a point of the line.
            const int around[5][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}};
            int found = 0;
            for (int k = 0; k < 4; ++k) {
                const double a = value(row + around[k][0], column + around[k][1]);
                const double b = value(row + around[k + 1][0], column + around[k + 1][1]);
                if ((a <= 0) == (b <= 0)) continue;
                const double part = a / (a - b);
                const auto between = [&](double from, double to) {
                    return from + part * (to - from);
                };
                line.x.push_back(between(region.real(column + around[k][1]),
                                         region.real(column + around[k + 1][1])));
                line.y.push_back(between(region.imaginary(row + around[k][0]),
                                         region.imaginary(row + around[k + 1][0])));
                if (++found % 2 == 0) {
                    line.x.push_back(NAN);
                    line.y.push_back(NAN);
                }
            }
        }
    return line;
}

plot::Panel region_panel(const ChosenMethod& method) {
    plot::Panel panel;
    panel.title = method.label;
    panel.same_scale = panel.small = true;
    panel.x_lines = panel.y_lines = {0};
    StepMap map(method, StepMap::Equation::dahlquist);
    if (map.memory() == 0) return panel;
    // Explicit methods are stable on the left, A-stable ones everywhere but on the right.
    const bool small = !method.properties.implicit;
    const double left = small ? -5 : -6, right = small ? 2 : 10, top = small ? 3.5 : 8;
    constexpr int columns = 151;
    const int rows = 2 * int(std::lround(columns * top / (right - left))) + 1;
    const auto region = ode::study::stability_region(map, left, right, top, columns, rows);
    panel.fields.push_back({left, right, -top, top, columns, rows, region.radius, growth_levels});
    panel.x_tics = panel.y_tics = small ? 2 : 5;
    panel.series.push_back(boundary(region));
    panel.x_range = {left, right};
    panel.y_range = {-top, top};
    return panel;
}

plot::Figure region_figure(const Methods& methods, ProgressLine& progress) {
    plot::Figure figure;
    figure.columns = std::min<int>(6, int(methods.size()));
    const int rows = (int(methods.size()) + figure.columns - 1) / figure.columns;
    const int cell_size = methods.size() <= 4 ? 300 : 205;
    figure.width = std::max(600, cell_size * figure.columns);
    figure.height = cell_size * rows + 40;
    for (const ChosenMethod& method : methods) {
        figure.panels.push_back(region_panel(method));
        progress.show_work("regions", long(figure.panels.size()), long(methods.size()));
    }
    for (const plot::Series& band : plot::band_names(growth_levels, "growth a step"))
        figure.panels[0].series.push_back(band);
    return figure;
}

plot::Figure spring_figure(const Methods& methods) {
    plot::Figure figure;
    figure.columns = 2;
    figure.width = 1000;
    plot::Panel radius{.title = "spectral radius of a step"};
    radius.x_label = "h ω";
    radius.y_label = "spectral radius";
    radius.log_x = true;
    radius.x_range = {0.03, 30};
    radius.y_range = {0, 2};
    radius.y_lines = {1};
    plot::Panel frequency{.title = "error of the frequency"};
    frequency.x_label = "h ω";
    frequency.y_label = "(numerical - exact)/exact";
    frequency.x_range = {0, 3};
    frequency.y_range = {-0.6, 0.6};
    frequency.y_lines = {0};
    for (const ChosenMethod& method : methods) {
        StepMap map(method, StepMap::Equation::oscillator);
        if (map.memory() == 0) continue;
        plot::Series growth{method.label, {}, {}}, shift{method.label, {}, {}};
        for (int i = 0; i <= 240; ++i) {
            const double w = 0.03 * std::pow(1000.0, i / 240.0);
            const auto point = ode::study::spring_point(map, w);
            growth.x.push_back(w);
            growth.y.push_back(point.radius <= 2.2 ? point.radius : NAN);
            const double u = 0.0125 * (i + 1);
            shift.x.push_back(u);
            const auto near = ode::study::spring_point(map, u);
            shift.y.push_back(near.radius <= 1.5 ? near.frequency_error : NAN);
        }
        radius.series.push_back(std::move(growth));
        frequency.series.push_back(std::move(shift));
    }
    figure.panels = {radius, frequency};
    return figure;
}

Table spring_table(const Methods& methods) {
    Table table(
        {"method", "h_omega", "spectral_radius", "determinant", "trace", "frequency_error"});
    for (const ChosenMethod& method : methods) {
        StepMap map(method, StepMap::Equation::oscillator);
        if (map.memory() == 0) continue;
        for (const double w : {0.2, 0.5, 1.0, 1.9, 2.5, 10.0}) {
            const auto point = ode::study::spring_point(map, w);
            table.add({cell(method.label), cell(w), cell(point.radius), cell(point.determinant),
                       cell(point.trace), cell(point.frequency_error)});
        }
    }
    return table;
}

Table limit_table(const std::vector<StabilityMeasurement>& rows) {
    Table table({"method", "memory", "real_limit", "imaginary_limit", "spring_limit", "A_stable",
                 "L_stable", "angle", "at_infinity", "as_declared"});
    for (const StabilityMeasurement& m : rows)
        table.add({cell(m.method), cell(m.memory), cell(m.real_limit), cell(m.imaginary_limit),
                   cell(m.spring_limit), cell(m.a_stable), cell(m.l_stable), cell(m.angle),
                   cell(m.at_infinity), cell(m.agrees)});
    return table;
}

/// The same for the terminal: limits to six digits, and a word where growth is weak.
std::string limit_text_table(const std::vector<StabilityMeasurement>& rows) {
    Table table({"method", "memory", "real axis", "imaginary axis", "h w of a spring", "A", "L",
                 "angle", "as declared"});
    for (const StabilityMeasurement& m : rows)
        table.add({cell(m.method), cell(m.memory), cell(limit_text(m.real_limit, false)),
                   cell(limit_text(m.imaginary_limit, m.weakly_unstable)),
                   cell(limit_text(m.spring_limit, m.spring_weakly_unstable)), cell(m.a_stable),
                   cell(m.l_stable), cell(m.angle), cell(m.agrees)});
    return table.text(6);
}

/// Why a method has no stability to measure.
std::string no_recurrence(const ChosenMethod& method) {
    return method.properties.needs_springs
               ? method.label + ": steps springs alone, of which these equations are none\n"
               : method.label + ": no linear recurrence of up to 8 states describes its steps\n";
}

void study_spring(const StabilityArguments& arguments, const Methods& methods, int& exit_status) {
    const Table table = spring_table(methods);
    fmt::print("{}", table.text(6));
    for (const ChosenMethod& method : methods)
        if (StepMap(method, StepMap::Equation::oscillator).memory() == 0) {
            fmt::print("{}", no_recurrence(method));
            exit_status = 1;
        }
    arguments.outputs.write(table);
    if (!arguments.outputs.plot.empty())
        plot::write(spring_figure(methods), arguments.outputs.plot);
}

void study_stability(const StabilityArguments& arguments, int& exit_status) {
    arguments.outputs.check();
    const Methods methods = laboratory_methods(arguments.methods, {"all"});
    ProgressLine progress(stderr, arguments.quiet);
    if (arguments.spring) {
        study_spring(arguments, methods, exit_status);
        return;
    }
    std::vector<StabilityMeasurement> rows;
    for (const ChosenMethod& method : methods) {
        rows.push_back(ode::study::measure_stability(method));
        progress.show_work(method.label, long(rows.size()), long(methods.size()));
        if (!rows.back().agrees) exit_status = 1;
    }
    progress.clear();
    fmt::print("{}", limit_text_table(rows));
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].memory == 0) {
            fmt::print("{}", no_recurrence(methods[i]));
        } else if (!rows[i].agrees) {
            fmt::print("{}: A-, L- or its sector's stability is not as declared\n", rows[i].method);
        }
    arguments.outputs.write(limit_table(rows));
    if (!arguments.outputs.plot.empty())
        plot::write(region_figure(methods, progress), arguments.outputs.plot);
    progress.clear();
}

}  // namespace

void add_ode_stability(Command& ode, int& exit_status) {
    const auto arguments = std::make_shared<StabilityArguments>();
    Command command = ode.subcommand(
        "stability", "limits, A- and L-stability, regions; exit status 1 where not as declared");
    command.option(
        "method", arguments->methods,
        std::string(method_words) + "; or all, the default, explicit, implicit, variants");
    command.flag("--spring", arguments->spring,
                 "instead: the matrix of a step on x'' = -w^2 x over h w");
    command.flag("--quiet", arguments->quiet, "no progress line");
    arguments->outputs.add_to(command);
    command.footer(
        "Example:  taffeta ode stability rk4 bdf2 trapezoid --plot regions.png\n"
        "Limits are of |z| for y' = z y on the negative real and the imaginary axis, and of h w "
        "for\n"
        "x'' = -w^2 x; `0, weakly`: grows for every step, but by less than 1e-4 at 0.1. The "
        "picture shows "
        "the\n"
        "growth a step, darker where a method damps more, white where it grows; explicit methods "
        "in\n"
        "[-5, 2] x [-3.5, 3.5], implicit ones in [-6, 10] x [-8, 8].");
    command.action([arguments, &exit_status] { study_stability(*arguments, exit_status); });
}

}  // namespace taffeta::app
