#include <gtest/gtest.h>

#include "sparse/systems.h"
#include "taffeta/base/error.h"
#include "taffeta/sparse/compressed_rows.h"

namespace taffeta::sparse {
namespace {

using testing::dense;

/// Scalar compressed rows of the nonzeros of a dense matrix.
struct Rows {
    std::vector<Index> begin = {0}, column;
    std::vector<double> value;

    explicit Rows(const Eigen::MatrixXd& A) {
        for (Eigen::Index i = 0; i < A.rows(); ++i) {
            for (Eigen::Index j = 0; j < A.cols(); ++j)
                if (A(i, j) != 0) {
                    column.push_back(Index(j));
                    value.push_back(A(i, j));
                }
            begin.push_back(Index(column.size()));
        }
    }
    BlockGather gather() const { return {Index(begin.size()) - 1, begin.data(), column.data()}; }
};

template <class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(CompressedRows, GathersRowsOfDifferentPatternsIntoBlocks) {
    // Nonzeros at random, about one in three, so that no two rows of a vertex have one pattern.
    testing::Random random(3);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(12, 12);
    for (Eigen::Index i = 0; i < 12; ++i) {
        A(i, i) = random.uniform(1, 2);
        for (Eigen::Index j = 0; j < i; ++j)
            if (random.uniform() < -0.4) A(i, j) = A(j, i) = random.uniform();
    }
    const Rows rows(A);

    const BlockGather gather = rows.gather();
    Matrix3 blocks(gather.pattern());
    gather.fill(rows.value.data(), blocks);

    EXPECT_EQ(gather.rows(), 12);
    EXPECT_EQ(find_fault(*gather.pattern()), "");
    EXPECT_EQ(dense(blocks), A);
    EXPECT_TRUE(gather.same_pattern(12, rows.begin.data(), rows.column.data()));
}

TEST(CompressedRows, FillsAgainFromNewNumbersAndLeavesNothingOfTheOldOnes) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(6, 6);
    A(0, 4) = A(4, 0) = 7;
    const Rows rows(A);
    const BlockGather gather = rows.gather();
    Matrix3 blocks(gather.pattern());
    for (Index s = 0; s < gather.pattern()->blocks(); ++s)
        blocks.block(s).setConstant(99);

    gather.fill(rows.value.data(), blocks);

    EXPECT_EQ(dense(blocks), A);
}

TEST(CompressedRows, PadsWithAUnitDiagonal) {
    for (const Index rows : {1, 2, 4, 5}) {
        const Eigen::MatrixXd A = 3 * Eigen::MatrixXd::Identity(rows, rows);
        const Rows compressed(A);
        const BlockGather gather = compressed.gather();
        Matrix3 blocks(gather.pattern());

        gather.fill(compressed.value.data(), blocks);

        const Eigen::MatrixXd full = dense(blocks);
        ASSERT_EQ(full.rows(), rows + padding(rows));
        ASSERT_EQ(full.rows() % 3, 0);
        EXPECT_EQ(full.topLeftCorner(rows, rows), A);
        EXPECT_EQ(full.diagonal().tail(padding(rows)), VecX::Ones(padding(rows)));
        EXPECT_EQ(full.sum(), 3 * rows + padding(rows));
    }
    EXPECT_EQ(padded(Vec2(1, 2), 1), Vec3(1, 2, 0));
}

TEST(CompressedRows, CopiesBlockPatterns) {
    const Matrix3 A = testing::grid_matrix(5, 4, 1, 0, 1);
    const BlockPattern& pattern = A.pattern();

    const Pattern copy =
        copy_pattern(pattern.rows(), pattern.row_begin.data(), pattern.column.data());

    EXPECT_EQ(copy->row_begin, pattern.row_begin);
    EXPECT_EQ(copy->column, pattern.column);
    EXPECT_EQ(copy->diagonal, pattern.diagonal);
}

struct BadPattern {
    const char* what;  ///< part of the message
    std::vector<Index> begin, column;
};

class BadPatterns : public ::testing::TestWithParam<BadPattern> {};

TEST_P(BadPatterns, AreRefusedWithASentence) {
    const auto& [what, begin, column] = GetParam();
    const Index rows = Index(begin.size()) - 1;

    const std::string said = error_of([&] { copy_pattern(rows, begin.data(), column.data()); });

    EXPECT_NE(said.find(what), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadPatterns,
    ::testing::Values(
        BadPattern{"the rows begin at entry 1", {1, 2, 3}, {0, 0, 1}},
        BadPattern{"row 0 ends at entry -5", {0, -5, 2}, {0, 1}},
        BadPattern{"row 1 ends at entry 1, before it begins at 2", {0, 2, 1}, {0, 1}},
        BadPattern{"row 1 has column 2 of 2", {0, 1, 2}, {0, 2}},
        BadPattern{"row 0 has column -1 of 2", {0, 1, 2}, {-1, 1}},
        BadPattern{"row 1 has column 0 behind 1", {0, 2, 4}, {0, 1, 1, 0}},
        BadPattern{"row 0 has column 0 twice", {0, 2, 3}, {0, 0, 1}},
        BadPattern{"vertex 1 has no diagonal block", {0, 2, 3}, {0, 1, 0}},
        BadPattern{"vertex 2 has no diagonal block", {0, 1, 2, 2}, {0, 1}},
        BadPattern{"block (0, 1) is there, but not (1, 0)", {0, 2, 3}, {0, 1, 1}},
        BadPattern{"block (1, 0) is there, but not (0, 1)", {0, 1, 3}, {0, 0, 1}},
        // 0 - 1 and 0 - 2 are coupled; row 2 names 1 instead of 0.
        BadPattern{"is there, but not", {0, 3, 5, 7}, {0, 1, 2, 0, 1, 1, 2}},
        // Row 1 lists 0 and 2 lists nothing of 1, which lists 2.
        BadPattern{"block (1, 2) is there, but not (2, 1)", {0, 2, 5, 6}, {0, 1, 0, 1, 2, 2}}));

TEST(CompressedRows, AcceptsEverySymmetricPatternAndNoOther) {
    // All 2^6 patterns of three vertices with their diagonal: an exhaustive oracle.
    int accepted = 0;
    for (unsigned bits = 0; bits < 64; ++bits) {
        Eigen::Matrix3d A = Eigen::Matrix3d::Identity();
        unsigned bit = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (i != j) A(i, j) = (bits >> bit++) & 1u;
        const Rows rows(A);

        const bool taken =
            error_of([&] { copy_pattern(3, rows.begin.data(), rows.column.data()); }) == "no error";

        EXPECT_EQ(taken, A == A.transpose()) << A;
        accepted += taken;
    }
    EXPECT_EQ(accepted, 8);
}

TEST(CompressedRows, ScalarPatternsNeedSymmetricBlocksOnly) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(6, 6);
    A(0, 4) = 1;
    const Rows one_sided(A);
    A(3, 2) = 1;  // another number of the mirror block
    const Rows both_sides(A);

    EXPECT_NE(error_of([&] { one_sided.gather(); }).find("block (0, 1) is there, but not (1, 0)"),
              std::string::npos);
    EXPECT_EQ(error_of([&] { both_sides.gather(); }), "no error");
}

}  // namespace
}  // namespace taffeta::sparse
