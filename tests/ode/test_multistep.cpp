#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "ode/problems.h"
#include "taffeta/ode/first_order.h"
#include "taffeta/ode/lagrange.h"

/// Linear multistep methods and stability functions against exact rationals, closed forms and limits
/// that an independent computation bisected.
namespace taffeta::ode {
namespace {

using namespace testing;
using Complex = std::complex<double>;

/// y' = z y for complex z, as two real equations.
class ComplexDahlquist final : public FirstOrderSystem {
  public:
    explicit ComplexDahlquist(Complex z) : A_(2, 2) {
        A_ << z.real(), -z.imag(), z.imag(), z.real();
    }
    Eigen::Index size() const override { return 2; }
    void rate(double, const VecX& y, VecX& f) override { f = A_ * y; }
    void jacobian(double, const VecX&, MatX& J) override { J = A_; }

  private:
    MatX A_;
};

const IntegratorEntry& entry_of(std::string_view key) {
    return find_entry(integrators(), "integrator", key);
}

/// log of |y| after 2 n over |y| after n steps h = 1 of y' = z y.
double growth(const char* key, Complex z, int n) {
    ComplexDahlquist system(z);
    FirstOrderAdapter adapter(system);
    State state = adapter.state(0, VecX::Unit(2, 0));
    const auto integrator = fresh(entry_of(key));
    double middle = 0;
    for (int i = 0; i < 2 * n; ++i) {
        if (i == n) middle = state.v.norm();
        if (!integrator->step(adapter, state, 1).ok()) return 1e9;
    }
    return std::log(state.v.norm() / middle);
}

void expect_weights(const NodeWeights& weights, const std::vector<double>& numerators,
                    double denominator) {
    for (std::size_t j = 0; j < numerators.size(); ++j)
        EXPECT_NEAR(weights[j], numerators[j] / denominator, 1e-14) << j;
}

TEST(MultistepWeights, OfEqualStepsAreTheRationalsOfTheTextbooks) {
    const double nodes[] = {1, 0, -1, -2, -3, -4, -5};
    const Nodes with_new(nodes), past = with_new.subspan(1);

    expect_weights(integration_weights(past.first(2), 1), {3, -1}, 2);
    expect_weights(integration_weights(past.first(3), 1), {23, -16, 5}, 12);
    expect_weights(integration_weights(past.first(4), 1), {55, -59, 37, -9}, 24);
    expect_weights(integration_weights(past.first(5), 1), {1901, -2774, 2616, -1274, 251}, 720);
    expect_weights(integration_weights(with_new.first(2), 1), {1, 1}, 2);
    expect_weights(integration_weights(with_new.first(3), 1), {5, 8, -1}, 12);
    expect_weights(integration_weights(with_new.first(4), 1), {9, 19, -5, 1}, 24);
    expect_weights(integration_weights(with_new.first(5), 1), {251, 646, -264, 106, -19}, 720);
    // BDF: sum_m nabla^m/m
    expect_weights(continuation_weights(past.first(2)), {2, -1}, 1);
    expect_weights(continuation_weights(past.first(3)), {3, -3, 1}, 1);
    expect_weights(continuation_weights(past.first(4)), {4, -6, 4, -1}, 1);

    expect_weights(derivative_weights(with_new.first(3)), {3, -4, 1}, 2);
    expect_weights(derivative_weights(with_new.first(4)), {11, -18, 9, -2}, 6);
    expect_weights(derivative_weights(with_new.first(5)), {25, -48, 36, -16, 3}, 12);
    expect_weights(derivative_weights(with_new.first(6)), {137, -300, 300, -200, 75, -12}, 60);
    expect_weights(derivative_weights(with_new.first(7)), {147, -360, 450, -400, 225, -72, 10}, 60);
}

TEST(MultistepWeights, AreExactForPolynomialsOnAnySpacing) {
    const double nodes[] = {1, 0, -0.3, -1.7, -1.9, -4};
    const NodeWeights integral = integration_weights(nodes, 1), slope = derivative_weights(nodes);

    for (int power = 0; power < 6; ++power) {
        double sum = 0, slopes = 0;
        for (std::size_t j = 0; j < 6; ++j) {
            sum += integral[j] * std::pow(nodes[j], power);
            slopes += slope[j] * std::pow(nodes[j], power);
        }
        EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-12) << power;
        EXPECT_NEAR(slopes, power, 1e-12) << power;
    }
}

TEST(StabilityLimits, AreThoseOfTheReferenceOnBothAxes) {
    const Complex left(-1, 0), up(0, 1);
    const struct {
        const char* key;
        Complex axis;
        double limit;
    } limits[] = {
        {"explicit_euler", left, 2},
        {"heun", left, 2},
        {"kutta3", left, 2.512745327},
        {"rk4", left, 2.785293563},
        {"rk38", left, 2.785293563},
        {"adams_bashforth2", left, 1},
        {"adams_bashforth3", left, 6. / 11},
        {"adams_bashforth4", left, 0.3},
        {"adams_bashforth5", left, 0.16333938},
        {"adams_moulton3", left, 6},
        {"adams_moulton4", left, 3},
        {"adams_moulton5", left, 90. / 49},
        {"kutta3", up, 1.732050808},
        {"rk4", up, 2.828427125},
        {"adams_bashforth3", up, 0.72362723},
        {"adams_bashforth4", up, 0.42998708},
        {"adams_moulton5", up, 1.2119306},
    };
    for (const auto& [key, axis, limit] : limits) {
        EXPECT_LE(growth(key, axis * (limit * (1 - 1e-4)), 3000), 1e-6) << key << axis;
        EXPECT_GE(growth(key, axis * (limit * (1 + 1e-4)), 3000), 1e-3) << key << axis;
    }
}

TEST(StabilityLimits, WeakGrowthOnTheImaginaryAxisIsThatOfTheReference) {
    // |root| - 1 of the principal root at h omega = 0.2
    const struct {
        const char* key;
        double excess, within;
    } roots[] = {{"adams_bashforth2", 4.34e-4, 1e-6},
                 {"adams_bashforth3", -5.87e-4, 1e-6},
                 {"adams_bashforth4", -3.38e-5, 1e-7},
                 {"adams_bashforth5", 1.92e-5, 1e-7},
                 {"adams_moulton3", 6.64e-5, 1e-7},
                 {"adams_moulton4", 1.32e-6, 1e-8},
                 {"adams_moulton5", -1.16e-6, 1e-8},
                 {"bdf2", -3.64e-4, 1e-6},
                 {"bdf3", 3.85e-4, 1e-6},
                 {"bdf4", 2.09e-5, 1e-7},
                 {"bdf5", -9.63e-6, 1e-8},
                 {"bdf6", -9.07e-7, 1e-9}};
    for (const auto& [key, excess, within] : roots)
        EXPECT_NEAR(std::expm1(growth(key, {0, 0.2}, 300) / 300), excess, within) << key;
}

TEST(StabilityLimits, BdfGrowsOnTheImaginaryAxisByItsLargestRoot) {
    const struct {
        const char* key;
        double w, root;
    } worst[] = {{"bdf3", 1.141, 1.045571},
                 {"bdf4", 1.861, 1.191025},
                 {"bdf5", 2.386, 1.379117},
                 {"bdf6", 2.790, 1.585040}};
    for (const auto& [key, w, root] : worst)
        EXPECT_NEAR(std::exp(growth(key, {0, w}, 100) / 100), root, 2e-6) << key;
}

struct VariableProblem {
    double k, c, x, v, end;
    std::function<State(double)> exact;
};

/// Error at the end after `steps` steps in a repeated pattern, from exact values at the first two
/// times.
double pattern_error(const VariableProblem& of, const std::vector<double>& pattern, int steps) {
    Problem problem = oscillator(of.k, of.c);
    problem.system.scale = 1;
    std::vector<double> sizes;
    double total = 0;
    for (int i = 0; i < steps; ++i)
        total += sizes.emplace_back(pattern[std::size_t(i) % pattern.size()]);
    for (double& h : sizes)
        h *= of.end / total;
    const auto bdf2 = entry_of("bdf2").make(Settings());
    bdf2->set_newton({.tolerance = 1e-14});
    State state = of.exact(sizes[0]);
    const State first = of.exact(0);
    bdf2->start_from(problem.system, {&first, 1}, state);
    for (int i = 1; i < steps; ++i)
        if (!bdf2->step(problem.system, state, sizes[std::size_t(i)]).ok()) return 1e9;
    return distance(state, of.exact(of.end));
}

TEST(VariableBdf2, HasTheErrorsOfTheReferenceForEachPattern) {
    const double root = std::sqrt(15.0), w = std::sqrt(5.0);
    const VariableProblem overdamped{
        2.5, 5, 0, 1, 10, [=](double t) -> State {
            const double slow = (-5 + root) / 2, fast = (-5 - root) / 2;
            const double p = std::exp(slow * t), q = std::exp(fast * t);
            return {t, scalar((p - q) / root), scalar((slow * p - fast * q) / root)};
        }};
    const VariableProblem spring{5,
                                 0,
                                 1,
                                 0,
                                 10,
                                 [=](double t) -> State {
                                     return {t, scalar(std::cos(w * t)),
                                             scalar(-w * std::sin(w * t))}; }};
    const struct {
        const VariableProblem& problem;
        std::vector<double> pattern;
        std::vector<double> errors;  ///< for 200, 400, 800 and 1600 steps
    } rows[] = {
        {overdamped, {1}, {1.5994268838e-06, 3.9715854156e-07, 9.8953014404e-08, 2.4696211808e-08}},
        {spring, {1}, {1.9852840618e-01, 4.9648690959e-02, 1.2373975691e-02, 3.0873392717e-03}},
        {overdamped,
         {1, 2},
         {1.5993500606e-06, 3.9715056184e-07, 9.8952109873e-08, 2.4696104162e-08}},
        {spring, {1, 2}, {1.9876900014e-01, 4.9653229908e-02, 1.2373347988e-02, 3.0872008967e-03}},
        {overdamped,
         {1, 1.5, 0.7},
         {1.6656613179e-06, 4.1481064062e-07, 1.0332821970e-07, 2.5806681565e-08}},
        {spring,
         {1, 1.5, 0.7},
         {2.0696142332e-01, 5.1860029031e-02, 1.2920553711e-02, 3.2260327447e-03}},
    };
    for (const auto& [problem, pattern, errors] : rows) {
        int steps = 200;
        for (const double error : errors) {
            EXPECT_NEAR(pattern_error(problem, pattern, steps), error, 1e-9 * error + 1e-14)
                << pattern.size() << ' ' << steps;
            steps *= 2;
        }
    }
}

TEST(VariableBdf2, IsZeroStableOnlyBelowOnePlusRootTwo) {
    // The parasitic root of y' = 0 for steps that grow by w is w^2/(1 + 2w): a difference of the past
    // fades or grows by it. Past the bound the method starts anew, and nothing is left to grow.
    for (const auto& [w, root] : {std::pair{1.0, 1. / 3}, {2.0, 0.8}, {2.4, 0.993103448}}) {
        Problem rest = oscillator(0, 0);
        const auto bdf2 = fresh(entry_of("bdf2"));
        State state{0, scalar(0), scalar(0)};
        const State past{-1, scalar(0), scalar(1e-3)};
        bdf2->start_from(rest.system, {&past, 1}, state);
        double h = w, difference = -1e-3;
        for (int i = 0; i < 6; ++i, h *= w) {
            const double before = state.v[0];
            ASSERT_TRUE(bdf2->step(rest.system, state, h).ok());

            EXPECT_NEAR((state.v[0] - before) / difference, root, 1e-8) << w << ' ' << i;
            difference = state.v[0] - before;
        }
    }
    EXPECT_LT(fresh(entry_of("bdf2"))->largest_growth(), 1 + std::sqrt(2.0));
}

TEST(VariableBdf2, WouldGrowBeyondOnePlusRootTwoAndStartsAnewThere) {
    // The formula through points at 1, 0 and -1/w: with y' = 0 a difference is multiplied by c_2/c_0 of
    // c_0 (Y+ - Y) = c_2 (Y - Y-).
    for (const auto& [w, root] : {std::pair{1.0, 1. / 3},
                                  {2.0, 0.8},
                                  {2.4, 0.993103448},
                                  {1 + std::sqrt(2.0), 1.0},
                                  {2.5, 1.041666667},
                                  {3.0, 1.285714286}}) {
        const double nodes[] = {1, 0, -1 / w};
        const NodeWeights c = derivative_weights(nodes);
        EXPECT_NEAR(c[2] / c[0], root, 1e-9) << w;
        double difference = 1;
        for (int i = 0; i < 1000; ++i)
            difference *= c[2] / c[0];
        if (w < 2.4142) {
            EXPECT_LT(difference, 0.01) << w;
        } else if (w < 2.4143) {
            EXPECT_NEAR(difference, 1, 1e-11) << w;  // neither fades nor grows
        } else {
            EXPECT_GT(difference, 1e10) << w;
        }
    }
    // At the bound and beyond, the method makes its first step anew: nothing is left of the difference.
    for (const double w : {1 + std::sqrt(2.0), 2.5, 3.0}) {
        Problem rest = oscillator(0, 0);
        const auto bdf2 = fresh(entry_of("bdf2"));
        State state{0, scalar(0), scalar(0)};
        const State past{-1, scalar(0), scalar(1e-3)};
        bdf2->start_from(rest.system, {&past, 1}, state);

        ASSERT_TRUE(bdf2->step(rest.system, state, w).ok());

        EXPECT_EQ(state.v[0], 0) << w;
    }
}

}  // namespace
}  // namespace taffeta::ode
