#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "helpers/dense.h"
#include "sparse/constraint_systems.h"
#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {
namespace {

using testing::dense;
using testing::dense_projector;
using testing::Random;
using testing::values;
using Rows = std::vector<ConstraintRow>;

constexpr double rounding = 1e-12;

Eigen::MatrixXd identity(Eigen::Index n) {
    return Eigen::MatrixXd::Identity(n, n);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The projector onto the null space of C and of I - S0, from the eigenvectors of C'C + (I - S0):
/// shares nothing with Gram-Schmidt.
Eigen::MatrixXd projector_oracle(const NodeFilter& filter, const Rows& rows) {
    const Eigen::MatrixXd C = dense(rows, filter.vertices());
    const Eigen::MatrixXd all = C.transpose() * C + identity(C.cols()) - dense(filter);
    const Eigen::MatrixXd V = oracle::eigenvectors_above(all, 1e-10);
    return identity(C.cols()) - V * V.transpose();
}

TEST(ConstraintBasis, IsTheProjectorOfAllConstraints) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const NodeFilter filter = testing::mixed_filter(56, seed);
        const Rows rows = testing::contact_rows(8, 7, 5 * Index(seed), seed);

        const ConstraintBasis basis(filter, rows);

        const Eigen::MatrixXd S = dense_projector(basis), Q = dense(basis.q(), 56);
        EXPECT_EQ(basis.rank(), Index(rows.size()));
        EXPECT_LE((Q * Q.transpose() - identity(basis.rank())).norm(), rounding);
        EXPECT_LE((Q * dense(filter) - Q).norm(), rounding);
        EXPECT_LE((S - S.transpose()).norm(), rounding);
        EXPECT_LE((S * S - S).norm(), rounding);
        EXPECT_LE((S - projector_oracle(filter, rows)).norm(), 1e-10);
        EXPECT_TRUE(basis.notes().empty());
        EXPECT_EQ(basis.conflict(), "");
    }
}

TEST(ConstraintBasis, TargetsAreTheSmallestPointThatSatisfiesAll) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const NodeFilter filter = testing::mixed_filter(56, seed);
        const Rows rows = testing::contact_rows(8, 7, 20, seed);
        const ConstraintBasis basis(filter, rows);
        VecX z, z0;
        filter.targets(z0);

        basis.targets(z);

        VecX prescribed = z - z0, free_part = z;
        filter.project_complement(prescribed);
        basis.project(free_part);
        EXPECT_LE((dense(rows, 56) * z - values(rows)).norm(), rounding * (1 + z.norm()));
        EXPECT_LE(prescribed.norm(), rounding);
        EXPECT_LE(free_part.norm(), rounding * (1 + z.norm()));  // nothing to take away
        EXPECT_TRUE(basis.has_targets());
    }
}

TEST(ConstraintBasis, StaysOrthonormalForNearlyParallelRows) {
    // Rows that differ by 1e-5: one pass of Gram-Schmidt leaves 1e-11 of them in each other.
    Rows rows = testing::contact_rows(8, 7, 6, 3);
    Random random(4);
    for (std::size_t k = 0; k < 6; ++k) {
        ConstraintRow near = rows[k];
        for (Vec3& c : near.coefficients)
            c += 1e-5 * random.vector();
        rows.push_back(near);
    }

    const ConstraintBasis basis(NodeFilter(56), rows);

    const Eigen::MatrixXd Q = dense(basis.q(), 56);
    EXPECT_EQ(basis.rank(), 12);
    EXPECT_LE((Q * Q.transpose() - identity(12)).norm(), rounding);
}

TEST(ConstraintBasis, LongChainsFillLittle) {
    // Row k couples vertices k and k+1: in the given order the last row of Q would touch all of
    // them, 10^6/2 numbers; dissection leaves n log n.
    constexpr Index n = 1000;
    Rows rows;
    for (Index k = 0; k + 1 < n; ++k)
        rows.push_back({{k, k + 1}, {Vec3::UnitX(), -Vec3::UnitX()}, 0.0});

    const ConstraintBasis basis(NodeFilter(n), rows);

    EXPECT_EQ(basis.rank(), n - 1);
    EXPECT_LE(basis.q().vertex.size(), 20u * n);
    VecX u = Random(1).field(n);
    double mean = 0;
    for (Index v = 0; v < n; ++v)
        mean += vec3(u, v).x() / n;
    basis.project(u);
    for (Index v = 0; v < n; v += 97)
        EXPECT_NEAR(vec3(u, v).x(), mean, 1e-10);
}

TEST(ConstraintBasis, RedundantRowsAreDroppedWithANote) {
    Rows rows = testing::contact_rows(8, 7, 4, 9);
    ConstraintRow twice = rows[1];  // -2 times row 1
    for (Vec3& c : twice.coefficients)
        c *= -2;
    twice.value *= -2;
    rows.push_back(twice);

    const ConstraintBasis basis(NodeFilter(56), rows);

    EXPECT_EQ(basis.rank(), 4);
    EXPECT_EQ(basis.conflict(), "");
    ASSERT_EQ(basis.notes().size(), 1u);
    EXPECT_TRUE(contains(basis.notes()[0], "constraint row 4 follows from row 1: dropped"))
        << basis.notes()[0];
}

TEST(ConstraintBasis, ARowMayFollowFromSeveral) {
    // x0 = x1, x1 = x2, x0 = x2
    const Vec3 d(1, 2, 2);
    const auto equal = [&](Index a, Index b) { return ConstraintRow{{a, b}, {d, -d}, 0.5}; };
    Rows rows{equal(0, 1), equal(3, 4), equal(1, 2), equal(0, 2)};
    rows[3].value = 1;

    const ConstraintBasis agrees(NodeFilter(5), rows);
    rows[3].value = 4;
    const ConstraintBasis contradicts(NodeFilter(5), rows);

    EXPECT_EQ(agrees.rank(), 3);
    ASSERT_EQ(agrees.notes().size(), 1u);
    EXPECT_TRUE(contains(agrees.notes()[0], "row 3 follows from rows 0 and 2"));
    EXPECT_EQ(contradicts.conflict(),
              "constraint row 3 asks for 4, but 1 follows from rows 0 and 2: a mismatch of 3");
    EXPECT_TRUE(contradicts.notes().empty());
}

TEST(ConstraintBasis, RowsOnPinnedVerticesFollowFromTheFilter) {
    NodeFilter filter(6);
    for (const Index v : {1, 2, 3, 4})
        filter.fix(v);
    filter.set_target(1, Vec3(0, 0, 2));
    const Vec3 weights(0.25, 0.25, 0.5);
    Rows rows{vertex_face_row(1, {2, 3, 4}, weights, Vec3::UnitZ(), 2.0),
              vertex_face_row(5, {2, 3, 4}, weights, Vec3::UnitZ(), 1.0)};

    const ConstraintBasis agrees(filter, rows);
    rows[0].value = 2.5;
    const ConstraintBasis contradicts(filter, rows);

    EXPECT_EQ(agrees.rank(), 1);
    ASSERT_EQ(agrees.notes().size(), 1u);
    EXPECT_TRUE(
        contains(agrees.notes()[0], "row 0 follows from the filters of vertices 1, 2, 3 and 4"))
        << agrees.notes()[0];
    VecX z;
    agrees.targets(z);
    EXPECT_EQ(vec3(z, 5), Vec3(0, 0, 1));  // only vertex 5 is free to obey row 1
    EXPECT_TRUE(contains(contradicts.conflict(),
                         "asks for 2.5, but 2 follows from the filters of vertices"));
    EXPECT_TRUE(contains(contradicts.conflict(), "a mismatch of 0.5"));
}

TEST(ConstraintBasis, MultipliersBelongToTheRowsAsTheyWereGiven) {
    const NodeFilter filter = testing::mixed_filter(56, 3);
    const Rows rows = testing::contact_rows(8, 7, 12, 4);
    const ConstraintBasis basis(filter, rows);
    VecX expected(12);
    Random random(5);
    for (double& value : expected)
        value = random.uniform();
    VecX of_filter = random.field(56);
    filter.project_complement(of_filter);

    const VecX found = basis.multipliers(dense(rows, 56).transpose() * expected + of_filter);

    EXPECT_LE((found - expected).norm(), 1e-10 * expected.norm());
}

TEST(ConstraintBasis, ScalesOfRowsDoNotMatter) {
    Rows rows = testing::contact_rows(8, 7, 8, 2), scaled = rows;
    double factor = 1e-200;
    for (ConstraintRow& row : scaled) {
        for (Vec3& c : row.coefficients)
            c *= factor;
        row.value *= factor;
        factor *= 1e50;
    }
    VecX z, z_scaled;

    const ConstraintBasis basis(NodeFilter(56), rows), other(NodeFilter(56), scaled);
    basis.targets(z);
    other.targets(z_scaled);

    EXPECT_EQ(other.rank(), 8);
    EXPECT_LE((dense_projector(basis) - dense_projector(other)).norm(), rounding);
    EXPECT_LE((z - z_scaled).norm(), rounding);
}

TEST(ConstraintBasis, HasTheSameBitsForAnyNumberOfThreads) {
    const NodeFilter filter = testing::mixed_filter(900, 7);
    const Rows rows = testing::contact_rows(30, 30, 300, 8);
    const VecX u = Random(9).field(900);
    set_thread_count(1);
    const ConstraintBasis serial(filter, rows);
    VecX expected = u;
    serial.project(expected);
    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        const ConstraintBasis basis(filter, rows);
        VecX found = u;

        basis.project(found);

        EXPECT_EQ(basis.q().value, serial.q().value) << threads;
        EXPECT_EQ(found, expected) << threads;
    }
    set_thread_count(0);
}

TEST(ConstraintBasis, KnowsItsFilter) {
    NodeFilter filter = testing::mixed_filter(56, 3);
    const ConstraintBasis basis(filter, testing::contact_rows(8, 7, 3, 1));

    EXPECT_TRUE(basis.made_with(filter));
    filter.set_target(5, Vec3(9, 9, 9));
    EXPECT_FALSE(basis.made_with(filter));
    EXPECT_FALSE(basis.made_with(NodeFilter(56)));
}

TEST(ConstraintBasis, WithoutRowsIsTheFilter) {
    const NodeFilter filter = testing::mixed_filter(23, 5);
    const ConstraintBasis basis(filter, {});
    VecX u = Random(6).field(23), expected = u;

    basis.project(u);
    filter.project(expected);

    EXPECT_EQ(u, expected);
    EXPECT_EQ(basis.rank(), 0);
}

TEST(ConstraintBasis, BadRowsAreRefusedByNumber) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Vec3 x = Vec3::UnitX();
    const ConstraintRow good{{0, 1}, {x, -x}, 0.0};
    const struct {
        ConstraintRow row;
        const char* part;
    } cases[] = {
        {{{}, {}, 0.0}, "names no vertex"},
        {{{2, 3, 2}, {x, x, x}, 0.0}, "names vertex 2 twice"},
        {{{2, 9}, {x, x}, 0.0}, "names vertex 9 of 9"},
        {{{-1, 2}, {x, x}, 0.0}, "names vertex -1 of 9"},
        {{{2, 3}, {x}, 0.0}, "2 vertices, but 1 coefficients"},
        {{{2, 3}, {0 * x, 0 * x}, 0.0}, "all its coefficients are zero"},
        {{{2, 3}, {x, Vec3(0, nan, 0)}, 0.0}, "coefficients of vertex 3 are (0, nan, 0)"},
        {{{2, 3}, {x, infinity * Vec3::Ones()}, 0.0}, "coefficients of vertex 3 are (inf"},
        {{{2, 3}, {x, x}, nan}, "its value is nan"},
    };
    for (const auto& bad : cases) {
        try {
            ConstraintBasis(NodeFilter(9), {good, good, bad.row});
            FAIL() << bad.part;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            EXPECT_EQ(error.where(), "constraint row 2");
            EXPECT_TRUE(contains(error.message(), bad.part)) << error.message();
        }
    }
    const ConstraintRow on_edge = vertex_face_row(3, {4, 5, 6}, {0.5, 0.5, 0}, x, 0.0);
    EXPECT_EQ(ConstraintBasis(NodeFilter(9), {on_edge}).rank(), 1);  // one zero is no fault
}

}  // namespace
}  // namespace taffeta::sparse
