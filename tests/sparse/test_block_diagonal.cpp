#include <gtest/gtest.h>

#include "sparse/systems.h"
#include "taffeta/base/parallel.h"
#include "taffeta/sparse/block_diagonal.h"

namespace taffeta::sparse {
namespace {

using testing::Random;

BlockDiagonal random_diagonal(Index rows, std::uint64_t seed) {
    BlockDiagonal D;
    D.resize(rows);
    Random random(seed);
    for (Index i = 0; i < rows; ++i) {
        const Vec3 a = random.vector();
        D.set(i, Mat3::Identity() + a * a.transpose());
    }
    return D;
}

TEST(BlockDiagonal, AppliesItsBlocks) {
    const BlockDiagonal D = random_diagonal(7, 1);
    const VecX r = Random(2).field(7);
    VecX z;

    D.apply(r, z);

    for (Index i = 0; i < 7; ++i)
        EXPECT_LE((vec3(z, i) - D.block(i) * vec3(r, i)).norm(), 1e-15);
}

TEST(BlockDiagonal, FusedStepEqualsItsParts) {
    for (const Index rows : {0, 1, 2048, 2049, 5000}) {
        const BlockDiagonal D = random_diagonal(rows, 3);
        Random random(4);
        const VecX p = random.field(rows), q = random.field(rows);
        const VecX x0 = random.field(rows), r0 = random.field(rows);
        VecX x = x0, r = r0, z(r0.size()), expected_z;
        Partials scratch(1000, 1e300);  // what an earlier, larger sum left there must not count

        const auto sums = D.step(0.7, p, q, x, r, z, scratch);

        const double tolerance = 1e-13 * double(rows + 1);
        D.apply(r, expected_z);
        EXPECT_LE((x - (x0 + 0.7 * p)).cwiseAbs().sum(), tolerance);
        EXPECT_LE((r - (r0 - 0.7 * q)).cwiseAbs().sum(), tolerance);
        EXPECT_EQ(z, expected_z);
        EXPECT_NEAR(sums.rz, r.dot(z), 10 * tolerance);
        EXPECT_NEAR(sums.rr, r.squaredNorm(), 10 * tolerance);
    }
}

TEST(BlockDiagonal, HasTheSameBitsForAnyNumberOfThreads) {
    const BlockDiagonal D = random_diagonal(9000, 5);
    Random random(6);
    const VecX p = random.field(9000), q = random.field(9000), x0 = random.field(9000);
    Partials scratch;
    VecX x = x0, r = x0, z(x0.size());
    set_thread_count(1);
    const auto serial = D.step(0.7, p, q, x, r, z, scratch);

    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        VecX x2 = x0, r2 = x0, z2(x0.size());
        const auto sums = D.step(0.7, p, q, x2, r2, z2, scratch);

        EXPECT_EQ(sums.rz, serial.rz);
        EXPECT_EQ(sums.rr, serial.rr);
        EXPECT_EQ(z2, z);
    }
    set_thread_count(0);
}

}  // namespace
}  // namespace taffeta::sparse
