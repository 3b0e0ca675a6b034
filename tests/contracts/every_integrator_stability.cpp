#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "ode/problems.h"
#include "taffeta/ode/first_order.h"

/// Stability and symplecticity as every registered integrator declares them, measured: on Dahlquist's
/// y' = z y, on a spring with and without damping, and by the Jacobian of a nonlinear chain's flow.
namespace taffeta::ode {
namespace {

using namespace testing;

class EveryIntegratorStability : public ::testing::TestWithParam<const IntegratorEntry*> {
  protected:
    const IntegratorEntry& entry() const { return *GetParam(); }
    const IntegratorProperties& properties() const { return entry().properties; }
};

class EverySymplecticIntegrator : public EveryIntegratorStability {};
class EveryAStableIntegrator : public EveryIntegratorStability {};
class EveryIntegratorStableUndamped : public EveryIntegratorStability {};
class EveryIntegratorExactOnLinear : public EveryIntegratorStability {};

/// y' = z y for complex z, as two real equations.
class Dahlquist final : public FirstOrderSystem {
  public:
    explicit Dahlquist(std::complex<double> z) : A_(2, 2) {
        A_ << z.real(), -z.imag(), z.imag(), z.real();
    }
    Eigen::Index size() const override { return 2; }
    void rate(double, const VecX& y, VecX& f) override { f = A_ * y; }
    void jacobian(double, const VecX&, MatX& J) override { J = A_; }

  private:
    MatX A_;
};

/// |y| after some steps h = 1 of y' = z y from |y| = 1.
double amplification(const IntegratorEntry& entry, std::complex<double> z, int steps) {
    Dahlquist system(z);
    FirstOrderAdapter adapter(system);
    State state = adapter.state(0, VecX::Unit(2, 0));
    const auto integrator = fresh(entry);
    for (int i = 0; i < steps; ++i)
        if (const StepReport report = integrator->step(adapter, state, 1); !report.ok())
            throw std::runtime_error(report.solve.message);
    return state.v.norm();
}

/// Energy over that of the start after some steps h = 1 of x'' = -w^2 x - 2 zeta w x'.
double energy_ratio(const IntegratorEntry& entry, double w, double zeta, int steps) {
    Problem problem = oscillator(w * w, 2 * zeta * w);
    problem.start = {0, scalar(1), scalar(w)};
    problem.end = steps;
    problem.system.scale = w * w;
    const auto integrator = fresh(entry);
    // M a = f(xp + alpha a) is known to no more than alpha k = (h w)^2 roundings.
    integrator->set_newton({.tolerance = 1e-8});
    const State end = run(*integrator, problem, steps);
    return (w * w * end.x.squaredNorm() + end.v.squaredNorm()) / (2 * w * w);
}

TEST_P(EverySymplecticIntegrator, KeepsTheSymplecticForm) {
    // The Jacobian J of three steps on (x, M v) keeps the form W: J' W J = W.
    const Problem problem = chain(0);
    const auto flow = [&](const VecX& at) {
        Problem copy = problem;
        copy.start = {0, at.head<9>(), at.tail<9>().cwiseQuotient(problem.system.mass)};
        copy.end = 0.6;
        const State end = run(*fresh(entry()), copy, 3);
        VecX out(18);
        out << end.x, end.v.cwiseProduct(problem.system.mass);
        return out;
    };
    VecX at(18);
    at << problem.start.x, problem.start.v.cwiseProduct(problem.system.mass);
    MatX J(18, 18), W = MatX::Zero(18, 18);
    W.topRightCorner<9, 9>().setIdentity();
    W.bottomLeftCorner<9, 9>() = -MatX::Identity(9, 9);
    for (Eigen::Index j = 0; j < 18; ++j) {
        VecX up = at, down = at;
        up[j] += 1e-4;
        down[j] -= 1e-4;
        J.col(j) = (flow(up) - flow(down)) / 2e-4;
    }

    EXPECT_LE((J.transpose() * W * J - W).cwiseAbs().maxCoeff(), 2e-6);
}

TEST_P(EveryAStableIntegrator, NeverGrowsInTheLeftHalfPlane) {
    for (const double size : {1e-3, 0.1, 0.7, 2.0, 5.0, 50.0, 1e3, 1e6})
        for (const double angle : {0.5, 0.5001, 0.51, 0.6, 0.75, 0.9, 1.0}) {
            const std::complex<double> z = std::polar(size, angle * std::acos(-1.0));
            // exp z is known to no more than |z| roundings.
            const double rounding = properties().exact_on_linear ? 300 * size * 2.3e-16 : 0;

            EXPECT_LE(amplification(entry(), z, 300), 1 + 1e-9 + rounding) << z;
        }
}

TEST_P(EveryAStableIntegrator, NeverGainsEnergyOnASpring) {
    for (const double w : {1e-2, 0.3, 1.0, 3.0, 30.0, 1e3})
        for (const double zeta : {0.0, 0.01, 1.0, 20.0})
            EXPECT_LE(energy_ratio(entry(), w, zeta, 300), 1 + 1e-6)
                << "w " << w << ", zeta " << zeta;
}

TEST_P(EveryAStableIntegrator, DampsInfinitelyFastMotionOnlyIfLStable) {
    const double left = amplification(entry(), -1e9, 6);
    const double energy = energy_ratio(entry(), 1e3, 0, 12);

    if (properties().exact_on_linear) {
        EXPECT_LE(left, 1e-6);
        EXPECT_NEAR(energy, 1, 1e-6);
    } else if (properties().l_stable) {
        EXPECT_LE(left, 1e-6);
        EXPECT_LE(energy, 1e-6);
    } else {
        EXPECT_GE(left, 1e-2);
        EXPECT_GE(energy, 1e-3);
    }
}

TEST_P(EveryIntegratorStability, IsUnstableSomewhereUnlessItDeclaresAStability) {
    if (properties().a_stable) return;
    // Those that are stable in a sector about the real axis grow slowly, at moderate frequencies.
    if (properties().stiffly_stable) {
        // BDF of order 3, 4, .. where it grows most
        const double w[] = {1.14, 1.86, 2.39, 2.79};
        const int steps[] = {200, 50, 30, 20};
        const int k = properties().order - 3;
        EXPECT_GE(energy_ratio(entry(), w[k], 0, steps[k]), 1e3);
        return;
    }
    // Within four steps; a multistep method takes some to start and its roots are not so large.
    const double zeta = properties().stable_undamped ? 50 : 0;
    const double w = properties().order > 6 ? 8 : 4;
    double ratio = energy_ratio(entry(), w, zeta, 4);
    if (properties().order > 2)
        for (int steps = 10; steps <= 40 && ratio < 1e3; steps *= 2)
            ratio = energy_ratio(entry(), w, zeta, steps);

    EXPECT_GE(ratio, 1e3);
}

TEST_P(EveryIntegratorStability, DecaysOnTheWholeNegativeAxisIfStifflyStable) {
    if (!properties().stiffly_stable) return;

    for (const double x : {0.01, 0.3, 1.0, 3.0, 10.0, 100.0, 1e4, 1e8})
        EXPECT_LE(amplification(entry(), -x, 300), std::max(1e-9, std::exp(-200 * x))) << x;
}

TEST_P(EveryIntegratorStableUndamped, StaysBoundedOnASpringForEveryStep) {
    // The energy that it conserves need not be the spring's: what it reaches soon it never exceeds.
    for (const double w : {1e-2, 0.3, 1.0, 2.5, 30.0, 1e3}) {
        double early = 0, late = 0;
        for (const int steps : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89})
            early = std::max(early, energy_ratio(entry(), w, 0, steps));
        for (const int steps : {300, 997, 3001})
            late = std::max(late, energy_ratio(entry(), w, 0, steps));

        EXPECT_LE(late, 1.5 * early + 1e-6) << "w " << w;
    }
}

TEST_P(EveryIntegratorExactOnLinear, MultipliesByTheExponential) {
    for (const std::complex<double> z :
         {std::complex<double>(-0.3, 0), {-4, 0}, {0, 2}, {-1, 30}, {0.5, 0}, {-200, 0}})
        EXPECT_NEAR(amplification(entry(), z, 1), std::abs(std::exp(z)), 1e-13) << z;
}

TEST(StabilityFunction, OfOneStepMethodsIsTheirRationalFunction) {
    // |R(0.2 i)|, |R(i)|
    struct Expected {
        const char* key;
        double slow, fast;
    };
    for (const auto& [key, slow, fast] :
         {Expected{"explicit_euler", 1.019803902719, 1.414213562373},
          {"explicit_midpoint", 1.000199980004, 1.118033988750},
          {"heun", 1.000199980004, 1.118033988750},
          {"ralston", 1.000199980004, 1.118033988750},
          {"kutta3", 0.999934220059, 0.971825315808},
          {"rk4", 0.999999557778, 0.993905036823},
          {"rk38", 0.999999557778, 0.993905036823},
          {"backward_euler", 0.980580675691, 0.707106781187},
          {"implicit_midpoint", 1, 1},
          {"trapezoid", 1, 1},
          {"newmark", 1, 1},
          {"sdirk2", 0.999994152731, 0.996873936516}}) {
        const IntegratorEntry& entry = find_entry(integrators(), "integrator", key);

        EXPECT_NEAR(amplification(entry, {0, 0.2}, 1), slow, 1e-11) << key;
        EXPECT_NEAR(amplification(entry, {0, 1}, 1), fast, 1e-11) << key;
    }
}

/// The registered integrators that declare a property.
std::vector<const IntegratorEntry*> that_are(bool IntegratorProperties::*property) {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : integrators())
        if (entry->properties.*property) entries.push_back(entry);
    return entries;
}

std::string key_of(const ::testing::TestParamInfo<const IntegratorEntry*>& tested) {
    return std::string(tested.param->key);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegratorStability,
                         ::testing::ValuesIn(general_integrators()), key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EverySymplecticIntegrator,
                         ::testing::ValuesIn(that_are(&IntegratorProperties::symplectic)), key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegratorStableUndamped,
                         ::testing::ValuesIn(that_are(&IntegratorProperties::stable_undamped)),
                         key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegratorExactOnLinear,
                         ::testing::ValuesIn(that_are(&IntegratorProperties::exact_on_linear)),
                         key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EveryAStableIntegrator,
                         ::testing::ValuesIn(that_are(&IntegratorProperties::a_stable)), key_of);

}  // namespace
}  // namespace taffeta::ode
