#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ode/linear_system.h"
#include "ode/problems.h"
#include "taffeta/ode/first_order.h"

/// Whole runs against states that an independent implementation reached, to ten digits: a wrong
/// coefficient that keeps the order shows here. Every one-step and second-order method of the table; the
/// multistep, collocation and extrapolation methods are in test_reference_errors.cpp.
///
///     growth    y' = 2 y,                      y = 1 at 0,            10 steps to t = 1
///     decay     y' = -15 y,                    y = 1 at 0,            10 steps to t = 1
///     2         y'' = -2.5 y - 5 y',           (y, y') = (0, 1) at 0, 50 steps to t = 10
///     3         z'' = -1000 z - 10 z' - 1010,  (-1, -5) at 0,         400 steps to t = 2
///     W         y'' = -5 y,                    (1, 0) at 0,           100 steps to t = 10
namespace taffeta::ode {
namespace {

using namespace testing;

struct Expected {
    const char* key;
    Numbers options;
    std::string_view switched_on;  ///< an option that is yes or no
    bool rayleigh;                 ///< damped by r_M of the method
    double x, v;                   ///< v is NaN where the reference has none
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

void expect_states(const Textbook& problem, int steps, const std::vector<Expected>& table) {
    for (const Expected& expected : table) {
        Settings settings = Settings::object();
        for (const auto& [name, value] : expected.options)
            settings[name] = Settings::of(value);
        if (expected.rayleigh) settings["rayleigh_mass"] = Settings::of(problem.c);
        if (!expected.switched_on.empty())
            settings[std::string(expected.switched_on)] = Settings::of(true);
        const auto integrator =
            find_entry(integrators(), "integrator", expected.key).make(settings);
        integrator->set_newton({.tolerance = 1e-14});

        const State end = run_linear(*integrator, problem.system(expected.rayleigh),
                                     problem.start(), problem.end, steps);

        // Of a state that is zero, no digits but rounding of numbers of size one.
        const double size = std::abs(expected.x) + std::abs(end.v[0]);
        const double within = std::max(1e-10 * size, 1e-15);
        EXPECT_NEAR(end.x[0], expected.x, within) << expected.key << expected.switched_on;
        if (std::isnan(expected.v)) continue;
        EXPECT_NEAR(end.v[0], expected.v, within) << expected.key << expected.switched_on;
    }
}

class Proportional final : public FirstOrderSystem {
  public:
    explicit Proportional(double rate) : rate_(rate) {}
    Eigen::Index size() const override { return 1; }
    void rate(double, const VecX& y, VecX& f) override { f = rate_ * y; }

  private:
    double rate_;
};

double proportional_end(const char* key, double rate) {
    Proportional system(rate);
    FirstOrderAdapter adapter(system);
    State state = adapter.state(0, VecX::Ones(1));
    const auto integrator = make_with(key);
    for (int i = 0; i < 10; ++i)
        EXPECT_TRUE(integrator->step(adapter, state, 0.1).ok()) << key;
    return state.v[0];
}

TEST(ReferenceStates, GrowthAndDecay) {
    const struct {
        const char* key;
        double growth, decay;
    } rows[] = {
        {"explicit_euler", 6.1917364223999991, 0.0009765625},
        {"explicit_midpoint", 7.3046314154279175, 0.0090949470177292824},
        {"heun", 7.3046314154279175, 0.0090949470177292824},
        {"ralston", 7.3046314154279175, 0.0090949470177292824},
        {"kutta3", 7.3848572157610715, 9.0949470177292824e-13},
        {"rk4", 7.3888892416594594, 2.3365804949888902e-06},
        {"rk38", 7.3888892416594585, 2.3365804949888893e-06},
        {"backward_euler", 9.3132257461547852, 0.0001048575999999998},
        {"implicit_midpoint", 7.4387807268958825, 3.5401331746414383e-09},
        {"trapezoid", 7.4387807268958825, 3.5401331746414383e-09},
        {"newmark", 7.4387807268958825, 3.5401331746414383e-09},
        {"linearised_trapezoid", 7.4387807268958825, 3.5401331746414383e-09},
        {"adams_moulton2", 7.4387807268958817, 3.5401331746414276e-09},
        {"bdf1", 9.3132257461547852, 0.00010485760000000003},
        {"sdirk2", 7.4126391475120261, 4.1634455028548078e-08},
        {"exponential", 7.3890560989306522, 3.0590232050182632e-07},
    };
    for (const auto& [key, growth, decay] : rows) {
        EXPECT_NEAR(proportional_end(key, 2), growth, 1e-9) << key;
        EXPECT_NEAR(proportional_end(key, -15), decay, 1e-9 * decay + 1e-16) << key;
    }
}

TEST(ReferenceStates, Overdamped) {
    expect_states(
        problem_2, 50,
        {{"explicit_euler", {}, "", false, 0.00065378912129062348, -0.0003684156138814759},
         {"explicit_midpoint", {}, "", false, 0.00093391450800625738, -0.00052626860186910998},
         {"heun", {}, "", false, 0.00093391450800625738, -0.00052626860186910998},
         {"ralston", {}, "", false, 0.00093391450800625738, -0.00052626860186910998},
         {"kutta3", {}, "", false, 0.00092152905255716698, -0.00051928929459281383},
         {"rk4", {}, "", false, 0.00092187580385601393, -0.00051948469183707609},
         {"rk38", {}, "", false, 0.00092187580385601371, -0.00051948469183707609},
         {"backward_euler", {}, "", false, 0.0012388464128067244, -0.0006981002693460472},
         {"implicit_midpoint", {}, "", false, 0.00091637550451016106, -0.00051638522735526597},
         {"trapezoid", {}, "", false, 0.00091637550451016073, -0.00051638522735526575},
         {"adams_moulton2", {}, "", false, 0.00091637550451016052, -0.00051638522735526565},
         {"bdf1", {}, "", false, 0.001238846412806724, -0.00069810026934604699},
         {"sdirk2", {}, "", false, 0.00091917353747011672, -0.00051796194222713122},
         {"exponential", {}, "", false, 0.0009218681310631245, -0.0005194803681543924},
         {"linearised_backward_euler",
          {},
          "",
          false,
          0.0012388464128067244,
          -0.0006981002693460472},
         {"symplectic_euler_a", {}, "", false, 0, 0},
         {"symplectic_euler_b", {}, "", false, 0.0011452833794044696, -0.00057264168970223492},
         {"leapfrog", {}, "", false, 0, 0},
         {"stoermer_verlet", {}, "", false, 0.0005726416897022347, none},
         {"velocity_verlet", {}, "", false, 0.0005726416897022347, none},
         {"velocity_verlet_half", {}, "", false, 0.00066761075984820032, -0.00036068294194104488},
         {"velocity_verlet_lagged", {}, "", false, 0.00050547505268649538, -0.00026722713923614571},
         {"velocity_verlet_implicit_damping",
          {},
          "",
          false,
          0.00069567521104095206,
          -0.00039183913777338509},
         {"central_difference", {}, "", true, 0.00069567521104095195, -0.00039183913777338509},
         {"sofa_central_difference", {}, "", true, 0.00046378347402730162, -0.00027589326926655993},
         {"newmark", {}, "", false, 0.00091637550451016203, -0.00051638522735526651},
         {"newmark", {{"beta", 0}}, "", false, 0.00069567521104095227, -0.00039183913777338526},
         {"newmark",
          {{"beta", 1. / 6}},
          "",
          false,
          0.00084343355737936064,
          -0.00047520883809187506},
         {"newmark",
          {{"beta", 1. / 12}},
          "",
          false,
          0.0007698665120501446,
          -0.00043369329885649285},
         {"newmark",
          {{"beta", 0.3025}, {"gamma", 0.6}},
          "",
          false,
          0.0010177225506422761,
          -0.00057445404621939513},
         {"sofa_euler_implicit", {}, "", false, 0.0012388464128067235, -0.00069810026934604688},
         {"sofa_euler_implicit", {}, "", true, 0.0012388464128067235, -0.00069810026934604688},
         {"sofa_euler_implicit",
          {},
          "trapezoidal",
          false,
          0.00057057579951223748,
          -0.00031802948867940684},
         {"linearised_trapezoid", {}, "", false, 0.00091637550451016052, -0.00051638522735526554},
         {"sofa_variational_symplectic", {}, "explicit_integration", true, 0, 0},
         {"sofa_variational_symplectic",
          {},
          "",
          true,
          0.0006859449383927362,
          -0.00063028816783315038},
         {"variational_symplectic_implicit",
          {},
          "",
          true,
          0.00091637550451016128,
          -0.00051638522735526608},
         {"variational_symplectic_explicit", {}, "", true, 0, 0},
         {"imex_euler", {}, "", false, 0, 0}});
}

TEST(ReferenceStates, Damper) {
    expect_states(
        problem_3, 400,
        {{"explicit_euler", {}, "", false, -1.0105813050761758, -0.022667840708877226},
         {"explicit_midpoint", {}, "", false, -1.0099987377640418, -0.00020740754911973336},
         {"heun", {}, "", false, -1.0099987377640414, -0.00020740754913110067},
         {"ralston", {}, "", false, -1.0099987377640416, -0.00020740754912908829},
         {"kutta3", {}, "", false, -1.0099968918583038, -0.0002164233114611997},
         {"rk4", {}, "", false, -1.0099968942662207, -0.0002188042153883005},
         {"rk38", {}, "", false, -1.0099968942662207, -0.0002188042153797288},
         {"backward_euler", {}, "", false, -1.00999994594748, 1.6980246663770482e-06},
         {"implicit_midpoint", {}, "", false, -1.0099959217585133, -0.00022277785581703523},
         {"trapezoid", {}, "", false, -1.0099959217585133, -0.00022277785581703823},
         {"adams_moulton2", {}, "", false, -1.0099959217585126, -0.0002227778558524821},
         {"bdf1", {}, "", false, -1.0099999459474795, 1.6980246645451896e-06},
         {"sdirk2", {}, "", false, -1.0099964287954404, -0.00022093862611594409},
         {"exponential", {}, "", false, -1.0099968966336039, -0.00021877594789199151},
         {"linearised_backward_euler", {}, "", false, -1.00999994594748, 1.6980246663770482e-06},
         {"symplectic_euler_a", {}, "", false, -1.0100021251546936, -0.00015503291008634097},
         {"symplectic_euler_b", {}, "", false, -1.010002228342004, -0.00014213449635216139},
         {"leapfrog", {}, "", false, -1.0100021741686662, -0.00014864419978807326},
         {"stoermer_verlet", {}, "", false, -1.010002176748348, none},
         {"velocity_verlet_half", {}, "", false, -1.010000054269383, -0.00019800523763337732},
         {"velocity_verlet_lagged", {}, "", false, -1.010002353015707, -0.00015820107381126543},
         {"velocity_verlet_implicit_damping",
          {},
          "",
          false,
          -1.0099973809909983,
          -0.00022234655769095771},
         {"central_difference", {}, "", true, -1.0099973809909986, -0.00022234655769180675},
         {"sofa_central_difference", {}, "", true, -1.0099974240970984, -0.000216930663099472},
         {"newmark", {}, "", false, -1.0099959217585126, -0.00022277785582991311},
         {"newmark", {{"beta", 0}}, "", false, -1.0099973809909981, -0.00022234655769160034},
         {"newmark", {{"beta", 1. / 6}}, "", false, -1.0099964108073505, -0.00022361937823153386},
         {"newmark", {{"beta", 1. / 12}}, "", false, -1.009996897896716, -0.00022346488614836466},
         {"newmark",
          {{"beta", 0.3025}, {"gamma", 0.6}},
          "",
          false,
          -1.0099964883393533,
          -0.0001257058824241241},
         {"sofa_euler_implicit", {}, "", false, -1.00999994594748, 1.6980246655852082e-06},
         {"sofa_euler_implicit", {}, "", true, -1.00999994594748, 1.6980246655852082e-06},
         {"sofa_euler_implicit",
          {},
          "trapezoidal",
          false,
          -1.0099995766356342,
          -1.4214163723844401e-05},
         {"linearised_trapezoid", {}, "", false, -1.0099959217585135, -0.00022277785582369429},
         {"sofa_variational_symplectic",
          {},
          "explicit_integration",
          true,
          -1.0100021251546936,
          -0.00015503291008687166},
         {"sofa_variational_symplectic",
          {},
          "",
          true,
          -1.0099907133216077,
          -0.00012621719816980839},
         {"variational_symplectic_implicit",
          {},
          "",
          true,
          -1.0099959217585133,
          -0.0002227778558230742},
         {"variational_symplectic_explicit",
          {},
          "",
          true,
          -1.0100021251546936,
          -0.00015503291008687166},
         {"imex_euler", {}, "", false, -1.009999967109191, -8.3769940779785931e-07}});
}

TEST(ReferenceStates, Spring) {
    expect_states(
        problem_W, 100,
        {{"explicit_euler", {}, "", false, -11.467064310235404, 0.19613708508199057},
         {"explicit_midpoint", {}, "", false, -0.87794199876370471, 1.2117993309103117},
         {"heun", {}, "", false, -0.87794199876370471, 1.2117993309103121},
         {"ralston", {}, "", false, -0.87794199876370504, 1.211799330910313},
         {"kutta3", {}, "", false, -0.92232908552753723, 0.80321013904384575},
         {"rk4", {}, "", false, -0.9325814794024303, 0.80659553980563792},
         {"rk38", {}, "", false, -0.93258147940242953, 0.8065955398056408},
         {"backward_euler", {}, "", false, -0.087201175852157475, 0.0014915225017180442},
         {"implicit_midpoint", {}, "", false, -0.96186533025719811, 0.61161706340328414},
         {"trapezoid", {}, "", false, -0.96186533025719778, 0.61161706340328414},
         {"adams_moulton2", {}, "", false, -0.96186533025720022, 0.61161706340328348},
         {"bdf1", {}, "", false, -0.087201175852157239, 0.0014915225017180221},
         {"sdirk2", {}, "", false, -0.94694575470758557, 0.71228939980972283},
         {"exponential", {}, "", false, -0.93249676851112406, 0.80761926895135316},
         {"linearised_backward_euler", {}, "", false, -0.087201175852157475, 0.0014915225017180442},
         {"symplectic_euler_a", {}, "", false, -0.86905461908182802, 0.91008892581243905},
         {"symplectic_euler_b", {}, "", false, -0.96006351166307191, 0.91008892581243905},
         {"leapfrog", {}, "", false, -0.91455906537244946, 0.89871281423978289},
         {"stoermer_verlet", {}, "", false, -0.91455906537244969, none},
         {"velocity_verlet", {}, "", false, -0.91455906537244913, 0.89871281423978333},
         {"velocity_verlet_half", {}, "", false, -0.91455906537244913, 0.89871281423978333},
         {"velocity_verlet_lagged", {}, "", false, -0.91455906537244969, 0.89871281423978333},
         {"velocity_verlet_implicit_damping",
          {},
          "",
          false,
          -0.91455906537244969,
          0.89871281423978333},
         {"central_difference", {}, "", true, -0.91455906537244924, 0.89871281423978211},
         {"sofa_central_difference", {}, "", true, -0.86905461908182746, 0.91008892581243706},
         {"newmark", {}, "", false, -0.96186533025719712, 0.61161706340328448},
         {"newmark", {{"beta", 0}}, "", false, -0.91455906537244924, 0.89871281423978444},
         {"newmark", {{"beta", 1. / 6}}, "", false, -0.94822171974047276, 0.7087145241087397},
         {"newmark", {{"beta", 1. / 12}}, "", false, -0.93245461428198639, 0.80448945208031064},
         {"newmark",
          {{"beta", 0.3025}, {"gamma", 0.6}},
          "",
          false,
          -0.75438552110620238,
          0.47329127549209593},
         {"sofa_euler_implicit", {}, "", false, -0.087201175852157392, 0.0014915225017181413},
         {"sofa_euler_implicit", {}, "", true, -0.087201175852157392, 0.0014915225017181413},
         {"sofa_euler_implicit",
          {},
          "trapezoidal",
          false,
          -0.25981071241597115,
          0.24073169313781481},
         {"linearised_trapezoid", {}, "", false, -0.96186533025719834, 0.6116170634032867},
         {"sofa_variational_symplectic",
          {},
          "explicit_integration",
          true,
          -0.86905461908182802,
          0.91008892581243905},
         {"sofa_variational_symplectic", {}, "", true, -0.96186533025719756, 0.61161706340328248},
         {"variational_symplectic_implicit",
          {},
          "",
          true,
          -0.96186533025719756,
          0.61161706340328248},
         {"variational_symplectic_explicit",
          {},
          "",
          true,
          -0.86905461908182802,
          0.91008892581243905},
         {"imex_euler", {}, "", false, -0.087201175852157281, 0.0014915225017181212}});
}

TEST(ReferenceStates, VelocityVerletWithTheForceOfTheStartAnew) {
    // Carried, the force is that at the half-step velocity; evaluated again, it is at v.
    const struct {
        const Textbook& problem;
        int steps;
        double x, v;
    } rows[] = {{problem_2, 50, 0.00066761075984820032, -0.00036068294194104488},
                {problem_3, 400, -1.010000054269383, -0.00019800523763337732}};
    for (const auto& [book, steps, x, v] : rows) {
        Problem problem = oscillator(book.k, book.c);
        problem.system.of = [book = book](double, const VecX& at, const VecX& u) -> VecX {
            return scalar(book.f - book.k * at[0] - book.c * u[0]);
        };
        problem.system.persists = false;
        problem.start = book.start();
        problem.end = book.end;

        const State end = run(*make_with("velocity_verlet"), problem, steps);

        EXPECT_NEAR(end.x[0], x, 1e-10 * (std::abs(x) + std::abs(v))) << steps;
        EXPECT_NEAR(end.v[0], v, 1e-10 * (std::abs(x) + std::abs(v))) << steps;
    }
}

TEST(ReferenceStates, LeapfrogHasTheErrorsOfTheReferenceOnDampedProblems) {
    // The velocity half a step before the start takes the damping at v_0, the first kick that at itself:
    // not Stoermer's start, though without damping they are one.
    const struct {
        const Textbook& problem;
        int steps;
        double errors[4];
    } rows[] = {{problem_2,
                 50,
                 {1.058159110894e-03, 3.227083710625e-04, 1.152884754711e-04, 4.683452864244e-05}},
                {problem_3,
                 200,
                 {2.242219309799e-04, 7.033003958167e-05, 1.954460657040e-05, 5.716783264186e-06}},
                {problem_W,
                 100,
                 {9.284285210562e-02, 2.335635371718e-02, 5.847854003241e-03, 1.462506087824e-03}}};
    for (const auto& [problem, steps, errors] : rows)
        for (int i = 0; i < 4; ++i)
            EXPECT_NEAR(textbook_error(problem, "leapfrog", steps << i), errors[i],
                        1e-9 * errors[i])
                << problem.k << ' ' << i;
}

/// |x - exact| alone: of Stoermer's form in positions the reference has no velocities.
double position_error(const Textbook& problem, const char* key, int steps) {
    const State end =
        run_linear(*make_with(key), problem.system(), problem.start(), problem.end, steps);
    return std::abs(end.x[0] - problem.exact(problem.end).x[0]);
}

TEST(ReferenceStates, StoermerHasTheErrorsOfTheReferenceInItsPositions) {
    // Velocity Verlet that carries its force is the same motion.
    for (const char* key : {"stoermer_verlet", "velocity_verlet"}) {
        const double of_2[] = {3.492264413609e-04, 1.464838035875e-04, 6.620228569454e-05,
                               3.134165667012e-05};
        const double of_3[] = {7.244961805153e-06, 5.280114744100e-06, 2.833402495073e-06,
                               1.436884164319e-06};
        const double of_W[] = {1.793770313868e-02, 4.275597659076e-03, 1.055911187823e-03,
                               2.631670537924e-04};
        for (int i = 0; i < 4; ++i) {
            EXPECT_NEAR(position_error(problem_2, key, 50 << i), of_2[i], 1e-9 * of_2[i]) << key;
            EXPECT_NEAR(position_error(problem_3, key, 200 << i), of_3[i], 1e-9 * of_3[i] + 1e-13)
                << key;
            EXPECT_NEAR(position_error(problem_W, key, 100 << i), of_W[i], 1e-9 * of_W[i]) << key;
        }
    }
}

}  // namespace
}  // namespace taffeta::ode
