#include <gtest/gtest.h>

#include <set>

#include "sparse/systems.h"
#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {
namespace {

using testing::Random;

/// The definition, pair by pair.
std::vector<std::set<Index>> brute_force(Index vertices, const std::vector<StencilSet>& sets) {
    std::vector<std::set<Index>> rows(static_cast<std::size_t>(vertices));
    for (Index i = 0; i < vertices; ++i)
        rows[std::size_t(i)].insert(i);
    for (const StencilSet& set : sets)
        for (Index e = 0; e < set.count(); ++e)
            for (int i = 0; i < set.size; ++i)
                for (int j = 0; j < set.size; ++j) {
                    const Index a = set.vertices[std::size_t(e * set.size + i)];
                    const Index b = set.vertices[std::size_t(e * set.size + j)];
                    if (a >= 0 && b >= 0) rows[std::size_t(a)].insert(b);
                }
    return rows;
}

TEST(Pattern, EqualsBruteForceForRandomStencils) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const Index vertices = 1 + random.index(40);
        std::vector<Index> triangles, hinges;
        for (Index k = 0; k < 3 * random.index(60); ++k)
            triangles.push_back(random.index(vertices));
        for (Index k = 0; k < 4 * random.index(60); ++k)
            hinges.push_back(random.index(vertices + 1) - 1);
        triangles.resize(triangles.size() / 3 * 3);
        hinges.resize(hinges.size() / 4 * 4);
        const std::vector<StencilSet> sets = {{3, triangles}, {4, hinges}};

        const Pattern pattern = make_pattern(vertices, sets);

        const auto expected = brute_force(vertices, sets);
        ASSERT_EQ(pattern->rows(), vertices);
        EXPECT_EQ(find_fault(*pattern), "");
        for (Index i = 0; i < vertices; ++i) {
            const std::vector<Index> row(
                pattern->column.begin() + pattern->row_begin[std::size_t(i)],
                pattern->column.begin() + pattern->row_begin[std::size_t(i) + 1]);
            const auto& wanted = expected[std::size_t(i)];
            EXPECT_EQ(row, std::vector<Index>(wanted.begin(), wanted.end())) << "row " << i;
            for (Index j = 0; j < vertices; ++j) {
                const Index slot = pattern->slot(i, j);
                EXPECT_EQ(slot >= 0, wanted.count(j) > 0);
                if (slot < 0) continue;
                EXPECT_EQ(pattern->column[std::size_t(slot)], j);
            }
        }
    }
}

TEST(Pattern, AlwaysHasTheDiagonalAndAllowsNothing) {
    const Pattern none = make_pattern(0, {});
    const Pattern alone = make_pattern(3, {});

    EXPECT_EQ(none->rows(), 0);
    EXPECT_EQ(none->blocks(), 0);
    EXPECT_EQ(alone->column, (std::vector<Index>{0, 1, 2}));
    EXPECT_EQ(alone->diagonal, (std::vector<Index>{0, 1, 2}));
}

TEST(Pattern, IsTheSameForAnyNumberOfThreads) {
    std::vector<Index> hinges;
    Random random(7);
    const Index vertices = 20000;
    for (Index k = 0; k < 4 * 30000; ++k)
        hinges.push_back(random.index(vertices + 1) - 1);
    const StencilSet set{4, hinges};
    set_thread_count(1);
    const Pattern serial = make_pattern(vertices, {&set, 1});
    const std::vector<Index> slots = make_slots(*serial, set);

    for (const int threads : {2, 8}) {
        set_thread_count(threads);
        const Pattern pattern = make_pattern(vertices, {&set, 1});

        EXPECT_EQ(pattern->row_begin, serial->row_begin);
        EXPECT_EQ(pattern->column, serial->column);
        EXPECT_EQ(pattern->diagonal, serial->diagonal);
        EXPECT_EQ(make_slots(*pattern, set), slots);
    }
    set_thread_count(0);
}

TEST(Pattern, SlotsPointAtTheirBlocks) {
    const std::vector<Index> hinges = {0, 1, 2, 3, 2, 1, 4, -1};
    const StencilSet set{4, hinges};
    const Pattern pattern = make_pattern(5, {&set, 1});

    const std::vector<Index> slots = make_slots(*pattern, set);

    ASSERT_EQ(slots.size(), 32u);
    for (std::size_t e = 0; e < 2; ++e)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                const Index a = hinges[4 * e + i], b = hinges[4 * e + j];
                const Index slot = slots[16 * e + 4 * i + j];
                if (a < 0 || b < 0)
                    EXPECT_EQ(slot, -1);
                else
                    EXPECT_EQ(slot, pattern->slot(a, b));
            }
}

TEST(Pattern, RefusesWhatIsTooLargeOrOutOfRange) {
    const std::vector<Index> pair = {0, 1}, outside = {0, 3}, negative = {0, -2};
    const StencilSet good{2, pair}, bad{2, outside}, worse{2, negative};

    EXPECT_NO_THROW(make_pattern(3, {&good, 1}, 5));
    EXPECT_THROW(make_pattern(3, {&good, 1}, 4), Error);
    EXPECT_THROW(make_pattern(3, {&bad, 1}), Error);
    EXPECT_THROW(make_pattern(3, {&worse, 1}), Error);
    try {
        make_pattern(3, {&good, 1}, 4);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_NE(error.message().find("need 5 blocks, the limit is 4"), std::string::npos);
    }
}

TEST(Pattern, SlotsOfAForeignPatternAreAMistake) {
    const std::vector<Index> pair = {0, 1};
    const StencilSet set{2, pair};

    EXPECT_THROW(make_slots(*make_pattern(2, {}), set), Error);
}

TEST(Pattern, FaultsOfForeignPatternsAreNamed) {
    const BlockPattern good{{0, 2, 4}, {0, 1, 0, 1}, {0, 3}};
    BlockPattern unsorted = good, repeated = good, outside = good, hole = good, short_rows = good;
    unsorted.column = {1, 0, 0, 1};
    repeated.column = {0, 0, 0, 1};
    outside.column = {0, 2, 0, 1};
    hole.diagonal = {1, 3};
    short_rows.row_begin = {0, 2};

    EXPECT_EQ(find_fault(good), "");
    EXPECT_NE(find_fault(unsorted).find("not ascending"), std::string::npos);
    EXPECT_NE(find_fault(repeated).find("repeated"), std::string::npos);
    EXPECT_NE(find_fault(outside).find("column 2 of 2"), std::string::npos);
    EXPECT_NE(find_fault(hole).find("row 0 has no diagonal"), std::string::npos);
    EXPECT_NE(find_fault(short_rows).find("2 row starts for 2 rows"), std::string::npos);
}

}  // namespace
}  // namespace taffeta::sparse
