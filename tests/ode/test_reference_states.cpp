#include <gtest/gtest.h>

#include "ode/problems.h"
#include "taffeta/ode/first_order.h"

/// Whole runs against states that an independent implementation reached, to eleven digits: a wrong
/// coefficient that keeps the order shows here.
///
///     growth    y' = 2 y,                      y = 1 at 0,            10 steps to t = 1
///     decay     y'' = -2.5 y - 5 y',           (y, y') = (0, 1) at 0, 50 steps to t = 10
///     damper    z'' = -1000 z - 10 z' - 1010,  (-1, -5) at 0,         400 steps to t = 2
///     spring    y'' = -5 y,                    (1, 0) at 0,           100 steps to t = 10
namespace taffeta::ode {
namespace {

using namespace testing;

struct Expected {
    const char* key;
    double beta, gamma;  ///< of Newmark; 0, 0 for the others
    double x, v;         ///< v is NaN where the reference has none
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

Problem linear(double k, double c, double f, double x, double v, double end) {
    Problem problem = oscillator(k, c);
    problem.system.of = [=](double, const VecX& at, const VecX& u) -> VecX {
        return scalar(f - k * at[0] - c * u[0]);
    };
    problem.system.scale = std::abs(f) + k;
    problem.start = {0, scalar(x), scalar(v)};
    problem.end = end;
    return problem;
}

std::unique_ptr<Integrator> made(const Expected& expected) {
    Settings settings = Settings::object();
    if (expected.gamma > 0) {
        settings["beta"] = Settings::of(expected.beta);
        settings["gamma"] = Settings::of(expected.gamma);
    }
    auto integrator = find_entry(integrators(), "integrator", expected.key).make(settings);
    integrator->set_newton({.tolerance = 1e-12});
    return integrator;
}

void expect_states(const Problem& problem, int steps, const std::vector<Expected>& table) {
    for (const Expected& expected : table) {
        const State end = run(*made(expected), problem, steps);

        const double size = std::abs(expected.x) + std::abs(end.v[0]);
        EXPECT_NEAR(end.x[0], expected.x, 1e-10 * size) << expected.key << ' ' << expected.beta;
        if (std::isnan(expected.v)) continue;
        EXPECT_NEAR(end.v[0], expected.v, 1e-10 * size) << expected.key << ' ' << expected.beta;
    }
}

class Growth final : public FirstOrderSystem {
  public:
    Eigen::Index size() const override { return 1; }
    void rate(double, const VecX& y, VecX& f) override { f = 2 * y; }
};

TEST(ReferenceStates, Growth) {
    for (const auto& [key, expected] :
         std::vector<std::pair<const char*, double>>{{"explicit_euler", 6.1917364223999991},
                                                     {"explicit_midpoint", 7.3046314154279175},
                                                     {"heun", 7.3046314154279175},
                                                     {"ralston", 7.3046314154279175},
                                                     {"kutta3", 7.3848572157610715},
                                                     {"rk4", 7.3888892416594594},
                                                     {"rk38", 7.3888892416594585},
                                                     {"backward_euler", 9.3132257461547852},
                                                     {"implicit_midpoint", 7.4387807268958825},
                                                     {"trapezoid", 7.4387807268958825},
                                                     {"newmark", 7.4387807268958825},
                                                     {"linearised_trapezoid", 7.4387807268958825},
                                                     {"sdirk2", 7.4126391475120261}}) {
        Growth system;
        FirstOrderAdapter adapter(system);
        State state = adapter.state(0, scalar(1));
        const auto integrator = made({key, 0, 0, 0, 0});

        for (int i = 0; i < 10; ++i)
            ASSERT_TRUE(integrator->step(adapter, state, 0.1).ok()) << key;

        EXPECT_NEAR(state.v[0], expected, 1e-9) << key;
    }
}

TEST(ReferenceStates, Decay) {
    expect_states(linear(2.5, 5, 0, 0, 1, 10), 50,
                  {{"explicit_euler", 0, 0, 0.00065378912129062348, -0.0003684156138814759},
                   {"explicit_midpoint", 0, 0, 0.00093391450800625738, -0.00052626860186910998},
                   {"ralston", 0, 0, 0.00093391450800625738, -0.00052626860186910998},
                   {"kutta3", 0, 0, 0.00092152905255716698, -0.00051928929459281383},
                   {"rk4", 0, 0, 0.00092187580385601393, -0.00051948469183707609},
                   {"backward_euler", 0, 0, 0.0012388464128067244, -0.0006981002693460472},
                   {"implicit_midpoint", 0, 0, 0.00091637550451016106, -0.00051638522735526597},
                   {"sdirk2", 0, 0, 0.00091917353747011672, -0.00051796194222713122},
                   {"symplectic_euler_b", 0, 0, 0.0011452833794044696, -0.00057264168970223492},
                   {"stoermer_verlet", 0, 0, 0.0005726416897022347, none},
                   {"leapfrog", 0, 0, 0.0005726416897022347, none},
                   {"velocity_verlet", 0, 0, 0.0005726416897022347, none},
                   {"newmark", 0, 0.5, 0.00069567521104095227, -0.00039183913777338526},
                   {"central_difference", 0, 0, 0.00069567521104095195, -0.00039183913777338509},
                   {"newmark", 1.0 / 6, 0.5, 0.00084343355737936064, -0.00047520883809187506},
                   {"newmark", 1.0 / 12, 0.5, 0.0007698665120501446, -0.00043369329885649285},
                   {"newmark", 0.3025, 0.6, 0.0010177225506422761, -0.00057445404621939513}});
}

TEST(ReferenceStates, VelocityVerletWithTheForceOfTheStartAnew) {
    // Carried, the force is that at the half-step velocity; evaluated again, it is at v.
    Problem decay = linear(2.5, 5, 0, 0, 1, 10), damper = linear(1000, 10, -1010, -1, -5, 2);
    decay.system.persists = damper.system.persists = false;

    expect_states(decay, 50,
                  {{"velocity_verlet", 0, 0, 0.00066761075984820032, -0.00036068294194104488}});
    expect_states(damper, 400,
                  {{"velocity_verlet", 0, 0, -1.010000054269383, -0.00019800523763337732}});
}

TEST(ReferenceStates, Damper) {
    expect_states(linear(1000, 10, -1010, -1, -5, 2), 400,
                  {{"kutta3", 0, 0, -1.0099968918583038, -0.0002164233114611997},
                   {"rk4", 0, 0, -1.0099968942662207, -0.0002188042153883005},
                   {"rk38", 0, 0, -1.0099968942662207, -0.0002188042153797288},
                   {"backward_euler", 0, 0, -1.00999994594748, 1.6980246663770482e-06},
                   {"linearised_backward_euler", 0, 0, -1.00999994594748, 1.6980246663770482e-06},
                   {"trapezoid", 0, 0, -1.0099959217585133, -0.00022277785581703823},
                   {"sdirk2", 0, 0, -1.0099964287954404, -0.00022093862611594409},
                   {"symplectic_euler_a", 0, 0, -1.0100021251546936, -0.00015503291008634097},
                   {"symplectic_euler_b", 0, 0, -1.010002228342004, -0.00014213449635216139},
                   {"stoermer_verlet", 0, 0, -1.010002176748348, none},
                   {"newmark", 0, 0.5, -1.0099973809909981, -0.00022234655769160034},
                   {"newmark", 1.0 / 6, 0.5, -1.0099964108073505, -0.00022361937823153386},
                   {"newmark", 0.3025, 0.6, -1.0099964883393533, -0.0001257058824241241}});
}

TEST(ReferenceStates, Spring) {
    expect_states(linear(5, 0, 0, 1, 0, 10), 100,
                  {{"explicit_euler", 0, 0, -11.467064310235404, 0.19613708508199057},
                   {"heun", 0, 0, -0.87794199876370471, 1.2117993309103121},
                   {"kutta3", 0, 0, -0.92232908552753723, 0.80321013904384575},
                   {"rk4", 0, 0, -0.9325814794024303, 0.80659553980563792},
                   {"backward_euler", 0, 0, -0.087201175852157475, 0.0014915225017180442},
                   {"implicit_midpoint", 0, 0, -0.96186533025719811, 0.61161706340328414},
                   {"linearised_newmark", 0.25, 0.5, -0.96186533025719811, 0.61161706340328414},
                   {"sdirk2", 0, 0, -0.94694575470758557, 0.71228939980972283},
                   {"symplectic_euler_a", 0, 0, -0.86905461908182802, 0.91008892581243905},
                   {"symplectic_euler_b", 0, 0, -0.96006351166307191, 0.91008892581243905},
                   {"leapfrog", 0, 0, -0.91455906537244946, 0.89871281423978289},
                   {"stoermer_verlet", 0, 0, -0.91455906537244969, 0.89871281423978289},
                   {"velocity_verlet", 0, 0, -0.91455906537244913, 0.89871281423978333},
                   {"newmark", 0, 0.5, -0.91455906537244924, 0.89871281423978444},
                   {"newmark", 1.0 / 12, 0.5, -0.93245461428198639, 0.80448945208031064}});
}

}  // namespace
}  // namespace taffeta::ode
