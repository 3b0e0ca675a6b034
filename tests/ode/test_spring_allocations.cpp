#include <gtest/gtest.h>

#include "helpers/allocation_counter.h"
#include "ode/spring_network.h"
#include "taffeta/base/parallel.h"

#ifdef TAFFETA_COUNTS_ALLOCATIONS

namespace taffeta::ode {
namespace {

TEST(SpringAllocations, AreNoneOnceSizesAreKnown) {
    set_thread_count(1);
    for (const char* key : {"pbd", "xpbd", "projective_dynamics"}) {
        testing::SpringProblem sheet = testing::spring_sheet(12, 100, 1e-3);
        sheet.system.hold(0);
        const auto method = testing::spring_method(key, Settings::object());
        long before = taffeta::test::allocations;
        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE(method->step(sheet.system, sheet.start, 0.01).ok()) << key;
        EXPECT_GT(taffeta::test::allocations - before, 0) << key;  // the counter counts

        before = taffeta::test::allocations;
        bool ok = true;
        for (int i = 0; i < 5; ++i)
            ok = method->step(sheet.system, sheet.start, 0.01).ok() && ok;
        const long made = taffeta::test::allocations - before;

        EXPECT_TRUE(ok) << key;
        EXPECT_EQ(made, 0) << key;
    }
    set_thread_count(0);
}

}  // namespace
}  // namespace taffeta::ode

#endif
