#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "sparse/systems.h"
#include "taffeta/base/error.h"
#include "taffeta/sparse/matrix_market.h"

namespace taffeta::sparse {
namespace {

using testing::dense;
using testing::Random;

class MatrixMarket : public ::testing::Test {
  protected:
    void SetUp() override {
        file_ = std::filesystem::temp_directory_path() /
                ("taffeta_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".mtx");
    }
    void TearDown() override { std::filesystem::remove(file_); }

    void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

    /// The message without the folder, or "no error".
    template <class Read>
    std::string error_of(const std::string& text, const Read& read) const {
        write(text);
        try {
            read(file_);
        } catch (const Error& error) {
            return error.where()
                       .substr(error.where().find_last_of('/') + 1)
                       .substr(file_.filename().string().size()) +
                   " " + error.message();
        }
        return "no error";
    }
    std::string matrix_error(const std::string& text) const {
        return error_of(text, [](const auto& file) { read_matrix(file); });
    }
    std::string vector_error(const std::string& text) const {
        return error_of(text, [](const auto& file) { read_vector(file); });
    }

    std::filesystem::path file_;
};

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

TEST_F(MatrixMarket, WritingThenReadingKeepsEveryBit) {
    const Matrix3 A = testing::grid_matrix(4, 5, 1e3, 12, 1);
    for (const bool as_symmetric : {true, false}) {
        write_matrix(file_, A, as_symmetric);

        const Matrix3 back = to_blocks(read_matrix(file_));

        EXPECT_EQ(dense(back), dense(A));
        EXPECT_EQ(back.pattern().column, A.pattern().column);
    }
    VecX x = Random(2).field(7);
    x[0] = 5e-324;
    x[1] = 1.7976931348623157e308;
    write_vector(file_, x);
    EXPECT_EQ(read_vector(file_), x);
}

TEST_F(MatrixMarket, AcceptsWhatTheFormatAllows) {
    write(
        "%%matrixmarket MATRIX coordinate Integer general\r\n% comment\r\n\r\n 3\t3 4 \r\n"
        "1 1 +2\r\n% between\n2 2 3\n3 3 4e0\n1 3 .5");

    const Matrix3 A = to_blocks(read_matrix(file_));

    Eigen::Matrix3d expected = Eigen::Vector3d(2, 3, 4).asDiagonal();
    expected(0, 2) = 0.5;
    EXPECT_EQ(dense(A), expected);
}

TEST_F(MatrixMarket, SymmetricFilesListOneTriangle) {
    write(symmetric + "3 3 2\n2 1 5\n2 3 7\n");

    const Matrix3 A = to_blocks(read_matrix(file_));

    EXPECT_EQ(dense(A)(0, 1), 5);
    EXPECT_EQ(dense(A)(1, 0), 5);
    EXPECT_EQ(dense(A)(2, 1), 7);
    EXPECT_EQ(dense(A)(1, 2), 7);
}

TEST_F(MatrixMarket, EveryDiagonalBlockIsThere) {
    write(general + "9 9 1\n1 9 1\n");

    const Matrix3 A = to_blocks(read_matrix(file_));

    EXPECT_EQ(A.rows(), 3);
    EXPECT_EQ(A.pattern().blocks(), 5);  // three diagonal, (0, 2) and its mirror
}

TEST_F(MatrixMarket, OtherDimensionsArePaddedWithAUnitDiagonal) {
    write(general + "4 4 1\n4 4 3\n");
    const Triplets matrix = read_matrix(file_);

    const Eigen::MatrixXd A = dense(to_blocks(padded(matrix, 2)));

    EXPECT_THROW(to_blocks(matrix), Error);
    EXPECT_EQ(A.rows(), 6);
    EXPECT_EQ(A.diagonal(), (Eigen::VectorXd(6) << 0, 0, 0, 3, 1, 1).finished());
}

TEST_F(MatrixMarket, VectorsMayBeArraysOrCoordinates) {
    write(array + "3 1\n1\n2.5\n-3\n");
    EXPECT_EQ(read_vector(file_), Vec3(1, 2.5, -3));

    write(general + "3 1 1\n2 1 4\n");
    EXPECT_EQ(read_vector(file_), Vec3(0, 4, 0));
}

TEST_F(MatrixMarket, EveryErrorNamesItsLine) {
    EXPECT_EQ(matrix_error(""), ":0 the file is empty");
    EXPECT_EQ(matrix_error("hello\n"), ":1 not a Matrix Market file");
    EXPECT_EQ(matrix_error("%%MatrixMarket matrix coordinate complex general\n"),
              ":1 the field 'complex' is not supported");
    EXPECT_EQ(matrix_error("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
              ":1 the symmetry 'skew-symmetric' is not supported");
    EXPECT_EQ(matrix_error(general), ":1 the line with the sizes is missing");
    EXPECT_EQ(matrix_error(general + "3 3\n"), ":2 the number of entries is missing");
    EXPECT_EQ(matrix_error(general + "3 x 1\n"), ":2 the number of columns 'x' is not an integer");
    EXPECT_EQ(matrix_error(general + "3 3 1\n4 1 1\n"), ":3 the row 4 is out of range");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 0 1\n"), ":3 the column 0 is out of range");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 99999999999999999999 1\n"),
              ":3 the column 99999999999999999999 is out of range");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 1 0,5\n"), ":3 '0,5' is not a number");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 1 nan\n"), ":3 nan is not a finite number");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 1 1e999\n"), ":3 1e999 does not fit a double");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 1 1 1\n"),
              ":3 unexpected '1' at the end of the line");
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 1 1\n2 2 2\n"),
              ":4 more than the 1 entries announced");
    EXPECT_EQ(matrix_error(general + "3 3 2\n1 1 1.0000000\n"),
              ":3 the file ends after 1 of 2 entries");
    EXPECT_EQ(matrix_error(general + "3 3 2000000000\n1 1 1\n"),
              ":2 2000000000 entries announced, but only 6 bytes follow");
    EXPECT_EQ(matrix_error(symmetric + "3 2 1\n1 1 1\n"), ":2 a symmetric matrix of 3 x 2");
    EXPECT_EQ(matrix_error(general + "3 3 3\n1 1 1\n%\n2 1 1\n1 1 2\n"),
              ":6 entry (1, 1) is there twice, first in line 3");
    EXPECT_EQ(matrix_error(symmetric + "3 3 2\n2 1 1\n1 2 1\n"),
              ":4 entry (1, 2) is there twice, first in line 3");
    EXPECT_EQ(vector_error(array + "3 2\n1\n2\n3\n"), ":2 2 columns, a vector has one");
    EXPECT_EQ(vector_error(array + "3 1\n1\n2 \n"), ":4 the file ends after 2 of 3 numbers");
    EXPECT_EQ(vector_error(array + "2 1\n1\n2\n3\n"), ":5 more than the 2 numbers announced");
    EXPECT_EQ(vector_error(array + "2000000000 1\n1\n"),
              ":2 2000000000 numbers announced, but only 2 bytes follow");
}

TEST_F(MatrixMarket, WhatIsNoFileIsAnInputOutputError) {
    for (const char* name : {"/dev/zero", "/tmp", "/nonexistent/A.mtx"})
        try {
            read_matrix(name);
            FAIL() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::io);
            EXPECT_EQ(error.where(), name);
        }
}

TEST_F(MatrixMarket, WordsOfTheFileAreShownWithoutControlBytes) {
    EXPECT_EQ(matrix_error(general + "3 3 1\n1 1 \x1b[31m1\n"), ":3 '\\x1b[31m1' is not a number");
}

}  // namespace
}  // namespace taffeta::sparse
