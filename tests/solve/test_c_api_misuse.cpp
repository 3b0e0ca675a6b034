#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "solve/foreign_systems.h"
#include "taffeta/solve/capi/taffeta_solve.h"

/// Every wrong call of the C interface is a status with a sentence, and changes nothing.
namespace taffeta {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Two coupled vertices, A = (2 I, -I; -I, 2 I); b = 1 gives x = 1.
class CApiMisuse : public ::testing::Test {
  protected:
    void SetUp() override {
        solver_ = taffeta_solver_create();
        ASSERT_EQ(set_blocks(), TAFFETA_CONVERGED);
    }
    /// Whatever was refused, the system from before still solves.
    void TearDown() override {
        double x[6] = {};
        EXPECT_EQ(taffeta_solver_solve(solver_, b_, x), TAFFETA_CONVERGED);
        EXPECT_STREQ(taffeta_solver_message(solver_), "");
        for (const double number : x)
            EXPECT_NEAR(number, 1, 1e-4);
        taffeta_solver_destroy(solver_);
    }

    taffeta_status set_blocks() {
        return taffeta_solver_set_matrix_bsr(solver_, 2, begin_.data(), column_.data(),
                                             values_.data(), TAFFETA_ROW_MAJOR);
    }
    void expect(taffeta_status found, taffeta_status status, const std::string& part,
                const taffeta_solver* of = nullptr) const {
        const std::string message = taffeta_solver_message(of ? of : solver_);
        EXPECT_EQ(found, status) << message;
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
    static std::vector<double> blocks() {
        std::vector<double> all;
        for (const double size : {2, -1, -1, 2})
            for (int k = 0; k < 9; ++k)
                all.push_back(k % 4 == 0 ? size : 0);
        return all;
    }

    taffeta_solver* solver_ = nullptr;
    const std::vector<int32_t> begin_ = {0, 2, 4}, column_ = {0, 1, 0, 1};
    std::vector<double> values_ = blocks();
    const double b_[6] = {1, 1, 1, 1, 1, 1};
};

TEST_F(CApiMisuse, NullSolvers) {
    double x[6] = {};
    taffeta_statistics statistics;
    EXPECT_EQ(taffeta_solver_set_options(nullptr, ""), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_set_tolerance(nullptr, 1), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_set_matrix_bsr(nullptr, 2, begin_.data(), column_.data(),
                                            values_.data(), TAFFETA_ROW_MAJOR),
              TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(
        taffeta_solver_set_matrix_csr(nullptr, 2, begin_.data(), column_.data(), values_.data()),
        TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_update_values(nullptr, values_.data()), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_set_coordinates(nullptr, 2, b_), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_set_constraints(nullptr, 0, nullptr), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_solve(nullptr, b_, x), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_reset(nullptr), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_solver_statistics(nullptr, &statistics), TAFFETA_BAD_ARGUMENT);
    EXPECT_STREQ(taffeta_solver_message(nullptr), "the solver is a null pointer");
    taffeta_solver_destroy(nullptr);
}

TEST_F(CApiMisuse, NullArrays) {
    double x[6] = {};
    const auto blocks = [&](const int32_t* begin, const int32_t* column, const double* values) {
        return taffeta_solver_set_matrix_bsr(solver_, 2, begin, column, values, TAFFETA_ROW_MAJOR);
    };
    const auto scalars = [&](const int32_t* begin, const int32_t* column, const double* values) {
        return taffeta_solver_set_matrix_csr(solver_, 3, begin, column, values);
    };
    const std::vector<int32_t> begin = {0, 1, 2, 3}, column = {0, 1, 2};
    expect(blocks(nullptr, column_.data(), b_), TAFFETA_BAD_ARGUMENT, "row_begin is a null");
    expect(blocks(begin_.data(), nullptr, b_), TAFFETA_BAD_ARGUMENT, "column is a null");
    expect(blocks(begin_.data(), column_.data(), nullptr), TAFFETA_BAD_ARGUMENT, "values is a");
    expect(scalars(nullptr, column.data(), b_), TAFFETA_BAD_ARGUMENT, "row_begin is a null");
    expect(scalars(begin.data(), nullptr, b_), TAFFETA_BAD_ARGUMENT, "column is a null");
    expect(scalars(begin.data(), column.data(), nullptr), TAFFETA_BAD_ARGUMENT, "values is a");
    expect(taffeta_solver_update_values(solver_, nullptr), TAFFETA_BAD_ARGUMENT, "values is a");
    expect(taffeta_solver_set_options(solver_, nullptr), TAFFETA_BAD_ARGUMENT, "options is a");
    expect(taffeta_solver_set_coordinates(solver_, 2, nullptr), TAFFETA_BAD_ARGUMENT, "null");
    expect(taffeta_solver_set_constraints(solver_, 1, nullptr), TAFFETA_BAD_ARGUMENT, "null");
    expect(taffeta_solver_solve(solver_, nullptr, x), TAFFETA_BAD_ARGUMENT, "b is a null");
    expect(taffeta_solver_solve(solver_, b_, nullptr), TAFFETA_BAD_ARGUMENT, "x is a null");
    expect(taffeta_solver_statistics(solver_, nullptr), TAFFETA_BAD_ARGUMENT, "null pointer");
}

TEST_F(CApiMisuse, CallsWithoutAMatrix) {
    taffeta_solver* fresh = taffeta_solver_create();
    double x[6] = {};
    taffeta_constraint constraint{};
    constraint.forbidden = 3;
    for (const taffeta_status status :
         {taffeta_solver_solve(fresh, b_, x), taffeta_solver_update_values(fresh, b_),
          taffeta_solver_set_coordinates(fresh, 2, b_),
          taffeta_solver_set_constraints(fresh, 1, &constraint)})
        expect(status, TAFFETA_BAD_ARGUMENT, "there is no matrix yet", fresh);
    taffeta_solver_destroy(fresh);
}

TEST_F(CApiMisuse, Sizes) {
    const std::vector<int32_t> begin = {0, 1, 2, 3, 4}, column = {0, 1, 2, 3};
    for (const int32_t rows : {0, -3})
        expect(taffeta_solver_set_matrix_csr(solver_, rows, begin.data(), column.data(), b_),
               TAFFETA_BAD_SIZE, "rows");
    expect(taffeta_solver_set_matrix_csr(solver_, 4, begin.data(), column.data(), b_),
           TAFFETA_BAD_SIZE, "4 rows are not a multiple of 3: append 2");
    for (const int32_t vertices : {0, -1})
        expect(taffeta_solver_set_matrix_bsr(solver_, vertices, begin_.data(), column_.data(),
                                             values_.data(), TAFFETA_ROW_MAJOR),
               TAFFETA_BAD_SIZE, "vertices");
    expect(taffeta_solver_set_coordinates(solver_, 3, b_), TAFFETA_BAD_SIZE,
           "coordinates of 3 vertices, but the matrix has 2");
    expect(taffeta_solver_set_constraints(solver_, -1, nullptr), TAFFETA_BAD_SIZE, "-1");
}

TEST_F(CApiMisuse, PatternsAndOrders) {
    // Each kind of fault is in test_compressed_rows.cpp; here one of each door.
    const std::vector<int32_t> unsorted = {1, 0, 0, 1}, one_sided = {0, 1, 1};
    expect(taffeta_solver_set_matrix_bsr(solver_, 2, begin_.data(), unsorted.data(), values_.data(),
                                         TAFFETA_ROW_MAJOR),
           TAFFETA_BAD_ARGUMENT, "row 0 has column 0 behind 1");
    const std::vector<int32_t> short_begin = {0, 2, 3};
    expect(taffeta_solver_set_matrix_bsr(solver_, 2, short_begin.data(), one_sided.data(),
                                         values_.data(), TAFFETA_ROW_MAJOR),
           TAFFETA_BAD_ARGUMENT, "block (0, 1) is there, but not (1, 0)");
    const std::vector<int32_t> begin = {0, 1, 2, 3}, far = {0, 1, 3};
    expect(taffeta_solver_set_matrix_csr(solver_, 3, begin.data(), far.data(), b_),
           TAFFETA_BAD_ARGUMENT, "row 2 has column 3 of 3");
    expect(
        taffeta_solver_set_matrix_bsr(solver_, 2, begin_.data(), column_.data(), values_.data(), 7),
        TAFFETA_BAD_ARGUMENT, "7 is no order");
}

TEST_F(CApiMisuse, NumbersThatAreNotFinite) {
    for (const double bad : {nan, HUGE_VAL, -HUGE_VAL}) {
        std::vector<double> values = values_;
        values[22] = bad;
        expect(taffeta_solver_update_values(solver_, values.data()), TAFFETA_NOT_FINITE,
               "values[22] = ");
        expect(taffeta_solver_set_matrix_bsr(solver_, 2, begin_.data(), column_.data(),
                                             values.data(), TAFFETA_COLUMN_MAJOR),
               TAFFETA_NOT_FINITE, "(block (1, 0))");
        const double scalars[3] = {1, bad, 1}, nodes[6] = {0, 0, 0, 0, bad, 0};
        const std::vector<int32_t> begin = {0, 1, 2, 3}, column = {0, 1, 2};
        expect(taffeta_solver_set_matrix_csr(solver_, 3, begin.data(), column.data(), scalars),
               TAFFETA_NOT_FINITE, "(row 1)");
        expect(taffeta_solver_set_coordinates(solver_, 2, nodes), TAFFETA_NOT_FINITE, "(vertex 1)");
        double b[6] = {1, 1, 1, 1, 1, bad}, x[6] = {3, 3, 3, 3, 3, 3};
        expect(taffeta_solver_solve(solver_, b, x), TAFFETA_NOT_FINITE, "b[5]");
        EXPECT_EQ(x[0], 3);
        x[1] = bad;
        expect(taffeta_solver_solve(solver_, b_, x), TAFFETA_NOT_FINITE, "guess");
    }
}

TEST_F(CApiMisuse, Options) {
    const auto refused = [&](const char* options, const std::string& part) {
        expect(taffeta_solver_set_options(solver_, options), TAFFETA_BAD_ARGUMENT, part);
    };
    refused("tolerence=1e-6", "unknown key 'tolerence' (did you mean 'tolerance'?)");
    refused("preconditioner=sb", "unknown preconditioner 'sb' (did you mean 'sa'?)");
    refused("type=ldtl", "did you mean 'ldlt'?");
    refused("type=3", "a string");
    refused("preconditioner=sa preconditioner.agregate_size=8", "did you mean 'aggregate_size'?");
    refused("tolerance", "options:1:1: 'tolerance' has no value");
    refused("tolerance=-1", "-1 is out of range");
    refused("tolerance=small", "expected a number");
    refused("tolerance=nan", "not a finite number");
    refused("max_iterations=2.5", "not an integer");
    refused("tolerance=1 tolerance=2", "twice");
    for (const double tolerance : {-1e-3, nan, HUGE_VAL})
        expect(taffeta_solver_set_tolerance(solver_, tolerance), TAFFETA_BAD_ARGUMENT,
               "is not a positive number");
}

TEST_F(CApiMisuse, Constraints) {
    const auto refused = [&](taffeta_constraint constraint, const std::string& part) {
        taffeta_constraint fixed{};
        fixed.forbidden = 3;
        const taffeta_constraint both[2] = {fixed, constraint};
        expect(taffeta_solver_set_constraints(solver_, 2, both), TAFFETA_BAD_FILTER, part);
    };
    refused({2, 3, {}, {}}, "constraint 1: vertex 2 of 2");
    refused({-1, 3, {}, {}}, "vertex -1 of 2");
    refused({0, 3, {}, {}}, "vertex 0 has one already");
    refused({1, 0, {}, {}}, "0 forbidden directions");
    refused({1, 4, {}, {}}, "4 forbidden directions");
    refused({1, 1, {{0, 0, 0}}, {}}, "direction 0 is no unit vector");
    refused({1, 1, {{0, 2, 0}}, {}}, "direction 0 is no unit vector: (0, 2, 0)");
    refused({1, 2, {{0, 1, 0}, {nan, 0, 1}}, {}}, "direction 1 is no unit vector");
    refused({1, 2, {{0, 1, 0}, {0, -1, 0}}, {}}, "parallel");
    refused({1, 3, {}, {0, HUGE_VAL, 0}}, "a target that is not finite");
}

TEST_F(CApiMisuse, Threads) {
    const int32_t before = taffeta_thread_count();
    for (const int32_t threads : {-1, 1025, std::numeric_limits<int32_t>::max()})
        EXPECT_EQ(taffeta_set_thread_count(threads), TAFFETA_BAD_ARGUMENT);
    EXPECT_EQ(taffeta_thread_count(), before);
}

TEST_F(CApiMisuse, AnotherSizeForgetsWhatBelongsToTheOldOne) {
    taffeta_constraint fixed{};
    fixed.forbidden = 3;
    ASSERT_EQ(taffeta_solver_set_constraints(solver_, 1, &fixed), TAFFETA_CONVERGED);
    const std::vector<int32_t> begin = {0, 1}, column = {0};
    ASSERT_EQ(taffeta_solver_set_matrix_bsr(solver_, 1, begin.data(), column.data(), values_.data(),
                                            TAFFETA_ROW_MAJOR),
              TAFFETA_CONVERGED);
    double x[3] = {};

    EXPECT_EQ(taffeta_solver_solve(solver_, b_, x), TAFFETA_CONVERGED);

    EXPECT_NEAR(x[0], 0.5, 1e-4);
    ASSERT_EQ(set_blocks(), TAFFETA_CONVERGED);
}

TEST(CApiStatuses, HaveNames) {
    EXPECT_STREQ(taffeta_status_name(TAFFETA_CONVERGED), "converged");
    EXPECT_STREQ(taffeta_status_name(TAFFETA_BAD_SIZE), "bad_size");
    EXPECT_STREQ(taffeta_status_name(TAFFETA_BAD_ARGUMENT), "bad_argument");
    EXPECT_STREQ(taffeta_status_name(TAFFETA_OUT_OF_MEMORY), "out_of_memory");
    EXPECT_STREQ(taffeta_status_name(TAFFETA_INTERNAL), "internal");
    EXPECT_STREQ(taffeta_status_name(taffeta_status(15)), "unknown");
}

}  // namespace
}  // namespace taffeta
