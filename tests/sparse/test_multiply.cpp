#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sparse/systems.h"
#include "taffeta/base/parallel.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::sparse {
namespace {

using testing::dense;
using testing::Random;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Random blocks, not symmetric, so that a transposed kernel fails.
Matrix3 random_matrix(Index columns, Index rows, std::uint64_t seed) {
    Matrix3 A = testing::grid_matrix(columns, rows, 1, 2, seed);
    Random random(seed);
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        for (int k = 0; k < 9; ++k)
            A.slot(s)[k] = random.uniform();
    return A;
}

TEST(Multiply, EqualsTheDenseProduct) {
    for (const Index size : {1, 2, 3, 5, 9}) {
        const Matrix3 A = random_matrix(size, 4, std::uint64_t(size));
        const VecX x = Random(99).field(A.rows());
        VecX y, fused;
        Partials scratch;

        multiply(A, x, y);
        const double inner = multiply_dot(A, x, fused, scratch);

        const Eigen::MatrixXd full = dense(A);
        // Bound of a sum of k products: k eps |A| |x|.
        const VecX bound = 64 * epsilon * (full.cwiseAbs() * x.cwiseAbs());
        EXPECT_TRUE(((y - full * x).cwiseAbs().array() <= bound.array()).all());
        EXPECT_EQ(fused, y);
        EXPECT_NEAR(inner, x.dot(full * x), 3 * bound.dot(x.cwiseAbs()) + 1e-13);
    }
}

TEST(Multiply, HasTheSameBitsForAnyNumberOfThreads) {
    const Matrix3 A = random_matrix(67, 61, 3);  // 4087 vertices: eight chunks, the last one short
    const VecX x = Random(4).field(A.rows());
    Partials scratch;
    set_thread_count(1);
    VecX serial;
    const double serial_inner = multiply_dot(A, x, serial, scratch);

    for (const int threads : {2, 4, 8})
        for (int repeat = 0; repeat < 3; ++repeat) {
            set_thread_count(threads);
            VecX y, z = VecX::Constant(x.size(), 7);
            multiply(A, x, z);

            EXPECT_EQ(multiply_dot(A, x, y, scratch), serial_inner);
            EXPECT_EQ(y, serial);
            EXPECT_EQ(z, serial);
        }
    set_thread_count(0);
}

TEST(Multiply, CarriesEveryNanAndInfinityIntoTheInnerProduct) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (const int place : {0, 4, 8}) {
            Matrix3 A = random_matrix(4, 3, 8);
            A.slot(A.pattern().blocks() / 2)[place] = bad;
            const VecX x = VecX::Zero(3 * A.rows());
            VecX y;
            Partials scratch;

            EXPECT_FALSE(std::isfinite(multiply_dot(A, x, y, scratch)));
            EXPECT_NE(find_not_finite(A), "");
        }
    EXPECT_EQ(find_not_finite(random_matrix(4, 3, 8)), "");
}

TEST(BlockMatrix, StartsAtZeroAndReturnsToIt) {
    Matrix3 A = random_matrix(3, 3, 1);

    A.set_zero();

    EXPECT_EQ(dense(A), Eigen::MatrixXd::Zero(27, 27));
    EXPECT_EQ(dense(Matrix3(A.shared_pattern())), Eigen::MatrixXd::Zero(27, 27));
    EXPECT_EQ(Matrix3().rows(), 0);
}

TEST(BlockMatrix, AsymmetryIsFoundWithItsPlace) {
    Matrix3 A = testing::grid_matrix(3, 3, 10, 1, 2);
    ASSERT_EQ(find_asymmetry(A), "");

    A.block(A.pattern().slot(4, 1))(0, 2) += 5;

    EXPECT_NE(find_asymmetry(A).find("block (1, 4)"), std::string::npos);
}

TEST(VectorOps, EqualTheirDefinitions) {
    for (const Index vertices : {0, 1, 2, 5, 2730, 2731, 6000}) {
        Random random(std::uint64_t(vertices) + 1);
        const VecX p = random.field(vertices), q = random.field(vertices);
        VecX x = random.field(vertices), r = random.field(vertices);
        const VecX x0 = x, r0 = r;
        Partials scratch;
        const double tolerance = 1e-12 * double(vertices + 1);

        const double squared = step(0.3, p, q, x, r, scratch);
        EXPECT_LE((x - (x0 + 0.3 * p)).cwiseAbs().sum(), tolerance);
        EXPECT_LE((r - (r0 - 0.3 * q)).cwiseAbs().sum(), tolerance);
        EXPECT_NEAR(squared, r.squaredNorm(), tolerance);
        EXPECT_NEAR(dot(p, q), p.dot(q), tolerance);

        VecX y = q;
        axpy(-2, p, y);
        EXPECT_LE((y - (q - 2 * p)).cwiseAbs().sum(), tolerance);
        y = q;
        xpby(p, -2, y);
        EXPECT_LE((y - (p - 2 * q)).cwiseAbs().sum(), tolerance);
    }
}

TEST(VectorOps, SumsHaveTheSameBitsForAnyNumberOfThreads) {
    const VecX p = Random(1).field(30001), q = Random(2).field(30001);
    set_thread_count(1);
    const double serial = dot(p, q);

    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        EXPECT_EQ(dot(p, q), serial);
    }
    set_thread_count(0);
}

TEST(VectorOps, ScratchOfALargerSumDoesNotLeakIntoASmallerOne) {
    Partials scratch;
    const VecX large = VecX::Ones(60000), small = VecX::Ones(3);

    dot(large, large, scratch);

    EXPECT_EQ(dot(small, small, scratch), 3);
}

}  // namespace
}  // namespace taffeta::sparse
