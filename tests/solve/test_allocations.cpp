#include <gtest/gtest.h>

#include "helpers/allocation_counter.h"
#include "solve/sa_helpers.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/hierarchy.h"

#ifdef TAFFETA_COUNTS_ALLOCATIONS

namespace taffeta::solve {
namespace {

TEST(Allocations, DoNotGrowWithTheNumberOfIterations) {
    const sparse::Matrix3 A = testing::grid_matrix(60, 60, 1e3, 1, 1);
    sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    filter.zero_targets();
    const VecX b = testing::Random(3).field(A.rows());
    set_thread_count(1);
    for (const char* key : {"prefiltered_pcg", "filtered_cg"}) {
        const auto solver = testing::make_solver(key);
        const auto count = [&](double tolerance) {
            solver->set_tolerance(tolerance);
            VecX x = VecX::Zero(b.size());
            const long before = taffeta::test::allocations;
            const SolveReport report = solver->solve(A, filter, b, x);
            const long made = taffeta::test::allocations - before;
            EXPECT_TRUE(report.ok()) << key << ": " << report.message;
            return std::pair(report.iterations, made);
        };
        count(1e-1);  // sizes the scratch

        const auto [few, allocations_few] = count(1e-1);
        const auto [many, allocations_many] = count(1e-5);

        EXPECT_GT(many, few + 20) << key;
        EXPECT_EQ(allocations_many, allocations_few) << key;
    }
    set_thread_count(0);
}

TEST(Allocations, AreNotMadeByAPreconditionerThatIsApplied) {
    const sparse::Matrix3 A = testing::grid_matrix(60, 60, 1e3, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    VecX r = testing::Random(3).field(A.rows()), z;
    filter.project(r);
    set_thread_count(1);
    for (const char* key : {"block_jacobi", "ssor", "ic0", "chebyshev"}) {
        const auto preconditioner =
            make_entry(preconditioners(), "preconditioner", Settings::of(std::string(key)), "sa");
        const long before_setup = taffeta::test::allocations;
        ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
        const long first_setup = taffeta::test::allocations - before_setup;
        preconditioner->apply(r, z);  // sizes the scratch

        long before = taffeta::test::allocations;
        for (int k = 0; k < 5; ++k)
            preconditioner->apply(r, z);
        EXPECT_EQ(taffeta::test::allocations - before, 0) << key;

        // The same pattern again: no array is made anew, only the odd partial sum.
        before = taffeta::test::allocations;
        ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
        EXPECT_LE(taffeta::test::allocations - before, 4)
            << key << ", the first time " << first_setup;
    }
    set_thread_count(0);
}

/// New values on old patterns need no new memory: pages that are new cost more than what is computed in
/// them.
TEST(Allocations, AreNotMadeByARefreshOfMultigrid) {
    constexpr Index side = 60;  // enough for a level of translations
    const VecX x = testing::sheet(side, side);
    const sparse::NodeFilter filter = testing::mixed_filter(side * side, 9);
    set_thread_count(1);
    for (const bool local : {true, false}) {
        const sparse::Matrix3 A = testing::elastic_matrix(side, side, local ? 100 : 1e6);
        sa::Hierarchy hierarchy(sa::Options().recipe());
        ASSERT_TRUE(hierarchy.build(A, filter, {&x}).ok());
        ASSERT_TRUE(hierarchy.refresh(A, filter, {&x}, true).ok());  // sizes the scratch
        for (const bool coarse : {true, false}) {
            const long before = taffeta::test::allocations;
            ASSERT_TRUE(hierarchy.refresh(A, filter, {&x}, coarse).ok());
            // Which row was bad, of each level.
            EXPECT_LE(taffeta::test::allocations - before, 8) << local << " " << coarse;
        }
    }
    set_thread_count(0);
}

}  // namespace
}  // namespace taffeta::solve

#endif
