#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ode/linear_system.h"
#include "ode/problems.h"
#include "taffeta/ode/first_order.h"

/// Stability in the numbers of the reference: the matrix of a step on x'' = -w^2 x, and the limits on the
/// two axes of y' = z y, each bracketed to a part in 10^4.
namespace taffeta::ode {
namespace {

using namespace testing;
using Complex = std::complex<double>;
using Mat2 = Eigen::Matrix2d;

constexpr double inf = std::numeric_limits<double>::infinity();

double radius_of(const Mat2& A) {
    return A.eigenvalues().cwiseAbs().maxCoeff();
}

struct Row {
    const char* key;
    Numbers options;
    const char* switched_on;
    double determinant;  ///< at w = 1/2
    double radius[5];    ///< at w = 0.5, 1, 1.9, 2.5, 10
    double limit;        ///< of h w
};

Mat2 spring_step(const Row& row, double w) {
    Settings settings = Settings::object();
    for (const auto& [name, value] : row.options)
        settings[name] = Settings::of(value);
    if (*row.switched_on) settings[row.switched_on] = Settings::of(true);
    Mat2 step;
    for (int j = 0; j < 2; ++j) {
        LinearSystem system(w * w, 0, 0);
        State state{0, scalar(j == 0), scalar(j == 1)};
        const auto integrator = find_entry(integrators(), "integrator", row.key).make(settings);
        integrator->set_newton({.tolerance = 1e-14});
        EXPECT_TRUE(integrator->step(system, state, 1).ok()) << row.key;
        step.col(j) << state.x[0], state.v[0];
    }
    return step;
}

const std::vector<Row>& spring_rows() {
    static const std::vector<Row> rows{
        {"explicit_euler",
         {},
         "",
         1.25,
         {1.118033988750, 1.414213562373, 2.147091055358, 2.69258240, 10.04987562},
         0},
        {"symplectic_euler_a", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"symplectic_euler_b", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"velocity_verlet", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"position_verlet", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"leapfrog", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"stoermer_verlet", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"newmark", {}, "", 1, {1, 1, 1, 1, 1}, inf},
        {"newmark", {{"beta", 0}}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
        {"newmark", {{"beta", 1. / 6}}, "", 1, {1, 1, 1, 1, 3.36302611}, 2 * std::sqrt(3.0)},
        {"newmark", {{"beta", 1. / 12}}, "", 1, {1, 1, 1, 1.39034106, 8.59797932}, std::sqrt(6.0)},
        {"newmark",
         {{"beta", 0.3025}, {"gamma", 0.6}},
         "",
         0.976757699012,
         {0.988310527624, 0.960845756684, 0.909637246737, 0.88531564, 0.82462113},
         inf},
        {"sofa_euler_implicit",
         {},
         "",
         0.8,
         {0.894427191000, 0.707106781187, 0.465746432833, 0.37139068, 0.09950372},
         inf},
        {"sofa_euler_implicit",
         {},
         "trapezoidal",
         0.882352941176,
         {0.939336436628, 0.774596669241, 0.780602628387, 1.78173777, 4},
         2},
        {"linearised_trapezoid", {}, "", 1, {1, 1, 1, 1, 1}, inf},
        {"sofa_variational_symplectic",
         {},
         "explicit_integration",
         1,
         {1, 1, 1, 4, 97.98979486},
         2},
        {"sofa_variational_symplectic", {}, "", 1, {1, 1, 1, 1, 1}, inf},
        {"central_difference", {}, "", 1, {1, 1, 1, 4, 97.98979486}, 2},
    };
    return rows;
}

std::string name_of(const Row& row) {
    std::string name = std::string(row.key) + ' ' + row.switched_on;
    for (const auto& [option, value] : row.options)
        name += ' ' + std::string(option) + ' ' + std::to_string(value);
    return name;
}

TEST(Amplification, OfASpringIsThatOfTheReference) {
    const double at[] = {0.5, 1, 1.9, 2.5, 10};
    for (const Row& row : spring_rows()) {
        EXPECT_NEAR(spring_step(row, 0.5).determinant(), row.determinant, 1e-11) << name_of(row);
        for (int i = 0; i < 5; ++i)
            EXPECT_NEAR(radius_of(spring_step(row, at[i])), row.radius[i],
                        6e-9 * std::max(1.0, row.radius[i]))
                << name_of(row) << " at w " << at[i];
    }
}

TEST(Amplification, LeavesOneAtTheLimitOfTheReference) {
    // Eigenvalues on the circle are known to the root of rounding.
    const double circle = 1e-7;
    for (const Row& row : spring_rows()) {
        if (row.limit == inf) {
            for (const double w : {0.1, 1.0, 20.0, 1e3, 1e4})
                EXPECT_LE(radius_of(spring_step(row, w)), 1 + circle) << name_of(row) << w;
        } else if (row.limit == 0) {
            for (const double w : {1e-3, 1e-2, 0.1})
                EXPECT_NEAR(radius_of(spring_step(row, w)), std::sqrt(1 + w * w), 1e-12);
        } else {
            const double below = row.limit * (1 - 1e-4), above = row.limit * (1 + 1e-4);
            EXPECT_LE(radius_of(spring_step(row, below)), 1 + circle) << name_of(row);
            EXPECT_GE(radius_of(spring_step(row, above)), 1 + 1e-4) << name_of(row);
        }
    }
}

TEST(Amplification, OfVelocityVerletAtItsLimitGrowsLinearly) {
    Mat2 expected, power = Mat2::Identity();
    expected << -1, 1, 0, -1;
    const Mat2 step = spring_step({"velocity_verlet", {}, "", 0, {}, 0}, 2);
    for (int i = 0; i < 100; ++i)
        power *= step;

    EXPECT_LE((step - expected).norm(), 1e-15);
    EXPECT_NEAR(power(0, 1), -100, 1e-10);
}

TEST(Amplification, OfThePrintedSofaFormulasIsAsBadAsTheReferenceSays) {
    // x+ = x + h v with the old velocity; and v+ = 2 (f + p)/m without h.
    const double at[] = {0.5, 1, 1.9, 2.5, 10};
    const double old_velocity[] = {1, 1, 1, 1, 1};
    const double without_h[] = {1.414213562373, 1.414213562373, 3.675918260957, 9.28458929,
                                196.98984719};
    for (int i = 0; i < 5; ++i) {
        const double w2 = at[i] * at[i];
        Mat2 implicit, variational;
        implicit << 1, 1, -w2 / (1 + w2), 1 - w2 / (1 + w2);
        variational << 1 - 2 * w2, 2, -2 * w2, 2;

        EXPECT_NEAR(radius_of(implicit), old_velocity[i], 1e-8);
        EXPECT_NEAR(radius_of(variational), without_h[i], 1e-8 * without_h[i]);
    }
}

/// y' = z y for complex z, as two real equations.
class Turning final : public FirstOrderSystem {
  public:
    explicit Turning(Complex z) : A_(2, 2) { A_ << z.real(), -z.imag(), z.imag(), z.real(); }
    Eigen::Index size() const override { return 2; }
    void rate(double, const VecX& y, VecX& f) override { f = A_ * y; }
    void jacobian(double, const VecX&, MatX& J) override { J = A_; }

  private:
    MatX A_;
};

/// |R(z)| by one step.
double stepped(const char* key, Complex z) {
    Turning system(z);
    FirstOrderAdapter adapter(system);
    State state = adapter.state(0, VecX::Unit(2, 0));
    const StepReport report = make_with(key)->step(adapter, state, 1);
    EXPECT_TRUE(report.ok()) << key << z;
    return state.v.norm();
}

TEST(StabilityLimits, OfOneStepMethodsAreThoseOfTheReference) {
    const double root_2 = std::sqrt(2.0);
    const struct {
        const char* key;
        double real, imaginary;
        double at_02, at_1;  ///< |R| at 0.2 i and i
        double at_infinity;
    } rows[] = {
        {"explicit_euler", 2, 0, 1.019803902719, 1.414213562373, inf},
        {"explicit_midpoint", 2, 0, 1.000199980004, 1.118033988750, inf},
        {"heun", 2, 0, 1.000199980004, 1.118033988750, inf},
        {"ralston", 2, 0, 1.000199980004, 1.118033988750, inf},
        {"kutta3", 2.512745327, 1.732050808, 0.999934220059, 0.971825315808, inf},
        {"rk4", 2.785293563, 2 * root_2, 0.999999557778, 0.993905036823, inf},
        {"rk38", 2.785293563, 2 * root_2, 0.999999557778, 0.993905036823, inf},
        {"backward_euler", inf, inf, 0.980580675691, 0.707106781187, 0},
        {"bdf1", inf, inf, 0.980580675691, 0.707106781187, 0},
        {"implicit_midpoint", inf, inf, 1, 1, 1},
        {"trapezoid", inf, inf, 1, 1, 1},
        {"adams_moulton2", inf, inf, 1, 1, 1},
        {"sdirk2", inf, inf, 0.999994152731, 0.996873936516, 0},
        {"gauss4", inf, inf, 1, 1, 1},
        {"gauss6", inf, inf, 1, 1, 1},
        {"radau_iia3", inf, inf, 0.999977876840, 0.987729596650, 0},
        {"radau_iia5", inf, inf, 0.999999991132, 0.999869306671, 0},
    };
    const auto expect_limit = [](const char* key, Complex axis, double limit) {
        if (limit == inf) {
            for (const double size : {1e-2, 0.5, 3.0, 50.0, 1e4})
                EXPECT_LE(stepped(key, size * axis), 1 + 1e-12) << key << axis << size;
        } else if (limit == 0) {
            for (const double size : {0.02, 0.1, 0.5})
                EXPECT_GT(stepped(key, size * axis), 1 + 1e-9) << key << axis << size;
        } else {
            EXPECT_LT(stepped(key, limit * (1 - 1e-4) * axis), 1) << key << axis;
            EXPECT_GT(stepped(key, limit * (1 + 1e-4) * axis), 1) << key << axis;
        }
    };
    for (const auto& [key, real, imaginary, at_02, at_1, at_infinity] : rows) {
        expect_limit(key, -1, real);
        expect_limit(key, {0, 1}, imaginary);
        EXPECT_NEAR(stepped(key, {0, 0.2}), at_02, 1e-11) << key;
        EXPECT_NEAR(stepped(key, {0, 1}), at_1, 1e-11) << key;
        if (at_infinity < inf) {
            EXPECT_NEAR(stepped(key, -1e8), at_infinity, 1e-6) << key;
        }
    }
}

}  // namespace
}  // namespace taffeta::ode
