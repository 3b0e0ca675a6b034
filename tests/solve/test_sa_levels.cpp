#include <gtest/gtest.h>

#include <algorithm>

#include "solve/folded_sheet.h"
#include "solve/sa_helpers.h"
#include "taffeta/base/byte_stream.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/solve/sa/options.h"
#include "taffeta/solve/sa/prolongator.h"

/// What the levels of smoothed aggregation are made of: translations first or rotations at once, and
/// what of them outlives a frame.
namespace taffeta::solve {
namespace {

using testing::elastic_matrix;
using testing::Random;
using testing::sheet;

constexpr Index side = 60;  // 3600 vertices: enough for a level of translations

/// A sheet of mass one a vertex: stiffness makes it as local as asked.
sparse::Matrix3 sheet_matrix(double stiffness) {
    return elastic_matrix(side, side, stiffness);
}
constexpr double local = 100, global = 1e6;

std::string table_of(const sparse::Matrix3& A) {
    const VecX x = sheet(side, side), b = Random(3).field(side * side);
    const auto solver = testing::make_solver("prefiltered_pcg", {{"tolerance", 1e-8}}, "sa");
    solver->set_near_kernel({&x});
    VecX solution = VecX::Zero(b.size());
    const SolveReport report = solver->solve(A, sparse::NodeFilter(side * side), b, solution);
    EXPECT_TRUE(report.ok()) << report.message;
    VecX image(b.size());
    sparse::multiply(A, solution, image);
    EXPECT_LE((image - b).norm(), 1e-5 * b.norm());
    return solver->description();
}

/// Block sizes of the levels, from the third column of the table.
std::vector<int> block_sizes(const std::string& table) {
    std::vector<int> sizes;
    std::istringstream lines(table);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.find("complexity") == std::string::npos) {
        std::istringstream columns(line);
        int level = 0, vertices = 0, block = 0;
        columns >> level >> vertices >> block;
        sizes.push_back(block);
    }
    return sizes;
}

TEST(StiffnessOverMass, ComparesTheDiagonalWithWhatTranslationsFeel) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 40, 0, 7);
    const Eigen::MatrixXd full = testing::dense(A);
    double felt = 0;
    for (int k = 0; k < 3; ++k) {
        VecX t = VecX::Zero(full.rows());
        for (Eigen::Index i = k; i < t.size(); i += 3)
            t[i] = 1;
        felt += t.dot(full * t);
    }

    EXPECT_NEAR(sa::stiffness_over_mass(A), full.trace() / felt, 1e-10 * full.trace() / felt);
}

TEST(StiffnessOverMass, IsInfiniteWithoutMass) {
    sparse::Matrix3 A = testing::grid_matrix(6, 5, 40, 0, 7);
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        A.block(s).setZero();

    EXPECT_EQ(sa::stiffness_over_mass(A), std::numeric_limits<double>::infinity());
}

TEST(SmoothedAggregationLevels, TranslationsComeFirstWhereTheSystemIsLocal) {
    EXPECT_EQ(block_sizes(table_of(sheet_matrix(local))).at(1), 3);
    EXPECT_EQ(block_sizes(table_of(sheet_matrix(local))).at(2), 6);
}

TEST(SmoothedAggregationLevels, RotationsComeAtOnceWhereItIsNot) {
    EXPECT_EQ(block_sizes(table_of(sheet_matrix(global))).at(1), 6);
}

TEST(SmoothedAggregationLevels, WhatTheUserSaysIsDone) {
    for (const bool translations : {true, false}) {
        sa::Options options;
        options.translations = translations;

        EXPECT_EQ(options.recipe().made_for(sheet_matrix(local)).translations, translations);
        EXPECT_EQ(options.recipe().made_for(sheet_matrix(global)).translations, translations);
    }
}

TEST(SmoothedAggregationLevels, TranslationsOfAggregatesCarryTheRotationsOfAll) {
    // P^ R of a rotation is the rotation at the middle of each aggregate.
    const VecX x = sheet(9, 1);
    sa::Kernel<3> kernel(9);
    for (Index v = 0; v < 9; ++v) {
        kernel[std::size_t(v)].leftCols<3>().setIdentity();
        for (int k = 0; k < 3; ++k)
            kernel[std::size_t(v)].col(3 + k) = Vec3::Unit(k).cross(vec3(x, v));
    }
    const sa::Aggregates thirds{{0, 0, 0, 1, 1, 1, 2, 2, 2}, 3};

    const sa::Tentative<3> found = sa::tentative<3>(kernel, thirds);

    for (Index v = 0; v < 9; ++v) {
        const Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>> Q(found.block.data() +
                                                                              9 * v);
        const sa::KernelBlock<3> carried = Q.cast<double>() * found.coarse[std::size_t(v / 3)];
        const Vec3 middle = vec3(x, v / 3 * 3 + 1);
        EXPECT_LE((carried.leftCols<3>() - Mat3::Identity()).norm(), 1e-6);
        for (int k = 0; k < 3; ++k)
            EXPECT_LE((carried.col(3 + k) - Vec3::Unit(k).cross(middle)).norm(), 1e-7);
    }
}

TEST(SmoothedAggregationLevels, TheCycleIsSymmetricAndPositive) {
    for (const bool translations : {true, false}) {
        sa::Options options;
        options.translations = translations;
        const sparse::Matrix3 A = sheet_matrix(1000);
        const VecX x = sheet(side, side);
        sparse::NodeFilter filter(side * side);
        for (Index v = 0; v < side; ++v)
            filter.fix(v);
        sa::Hierarchy hierarchy(options.recipe());
        ASSERT_TRUE(hierarchy.build(A, filter, {&x}).ok());
        VecX u = Random(1).field(side * side), v = Random(2).field(side * side);
        filter.project(u), filter.project(v);
        VecX Mu = u, Mv = v;

        hierarchy.cycle(u, Mu);
        hierarchy.cycle(v, Mv);

        EXPECT_NEAR(u.dot(Mv), v.dot(Mu), 1e-5 * std::sqrt(u.dot(Mu) * v.dot(Mv)));
        EXPECT_GT(u.dot(Mu), 0);
    }
}

TEST(SmoothedAggregationLevels, AHierarchyThatIsLoadedGivesTheSameBits) {
    for (const double stiffness : {local, global})
        for (const bool chebyshev : {false, true})
            for (const bool many : {false, true}) {
                const auto make = [&] {
                    Settings settings = Settings::object();
                    settings["type"] = Settings::of(std::string("sa"));
                    if (chebyshev) settings["smoother"] = Settings::of(std::string("chebyshev"));
                    return find_entry(preconditioners(), "preconditioner", "sa").make(settings);
                };
                sparse::NodeFilter filter(side * side);
                for (Index v = 0; many && v < side * side; v += 8)
                    filter.fix(v);
                const VecX x = sheet(side, side), r = Random(2).field(side * side);
                const auto gone_on = make(), resumed = make();
                ASSERT_TRUE(gone_on->setup(sheet_matrix(stiffness), filter, {&x}).ok());
                // The next matrix has its pattern in another place, as after a start of the program.
                const sparse::Matrix3 next = sheet_matrix(1.5 * stiffness);
                VecX expected(r.size()), found(r.size());

                gone_on->settle();
                resumed->load(gone_on->save());
                ASSERT_TRUE(gone_on->setup(next, filter, {&x}).ok());
                ASSERT_TRUE(resumed->setup(next, filter, {&x}).ok());
                gone_on->apply(r, expected);
                resumed->apply(r, found);

                EXPECT_EQ(found, expected);
                EXPECT_EQ(resumed->description(), gone_on->description());
                EXPECT_EQ(resumed->setup_counts().built, 0);
                EXPECT_EQ(gone_on->setup_counts().built, 1);
            }
}

TEST(SmoothedAggregationLevels, WhatIsLoadedIsNotUsedForAnotherPattern) {
    const auto make = [] {
        return find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
    };
    const VecX x = sheet(side, side);
    const sparse::NodeFilter filter(side * side);
    const auto one = make(), other = make();
    ASSERT_TRUE(one->setup(sheet_matrix(1000), filter, {&x}).ok());
    one->settle();
    const sparse::Matrix3 turned = elastic_matrix(side / 2, side * 2, 1e3);  // as many vertices

    other->load(one->save());
    ASSERT_TRUE(other->setup(turned, filter, {&x}).ok());

    EXPECT_EQ(other->setup_counts().built, 1);
}

TEST(SmoothedAggregationLevels, NothingIsSavedOfWhatWasNeverMade) {
    const auto make = [] {
        return find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
    };
    const auto empty = make(), other = make();
    const VecX x = sheet(side, side);

    other->load(empty->save());

    ASSERT_TRUE(other->setup(sheet_matrix(1000), sparse::NodeFilter(side * side), {&x}).ok());
    EXPECT_EQ(other->setup_counts().built, 1);
}

TEST(SmoothedAggregationLevels, LevelsThatWearOutInOneSolveAreMadeForEach) {
    // Told that the second solve with the same levels always takes 20 iterations more.
    const auto sa = find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
    const sparse::Matrix3 A = sheet_matrix(1000);
    const sparse::NodeFilter filter(side * side);
    const VecX x = sheet(side, side);
    int kept = 0;
    for (int k = 0; k < 9; ++k) {
        const int before = sa->setup_counts().kept;
        ASSERT_TRUE(sa->setup(A, filter, {&x}).ok());
        SolveReport report;
        report.status = SolveStatus::converged;
        report.iterations = sa->setup_counts().kept > before ? 30 : 10;
        kept += report.iterations == 30;
        sa->learn(report);
    }

    EXPECT_EQ(kept, 1);
}

std::unique_ptr<Preconditioner> automatic() {
    return find_entry(preconditioners(), "preconditioner", "auto").make(Settings::object());
}

TEST(AutoPreconditioner, BeginsByHowFarStiffnessOutweighsMass) {
    const VecX x = sheet(side, side);
    for (const auto& [stiffness, multigrid] : {std::pair{1.0, false}, {global, true}}) {
        const auto preconditioner = automatic();

        ASSERT_TRUE(
            preconditioner->setup(sheet_matrix(stiffness), sparse::NodeFilter(side * side), {&x})
                .ok());

        EXPECT_EQ(preconditioner->block_diagonal() == nullptr, multigrid) << stiffness;
    }
}

TEST(AutoPreconditioner, ChangesToMultigridWhenBlockJacobiTakesMoreThanThePriceAndStaysThere) {
    const VecX x = sheet(side, side);
    const sparse::Matrix3 A = sheet_matrix(1);
    const sparse::NodeFilter filter(side * side);
    const auto one = automatic(), resumed = automatic();
    SolveReport report;
    report.status = SolveStatus::converged;
    ASSERT_TRUE(one->setup(A, filter, {&x}).ok());
    report.iterations = 30;
    one->learn(report);
    ASSERT_TRUE(one->setup(A, filter, {&x}).ok());
    EXPECT_NE(one->block_diagonal(), nullptr);

    report.iterations = 60;
    one->learn(report);
    ASSERT_TRUE(one->setup(A, filter, {&x}).ok());
    EXPECT_EQ(one->block_diagonal(), nullptr);
    one->settle();
    resumed->load(one->save());

    ASSERT_TRUE(resumed->setup(A, filter, {&x}).ok());
    EXPECT_EQ(resumed->block_diagonal(), nullptr);
    EXPECT_EQ(resumed->setup_counts().built, 0);
}

/// A pile whose factors cost more than the iterations that they save.
testing::Folded costly_pile() {
    testing::Folded pile(20, 6, 10);
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
        const testing::Folded more(20, 6, 10, seed);
        pile.terms.insert(pile.terms.end(), more.terms.begin(), more.terms.end());
    }
    return pile;
}

/// Solves the system again and again, as far as `auto` can tell: iterations of both methods are given.
std::string choices(Preconditioner& preconditioner, const testing::Folded& sheet, int solves,
                    int simple, int multigrid) {
    const sparse::Matrix3 A = sheet.whole();
    const sparse::NodeFilter filter(sheet.vertices());
    SolveReport report;
    report.status = SolveStatus::converged;
    std::string made;
    for (int k = 0; k < solves; ++k) {
        preconditioner.set_stiff_terms({&sheet.E, sheet.terms, true});
        EXPECT_TRUE(preconditioner.setup(A, filter, {&sheet.x}).ok());
        const bool is_simple = preconditioner.block_diagonal() != nullptr;
        made += is_simple ? 'j' : 'm';
        report.iterations = is_simple ? simple : multigrid;
        preconditioner.learn(report);
    }
    return made;
}

/// What a solve of the pile with multigrid costs, in iterations of block Jacobi.
int cost_of_multigrid(const testing::Folded& pile, int iterations = 15) {
    const auto sa = find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
    sa->set_stiff_terms({&pile.E, pile.terms, true});
    const sparse::Matrix3 A = pile.whole();
    const sparse::NodeFilter filter(pile.vertices());
    EXPECT_TRUE(sa->setup(A, filter, {&pile.x}).ok());
    EXPECT_GT(sa->cost(15), sa->cost(14));
    return int(sa->cost(iterations));
}

TEST(AutoPreconditioner, LeavesMultigridWhereSpringsMakeItDearerAndTriesItAgain) {
    const testing::Folded pile = costly_pile();
    const int cost = cost_of_multigrid(pile);
    const auto near = automatic(), far = automatic();

    const std::string made = choices(*near, pile, 120, cost * 3 / 4, 15);
    const std::string made_far = choices(*far, pile, 120, cost / 4, 15);

    EXPECT_EQ(made.substr(0, 3), "mjj") << "what it cost is known after the first solve";
    EXPECT_EQ(std::count(made.begin(), made.end(), 'm'), 3) << "every fifty solves: " << made;
    EXPECT_EQ(std::count(made_far.begin(), made_far.end(), 'm'), 1) << made_far;
    near->settle();
    const auto resumed = automatic();
    resumed->load(near->save());
    EXPECT_EQ(choices(*resumed, pile, 60, cost * 3 / 4, 15),
              choices(*near, pile, 60, cost * 3 / 4, 15));
}

TEST(AutoPreconditioner, StaysWithMultigridAfterOneDearSolveAndLeavesAfterMany) {
    const testing::Folded pile = costly_pile();
    const int cost = cost_of_multigrid(pile), simple = cost * 4 / 3;
    const int dear = 15 + 100 * cost / (cost_of_multigrid(pile, 115) - cost);  // twice the cost
    const auto one = automatic();
    ASSERT_EQ(choices(*one, pile, 2, simple, 15), "mj") << "what block Jacobi takes is now known";

    EXPECT_EQ(choices(*one, pile, 10, simple, 15), std::string(10, 'm'));
    EXPECT_EQ(choices(*one, pile, 1, simple, dear), "m");
    EXPECT_EQ(choices(*one, pile, 1, simple, 15), "m");
    EXPECT_NE(choices(*one, pile, 30, simple, dear).find('j'), std::string::npos);
}

TEST(AutoPreconditioner, LeavesMultigridThatFailsUnderSpringsForAWhile) {
    const testing::Folded pile = costly_pile();
    const sparse::Matrix3 A = pile.whole();
    const sparse::NodeFilter filter(pile.vertices());
    const auto one = automatic();
    one->set_stiff_terms({&pile.E, pile.terms, true});
    ASSERT_TRUE(one->setup(A, filter, {&pile.x}).ok());
    ASSERT_EQ(one->block_diagonal(), nullptr);
    SolveReport report;
    report.status = SolveStatus::breakdown;  // after no iteration, which is cheap
    one->learn(report);
    one->settle();
    const auto resumed = automatic();
    resumed->load(one->save());

    const std::string made = choices(*one, pile, 10, 20000, 15);

    EXPECT_EQ(choices(*resumed, pile, 10, 20000, 15), made);
    EXPECT_EQ(made.substr(0, 1), "m") << "nothing is known of it: as at the start";
    report.status = SolveStatus::converged;
    report.iterations = 15;
    for (const SolveStatus status : {SolveStatus::converged, SolveStatus::breakdown}) {
        one->set_stiff_terms({&pile.E, pile.terms, true});
        ASSERT_TRUE(one->setup(A, filter, {&pile.x}).ok());
        ASSERT_EQ(one->block_diagonal(), nullptr);
        report.status = status;
        one->learn(report);
    }
    EXPECT_EQ(choices(*one, pile, 50, 20000, 15), std::string(50, 'j'));
    EXPECT_EQ(choices(*one, pile, 1, 20000, 15), "m");
}

TEST(AutoPreconditioner, ASolveThatWasCutShortTellsHowManyItTakesAtLeast) {
    const testing::Folded pile = costly_pile();
    const auto one = automatic();
    EXPECT_EQ(choices(*one, pile, 2, 150, 15), "mj");
    SolveReport report;
    report.status = SolveStatus::max_iterations;
    report.iterations = 100000;
    one->learn(report);

    EXPECT_EQ(choices(*one, pile, 1, 150, 15), "m");
}

TEST(AutoPreconditioner, StaysWithMultigridWhereBlockJacobiTakesFarMoreUnderSprings) {
    const auto one = automatic();

    const std::string made = choices(*one, costly_pile(), 120, 20000, 15);

    EXPECT_LE(std::count(made.begin(), made.end(), 'j'), 2) << made;
}

}  // namespace
}  // namespace taffeta::solve
