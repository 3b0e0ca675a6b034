#include <gtest/gtest.h>

#include "ode/linear_system.h"
#include "ode/problems.h"
#include "ode/spring_network.h"

/// The forms of velocity Verlet, the variational methods and Rayleigh damping against the
/// errors, limits and invariants of the reference, and what each header claims.
namespace taffeta::ode {
namespace {

using namespace testing;

/// To nine digits, and no better than rounding of numbers of size one.
void expect_error(double found, double expected, const std::string& what) {
    EXPECT_NEAR(found, expected, 1e-9 * expected + 2e-13) << what;
}

struct Row {
    const char* key;
    Numbers options;
    bool rayleigh;  ///< the damping by r_M of the method
    double errors[4];
};

void expect_rows(const Textbook& problem, int steps, const std::vector<Row>& rows) {
    for (const auto& [key, options, rayleigh, errors] : rows)
        for (int i = 0; i < 4; ++i)
            expect_error(textbook_error(problem, key, steps << i, options, rayleigh), errors[i],
                         std::string(key) + " at level " + std::to_string(i));
}

TEST(ReferenceErrors, OfTheOverdampedProblem) {
    const double mass_solved[] = {2.597220066943e-04, 6.462618603495e-05, 1.613747581272e-05,
                                  4.033176234756e-06};
    const auto row = [](const char* key, Numbers options, bool rayleigh, const double(&e)[4]) {
        return Row{key, std::move(options), rayleigh, {e[0], e[1], e[2], e[3]}};
    };
    expect_rows(
        problem_2, 50,
        {{"velocity_verlet_half",
          {},
          false,
          {2.997723025716e-04, 1.074673947881e-04, 4.468082850041e-05, 2.024552365411e-05}},
         {"velocity_verlet_lagged",
          {},
          false,
          {4.868417476138e-04, 2.039998637990e-04, 8.859730289889e-05, 4.053297305122e-05}},
         row("velocity_verlet_implicit_damping", {}, false, mass_solved),
         row("central_difference", {}, true, mass_solved),
         row("newmark", {{"beta", 0}}, true, mass_solved),
         {"newmark",
          {{"beta", 1.0 / 6}},
          true,
          {9.006636843478e-05, 2.254918639097e-05, 5.639336057281e-06, 1.409961516917e-06}},
         {"newmark",
          {{"beta", 0.3025}, {"gamma", 0.6}},
          true,
          {1.104996607816e-04, 5.623899078459e-05, 2.833268922948e-05, 1.421547083495e-05}},
         {"newmark",
          {},
          true,
          {6.304668351048e-06, 1.577443305677e-06, 3.944405127669e-07, 9.861510738250e-08}},
         {"hht_alpha",
          {{"alpha", 0}},
          true,
          {6.304668351048e-06, 1.577443305677e-06, 3.944405127669e-07, 9.861510738250e-08}},
         {"variational_symplectic_explicit",
          {},
          true,
          {1.058159110894e-03, 4.659013094498e-04, 2.171033916009e-04, 1.045859108641e-04}},
         {"variational_symplectic_implicit",
          {},
          true,
          {6.304668351049e-06, 1.577443305674e-06, 3.944405127648e-07, 9.861510738521e-08}}});
}

TEST(ReferenceErrors, OfTheMassSpringDamper) {
    expect_rows(
        problem_3, 200,
        {{"velocity_verlet_half",
          {},
          false,
          {9.332740039207e-05, 2.100935667978e-05, 5.512868008442e-06, 1.763452485553e-06}},
         {"velocity_verlet_lagged",
          {},
          false,
          {2.266734558932e-04, 6.082012392938e-05, 1.638680199994e-05, 4.883355478905e-06}},
         {"velocity_verlet_implicit_damping",
          {},
          false,
          {7.541158605420e-06, 3.603311874806e-06, 1.006118585016e-06, 2.580573593954e-07}},
         {"central_difference",
          {},
          true,
          {7.541158596561e-06, 3.603311875678e-06, 1.006118595378e-06, 2.580573533573e-07}},
         {"variational_symplectic_explicit",
          {},
          true,
          {2.030831290132e-04, 6.395711297897e-05, 1.935728867532e-05, 6.477943871134e-06}},
         {"variational_symplectic_implicit",
          {},
          true,
          {8.345825113223e-06, 4.118937797760e-06, 1.340272493313e-06, 3.538569685948e-07}}});
}

TEST(ReferenceErrors, OfTheSpring) {
    const double verlet[] = {9.284285210562e-02, 2.335635371718e-02, 5.847854003245e-03,
                             1.462506087823e-03};
    for (const char* key : {"velocity_verlet_half", "velocity_verlet_lagged",
                            "velocity_verlet_implicit_damping", "central_difference"})
        for (int i = 0; i < 4; ++i)
            expect_error(textbook_error(problem_W, key, 100 << i), verlet[i], key);
    expect_rows(
        problem_W, 100,
        {{"variational_symplectic_explicit",
          {},
          false,
          {1.205194461547e-01, 3.583099591103e-02, 1.292043874603e-02, 5.555173981667e-03}},
         {"variational_symplectic_implicit",
          {},
          false,
          {1.981902545504e-01, 4.936698390119e-02, 1.232764473877e-02, 3.080985362740e-03}}});
}

TEST(StabilityLimits, AreThoseOfTheReference) {
    const double tight = 1e-4;
    EXPECT_NEAR(stability_limit(problem_2, "velocity_verlet_half", 0.1, 2), 0.8, tight);
    EXPECT_NEAR(stability_limit(problem_2, "velocity_verlet_lagged", 0.1, 2), 0.4, tight);
    EXPECT_NEAR(stability_limit(problem_2, "velocity_verlet_implicit_damping", 0.1, 2), 1.264911064,
                tight);
    EXPECT_NEAR(stability_limit(problem_2, "central_difference", 0.1, 2, {}, true), 1.264911064,
                tight);
    EXPECT_NEAR(stability_limit(problem_3, "velocity_verlet_half", 0.01, 0.2), 0.05924969594,
                tight);
    EXPECT_NEAR(stability_limit(problem_3, "velocity_verlet_lagged", 0.01, 0.2), 0.0632455532,
                tight);
    EXPECT_NEAR(stability_limit(problem_3, "velocity_verlet_implicit_damping", 0.01, 0.2),
                0.0632455532, tight);
    EXPECT_NEAR(stability_limit(problem_3, "central_difference", 0.01, 0.2, {}, true), 0.0632455532,
                tight);
    for (const char* key :
         {"velocity_verlet_half", "velocity_verlet_lagged", "velocity_verlet_implicit_damping",
          "central_difference", "variational_symplectic_explicit"})
        EXPECT_NEAR(stability_limit(problem_W, key, 0.1, 2), 0.894427191, tight) << key;
    // w = 1/sqrt(gamma/2 - beta), with Rayleigh damping too where the velocity is solved for
    const double w = std::sqrt(5.0);
    EXPECT_NEAR(stability_limit(problem_W, "newmark", 0.1, 4, {{"beta", 1.0 / 6}}),
                2 * std::sqrt(3.0) / w, tight);
    EXPECT_NEAR(stability_limit(problem_W, "newmark", 0.1, 4, {{"beta", 1.0 / 12}}),
                std::sqrt(6.0) / w, tight);
}

TEST(Energy, OfAThousandStepsIsThatOfTheReference) {
    // E over its start at x = 1, v = 0, smallest and largest.
    struct Expected {
        const char* key;
        double w, least, most;
    };
    for (const auto& [key, w, least, most] :
         {Expected{"variational_symplectic_explicit", 0.2, 0.9090924283, 1.1111108865},
          {"variational_symplectic_explicit", 1, 1, 2},
          {"velocity_verlet_half", 0.2, 0.9900001099, 0.9999999977},
          {"velocity_verlet_lagged", 1, 0.8125, 1},
          {"velocity_verlet_implicit_damping", 0.2, 0.9900001099, 0.9999999977},
          {"variational_symplectic_implicit", 0.2, 1, 1},
          {"variational_symplectic_implicit", 1, 1, 1}}) {
        LinearSystem system(w * w, 0, 0);
        State state{0, VecX::Ones(1), VecX::Zero(1)};
        const auto integrator = make_with(key);
        double low = 1e300, high = 0;
        for (int i = 0; i < 1000; ++i) {
            ASSERT_TRUE(integrator->step(system, state, 1).ok());
            const double energy = (w * w * state.x.squaredNorm() + state.v.squaredNorm()) / (w * w);
            low = std::min(low, energy);
            high = std::max(high, energy);
        }

        EXPECT_NEAR(low, least, 1e-9) << key;
        EXPECT_NEAR(high, most, 1e-9) << key;
    }
}

TEST(AngularMomentum, OfAPlanetIsKeptBySymplecticMethods) {
    // x'' = -x/|x|^3, 4000 steps of 0.05 from (1, 0) at speed 1.17 across: eccentricity 0.37.
    Problem problem = oscillator(0, 0);
    problem.system = DenseSystem(VecX::Ones(3), [](double, const VecX& x, const VecX&) -> VecX {
        return -x / std::pow(x.norm(), 3);
    });
    for (const char* key :
         {"velocity_verlet_half", "velocity_verlet_lagged", "velocity_verlet_implicit_damping",
          "variational_symplectic_explicit", "variational_symplectic_implicit"}) {
        Problem copy = problem;
        State state{0, Vec3(1, 0, 0), Vec3(0, 1.17, 0)};
        const auto integrator = make_with(key);
        for (int i = 0; i < 4000; ++i)
            ASSERT_TRUE(integrator->step(copy.system, state, 0.05).ok());

        EXPECT_NEAR(state.x[0] * state.v[1] - state.x[1] * state.v[0], 1.17, 1e-11) << key;
        EXPECT_NEAR(state.v.squaredNorm() / 2 - 1 / state.x.norm(), 1.17 * 1.17 / 2 - 1, 2e-2);
    }
}

TEST(Rayleigh, KeepsOrderTwoOnNonlinearSprings) {
    // The reference integrates M a = f - r_M M v - r_K K(x) v with K by differences.
    Problem damped = pendulum();
    damped.system.of = [](double, const VecX& x, const VecX& v) -> VecX {
        return scalar(-2 * std::sin(x[0]) - (0.3 * 2 + 0.2 * 2 * std::cos(x[0])) * v[0]);
    };
    const State exact = reference(damped);
    for (const char* key :
         {"newmark", "generalised_alpha", "hht_alpha", "variational_symplectic_implicit"}) {
        const auto error = [&](int steps) {
            const auto integrator =
                make_with(key, {{"rayleigh_mass", 0.3}, {"rayleigh_stiffness", 0.2}});
            // The K of this problem is known by differences, to ten digits.
            integrator->set_newton({.max_iterations = 50, .tolerance = 1e-9});
            return distance(run(*integrator, pendulum(), steps), exact);
        };

        EXPECT_NEAR(std::log2(error(200) / error(400)), 2, 0.1) << key;
    }
}

TEST(Rayleigh, StiffnessDampingLeavesRigidTranslationAlone) {
    // Two particles on a spring fall and swing: the centre falls freely, the swing dies.
    Eigen::MatrixXd K(2, 2);
    K << 50, -50, -50, 50;
    for (const char* key :
         {"newmark", "linearised_newmark", "generalised_alpha", "hht_alpha",
          "variational_symplectic_implicit", "sofa_newmark", "sofa_variational_symplectic"}) {
        const LinearSystem system(Vec2(1, 1), K, K * 0, Vec2(-9.81, -9.81));
        const State start{0, Vec2(0, 1), Vec2(1, 2)};

        const State end =
            run_linear(*make_with(key, {{"rayleigh_stiffness", 0.05}}), system, start, 1, 100);

        EXPECT_NEAR(end.x.sum() / 2, 0.5 + 1.5 - 9.81 / 2, 1e-9) << key;
        EXPECT_NEAR(end.v.sum() / 2, 1.5 - 9.81, 1e-9) << key;
        EXPECT_LE(std::abs(end.x[1] - end.x[0]), 0.1) << key;
    }
}

/// Two particles of 1 kg on a spring that turn about their centre at 2 rad/s, as far apart as that asks for:
///
///     1 <-- o          k (2 r - 1) = w^2 r
///           |
///           o --> 1
struct Dumbbell {
    static constexpr double w = 2, k = 200, r = k / (2 * k - w * w);

    SpringProblem problem{{{1, 1}, {{0, 1, 1, k, 0}}}, placed({{-r, 0, 0}, {r, 0, 0}})};

    Dumbbell() {
        problem.system.gravity.setZero();
        problem.start.v << 0, -w * r, 0, 0, w * r, 0;
    }
    static double angular_momentum(const State& state) {
        double sum = 0;
        for (Index i = 0; i < 2; ++i)
            sum += vec3(state.x, i).cross(Vec3(vec3(state.v, i)))[2];
        return sum;
    }
};

TEST(StiffnessDamping, OfStrainRatesLeavesRigidRotationAlone) {
    // Along the spring nothing moves: 20 turns lose nothing but what settles at the start.
    for (const char* key : {"implicit_midpoint", "variational_symplectic_implicit", "gauss4"}) {
        Dumbbell dumbbell;
        dumbbell.problem.system.spring[0].damping = 5;
        State& state = dumbbell.problem.start;
        const double before = Dumbbell::angular_momentum(state);
        const auto integrator = make_with(key);
        integrator->set_newton({.max_iterations = 50, .tolerance = 1e-12});
        double settled = 0;
        for (int i = 0; i < 4000; ++i) {
            ASSERT_TRUE(integrator->step(dumbbell.problem.system, state, 0.016).ok()) << key;
            if (i == 500) settled = dumbbell.problem.system.energy(state);
        }

        EXPECT_NEAR(Dumbbell::angular_momentum(state), before, 1e-9) << key;
        EXPECT_NEAR(dumbbell.problem.system.energy(state), settled, 1e-9) << key;
        EXPECT_NEAR(vec3(state.x, 1).norm(), Dumbbell::r, 1e-3) << key;
    }
}

TEST(Rayleigh, StiffnessDampingSlowsARotationByItsStress) {
    // As f turns with the body, K (w x x) = -w x f, and f = M w x (w x x) in a body that turns: the damping
    // r_K K v is r_K |w|^2 M v. Without stress, for slow turns, there is none.
    const double r_K = 0.02, h = 0.002;
    for (const char* key : {"newmark", "generalised_alpha", "variational_symplectic_implicit"}) {
        Dumbbell dumbbell;
        State& state = dumbbell.problem.start;
        const double before = Dumbbell::angular_momentum(state);
        const auto integrator = make_with(key, {{"rayleigh_stiffness", r_K}});
        integrator->set_newton({.max_iterations = 50, .tolerance = 1e-11});
        double sum = 0;
        for (int i = 0; i < 1000; ++i) {
            ASSERT_TRUE(integrator->step(dumbbell.problem.system, state, h).ok()) << key;
            const double r = vec3(state.x, 1).norm();
            const double w = Dumbbell::angular_momentum(state) / (2 * r * r);
            sum += h * r_K * w * w;
        }

        EXPECT_NEAR(std::log(before / Dumbbell::angular_momentum(state)), sum, 0.01 * sum) << key;
        EXPECT_GT(sum, 0.1) << key;
        // and the centre stays
        EXPECT_LE((vec3(state.x, 0) + vec3(state.x, 1)).norm(), 1e-10) << key;
    }
}

TEST(Rayleigh, MassDampingSlowsAFall) {
    // v' = g - r v
    const State end = run_linear(*make_with("newmark", {{"rayleigh_mass", 2}}),
                                 LinearSystem(0, 0, -9.81), {0, scalar(0), scalar(0)}, 1, 1000);

    EXPECT_NEAR(end.v[0], -9.81 / 2 * (1 - std::exp(-2.0)), 1e-5);
}

}  // namespace
}  // namespace taffeta::ode
