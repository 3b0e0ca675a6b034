#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ode/spring_network.h"
#include "taffeta/ode/spring_colours.h"
#include "taffeta/ode/spring_laplacian.h"

/// PBD, XPBD and projective dynamics against backward Euler, a rigid pendulum, and the numbers of
/// their papers' formulas by hand.
namespace taffeta::ode {
namespace {

using namespace testing;

Settings options(std::initializer_list<std::pair<const char*, double>> values) {
    Settings made = Settings::object();
    for (const auto& [key, value] : values)
        made[key] = Settings::of(value);
    return made;
}

State after(const char* key, const Settings& settings, SpringProblem problem, double h,
            int steps = 1) {
    const auto method = spring_method(key, settings);
    for (int i = 0; i < steps; ++i) {
        const StepReport report = method->step(problem.system, problem.start, h);
        if (!report.ok()) throw std::runtime_error(report.solve.message);
    }
    return problem.start;
}

double apart(const State& a, const State& b) {
    return (a.x - b.x).norm();
}

TEST(SpringColours, GiveEverySpringAColourItsNeighboursHaveNot) {
    const SpringProblem sheet = spring_sheet(12, 5, 0);

    const SpringColours colours = colour_springs(sheet.system.spring, 144);

    EXPECT_EQ(colours.spring.size(), sheet.system.spring.size());
    EXPECT_LE(colours.count(), 2 * 12 - 1);
    for (Index c = 0; c < colours.count(); ++c) {
        std::vector<int> seen(144, 0);
        for (Index k = colours.begin[std::size_t(c)]; k < colours.begin[std::size_t(c) + 1]; ++k) {
            EXPECT_EQ(seen[std::size_t(colours.spring[std::size_t(k)].i)]++, 0);
            EXPECT_EQ(seen[std::size_t(colours.spring[std::size_t(k)].j)]++, 0);
        }
    }
}

TEST(SpringColours, AreAsManyAsTheSpringsOfAStar) {
    // 200 springs meet in particle 0: more than the bits of a word.
    std::vector<Spring> star;
    for (Index i = 1; i <= 200; ++i)
        star.push_back({i % 2 ? 0 : i, i % 2 ? i : 0, 1, 1, 0});
    star.push_back({5, 5, 1, 1, 0});
    star.push_back({5, 6, 1, 0, 0});

    const SpringColours colours = colour_springs(star, 201);

    EXPECT_EQ(colours.count(), 200);
    EXPECT_EQ(colours.spring.size(), 200u);
}

TEST(Xpbd, IsBackwardEulerForOneSpringAfterOneIteration) {
    SpringProblem pendulum = spring_pendulum(40);
    pendulum.start.x[3] = 1.2;
    pendulum.start.v << 0, 0, 0, 0.3, -1, 0.5;
    const State exact = backward_euler_end(pendulum, 0.1);

    for (const int iterations : {1, 2, 20}) {
        const State end =
            after("xpbd", options({{"substeps", 1}, {"iterations", iterations}}), pendulum, 0.1);

        EXPECT_LE((end.x - exact.x).lpNorm<Eigen::Infinity>(), 1e-15) << iterations;
        EXPECT_LE((end.v - exact.v).lpNorm<Eigen::Infinity>(), 2e-14) << iterations;
    }
}

TEST(Xpbd, IsBackwardEulerForOneDampedSpring) {
    // Motion along the spring, where the direction of damping does not turn.
    SpringProblem pendulum = spring_pendulum(40);
    pendulum.system.gravity.setZero();
    pendulum.start.v << 0, 0, 0, 2, 0, 0;
    pendulum.system.spring[0].damping = 3;
    const State exact = backward_euler_end(pendulum, 0.1);
    pendulum.system.spring[0].damping = 1;

    // c = 1 N s/m of its own and 0.05 s x 40 N/m
    const State end = after("xpbd", options({{"substeps", 1}, {"damping", 0.05}}), pendulum, 0.1);

    EXPECT_LE((end.x - exact.x).lpNorm<Eigen::Infinity>(), 1e-15);
    EXPECT_LE((end.v - exact.v).lpNorm<Eigen::Infinity>(), 2e-14);
}

TEST(Xpbd, StaysApartFromBackwardEulerWhereSpringsMeet) {
    // By design: the method's equation has not the change of direction of its springs.
    const SpringProblem chain = two_links(300, 0);
    const State exact = backward_euler_end(chain, 0.05);
    const auto error = [&](int iterations) {
        return apart(
            after("xpbd", options({{"substeps", 1}, {"iterations", iterations}}), chain, 0.05),
            exact);
    };

    const double once = error(1), many = error(1000);

    EXPECT_LT(many, once);
    EXPECT_GT(many, 1e-6);
    EXPECT_NEAR(error(10000) / many, 1, 1e-9);
}

/// Where the formula of the method leads in one step of h, spring by spring: with C = |d| - l, the
/// compliance c = 1/(k h^2) and w the inverse masses of both ends,
///
///     dlambda = -(C + c lambda)/(w_i + w_j + c),    x_i -= w_i dlambda n,    x_j += w_j dlambda n.
VecX xpbd_by_hand(const SpringProblem& problem, double h, int iterations) {
    const SpringNetwork& system = problem.system;
    const auto weight = [&](Index i) {
        return system.S[std::size_t(i)].isZero(0) ? 0 : system.inverse_mass()[i];
    };
    VecX x = problem.start.x;
    for (Index i = 0; i < system.inverse_mass().size(); ++i)
        if (weight(i) > 0) vec3(x, i) += h * (vec3(problem.start.v, i) + h * system.gravity);
    std::vector<double> lambda(system.spring.size());
    for (int n = 0; n < iterations; ++n)
        for (std::size_t s = 0; s < lambda.size(); ++s) {
            const Spring& spring = system.spring[s];
            const Vec3 d = vec3(x, spring.j) - vec3(x, spring.i), direction = d.normalized();
            const double c = 1 / (spring.stiffness * h * h);
            const double change = -(d.norm() - spring.length + c * lambda[s]) /
                                  (weight(spring.i) + weight(spring.j) + c);
            lambda[s] += change;
            vec3(x, spring.i) -= weight(spring.i) * change * direction;
            vec3(x, spring.j) += weight(spring.j) * change * direction;
        }
    return x;
}

TEST(Xpbd, OfTwoLinksIsItsFormulaAndStaysWhereThatLeads) {
    // The distance to backward Euler is the formula's own: it is there after some tens of iterations and
    // no smaller after ten thousand, while projective dynamics has gone on to rounding.
    const SpringProblem chain = two_links(300, 0);
    const State exact = backward_euler_end(chain, 0.05);
    double distance = 0;
    for (const int iterations : {1, 2, 10, 100, 10000}) {
        const State end =
            after("xpbd", options({{"substeps", 1}, {"iterations", iterations}}), chain, 0.05);
        const VecX by_hand = xpbd_by_hand(chain, 0.05, iterations);

        EXPECT_LE((end.x - by_hand).norm(), 1e-13) << iterations;
        distance = (by_hand - exact.x).norm();
        if (iterations >= 100) {
            EXPECT_NEAR(apart(end, exact), distance, 1e-13) << iterations;
        }
    }
    EXPECT_GT(distance, 1e-4);
    EXPECT_LE(
        apart(after("projective_dynamics", options({{"iterations", 1000}}), chain, 0.05), exact),
        1e-12);
}

TEST(Xpbd, ConvergesWithItsSubstepsAtFirstOrder) {
    SpringProblem chain = two_links(30, 0.2);
    const State exact = after("xpbd", options({{"substeps", 4000}}), chain, 0.5);

    const auto error = [&](int substeps) {
        return apart(after("xpbd", options({{"substeps", substeps}}), chain, 0.5), exact);
    };

    // 1/n - 1/4000 of the error's leading term
    EXPECT_NEAR(error(50) / error(100), (1. / 50 - 1. / 4000) / (1. / 100 - 1. / 4000), 0.08);
}

TEST(SpringLaplacian, IsFactoredAnewOnlyWhereItChanges) {
    SpringProblem sheet = spring_sheet(6, 8, 0.1);
    Mobility mobility;
    SpringLaplacian laplacian;
    const auto factorisations = [&](double h) {
        mobility.find(sheet.system, sheet.system.inverse_mass());
        EXPECT_TRUE(laplacian.prepare(sheet.system.spring, mobility, h).ok());
        return laplacian.factorisations();
    };

    EXPECT_EQ(factorisations(0.01), 1);
    EXPECT_EQ(factorisations(0.01), 1);
    EXPECT_EQ(factorisations(0.02), 2);
    sheet.system.hold(7);
    EXPECT_EQ(factorisations(0.02), 3);
    sheet.system.S[9](0, 0) = 0;  // held in one direction: still an unknown
    EXPECT_EQ(factorisations(0.02), 3);
    sheet.system.spring[2].stiffness = 9;
    EXPECT_EQ(factorisations(0.02), 4);
}

TEST(SpringLaplacian, SolvesWhatItApplies) {
    SpringProblem sheet = spring_sheet(6, 8, 0.1);
    Mobility mobility;
    mobility.find(sheet.system, sheet.system.inverse_mass());
    SpringLaplacian laplacian;
    ASSERT_TRUE(laplacian.prepare(sheet.system.spring, mobility, 0.01).ok());
    VecX u = sheet.start.x + sheet.start.v, r, found;
    sheet.system.project(u);

    laplacian.apply(u, r);
    laplacian.solve(r, found);

    EXPECT_LE((found - u).norm(), 1e-12 * u.norm());
}

TEST(ProjectiveDynamics, ConvergesToBackwardEuler) {
    for (const double damping : {0.0, 2.0}) {
        for (const SpringProblem& problem :
             {two_links(300, damping), spring_sheet(6, 8, 0.02 * damping)}) {
            const State exact = backward_euler_end(problem, 0.05);
            const auto error = [&](int iterations) {
                return apart(after("projective_dynamics", options({{"iterations", iterations}}),
                                   problem, 0.05),
                             exact);
            };

            EXPECT_GT(error(1), 1e-5);
            EXPECT_LE(error(10), 0.5 * error(1));
            EXPECT_LE(error(3000), 1e-12);
        }
    }
}

TEST(ProjectiveDynamics, StopsByTheResidualOfBackwardEulerOrFails) {
    SpringProblem problem = two_links(300, 0);
    const State before = problem.start;
    const auto loose =
        spring_method("projective_dynamics", options({{"iterations", 3}, {"tolerance", 1e-9}}));
    const auto strict =
        spring_method("projective_dynamics", options({{"iterations", 1000}, {"tolerance", 1e-9}}));

    const StepReport failed = loose->step(problem.system, problem.start, 0.05);
    EXPECT_EQ(failed.solve.status, SolveStatus::max_iterations);
    EXPECT_EQ(problem.start.x, before.x);
    const StepReport done = strict->step(problem.system, problem.start, 0.05);

    EXPECT_TRUE(done.ok());
    EXPECT_LE(done.newton_residual, 1e-9);
    EXPECT_GT(done.newton_residual, 1e-12);
    // |M a - f| at the end is that residual
    VecX f;
    problem.system.force(0, problem.start.x, problem.start.v, f);
    VecX r = strict->acceleration() - f;  // masses of 1 kg
    problem.system.project(r);
    EXPECT_NEAR(r.norm(), done.newton_residual, 1e-11);
}

/// Partly held particles: one on a plane, one on a line, both moved.
SpringProblem sliding_sheet() {
    SpringProblem problem = spring_sheet(5, 8, 0.01);
    const Vec3 n = Vec3(1, 2, 2) / 3;
    problem.system.S[7] -= n * n.transpose();
    problem.system.S[11] = n * n.transpose();
    problem.system.start = problem.start.v;
    problem.system.velocity = VecX::Zero(75);
    vec3(problem.system.velocity, 7) = 0.3 * n;
    problem.system.y = VecX::Zero(75);
    vec3(problem.system.y, 7) = 0.002 * n;
    vec3(problem.system.y, 24) = Vec3(0.001, 0, 0);
    return problem;
}

TEST(ProjectiveDynamics, ConvergesToBackwardEulerUnderPartialConstraints) {
    const SpringProblem problem = sliding_sheet();
    const State exact = backward_euler_end(problem, 0.05);

    const State end = after("projective_dynamics", options({{"iterations", 3000}}), problem, 0.05);

    EXPECT_LE(apart(end, exact), 1e-12);
}

TEST(SpringMethods, TellTheForceOfTheirEnd) {
    // M a = f in the free directions, in the method's own forces; held ones feel the springs.
    for (const char* key : {"pbd", "xpbd", "projective_dynamics"}) {
        SpringProblem problem = sliding_sheet();
        problem.system.y.setZero();
        const Settings settings = key == std::string("xpbd")
                                      ? options({{"substeps", 1}, {"iterations", 200}})
                                      : options({{"iterations", 2000}});
        const auto method = spring_method(key, settings);

        ASSERT_TRUE(method->step(problem.system, problem.start, 0.01).ok());

        VecX r = method->acceleration();
        for (Index i = 0; i < 25; ++i)
            vec3(r, i) /= problem.system.inverse_mass()[i];
        r -= problem.system.last_force;
        VecX free = r;
        problem.system.project(free);
        // PBD and XPBD pushed along the directions of each sweep, not of the end.
        const double tolerance = key == std::string("projective_dynamics") ? 1e-10 : 0.05;
        EXPECT_LE(free.norm(), tolerance * problem.system.last_force.norm()) << key;
        EXPECT_GT(r.norm(), 0.1) << key;
    }
}

/// Where a rigid pendulum of 1 m is that starts horizontally, by many steps of Runge-Kutta.
Vec3 rigid_pendulum(double end) {
    double angle = 0, rate = 0;  // below the horizontal
    const int steps = 20000;
    const double h = end / steps;
    const auto slope = [](double a) { return 9.81 * std::cos(a); };
    for (int i = 0; i < steps; ++i) {
        const double k1 = slope(angle), k2 = slope(angle + h / 2 * rate);
        const double k3 = slope(angle + h / 2 * rate + h * h / 4 * k1);
        const double k4 = slope(angle + h * rate + h * h / 2 * k2);
        angle += h * rate + h * h / 6 * (k1 + k2 + k3);
        rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return {std::cos(angle), -std::sin(angle), 0};
}

TEST(Pbd, SwingsARodAtFirstOrder) {
    const Vec3 exact = rigid_pendulum(0.5);
    const double expected[] = {2.085261e-03, 1.103225e-03, 5.673071e-04, 2.876473e-04};

    for (int level = 0; level < 4; ++level) {
        const int steps = 50 << level;
        const State end =
            after("pbd", options({{"iterations", 1}}), spring_pendulum(1), 0.5 / steps, steps);

        EXPECT_NEAR((vec3(end.x, 1) - exact).norm(), expected[level], 1e-9) << steps;
    }
}

TEST(Pbd, LosesTheEnergyOfARodSlowly) {
    SpringProblem pendulum = spring_pendulum(1);

    const State end = after("pbd", options({{"iterations", 1}}), pendulum, 0.01, 1000);

    const double energy = (end.v.squaredNorm() / 2 + 9.81 * end.x[4]) / 9.81;
    EXPECT_NEAR(energy, -0.7754, 5e-5);
}

TEST(Pbd, TakesTheSamePartOfAnExtensionWhateverItsIterations) {
    SpringProblem pendulum = spring_pendulum(1);
    pendulum.system.gravity.setZero();
    pendulum.start.x[3] = 1.4;

    for (const int iterations : {1, 2, 5, 20}) {
        const State end = after("pbd", options({{"iterations", iterations}, {"stiffness", 0.75}}),
                                pendulum, 0.01);

        EXPECT_NEAR(end.x[3], 1.1, 1e-14) << iterations;
    }
}

/// The sheet, and a particle apart from it that may only move in a plane: then springs go one by one.
SpringProblem with_a_particle_apart(const SpringProblem& sheet) {
    const Eigen::Index count = sheet.system.inverse_mass().size();
    std::vector<double> mass;
    for (const double inverse : sheet.system.inverse_mass())
        mass.push_back(1 / inverse);
    mass.push_back(1);
    SpringProblem made{{mass, sheet.system.spring}, {0, VecX(3 * count + 3), VecX(3 * count + 3)}};
    std::ranges::copy(sheet.system.S, made.system.S.begin());
    made.system.S.back() = Mat3::Identity() - Vec3::UnitY() * Vec3::UnitY().transpose();
    made.start.x << sheet.start.x, 5, 5, 5;
    made.start.v << sheet.start.v, 0, 0, 0;
    return made;
}

TEST(SpringMethods, MoveFourSpringsAtATimeAsOneByOne) {
    for (const char* key : {"pbd", "xpbd"})
        for (const double damping : {0.0, 0.01})
            for (const Index side : {3, 12}) {
                const SpringProblem sheet = spring_sheet(side, 50, damping);

                const State four = after(key, {}, sheet, 0.01, 5);
                const State one = after(key, {}, with_a_particle_apart(sheet), 0.01, 5);

                EXPECT_LE((one.x.head(four.x.size()) - four.x).norm(), 1e-12)
                    << key << ' ' << damping << ' ' << side;
                EXPECT_LE((one.v.head(four.v.size()) - four.v).norm(), 1e-9)
                    << key << ' ' << damping << ' ' << side;
            }
}

TEST(SpringMethods, LeaveSpringsWithoutDirectionOrMobilityAlone) {
    // Two that coincide, two that are held, and two of each kind to make four; one spring moves.
    //
    //     0,1   2===3   4,5   6===7   8~~~9
    SpringProblem problem{{std::vector<double>(10, 1),
                           {{0, 1, 1, 50, 0.1},
                            {2, 3, 1, 50, 0.1},
                            {4, 5, 1, 50, 0.1},
                            {6, 7, 1, 50, 0.1},
                            {8, 9, 1, 50, 0.1}}},
                          placed({{0, 0, 0},
                                  {0, 0, 0},
                                  {2, 0, 0},
                                  {3.5, 0, 0},
                                  {4, 0, 0},
                                  {4, 0, 0},
                                  {6, 0, 0},
                                  {7.5, 0, 0},
                                  {8, 0, 0},
                                  {9.5, 0, 0}})};
    problem.system.gravity.setZero();
    for (const Index held : {2, 3, 6, 7})
        problem.system.hold(held);
    for (const char* key : {"pbd", "xpbd"}) {
        const State end = after(key, {}, problem, 0.01, 2);

        EXPECT_TRUE(end.x.allFinite()) << key;
        EXPECT_EQ(end.x.head<24>(), problem.start.x.head<24>()) << key;
        EXPECT_LT(end.x[27] - end.x[24], 1.5) << key;
    }
}

TEST(SpringMethods, FailWithASentenceWhereThereAreNoSprings) {
    class NoSprings final : public SecondOrderSystem {
      public:
        Eigen::Index size() const override { return 3; }
        void force(double, const VecX&, const VecX&, VecX& f) override { f.setZero(3); }
        SolveReport solve_mass(const VecX& f, VecX& a) override {
            a = f;
            return {};
        }
        void linearize(double, const VecX&, const VecX&, VecX*) override {}
        void apply(const Coefficients&, const VecX& u, VecX& out) override { out = u; }
        SolveReport solve(const Coefficients&, const VecX& rhs, double, VecX& u) override {
            u = rhs;
            return {};
        }
    };
    for (const IntegratorEntry* entry : integrators()) {
        if (!entry->properties.needs_springs) continue;
        NoSprings system;
        State state = placed({Vec3::Zero()});

        const StepReport report = entry->make({})->step(system, state, 0.01);

        EXPECT_FALSE(report.ok()) << entry->key;
        EXPECT_NE(report.solve.message.find("springs"), std::string::npos) << entry->key;
        EXPECT_EQ(state.t, 0);
    }
}

}  // namespace
}  // namespace taffeta::ode
