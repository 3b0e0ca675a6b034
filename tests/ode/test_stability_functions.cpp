#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ode/linear_system.h"
#include "ode/problems.h"
#include "taffeta/ode/first_order.h"

/// What every registered method makes of a linear equation, by its formula and stepped, at a thousand
/// points each: R(z) of one-step methods, the recurrence of multistep ones, and for the methods that know
/// positions from velocities the run itself. A method without a formula here is a failure.
namespace taffeta::ode {
namespace {

using namespace testing;
using Complex = std::complex<double>;
using Mat2 = Eigen::Matrix2d;

/// y' = z y for complex z, as two real equations.
class Rotation final : public FirstOrderSystem {
  public:
    explicit Rotation(Complex z) : A_(2, 2) { A_ << z.real(), -z.imag(), z.imag(), z.real(); }
    Eigen::Index size() const override { return 2; }
    void rate(double, const VecX& y, VecX& f) override { f = A_ * y; }
    void jacobian(double, const VecX&, MatX& J) override { J = A_; }

  private:
    MatX A_;
};

/// The i-th of a thousand points of the disc |z| < 10.
Complex point(int i) {
    return std::polar(10 * std::sqrt((i + 0.5) / 1000), 2.399963229728653 * i);
}

/// sum_{k <= order} z^k/k! + extra z^(order + 1)
Complex taylor(Complex z, int order, double extra = 0) {
    Complex sum = 1, term = 1;
    for (int k = 1; k <= order; ++k)
        sum += term *= z / double(k);
    return sum + extra * std::pow(z, order + 1);
}

Complex implicit_midpoint(Complex z) {
    return (1.0 + z / 2.0) / (1.0 - z / 2.0);
}

Complex backward_euler(Complex z) {
    return 1.0 / (1.0 - z);
}

Complex sdirk2(Complex z) {
    const double g = 1 - 1 / std::sqrt(2.0);
    return (1.0 + (1 - 2 * g) * z) / ((1.0 - g * z) * (1.0 - g * z));
}

/// Gragg's rule with smoothing on y' = z y, h = 1.
Complex gragg(Complex z, int n) {
    Complex before = 1, at = 1.0 + z / double(n);
    for (int m = 1; m < n; ++m) {
        const Complex next = before + 2.0 / n * z * at;
        before = at;
        at = next;
    }
    return 0.5 * (at + before + z / double(n) * at);
}

/// The polynomial in 1/n^2 through four values, at 0.
Complex bulirsch_stoer(Complex z) {
    Complex sum = 0;
    for (const int n : {2, 4, 6, 8}) {
        double weight = 1;
        for (const int m : {2, 4, 6, 8})
            if (m != n) weight *= double(n * n) / (n * n - m * m);
        sum += weight * gragg(z, n);
    }
    return sum;
}

using Function = std::function<Complex(Complex)>;

/// R(z) of the methods that are one-step methods of (x, v).
const std::map<std::string_view, Function>& stability_functions() {
    const auto polynomial = [](int order, double extra = 0) {
        return [=](Complex z) { return taylor(z, order, extra); };
    };
    static const std::map<std::string_view, Function> functions{
        {"explicit_euler", polynomial(1)},
        {"adams_bashforth1", polynomial(1)},
        {"adams_pece1", [](Complex z) { return 1.0 + z + z * z; }},
        {"adams_pece2", polynomial(2)},
        {"explicit_midpoint", polynomial(2)},
        {"heun", polynomial(2)},
        {"ralston", polynomial(2)},
        {"kutta3", polynomial(3)},
        {"rk4", polynomial(4)},
        {"rk38", polynomial(4)},
        {"explicit_tableau", polynomial(4)},
        {"bogacki_shampine32", polynomial(3)},
        {"dormand_prince54", polynomial(5, 1. / 600)},
        {"bulirsch_stoer", bulirsch_stoer},
        {"backward_euler", backward_euler},
        {"bdf1", backward_euler},
        {"adams_moulton1", backward_euler},
        {"linearised_backward_euler", backward_euler},
        {"sofa_euler_implicit", backward_euler},
        {"implicit_midpoint", implicit_midpoint},
        {"linearised_implicit_midpoint", implicit_midpoint},
        {"trapezoid", implicit_midpoint},
        {"adams_moulton2", implicit_midpoint},
        {"linearised_trapezoid", implicit_midpoint},
        {"newmark", implicit_midpoint},
        {"linearised_newmark", implicit_midpoint},
        {"sofa_newmark", implicit_midpoint},
        {"variational_symplectic_implicit", implicit_midpoint},
        {"sofa_variational_symplectic", implicit_midpoint},
        {"sdirk2", sdirk2},
        {"gauss4",
         [](Complex z) { return (1.0 + z / 2.0 + z * z / 12.0) / (1.0 - z / 2.0 + z * z / 12.0); }},
        {"gauss6",
         [](Complex z) {
             return (1.0 + z / 2.0 + z * z / 10.0 + z * z * z / 120.0) /
                    (1.0 - z / 2.0 + z * z / 10.0 - z * z * z / 120.0);
         }},
        {"radau_iia3",
         [](Complex z) { return (1.0 + z / 3.0) / (1.0 - 2. / 3 * z + z * z / 6.0); }},
        {"radau_iia5",
         [](Complex z) {
             return (1.0 + 0.4 * z + z * z / 20.0) /
                    (1.0 - 0.6 * z + 0.15 * z * z - z * z * z / 60.0);
         }},
        {"exponential", [](Complex z) { return std::exp(z); }},
    };
    return functions;
}

/// sum alpha_j y_{1-j} = z (beta y_+ + sum beta_j y_{-j}), newest first. PECE: `explicit_beta` predicts.
struct Multistep {
    std::vector<double> alpha;          ///< of 1, 0, -1, ..
    double beta;                        ///< of 1
    std::vector<double> past_beta;      ///< of 0, -1, ..
    std::vector<double> explicit_beta;  ///< empty: none

    std::size_t steps() const {
        return std::max({alpha.size() - 1, past_beta.size(), explicit_beta.size()});
    }
    /// y+ = sum of these times y_0, y_-1, ..
    std::vector<Complex> weights(Complex z) const {
        std::vector<Complex> of(steps());
        const bool pece = !explicit_beta.empty();
        for (std::size_t j = 0; j < of.size(); ++j) {
            if (j + 1 < alpha.size()) of[j] -= alpha[j + 1];
            if (j < past_beta.size()) of[j] += z * past_beta[j];
            if (pece) of[j] += z * beta * ((j == 0 ? 1.0 : 0.0) + z * explicit_beta[j]);
            if (!pece) of[j] /= alpha[0] - z * beta;
        }
        return of;
    }
    /// The largest root of the companion matrix.
    double radius(Complex z) const {
        const std::vector<Complex> of = weights(z);
        const Eigen::Index n = Eigen::Index(of.size());
        Eigen::MatrixXcd companion = Eigen::MatrixXcd::Zero(n, n);
        for (Eigen::Index j = 0; j < n; ++j)
            companion(0, j) = of[std::size_t(j)];
        if (n > 1) companion.bottomLeftCorner(n - 1, n - 1).setIdentity();
        return companion.eigenvalues().cwiseAbs().maxCoeff();
    }
};

std::vector<double> over(std::vector<double> numerators, double denominator) {
    for (double& number : numerators)
        number /= denominator;
    return numerators;
}

const std::map<std::string_view, Multistep>& multistep_methods() {
    const std::vector<double> bashforth[] = {{},
                                             {},
                                             over({3, -1}, 2),
                                             over({23, -16, 5}, 12),
                                             over({55, -59, 37, -9}, 24),
                                             over({1901, -2774, 2616, -1274, 251}, 720)};
    const std::vector<double> moulton[] = {{},
                                           {},
                                           {},
                                           over({5, 8, -1}, 12),
                                           over({9, 19, -5, 1}, 24),
                                           over({251, 646, -264, 106, -19}, 720),
                                           over({475, 1427, -798, 482, -173, 27}, 1440)};
    const auto after_first = [](const std::vector<double>& of) {
        return std::vector<double>(of.begin() + 1, of.end());
    };
    static const std::map<std::string_view, Multistep> methods{
        {"adams_bashforth2", {{1, -1}, 0, bashforth[2], {}}},
        {"adams_bashforth3", {{1, -1}, 0, bashforth[3], {}}},
        {"adams_bashforth4", {{1, -1}, 0, bashforth[4], {}}},
        {"adams_bashforth5", {{1, -1}, 0, bashforth[5], {}}},
        {"adams_moulton3", {{1, -1}, moulton[3][0], after_first(moulton[3]), {}}},
        {"adams_moulton4", {{1, -1}, moulton[4][0], after_first(moulton[4]), {}}},
        {"adams_moulton5", {{1, -1}, moulton[5][0], after_first(moulton[5]), {}}},
        {"adams_moulton6", {{1, -1}, moulton[6][0], after_first(moulton[6]), {}}},
        {"adams_pece3", {{1, -1}, moulton[3][0], after_first(moulton[3]), bashforth[2]}},
        {"adams_pece4", {{1, -1}, moulton[4][0], after_first(moulton[4]), bashforth[3]}},
        {"adams_pece5", {{1, -1}, moulton[5][0], after_first(moulton[5]), bashforth[4]}},
        {"adams_pece6", {{1, -1}, moulton[6][0], after_first(moulton[6]), bashforth[5]}},
        {"bdf2", {over({3, -4, 1}, 2), 1, {}, {}}},
        {"bdf3", {over({11, -18, 9, -2}, 6), 1, {}, {}}},
        {"bdf4", {over({25, -48, 36, -16, 3}, 12), 1, {}, {}}},
        {"bdf5", {over({137, -300, 300, -200, 75, -12}, 60), 1, {}, {}}},
        {"bdf6", {over({147, -360, 450, -400, 225, -72, 10}, 60), 1, {}, {}}},
    };
    return methods;
}

/// x'' = -k x - c x', h = 1: (x, v) after some steps.
struct Motion {
    double k, c, x, v;

    double a(double at, double speed) const { return -k * at - c * speed; }
};

using Run = std::function<void(Motion&, int steps)>;

/// Newmark's formulas with the equation of motion at 1 - am and 1 - af, the first a = f(x, v).
void run_alpha(Motion& m, int steps, double am, double af) {
    const double gamma = 0.5 - am + af, beta = (1 - am + af) * (1 - am + af) / 4;
    double a = m.a(m.x, m.v);
    for (int i = 0; i < steps; ++i) {
        const double x = m.x + m.v + (0.5 - beta) * a, v = m.v + (1 - gamma) * a;
        const double known = m.a((1 - af) * x + af * m.x, (1 - af) * v + af * m.v) - am * a;
        const double next = known / (1 - am + (1 - af) * (m.k * beta + m.c * gamma));
        m.x = x + beta * next;
        m.v = v + gamma * next;
        a = next;
    }
}

/// Velocity Verlet with M + h/2 D in the second kick.
void run_solved_damping(Motion& m, int steps) {
    for (int i = 0; i < steps; ++i) {
        const double u = m.v + m.a(m.x, m.v) / 2;
        m.x += u;
        m.v = (u - m.k * m.x / 2) / (1 + m.c / 2);
    }
}

/// v+ = v + a(x, v), x+ = x + v+
void run_kick_drift(Motion& m, int steps) {
    for (int i = 0; i < steps; ++i)
        m.x += m.v += m.a(m.x, m.v);
}

/// (1 + k) dv = f - k v, x+ = x + v+
void run_imex_euler(Motion& m, int steps) {
    for (int i = 0; i < steps; ++i)
        m.x += m.v += (m.a(m.x, m.v) - m.k * m.v) / (1 + m.k);
}

void step_by(const Function& R, Motion& m);

void run_bdf2(Motion& m, int steps, bool imex) {
    double x = m.x, v = m.v, f = m.a(m.x, m.v);
    step_by(sdirk2, m);
    const double g = 2. / 3;
    for (int i = 1; i < steps; ++i) {
        const double vp = (4 * m.v - v) / 3, xp = (4 * m.x - x) / 3 + g * vp;
        const double here = m.a(m.x, m.v);
        const double a = imex ? (2 * here - f - m.k * (xp - 2 * m.x + x)) / (1 + g * g * m.k)
                              : m.a(xp, vp) / (1 + g * m.c + g * g * m.k);
        x = m.x;
        v = m.v;
        f = here;
        m.v = vp + g * a;
        m.x = xp + g * g * a;
    }
}

/// The methods that treat x and v each in its way.
const std::map<std::string_view, Run>& second_order_runs() {
    static const std::map<std::string_view, Run> runs{
        {"symplectic_euler_a", run_kick_drift},
        {"variational_symplectic_explicit", run_kick_drift},
        {"sofa_euler_explicit", run_kick_drift},
        {"sofa_central_difference", run_kick_drift},
        {"symplectic_euler_b",
         [](Motion& m, int steps) {
             for (int i = 0; i < steps; ++i) {
                 m.x += m.v;
                 m.v += m.a(m.x, m.v);
             }
         }},
        {"velocity_verlet",
         [](Motion& m, int steps) {
             for (double a = m.a(m.x, m.v); steps > 0; --steps) {
                 const double u = m.v + a / 2;
                 m.x += u;
                 a = m.a(m.x, u);
                 m.v = u + a / 2;
             }
         }},
        {"velocity_verlet_half",
         [](Motion& m, int steps) {
             for (int i = 0; i < steps; ++i) {
                 const double u = m.v + m.a(m.x, m.v) / 2;
                 m.x += u;
                 m.v = u + m.a(m.x, u) / 2;
             }
         }},
        {"velocity_verlet_lagged",
         [](Motion& m, int steps) {
             for (int i = 0; i < steps; ++i) {
                 const double a = m.a(m.x, m.v);
                 m.x += m.v + a / 2;
                 m.v += (a + m.a(m.x, m.v)) / 2;
             }
         }},
        {"velocity_verlet_implicit_damping", run_solved_damping},
        {"central_difference", run_solved_damping},
        {"position_verlet",
         [](Motion& m, int steps) {
             for (int i = 0; i < steps; ++i) {
                 const double y = m.x + m.v / 2;
                 m.v += m.a(y, m.v);
                 m.x = y + m.v / 2;
             }
         }},
        {"leapfrog",
         [](Motion& m, int steps) {
             double u = m.v - m.a(m.x, m.v) / 2;
             for (int i = 0; i < steps; ++i)
                 m.x += u += m.a(m.x, u);
             m.v = u + m.a(m.x, u) / 2;
         }},
        {"stoermer_verlet",
         [](Motion& m, int steps) {
             double before = m.x;
             m.x += m.v + m.a(m.x, m.v) / 2;
             for (int i = 1; i < steps; ++i) {
                 const double next = 2 * m.x - before + m.a(m.x, m.x - before);
                 before = m.x;
                 m.x = next;
             }
             m.v = m.x - before + m.a(m.x, m.x - before) / 2;
         }},
        {"generalised_alpha",
         [](Motion& m, int steps) { run_alpha(m, steps, 0.6 / 1.8, 0.8 / 1.8); }},
        {"hht_alpha", [](Motion& m, int steps) { run_alpha(m, steps, 0, 0.05); }},
        {"imex_euler", run_imex_euler},
        {"kang2000", run_imex_euler},  // two sweeps of Jacobi solve one equation
        {"desbrun99",
         [](Motion& m, int steps) {
             for (int i = 0; i < steps; ++i)
                 m.x += m.v += m.a(m.x, m.v) / (1 + m.k);
         }},
        {"imex_bdf2", [](Motion& m, int steps) { run_bdf2(m, steps, true); }},
        {"linearised_bdf2", [](Motion& m, int steps) { run_bdf2(m, steps, false); }},
    };
    return runs;
}

/// R(A) (x, v) for A = (0, 1; -k, -c), by its two eigenvalues.
void step_by(const Function& R, Motion& m) {
    const Complex root = std::sqrt(Complex(m.c * m.c / 4 - m.k));
    const Complex p = -m.c / 2 + root, q = -m.c / 2 - root;
    const Complex slope = (R(p) - R(q)) / (p - q), level = R(p) - slope * p;
    const double x = m.x, v = m.v;
    m.x = level.real() * x + slope.real() * v;
    m.v = level.real() * v + slope.real() * m.a(x, v);
}

TEST(StabilityFunctions, KnowEveryMethod) {
    for (const IntegratorEntry* entry : general_integrators())
        EXPECT_EQ(stability_functions().count(entry->key) + multistep_methods().count(entry->key) +
                      second_order_runs().count(entry->key),
                  1)
            << entry->key << ": give its formula in one of the tables of this file";
}

TEST(StabilityFunctions, AreWhatOneStepMakesOfDahlquistsEquation) {
    for (const auto& [key, R] : stability_functions())
        for (int i = 0; i < 1000; ++i) {
            const Complex z = point(i), expected = R(z);
            Rotation system(z);
            FirstOrderAdapter adapter(system);
            State state = adapter.state(0, VecX::Unit(2, 0));

            const StepReport report = make_with(key)->step(adapter, state, 1);

            ASSERT_TRUE(report.ok()) << key << z << report.solve.message;
            ASSERT_LE(std::abs(Complex(state.v[0], state.v[1]) - expected),
                      1e-10 * std::max(1.0, std::abs(expected)))
                << key << z;
        }
}

TEST(StabilityFunctions, OfMultistepMethodsAreTheirRecurrences) {
    for (const auto& [key, method] : multistep_methods())
        for (int i = 0; i < 1000; ++i) {
            const Complex z = point(i);
            Rotation system(z);
            FirstOrderAdapter adapter(system);
            std::vector<State> states;  // oldest first
            std::vector<Complex> y;     // newest first
            for (std::size_t j = 0; j < method.steps(); ++j) {
                const Complex value = std::polar(1.0, 0.7 * double(i) + 1.9 * double(j));
                y.insert(y.begin(), value);
                states.push_back(adapter.state(double(j), Vec2(value.real(), value.imag())));
            }
            State state = states.back();
            states.pop_back();
            const auto integrator = make_with(key);
            ASSERT_TRUE(integrator->start_from(adapter, states, state)) << key;

            const StepReport report = integrator->step(adapter, state, 1);

            ASSERT_TRUE(report.ok()) << key << z << report.solve.message;
            const std::vector<Complex> weights = method.weights(z);
            Complex expected = 0;
            double size = 1;
            for (std::size_t j = 0; j < y.size(); ++j) {
                expected += weights[j] * y[j];
                size += std::abs(weights[j]);
            }
            ASSERT_LE(std::abs(Complex(state.v[0], state.v[1]) - expected), 1e-11 * size)
                << key << z;
        }
}

TEST(StabilityFunctions, OfMultistepMethodsHaveTheRootsOfTheReference) {
    const struct {
        const char* key;
        double at_02, at_1;  ///< of z = 0.2 i and i
    } rows[] = {{"adams_bashforth2", 1.0004339530, 1.5223391308},
                {"adams_bashforth3", 0.9994128852, 1.6718246534},
                {"adams_bashforth4", 0.9999661978, 2.0638440015},
                {"adams_bashforth5", 1.0000192463, 2.5537294496},
                {"adams_moulton3", 1.0000664355, 1.0350846576},
                {"adams_moulton4", 1.0000013250, 1.0202937904},
                {"adams_moulton5", 0.9999988414, 0.9937521407},
                {"bdf2", 0.9996362938, 0.9333210584},
                {"bdf3", 1.0003852030, 1.0435866824},
                {"bdf4", 1.0000208733, 1.1055681762},
                {"bdf5", 0.9999903741, 1.1346725744},
                {"bdf6", 0.9999990928, 1.1545137313}};
    for (const auto& [key, at_02, at_1] : rows) {
        EXPECT_NEAR(multistep_methods().at(key).radius({0, 0.2}), at_02, 1e-10) << key;
        EXPECT_NEAR(multistep_methods().at(key).radius({0, 1}), at_1, 1e-10) << key;
    }
}

TEST(StabilityFunctions, OfMultistepMethodsLeaveTheDiscAtTheLimitsOfTheReference) {
    const Complex left(-1, 0), up(0, 1);
    const struct {
        const char* key;
        Complex axis;
        double limit;
    } rows[] = {{"adams_bashforth2", left, 1},
                {"adams_bashforth3", left, 6. / 11},
                {"adams_bashforth4", left, 0.3},
                {"adams_bashforth5", left, 0.16333938},
                {"adams_moulton3", left, 6},
                {"adams_moulton4", left, 3},
                {"adams_moulton5", left, 90. / 49},
                {"adams_bashforth3", up, 0.72362723},
                {"adams_bashforth4", up, 0.42998708},
                {"adams_moulton5", up, 1.2119306},
                {"bdf5", up, 0.71080767},
                {"bdf6", up, 0.84313816}};
    for (const auto& [key, axis, limit] : rows) {
        const Multistep& method = multistep_methods().at(key);
        EXPECT_LE(method.radius(axis * (limit * (1 - 1e-4))), 1 - 1e-14) << key << axis;
        EXPECT_GE(method.radius(axis * (limit * (1 + 1e-4))), 1 + 1e-14) << key << axis;
    }
    for (const char* key : {"bdf2", "bdf3", "bdf4", "bdf5", "bdf6"})
        for (const double x : {1e-3, 0.1, 1.0, 10.0, 1e4, 1e8})
            EXPECT_LT(multistep_methods().at(key).radius(-x), 1) << key << x;
    // Weak growth on the imaginary axis, however small w is: like w^4 or w^6.
    for (const auto& [key, power] : {std::pair{"adams_bashforth2", 4},
                                     {"adams_bashforth5", 6},
                                     {"adams_moulton3", 4},
                                     {"adams_moulton4", 6},
                                     {"bdf3", 4},
                                     {"bdf4", 6}}) {
        const Multistep& method = multistep_methods().at(key);
        const double slow = method.radius({0, 0.05}) - 1, fast = method.radius({0, 0.1}) - 1;
        EXPECT_GT(slow, 0) << key;
        EXPECT_NEAR(std::log2(fast / slow), power, 0.1) << key;
    }
}

TEST(StabilityFunctions, OfBdfLeaveTheSectorsOfTheReference) {
    // The boundary locus z = sum alpha_j e^{-i j theta}, where a root is on the circle, is tangent to the
    // ray of the sector.
    for (const auto& [key, degrees] :
         {std::pair{"bdf3", 86.0324}, {"bdf4", 73.3517}, {"bdf5", 51.8398}, {"bdf6", 17.8398}}) {
        const Multistep& method = multistep_methods().at(key);
        double angle = 90, size = 0;
        for (int i = 1; i < 200000; ++i) {
            const double theta = 3.141592653589793 * i / 200000;
            Complex z = 0;
            for (std::size_t j = 0; j < method.alpha.size(); ++j)
                z += method.alpha[j] * std::polar(1.0, -theta * double(j));
            const double here = std::abs(std::arg(-z)) * 180 / 3.141592653589793;
            if (z.real() >= 0 || here >= angle) continue;
            angle = here;
            size = std::abs(z);
        }

        EXPECT_NEAR(angle, degrees, 6e-5) << key;
        const auto on_ray = [&](double off) {
            return method.radius(-std::polar(size, (angle + off) * 3.141592653589793 / 180));
        };
        EXPECT_LT(on_ray(-0.001), 1 - 1e-9) << key;
        EXPECT_GT(on_ray(0.001), 1 + 1e-9) << key;
    }
}

/// Three steps of x'' = -k x - c x' from both unit states, at a thousand k and c.
void expect_runs(std::string_view key, const Run& run) {
    constexpr int steps = 3;
    for (int i = 0; i < 1000; ++i) {
        const double w = 0.02 + 8 * std::fmod(0.6180339887498949 * i, 1.0);
        double zeta = 1.6 * std::fmod(0.7548776662466927 * i, 1.0);
        if (std::abs(zeta - 1) < 0.02) zeta = 0.9;  // double roots, which R(A) divides by
        for (int j = 0; j < 2; ++j) {
            Motion expected{w * w, 2 * zeta * w, double(j == 0), double(j == 1)};
            LinearSystem system(expected.k, expected.c, 0);
            State state{0, scalar(expected.x), scalar(expected.v)};
            const auto integrator = make_with(key);
            double size = 1;
            for (int n = 0; n < steps; ++n) {
                const StepReport report = integrator->step(system, state, 1);
                ASSERT_TRUE(report.ok()) << key << ' ' << w << ' ' << report.solve.message;
                size = std::max(size, std::hypot(w * state.x[0], state.v[0]));
            }

            run(expected, steps);

            ASSERT_NEAR(state.x[0], expected.x, 1e-9 * size) << key << ' ' << w << ' ' << zeta;
            ASSERT_NEAR(state.v[0], expected.v, 1e-9 * size) << key << ' ' << w << ' ' << zeta;
        }
    }
}

TEST(StabilityFunctions, OfOneStepMethodsMoveASpringByTheirMatrix) {
    for (const auto& [key, R] : stability_functions())
        expect_runs(key, [&R = R](Motion& m, int steps) {
            for (int i = 0; i < steps; ++i)
                step_by(R, m);
        });
}

TEST(StabilityFunctions, OfSecondOrderMethodsAreTheirFormulas) {
    for (const auto& [key, run] : second_order_runs())
        expect_runs(key, run);
}

}  // namespace
}  // namespace taffeta::ode
