#include <gtest/gtest.h>

#include <cmath>

#include "ode/study_helpers.h"
#include "taffeta/base/error.h"
#include "taffeta/ode/study/reference.h"
#include "taffeta/ode/study/spectrum.h"

/// The problems of the study: solutions in closed form solve their equation, slopes are those of the
/// force, reference values are those of an independent computation.
namespace taffeta::ode::study {
namespace {

using namespace testing;

class EveryProblem : public ::testing::TestWithParam<const ProblemEntry*> {
  protected:
    std::unique_ptr<Problem> make() const { return make_problem(std::string(GetParam()->key)); }
};

class EverySolvedProblem : public EveryProblem {};
class EveryUndampedProblem : public EveryProblem {};

TEST_P(EverySolvedProblem, HasASolutionThatSolvesItsEquation) {
    const auto problem = make();
    VecX f, a;
    for (const double part : {0.0, 0.13, 0.5, 0.77, 1.0}) {
        const double t = part * problem->end;
        const State now = problem->exact(t);
        problem->system->force(t, now.x, now.v, f);
        problem->system->solve_mass(f, a);

        // Central differences of (x, v) against (v, a): the error falls like h^2.
        const auto miss = [&](double h) {
            const State before = problem->exact(t - h), after = problem->exact(t + h);
            const double velocity = ((after.v - before.v) / (2 * h) - a).norm();
            const double place = ((after.x - before.x) / (2 * h) - now.v).norm();
            return problem->first_order ? velocity : velocity + place;
        };
        const double scale = 1 + a.norm() + now.v.norm();
        EXPECT_LE(miss(1e-4), 3e-5 * scale) << t;
        EXPECT_LE(miss(1e-5), 3e-7 * scale) << t;
    }
}

TEST_P(EverySolvedProblem, StartsWhereItsSolutionStarts) {
    const auto problem = make();

    EXPECT_LE(problem->distance(problem->exact(0), problem->start), 1e-13);
}

TEST_P(EveryProblem, DeclaresWhatItIs) {
    const auto problem = make();
    const ProblemProperties& properties = GetParam()->properties;

    EXPECT_EQ(bool(problem->exact), properties.exact);
    EXPECT_EQ(problem->first_order, properties.first_order);
    EXPECT_GT(problem->cost.force, 0);
    EXPECT_GT(problem->cost.solve, 0);
    EXPECT_FALSE(problem->names.empty());
    EXPECT_EQ(problem->start.x.size(), problem->system->size());
    // D = -df/dv is not zero where the problem declares damping, and zero elsewhere.
    const VecX u = VecX::Ones(problem->system->size());
    VecX image;
    problem->system->linearize(0, problem->start.x, problem->start.v);
    problem->system->apply({.m = 0, .d = 1, .k = 0}, u, image);
    EXPECT_EQ(image.norm() > 0, properties.damped);
}

TEST_P(EveryProblem, HasTheSlopesOfItsForce) {
    const auto problem = make();
    SecondOrderSystem& system = *problem->system;
    const Eigen::Index n = system.size();
    const State at = reference_state(*problem, 0.3 * problem->end, 1e-6).state;
    VecX u(n), product, up, down;
    for (Eigen::Index i = 0; i < n; ++i)
        u[i] = std::sin(1.7 * double(i + 1));
    system.linearize(at.t, at.x, at.v);

    for (const bool damping : {false, true}) {
        system.apply({.m = 0, .d = damping ? 1.0 : 0.0, .k = damping ? 0.0 : 1.0}, u, product);
        const auto miss = [&](double h) {
            const VecX step = h * u, none = VecX::Zero(n);
            system.force(at.t, at.x + (damping ? none : step), at.v + (damping ? step : none), up);
            system.force(at.t, at.x - (damping ? none : step), at.v - (damping ? step : none),
                         down);
            return ((down - up) / (2 * h) - product).norm();
        };
        EXPECT_LE(miss(1e-4), 1e-5 * (1 + product.norm())) << (damping ? "D" : "K");
    }
}

TEST_P(EveryUndampedProblem, KeepsItsInvariantsAlongTheReference) {
    const auto problem = make();
    const State end = reference_state(*problem, problem->end).state;

    const double E = problem->energy(problem->start);
    EXPECT_NEAR(problem->energy(end), E, 1e-9 * std::max(1.0, std::abs(E)));
    if (problem->angular_momentum) {
        const Vec3 L = problem->angular_momentum(problem->start);
        EXPECT_LE((problem->angular_momentum(end) - L).norm(), 1e-10 * (1 + L.norm()));
    }
}

std::vector<const ProblemEntry*> problems_with(bool ProblemProperties::*property, bool value) {
    std::vector<const ProblemEntry*> entries;
    for (const ProblemEntry* entry : problems())
        if (entry->properties.*property == value) entries.push_back(entry);
    return entries;
}

std::string key_of_problem(const ::testing::TestParamInfo<const ProblemEntry*>& tested) {
    return std::string(tested.param->key);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryProblem,
                         ::testing::ValuesIn(problems().begin(), problems().end()), key_of_problem);
INSTANTIATE_TEST_SUITE_P(Registered, EverySolvedProblem,
                         ::testing::ValuesIn(problems_with(&ProblemProperties::exact, true)),
                         key_of_problem);
INSTANTIATE_TEST_SUITE_P(Registered, EveryUndampedProblem,
                         ::testing::ValuesIn(problems_with(&ProblemProperties::damped, false)),
                         key_of_problem);

TEST(Problems, HaveTheReferenceValuesOfHauthsExamples) {
    struct Expected {
        const char* key;
        double y, rate;
    };
    for (const auto& [key, y, rate] :
         {Expected{"hauth_2", 0.0009218681310631233, -0.00051948036815439174},
          {"hauth_3", -1.0099968966336039, -0.00021877594788567278},
          {"wave", -0.93249676851112762, 0.80761926895135605}}) {
        const auto problem = make_problem(key);
        const State end = problem->exact(problem->end);

        EXPECT_NEAR(end.x[0], y, 1e-15 + 2e-15 * std::abs(y)) << key;
        EXPECT_NEAR(end.v[0], rate, 1e-14) << key;
    }
    EXPECT_NEAR(make_problem("hauth_1a")->exact(1).v[0], 7.3890560989306504, 1e-14);
    EXPECT_NEAR(make_problem("hauth_1b")->exact(1).v[0], 3.0590232050182579e-07, 1e-21);
}

TEST(Problems, ReferenceByExtrapolationMeetsTheClosedForm) {
    for (const char* key : {"hauth_2", "hauth_3", "wave", "pendulum", "kepler", "free_fall"}) {
        const auto problem = make_problem(key);
        const State exact = problem->exact(problem->end);
        problem->exact = nullptr;

        const Reference found = reference_state(*problem, problem->end);

        EXPECT_TRUE(found.ok) << key << ": " << found.message;
        EXPECT_FALSE(found.closed_form);
        EXPECT_LE(problem->distance(found.state, exact), 2e-12 * problem->size(exact)) << key;
    }
}

TEST(Problems, ReferenceThatCannotBeHadSaysSo) {
    // Half a billion periods are more than it will follow.
    const auto problem =
        make_problem("spring_1d", options({{"stiffness", 1e9}, {"end", 1e5}, {"rest_length", 0}}));
    problem->exact = nullptr;

    const Reference found = reference_state(*problem, problem->end);

    EXPECT_FALSE(found.ok);
    EXPECT_FALSE(found.message.empty());
    EXPECT_GT(found.error, 1e-8);
}

TEST(SpringSheet, HasTheStiffnessOfTheReference) {
    // 81 particles of 0.2 kg, k = 1: h^2 of the largest eigenvalue of M^-1 K at h = 0.01 is 15.159 of
    // the free sheet; two held corners lower it by a little. It is proportional to k.
    const auto problem = make_problem("spring_sheet");
    const auto soft = make_problem("spring_sheet", options({{"stiffness", 0.001}}));

    const double found = 1e-4 * measure_spectrum(*problem, problem->start, 3000).stiffness;

    EXPECT_NEAR(found, 15.159, 0.005);
    EXPECT_LE(found, 15.159 + 5e-4);
    EXPECT_NEAR(1e-4 * measure_spectrum(*soft, soft->start, 3000).stiffness, 1e-3 * found, 1e-6);
    EXPECT_EQ(problem->system->size(), 237);
}

TEST(SpringSheet, SolvesWithItsMatrix) {
    const auto problem = make_problem("spring_sheet", options({{"damping", 0.01}, {"side", 5}}));
    SecondOrderSystem& system = *problem->system;
    const State at = reference_state(*problem, 0.1, 1e-6).state;
    VecX rhs(system.size()), u, back;
    for (Eigen::Index i = 0; i < rhs.size(); ++i)
        rhs[i] = std::cos(0.9 * double(i));
    system.linearize(0, at.x, VecX::Zero(rhs.size()));
    const Coefficients c{.m = 1, .d = 0.01, .k = 1e-4};

    const SolveReport report = system.solve(c, rhs, 0, u);

    ASSERT_TRUE(report.ok()) << report.message;
    system.apply(c, u, back);
    EXPECT_LE((back - rhs).norm(), 1e-10 * rhs.norm());
}

TEST(Problems, RefuseWhatIsNoProblem) {
    EXPECT_THROW(make_problem("keppler"), Error);
    EXPECT_THROW(make_problem("kepler", options({{"eccentricity", 1.2}})), Error);
    EXPECT_THROW(make_problem("kepler", options({{"eccentricty", 0.2}})), Error);
    EXPECT_THROW(make_problem("pendulum", options({{"rate", 100}})), Error);
}

}  // namespace
}  // namespace taffeta::ode::study
