#include <gtest/gtest.h>

#include "helpers/allocation_counter.h"
#include "helpers/ccd_cases.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/ccd_filter.h"

#ifdef TAFFETA_COUNTS_ALLOCATIONS

namespace taffeta::contact {
namespace {

TEST(CcdAllocations, TheFilterMakesNone) {
    test::CcdCases cases(3);
    int decided = 0;
    long made = 0;
    for (int k = 0; k < 2000; ++k) {
        const CcdQuery query = cases.next().query;
        const long before = taffeta::test::allocations;
        decided += filter_touches(query) != FilterAnswer::unsure;
        decided += filter_first_contact(query).answer != FilterAnswer::unsure;
        first_within(query, {});
        made += taffeta::test::allocations - before;
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
        const long before = taffeta::test::allocations;
        touches_exactly(query);
        made += taffeta::test::allocations - before;
    }

    EXPECT_EQ(made, 0);
}

}  // namespace
}  // namespace taffeta::contact

#endif
