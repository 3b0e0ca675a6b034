#include <gtest/gtest.h>

#include <random>

#include "taffeta/sparse/pattern_union.h"

namespace taffeta::sparse {
namespace {

constexpr Index rows = 60;

std::vector<Index> random_stencils(unsigned seed, int count) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<Index> vertex(-1, rows - 1);
    std::vector<Index> stencils;
    for (int k = 0; k < 4 * count; ++k)
        stencils.push_back(vertex(random));
    return stencils;
}

TEST(PatternUnion, HasTheCouplingsOfBothAndNoOther) {
    const std::vector<Index> first = random_stencils(1, 30), second = random_stencils(2, 12);
    const StencilSet sets[] = {{4, first}, {4, second}};
    const Pattern base = make_pattern(rows, std::span(sets, 1));

    const ExtendedPattern extended = extend_pattern(*base, sets[1]);

    const Pattern expected = make_pattern(rows, sets);
    EXPECT_EQ(extended.pattern->row_begin, expected->row_begin);
    EXPECT_EQ(extended.pattern->column, expected->column);
    EXPECT_EQ(extended.pattern->diagonal, expected->diagonal);
    for (Index i = 0; i < rows; ++i)
        for (Index s = base->row_begin[std::size_t(i)]; s < base->row_begin[std::size_t(i) + 1];
             ++s)
            EXPECT_EQ(extended.slot[std::size_t(s)],
                      extended.pattern->slot(i, base->column[std::size_t(s)]));
}

TEST(PatternUnion, KnowsWhichCouplingsAreThere) {
    const std::vector<Index> first = random_stencils(1, 30), second = random_stencils(2, 12);
    const StencilSet sets[] = {{4, first}, {4, second}};
    const Pattern base = make_pattern(rows, std::span(sets, 1));

    EXPECT_TRUE(has_couplings(*base, sets[0]));
    EXPECT_FALSE(has_couplings(*base, sets[1]));
    EXPECT_TRUE(has_couplings(*extend_pattern(*base, sets[1]).pattern, sets[1]));
}

}  // namespace
}  // namespace taffeta::sparse
