#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "ode/spring_network.h"
#include "taffeta/base/parallel.h"

// Sanitizers bring their own malloc.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<long> spring_allocations = 0;

}  // namespace

extern "C" void* __libc_malloc(std::size_t bytes);

/// Counts what `new`, the containers and Eigen allocate in this program.
extern "C" void* malloc(std::size_t bytes) {
    ++spring_allocations;
    return __libc_malloc(bytes);
}

namespace taffeta::ode {
namespace {

TEST(SpringAllocations, AreNoneOnceSizesAreKnown) {
    set_thread_count(1);
    for (const char* key : {"pbd", "xpbd", "projective_dynamics"}) {
        testing::SpringProblem sheet = testing::spring_sheet(12, 100, 1e-3);
        sheet.system.hold(0);
        const auto method = testing::spring_method(key, Settings::object());
        long before = spring_allocations;
        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE(method->step(sheet.system, sheet.start, 0.01).ok()) << key;
        EXPECT_GT(spring_allocations - before, 0) << key;  // the counter counts

        before = spring_allocations;
        bool ok = true;
        for (int i = 0; i < 5; ++i)
            ok = method->step(sheet.system, sheet.start, 0.01).ok() && ok;
        const long made = spring_allocations - before;

        EXPECT_TRUE(ok) << key;
        EXPECT_EQ(made, 0) << key;
    }
    set_thread_count(0);
}

}  // namespace
}  // namespace taffeta::ode

#endif
