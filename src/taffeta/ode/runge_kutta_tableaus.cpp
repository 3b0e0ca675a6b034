#include "taffeta/ode/runge_kutta.h"

/// The explicit Runge-Kutta methods that are registered: one tableau and one entry each.
namespace taffeta::ode {

namespace {

//      c | A
//     ---+---
//        | b
constexpr Tableau explicit_euler{.stages = 1, .c = {0}, .a = {}, .b = {1}};

constexpr Tableau explicit_midpoint{.stages = 2, .c = {0, 0.5}, .a = {{{}, {0.5}}}, .b = {0, 1}};

constexpr Tableau heun{.stages = 2, .c = {0, 1}, .a = {{{}, {1}}}, .b = {0.5, 0.5}};

/// The second-order method of two stages with the smallest bound on its local error.
constexpr Tableau ralston{
    .stages = 2, .c = {0, 2.0 / 3}, .a = {{{}, {2.0 / 3}}}, .b = {0.25, 0.75}};

constexpr Tableau kutta3{
    .stages = 3, .c = {0, 0.5, 1}, .a = {{{}, {0.5}, {-1, 2}}}, .b = {1.0 / 6, 2.0 / 3, 1.0 / 6}};

constexpr Tableau rk4{.stages = 4,
                      .c = {0, 0.5, 0.5, 1},
                      .a = {{{}, {0.5}, {0, 0.5}, {0, 0, 1}}},
                      .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

constexpr Tableau rk38{.stages = 4,
                       .c = {0, 1.0 / 3, 2.0 / 3, 1},
                       .a = {{{}, {1.0 / 3}, {-1.0 / 3, 1}, {1, -1, 1}}},
                       .b = {1.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 8}};

template <const Tableau& tableau>
std::unique_ptr<Integrator> make(const Settings& settings) {
    read_options<NoOptions>(settings);
    return std::make_unique<ExplicitRungeKutta>(tableau);
}

template <const Tableau& tableau>
constexpr IntegratorEntry entry(std::string_view key, int order, std::string_view doc) {
    return {.key = key,
            .doc = doc,
            .properties = {.order = order, .force_evaluations = int(tableau.stages)},
            .fields = &field_table<NoOptions>,
            .make = &make<tableau>};
}

}  // namespace

extern const IntegratorEntry entry_explicit_euler, entry_explicit_midpoint, entry_heun,
    entry_ralston, entry_kutta3, entry_rk4, entry_rk38;

constinit const IntegratorEntry entry_explicit_euler = entry<explicit_euler>(
    "explicit_euler", 1,
    "Explicit Euler: an undamped spring gains energy at every step size. [Hauth03] eq. 10");
constinit const IntegratorEntry entry_explicit_midpoint = entry<explicit_midpoint>(
    "explicit_midpoint", 2, "Half an Euler step, then a whole one from there. [Hauth03] eq. 16-17");
constinit const IntegratorEntry entry_heun =
    entry<heun>("heun", 2, "Explicit trapezoid: the mean of the slopes at both ends. [Slides] RK2");
constinit const IntegratorEntry entry_ralston = entry<ralston>(
    "ralston", 2, "Two stages at 0 and 2/3, least bound on the local error. [Ralston62]");
constinit const IntegratorEntry entry_kutta3 =
    entry<kutta3>("kutta3", 3, "Kutta's third-order method, stages at 0, 1/2 and 1. [Kutta01]");
constinit const IntegratorEntry entry_rk4 =
    entry<rk4>("rk4", 4, "The classical Runge-Kutta method. [Hauth03] table 2b");
constinit const IntegratorEntry entry_rk38 =
    entry<rk38>("rk38", 4, "Kutta's 3/8 rule, fourth order. [Kutta01]");

}  // namespace taffeta::ode
