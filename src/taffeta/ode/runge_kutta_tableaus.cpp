#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "taffeta/base/error.h"
#include "taffeta/ode/runge_kutta.h"

/// The explicit Runge-Kutta methods that are registered: one tableau and one entry each.
namespace taffeta::ode {

namespace {

//      c | A
//     ---+---
//        | b
Tableau explicit_euler() {
    return {.c = {0}, .a = {{}}, .b = {1}, .b_hat = {}};
}

Tableau explicit_midpoint() {
    return {.c = {0, 0.5}, .a = {{}, {0.5}}, .b = {0, 1}, .b_hat = {}};
}

Tableau heun() {
    return {.c = {0, 1}, .a = {{}, {1}}, .b = {0.5, 0.5}, .b_hat = {}};
}

/// The second-order method of two stages with the smallest bound on its local error.
Tableau ralston() {
    return {.c = {0, 2.0 / 3}, .a = {{}, {2.0 / 3}}, .b = {0.25, 0.75}, .b_hat = {}};
}

/// Euler's step as the predictor of its implicit form, y+ = y + h F(y + h F(y)).
Tableau adams_pece1() {
    return {.c = {0, 1}, .a = {{}, {1}}, .b = {0, 1}, .b_hat = {}};
}

Tableau kutta3() {
    return {
        .c = {0, 0.5, 1}, .a = {{}, {0.5}, {-1, 2}}, .b = {1.0 / 6, 2.0 / 3, 1.0 / 6}, .b_hat = {}};
}

Tableau rk4() {
    return {.c = {0, 0.5, 0.5, 1},
            .a = {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
            .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
            .b_hat = {}};
}

Tableau rk38() {
    return {.c = {0, 1.0 / 3, 2.0 / 3, 1},
            .a = {{}, {1.0 / 3}, {-1.0 / 3, 1}, {1, -1, 1}},
            .b = {1.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 8},
            .b_hat = {}};
}

}  // namespace

/// Three forces a step: the fourth stage is the next step's first.
Tableau bogacki_shampine32() {
    return {.c = {0, 0.5, 0.75, 1},
            .a = {{}, {0.5}, {0, 0.75}, {2.0 / 9, 1.0 / 3, 4.0 / 9}},
            .b = {2.0 / 9, 1.0 / 3, 4.0 / 9, 0},
            .b_hat = {7.0 / 24, 0.25, 1.0 / 3, 0.125}};
}

/// Six forces a step: the seventh stage is the next step's first.
Tableau dormand_prince54() {
    return {.c = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1},
            .a = {{},
                  {1.0 / 5},
                  {3.0 / 40, 9.0 / 40},
                  {44.0 / 45, -56.0 / 15, 32.0 / 9},
                  {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                  {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
            .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
            .b_hat = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200,
                      187.0 / 2100, 1.0 / 40}};
}

namespace {

using MakeTableau = Tableau (*)();

template <MakeTableau tableau>
std::unique_ptr<Integrator> make_runge_kutta(const Settings& settings) {
    read_options<NoOptions>(settings);
    return std::make_unique<ExplicitRungeKutta>(tableau());
}

template <MakeTableau tableau>
constexpr IntegratorEntry entry(std::string_view key, const IntegratorProperties& properties,
                                std::string_view doc) {
    return {.key = key,
            .doc = doc,
            .properties = properties,
            .fields = &field_table<NoOptions>,
            .make = &make_runge_kutta<tableau>};
}

struct TableauOptions {
    std::string file;
    std::vector<double> a, b, b_hat;

    static Fields<TableauOptions> fields() {
        return {
            {"file", &TableauOptions::file,
             "text file with the tableau, see docs/integrators.md; empty: `a` and `b`, or that of "
             "rk4"},
            {"a", &TableauOptions::a,
             "instead of a file: A below its diagonal, row after row; c is the sum of its rows"},
            {"b", &TableauOptions::b, "instead of a file: the weights of the stages"},
            {"b_hat", &TableauOptions::b_hat,
             "weights of a second method, for the error of the first"},
        };
    }
};

/// The path of the file that the settings name. What a file says is relative to its own folder and
/// stays in it: scenes are untrusted.
std::string tableau_path(const Settings& settings, const std::string& name) {
    namespace fs = std::filesystem;
    const Settings& value = *settings.find("file");
    const fs::path given(name), from(value.location().file);
    std::error_code missing;
    if (from.empty() || !fs::is_regular_file(from, missing)) return name;
    if (given.is_absolute() || given.lexically_normal().begin()->string() == "..")
        value.fail("'" + escaped(name) + "' leads out of the folder of " + from.string(),
                   "put the tableau beside it");
    return (from.parent_path() / given).string();
}

/// The tableau that the settings hold themselves.
Tableau written_tableau(const Settings& settings, const TableauOptions& options) {
    const std::size_t stages = options.b.size();
    if (options.a.size() != stages * (stages - 1) / 2)
        settings.fail(fmt::format("'a' has {} numbers, 'b' {}", options.a.size(), stages),
                      "s stages have s (s - 1)/2 numbers below the diagonal, such as "
                      R"("a": [0.5], "b": [0, 1])");
    Tableau tableau{.c = {}, .a = {}, .b = options.b, .b_hat = options.b_hat};
    auto next = options.a.begin();
    for (std::size_t i = 0; i < stages; ++i) {
        tableau.a.emplace_back(next, next + std::ptrdiff_t(i));
        next += std::ptrdiff_t(i);
        tableau.c.push_back(std::accumulate(tableau.a[i].begin(), tableau.a[i].end(), 0.0));
    }
    for (const char* name : {"b", "b_hat"}) {
        const Settings* given = settings.find(name);
        const auto& weights = name == std::string("b") ? tableau.b : tableau.b_hat;
        if (!given || weights.empty()) continue;
        if (weights.size() != stages || order_of(tableau, weights, 1) < 1)
            given->fail("the weights do not sum to 1, one of each stage",
                        "a method that converges has the sum 1");
    }
    if (tableau.b == tableau.b_hat)
        settings.fail("'b_hat' equals 'b'", "the error would always be estimated as zero");
    return tableau;
}

std::unique_ptr<Integrator> make_from_file(const Settings& settings) {
    const auto options = read_options<TableauOptions>(settings);
    const bool written = !options.a.empty() || !options.b.empty() || !options.b_hat.empty();
    if (written && (!options.file.empty() || options.b.empty()))
        settings.fail(
            options.b.empty() ? "a tableau has weights 'b'" : "'file' and 'b' are two tableaus",
            "either a file, or a and b");
    return std::make_unique<ExplicitRungeKutta>(
        written                ? written_tableau(settings, options)
        : options.file.empty() ? rk4()
                               : read_explicit_tableau(tableau_path(settings, options.file)));
}

}  // namespace

extern const IntegratorEntry entry_explicit_euler, entry_explicit_midpoint, entry_heun,
    entry_ralston, entry_kutta3, entry_rk4, entry_rk38, entry_bogacki_shampine32,
    entry_dormand_prince54, entry_explicit_tableau, entry_adams_bashforth1, entry_adams_pece1,
    entry_adams_pece2;

constinit const IntegratorEntry entry_explicit_euler = entry<explicit_euler>(
    "explicit_euler", {.order = 1, .force_evaluations = 1},
    "Explicit Euler: an undamped spring gains energy at every step size. [Hauth03] eq. 10");
constinit const IntegratorEntry entry_explicit_midpoint = entry<explicit_midpoint>(
    "explicit_midpoint", {.order = 2, .force_evaluations = 2},
    "Half an Euler step, then a whole one from there. [Hauth03] eq. 16-17");
constinit const IntegratorEntry entry_adams_bashforth1 =
    entry<explicit_euler>("adams_bashforth1", {.order = 1, .force_evaluations = 1},
                          "Adams-Bashforth of one step: explicit_euler by its other name");
constinit const IntegratorEntry entry_adams_pece1 =
    entry<adams_pece1>("adams_pece1", {.order = 1, .force_evaluations = 2},
                       "Explicit Euler, corrected by the formula of implicit Euler, of order one");
constinit const IntegratorEntry entry_adams_pece2 =
    entry<heun>("adams_pece2", {.order = 2, .force_evaluations = 2},
                "Explicit Euler, corrected by the trapezoid: heun by its other name");
constinit const IntegratorEntry entry_heun =
    entry<heun>("heun", {.order = 2, .force_evaluations = 2},
                "Explicit trapezoid: the mean of the slopes at both ends. [Slides] RK2");
constinit const IntegratorEntry entry_ralston =
    entry<ralston>("ralston", {.order = 2, .force_evaluations = 2},
                   "Two stages at 0 and 2/3, least bound on the local error. [Ralston62]");
constinit const IntegratorEntry entry_kutta3 =
    entry<kutta3>("kutta3", {.order = 3, .force_evaluations = 3},
                  "Kutta's third-order method, stages at 0, 1/2 and 1. [Kutta01]");
constinit const IntegratorEntry entry_rk4 =
    entry<rk4>("rk4", {.order = 4, .force_evaluations = 4},
               "The classical Runge-Kutta method. [Hauth03] table 2b");
constinit const IntegratorEntry entry_rk38 = entry<rk38>(
    "rk38", {.order = 4, .force_evaluations = 4}, "Kutta's 3/8 rule, fourth order. [Kutta01]");
constinit const IntegratorEntry entry_bogacki_shampine32 = entry<bogacki_shampine32>(
    "bogacki_shampine32",
    {.order = 3, .estimates_error = true, .carries_force = true, .force_evaluations = 3},
    "Third order with an error estimate of second, for adaptive steps. [BogackiShampine89]");
constinit const IntegratorEntry entry_dormand_prince54 = entry<dormand_prince54>(
    "dormand_prince54",
    {.order = 5, .estimates_error = true, .carries_force = true, .force_evaluations = 6},
    "Fifth order with an error estimate of fourth, for adaptive steps. [DormandPrince80]");

/// Declares what the method without a file is; of a file the order and the error follow from it.
constinit const IntegratorEntry entry_explicit_tableau{
    .key = "explicit_tableau",
    .doc = "Any explicit Runge-Kutta method, its tableau from a text file. [Hauth03] eq. 19",
    .properties = {.order = 4, .force_evaluations = 4},
    .fields = &field_table<TableauOptions>,
    .make = &make_from_file,
};

}  // namespace taffeta::ode
