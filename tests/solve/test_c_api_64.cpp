#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "solve/foreign_systems.h"
#include "taffeta/solve/capi/taffeta_solve.h"

/// The C interface with 64-bit integers: the same answers to the last bit, and nothing cut off.
/// Sizes that do not fit come with small arrays: what is refused by size must not be read.
namespace taffeta {
namespace {

using testing::block_arrays;
using testing::CompressedArrays;
using testing::Random;
using testing::scalar_arrays;

constexpr int64_t too_many = int64_t(std::numeric_limits<int32_t>::max()) + 1;

std::vector<int64_t> wide(const std::vector<int32_t>& values) {
    return {values.begin(), values.end()};
}

class CApi64 : public ::testing::Test {
  protected:
    void SetUp() override { solver_ = taffeta_solver_create(); }
    void TearDown() override { taffeta_solver_destroy(solver_); }

    VecX solve(const VecX& b) {
        VecX x = VecX::Zero(b.size());
        EXPECT_EQ(taffeta_solver_solve(solver_, b.data(), x.data()), TAFFETA_CONVERGED)
            << taffeta_solver_message(solver_);
        return x;
    }
    void expect(taffeta_status found, taffeta_status status, const std::string& part) const {
        const std::string message = taffeta_solver_message(solver_);
        EXPECT_EQ(found, status) << message;
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }

    taffeta_solver* solver_ = nullptr;
    const double values_[36] = {};
};

TEST_F(CApi64, GivesTheBitsOf32BitIntegersInEveryLayout) {
    const sparse::Matrix3 A = testing::grid_matrix(7, 6, 30, 2, 1);
    const VecX b = Random(2).field(A.rows());
    const CompressedArrays blocks = block_arrays(A, true), columns = block_arrays(A, false),
                           scalars = scalar_arrays(A);
    const std::vector<int64_t> block_begin = wide(blocks.row_begin),
                               block_column = wide(blocks.column),
                               scalar_begin = wide(scalars.row_begin),
                               scalar_column = wide(scalars.column);
    ASSERT_EQ(
        taffeta_solver_set_matrix_bsr(solver_, A.rows(), blocks.row_begin.data(),
                                      blocks.column.data(), blocks.value.data(), TAFFETA_ROW_MAJOR),
        TAFFETA_CONVERGED);
    const VecX expected = solve(b);

    for (int layout = 0; layout < 4; ++layout) {
        taffeta_status status = TAFFETA_INTERNAL;
        if (layout == 0)
            status = taffeta_solver_set_matrix_bsr_64_32(solver_, A.rows(), block_begin.data(),
                                                         blocks.column.data(), columns.value.data(),
                                                         TAFFETA_COLUMN_MAJOR);
        if (layout == 1)
            status = taffeta_solver_set_matrix_bsr_64_64(solver_, A.rows(), block_begin.data(),
                                                         block_column.data(), blocks.value.data(),
                                                         TAFFETA_ROW_MAJOR);
        if (layout == 2)
            status = taffeta_solver_set_matrix_csr_64_32(solver_, 3 * int64_t(A.rows()),
                                                         scalar_begin.data(), scalars.column.data(),
                                                         scalars.value.data());
        if (layout == 3)
            status = taffeta_solver_set_matrix_csr_64_64(solver_, 3 * int64_t(A.rows()),
                                                         scalar_begin.data(), scalar_column.data(),
                                                         scalars.value.data());
        ASSERT_EQ(status, TAFFETA_CONVERGED) << taffeta_solver_message(solver_);
        ASSERT_EQ(taffeta_solver_reset(solver_), TAFFETA_CONVERGED);

        EXPECT_EQ(solve(b), expected) << layout;
    }
    // New values come in the layout of the last matrix.
    ASSERT_EQ(taffeta_solver_update_values(solver_, scalars.value.data()), TAFFETA_CONVERGED);
    ASSERT_EQ(taffeta_solver_reset(solver_), TAFFETA_CONVERGED);
    EXPECT_EQ(solve(b), expected);
}

TEST_F(CApi64, MoreEntriesThan32BitsCountAreABadSizeFoundWithoutReadingThem) {
    const int32_t column32[1] = {0};
    const int64_t column64[1] = {0};
    for (const int64_t entries : {too_many, too_many * 2, std::numeric_limits<int64_t>::max()}) {
        const int64_t begin[4] = {0, 1, 2, entries};
        const std::string said =
            std::to_string(entries) + " entries: there can be at most 2147483647";
        expect(taffeta_solver_set_matrix_bsr_64_32(solver_, 3, begin, column32, values_, 0),
               TAFFETA_BAD_SIZE, said);
        expect(taffeta_solver_set_matrix_bsr_64_64(solver_, 3, begin, column64, values_, 0),
               TAFFETA_BAD_SIZE, said);
        expect(taffeta_solver_set_matrix_csr_64_32(solver_, 3, begin, column32, values_),
               TAFFETA_BAD_SIZE, said);
        expect(taffeta_solver_set_matrix_csr_64_64(solver_, 3, begin, column64, values_),
               TAFFETA_BAD_SIZE, said);
    }
}

TEST_F(CApi64, MoreVerticesThan32BitsCountAreABadSizeFoundWithoutReadingARow) {
    const int64_t begin[1] = {0}, column[1] = {0};
    const int32_t begin32[1] = {0}, column32[1] = {0};
    for (const int64_t vertices :
         {int64_t(715827883), too_many, std::numeric_limits<int64_t>::max()}) {
        const std::string said =
            std::to_string(vertices) + " vertices: there can be at most 715827882";
        expect(taffeta_solver_set_matrix_bsr_64_64(solver_, vertices, begin, column, values_, 0),
               TAFFETA_BAD_SIZE, said);
    }
    expect(taffeta_solver_set_matrix_bsr(solver_, 715827883, begin32, column32, values_, 0),
           TAFFETA_BAD_SIZE, "715827883 vertices: there can be at most 715827882");
    expect(taffeta_solver_set_matrix_csr_64_64(solver_, too_many, begin, column, values_),
           TAFFETA_BAD_SIZE, "2147483648 rows: there can be at most 2147483646");
    for (const int64_t vertices : {int64_t(0), int64_t(-1), std::numeric_limits<int64_t>::min()})
        expect(taffeta_solver_set_matrix_bsr_64_64(solver_, vertices, begin, column, values_, 0),
               TAFFETA_BAD_SIZE, "a matrix of " + std::to_string(vertices) + " vertices");
    expect(taffeta_solver_set_matrix_csr_64_64(solver_, 4, begin, column, values_),
           TAFFETA_BAD_SIZE, "4 rows are not a multiple of 3");
}

TEST_F(CApi64, NoColumnTurnsIntoAnotherOne) {
    // 2^32 is 0 in 32 bits: the diagonal block, if it were cut off.
    const int64_t begin[2] = {0, 1};
    for (const int64_t bad : {int64_t(1) << 32, int64_t(-1), int64_t(1)}) {
        const int64_t column[1] = {bad};
        expect(taffeta_solver_set_matrix_bsr_64_64(solver_, 1, begin, column, values_, 0),
               TAFFETA_BAD_ARGUMENT, "row 0 has column " + std::to_string(bad) + " of 1");
    }
}

TEST_F(CApi64, StartsThatAreNoneAreRefusedBeforeTheSizeIsBelieved) {
    const int64_t column[4] = {0, 1, 0, 1};
    const int64_t late[3] = {1, 2, 4}, falling[3] = {0, too_many, 4}, low[3] = {-4, 2, 4};
    const auto refused = [&](const int64_t* begin, const std::string& part) {
        expect(taffeta_solver_set_matrix_bsr_64_64(solver_, 2, begin, column, values_, 0),
               TAFFETA_BAD_ARGUMENT, part);
    };
    refused(late, "begin at entry 1");
    refused(low, "begin at entry -4");
    refused(falling, "row 1 ends at entry 4, before it begins at 2147483648");
    refused(nullptr, "row_begin is a null pointer");
    EXPECT_EQ(taffeta_solver_set_matrix_bsr_64_64(nullptr, 2, late, column, values_, 0),
              TAFFETA_BAD_ARGUMENT);
}

}  // namespace
}  // namespace taffeta
