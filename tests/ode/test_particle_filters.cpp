#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "ode/linear_system.h"
#include "ode/problems.h"
#include "ode/spring_sheet.h"

/// What the shortcuts of 1999 and 2000 keep of backward Euler, and what they do not.
namespace taffeta::ode {
namespace {

using namespace testing;

Vec3 momentum(const State& state, double mass) {
    Vec3 sum = Vec3::Zero();
    for (Index i = 0; i < Index(state.x.size() / 3); ++i)
        sum += mass * Vec3(vec3(state.v, i));
    return sum;
}

Vec3 angular_momentum(const State& state, double mass) {
    Vec3 sum = Vec3::Zero();
    for (Index i = 0; i < Index(state.x.size() / 3); ++i)
        sum += mass * Vec3(vec3(state.x, i)).cross(Vec3(vec3(state.v, i)));
    return sum;
}

/// Four particles on six springs, turning, with nothing that holds them.
Problem tumbling() {
    const auto force = [](double, const VecX& x, const VecX&) -> VecX {
        VecX f = VecX::Zero(12);
        for (Index i = 0; i < 4; ++i)
            for (Index j = 0; j < i; ++j) {
                const Vec3 d = vec3(x, i) - vec3(x, j);
                const Vec3 pull = 300 * (d.norm() - 1) / d.norm() * d;
                vec3(f, i) -= pull;
                vec3(f, j) += pull;
            }
        return f;
    };
    Problem problem{"tumbling", DenseSystem(VecX::Constant(12, 0.5), force), {}, 1};
    problem.start = {0, VecX(12), VecX(12)};
    problem.start.x << 0, 0, 0, 1.1, 0, 0, 0.4, 0.9, 0.1, 0.5, 0.3, 0.8;
    problem.start.v << 0.1, 0.4, -0.3, 0.2, 1.5, 0.3, -1.2, 0.1, 0.5, 0.7, -0.6, -0.2;
    return problem;
}

TEST(Desbrun99, KeepsBothMomentaOfAFreeBody) {
    Problem problem = tumbling();
    State state = problem.start;
    const auto integrator = make_with("desbrun99");
    const Vec3 linear = momentum(state, 0.5), angular = angular_momentum(state, 0.5);

    for (int i = 0; i < 200; ++i)
        ASSERT_TRUE(integrator->step(problem.system, state, 0.02).ok());

    // To what the slopes by differences leave of K times a translation.
    EXPECT_LE((momentum(state, 0.5) - linear).norm(), 1e-7);
    EXPECT_LE((angular_momentum(state, 0.5) - angular).norm(), 1e-7);
    EXPECT_GT(angular.norm(), 0.5);
}

TEST(Desbrun99, WithoutTheCorrectionTheFilterTurnsTheBody) {
    // One step by hand: (M + h^2 K0) a = f has a torque.
    Problem problem = tumbling();
    const double h = 0.02;
    problem.system.linearize(0, problem.start.x, problem.start.v, nullptr);
    VecX f, a;
    problem.system.force(0, problem.start.x, problem.start.v, f);
    ASSERT_TRUE(problem.system.solve({.m = 1, .d = 0, .k = h * h}, f, 0, a).ok());

    const State filtered{0, problem.start.x, a}, forced{0, problem.start.x, f};

    EXPECT_LE(angular_momentum(forced, 1).norm(), 1e-12);
    EXPECT_GT(angular_momentum(filtered, 0.5).norm(), 1e-3);
}

TEST(Desbrun99, OscillatesTooSlowlyAndDoesNotDamp) {
    // x+ = x + h v+, v+ = v - h w^2 x/(1 + h^2 w^2): det 1, 2 - trace = h^2 w^2/(1 + h^2 w^2)
    const double w2 = 9;
    Eigen::Matrix2d step;
    for (int j = 0; j < 2; ++j) {
        LinearSystem system(w2, 0, 0);
        State state{0, scalar(j == 0), scalar(j == 1)};
        ASSERT_TRUE(make_with("desbrun99")->step(system, state, 1).ok());
        step.col(j) << state.x[0], state.v[0];
    }

    EXPECT_NEAR(step.determinant(), 1, 1e-15);
    EXPECT_NEAR(2 - step.trace(), w2 / (1 + w2), 1e-15);
}

TEST(Kang2000, IsBackwardEulerOnOneParticle) {
    const State a = run_linear(*make_with("kang2000"), LinearSystem(40, 0, 3),
                               {0, scalar(1), scalar(-2)}, 5, 50);
    const State b = run_linear(*make_with("backward_euler"), LinearSystem(40, 0, 3),
                               {0, scalar(1), scalar(-2)}, 5, 50);

    EXPECT_LE(distance(a, b), 1e-12);
}

TEST(Kang2000, IsTwoSweepsOfJacobi) {
    Eigen::MatrixXd K(2, 2);
    K << 50, -30, -30, 40;
    LinearSystem system(Vec2(1, 2), K, K * 0, Vec2(3, -1));
    State state{0, Vec2(0.1, -0.3), Vec2(1, 2)};
    const State before = state;
    const double h = 0.1;

    ASSERT_TRUE(make_with("kang2000")->step(system, state, h).ok());

    const Eigen::MatrixXd A = Eigen::MatrixXd(system.M.asDiagonal()) + h * h * K;
    const VecX r = Vec2(3, -1) - K * before.x - h * (K * before.v);
    const VecX u = r.cwiseQuotient(A.diagonal());
    const VecX a = u + (r - A * u).cwiseQuotient(A.diagonal());
    EXPECT_LE((state.v - before.v - h * a).norm(), 1e-14);
}

TEST(ParticleFilters, StayBoundedOnTheHangingSheetAtLargeSteps) {
    // h omega is 8 for the fastest mode: explicit methods are gone after a few steps. K0 is the
    // Laplacian of the publications, which no later state is stiffer than.
    for (const char* key : {"desbrun99", "kang2000"}) {
        SpringSheet sheet(SpringSheet::Stiffness::laplacian);
        State state = sheet.at_rest();
        const auto integrator = find_entry(integrators(), "integrator", key).make(Settings());

        for (int i = 0; i < 100; ++i)
            ASSERT_TRUE(integrator->step(sheet, state, 0.02).ok()) << key;

        EXPECT_LE(state.x.cwiseAbs().maxCoeff(), 3) << key;
        EXPECT_LT(state.x.minCoeff(), -0.3) << key;
        SpringSheet other;
        State gone = other.at_rest();
        const auto explicit_euler = make_with("symplectic_euler_a");
        for (int i = 0; i < 100 && gone.x.cwiseAbs().maxCoeff() < 1e3; ++i)
            if (!explicit_euler->step(other, gone, 0.02).ok()) break;
        EXPECT_GE(gone.x.cwiseAbs().maxCoeff(), 1e3);
    }
}

TEST(ParticleFilters, LinearizeOnceAsLongAsTheStateIsTheirs) {
    for (const char* key : {"desbrun99", "kang2000"}) {
        LinearSystem system(40, 0, 3);
        State state{0, scalar(1), scalar(-2)};
        const auto integrator = make_with(key);

        for (int i = 0; i < 10; ++i)
            ASSERT_TRUE(integrator->step(system, state, 0.1).ok());
        EXPECT_EQ(system.linearised, 1) << key;

        state.v[0] += 1;
        ASSERT_TRUE(integrator->step(system, state, 0.1).ok());
        EXPECT_EQ(system.linearised, 2) << key;
    }
}

}  // namespace
}  // namespace taffeta::ode
