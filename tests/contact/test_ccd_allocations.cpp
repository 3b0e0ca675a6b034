#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "helpers/ccd_cases.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/ccd_filter.h"

// Sanitizers bring their own malloc.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<long> ccd_allocations = 0;

}  // namespace

extern "C" void* __libc_malloc(std::size_t bytes);

/// Counts what `new` allocates in this program.
extern "C" void* malloc(std::size_t bytes) {
    ++ccd_allocations;
    return __libc_malloc(bytes);
}

namespace taffeta::contact {
namespace {

TEST(CcdAllocations, TheFilterMakesNone) {
    test::CcdCases cases(3);
    int decided = 0;
    long made = 0;
    for (int k = 0; k < 2000; ++k) {
        const CcdQuery query = cases.next().query;
        const long before = ccd_allocations;
        decided += filter_touches(query) != FilterAnswer::unsure;
        decided += filter_first_contact(query).answer != FilterAnswer::unsure;
        first_within(query, {});
        made += ccd_allocations - before;
    }

    EXPECT_EQ(made, 0);
    EXPECT_GT(decided, 1000);
}

/// The integers that ordinary coordinates need have their words inside.
TEST(CcdAllocations, OrdinaryCoordinatesNeedNoneEither) {
    test::CcdCases cases(4);
    long made = 0;
    for (int k = 0; k < 2000; ++k) {
        const CcdQuery query = cases.next().query;
        const long before = ccd_allocations;
        touches_exactly(query);
        made += ccd_allocations - before;
    }

    EXPECT_EQ(made, 0);
}

}  // namespace
}  // namespace taffeta::contact

#endif
