#include <gtest/gtest.h>

#include "solve/classic_helpers.h"
#include "taffeta/base/parallel.h"

namespace taffeta::solve {
namespace {

using testing::dense_prefiltered;
using testing::elimination_order;
using testing::make_preconditioner;
using testing::Random;

/// (D/w + L) of a matrix in the order of elimination.
Eigen::MatrixXd lower_factor(const Eigen::MatrixXd& B, double omega) {
    Eigen::MatrixXd factor = B;
    for (Eigen::Index i = 0; i < B.rows(); i += 3) {
        factor.block<3, 3>(i, i) /= omega;
        factor.block(i, i + 3, 3, B.cols() - i - 3).setZero();
    }
    return factor;
}

Eigen::MatrixXd block_diagonal_part(const Eigen::MatrixXd& B) {
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(B.rows(), B.cols());
    for (Eigen::Index i = 0; i < B.rows(); i += 3)
        D.block<3, 3>(i, i) = B.block<3, 3>(i, i);
    return D;
}

TEST(Ssor, IsTheTextbookFormula) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 100, 3, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const std::vector<Index> order = elimination_order(A);
    const Eigen::MatrixXd B = testing::permuted(dense_prefiltered(A, filter), order);
    const VecX r = Random(3).field(A.rows());
    for (const double omega : {0.5, 1.0, 1.2, 1.9}) {
        const auto preconditioner = make_preconditioner("ssor", {{"omega", omega}});
        VecX z;

        ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
        preconditioner->apply(r, z);

        // M = w/(2-w) (D/w + L) D^-1 (D/w + L)'
        const Eigen::MatrixXd F = lower_factor(B, omega);
        const VecX u = oracle::solve_dense(F, testing::permuted(r, order));
        const VecX expected =
            (2 - omega) / omega * oracle::solve_dense(F.transpose(), block_diagonal_part(B) * u);
        EXPECT_LE((testing::permuted(z, order) - expected).norm(), 1e-11 * expected.norm())
            << "omega " << omega;
    }
}

TEST(Ssor, IsTheSameFormulaOverManyStrips) {
    const sparse::Matrix3 A = testing::grid_matrix(50, 20, 100, 3, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const std::vector<Index> order = elimination_order(A);
    const Eigen::MatrixXd B = testing::permuted(dense_prefiltered(A, filter), order);
    const VecX r = Random(3).field(A.rows());
    const double omega = 1.3;
    const auto preconditioner = make_preconditioner("ssor", {{"omega", omega}});
    VecX z;

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    preconditioner->apply(r, z);

    const Eigen::MatrixXd F = lower_factor(B, omega);
    VecX image = F.transpose() * testing::permuted(z, order);
    for (Index i = 0; i < A.rows(); ++i)
        vec3(image, i) = oracle::solve_dense(B.block<3, 3>(3 * i, 3 * i), vec3(image, i)).eval();
    const VecX back = omega / (2 - omega) * (F * image);
    EXPECT_LE((back - testing::permuted(r, order)).norm(), 1e-10 * r.norm());
}

TEST(TriangularSweeps, OrderIsAPermutationWhoseStripsOfOneParityAreNotCoupled) {
    const sparse::Matrix3 A = testing::grid_matrix(60, 50, 1, 0, 1);
    TriangularSweeps sweeps;
    sweeps.plan(A.shared_pattern());
    ASSERT_GE(sweeps.strips(), 4);
    std::vector<Index> strip_of(std::size_t(A.rows()), -1), seen(std::size_t(A.rows()), 0);
    std::vector<Index> row_of(std::size_t(A.rows()), -1);

    sweeps.over_strips(false, [&](Index first, Index last, Index strip) {
        for (Index i = first; i < last; ++i) {
            strip_of[std::size_t(sweeps.vertex(i))] = strip;
            row_of[std::size_t(sweeps.vertex(i))] = i;
            ++seen[std::size_t(sweeps.vertex(i))];
        }
    });

    const Index even = (sweeps.strips() + 1) / 2;
    Index across = 0;
    for (Index v = 0; v < A.rows(); ++v) {
        EXPECT_EQ(seen[std::size_t(v)], 1);
        for (Index s = A.pattern().row_begin[std::size_t(v)];
             s < A.pattern().row_begin[std::size_t(v) + 1]; ++s) {
            const std::size_t w = std::size_t(A.pattern().column[std::size_t(s)]);
            const Index here = strip_of[std::size_t(v)], there = strip_of[w];
            across += here != there;
            EXPECT_TRUE(here == there || (here < even) != (there < even)) << v << ", " << w;
            EXPECT_TRUE(here >= there || row_of[std::size_t(v)] < row_of[w]);
        }
    }
    EXPECT_GT(across, 0);
}

TEST(TriangularSweeps, HaveTheSameBitsForAnyNumberOfThreadsOverManyStrips) {
    const sparse::Matrix3 A = testing::grid_matrix(60, 50, 100, 2, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const VecX r = Random(3).field(A.rows());
    for (const char* key : {"ssor", "ic0"}) {
        std::string said;
        VecX serial;
        for (const int threads : {1, 2, 4, 8}) {
            set_thread_count(threads);
            const auto preconditioner = make_preconditioner(key);
            VecX z;

            ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
            preconditioner->apply(r, z);

            if (threads == 1) {
                serial = z;
                said = preconditioner->description();
                ASSERT_EQ(said.find("in 1 strips"), std::string::npos) << said;
            }
            EXPECT_EQ(z, serial) << key << ", " << threads << " threads";
            EXPECT_EQ(preconditioner->description(), said);  // the shift and who asked for it
        }
        // The springs differ so much that IC(0) needs a shift.
        EXPECT_EQ(said.find("alpha") != std::string::npos, std::string(key) == "ic0") << said;
    }
    set_thread_count(0);
}

TEST(TriangularSweeps, KeepsItsPlanForTheSamePatternAndMakesANewOneForAnother) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 1, 0, 1);
    const sparse::Matrix3 other = testing::grid_matrix(5, 8, 1, 0, 1);
    TriangularSweeps sweeps;
    sweeps.plan(A.shared_pattern());
    ASSERT_TRUE(sweeps.load(A, sparse::NodeFilter(A.rows())));
    const double* const before = sweeps.lower(0).data();

    sweeps.plan(A.shared_pattern());
    EXPECT_EQ(sweeps.lower(0).data(), before);

    sweeps.plan(other.shared_pattern());
    EXPECT_EQ(sweeps.rows(), 40);
    EXPECT_TRUE(sweeps.load(other, sparse::NodeFilter(40)));
}

TEST(Ssor, StaysPositiveForEveryOmegaAlsoWhenTheMatrixIsNot) {
    sparse::Matrix3 A = testing::grid_matrix(5, 4, 1, 0, 1);
    for (Index i = 0; i < A.rows(); ++i)
        A.block(A.pattern().diagonal[std::size_t(i)]).setIdentity();
    ASSERT_LT(oracle::eigenvalues(testing::dense(A))[0], -0.1);
    for (const double omega : {0.01, 1.0, 1.9}) {
        const auto preconditioner = make_preconditioner("ssor", {{"omega", omega}});

        ASSERT_TRUE(preconditioner->setup(A, sparse::NodeFilter(A.rows()), {}).ok());

        const Eigen::MatrixXd inverse = testing::dense_inverse(*preconditioner, A.rows());
        EXPECT_LE((inverse - inverse.transpose()).norm(), 1e-13 * inverse.norm());
        EXPECT_GT(oracle::eigenvalues((inverse + inverse.transpose()) / 2)[0], 0) << omega;
    }
}

TEST(Ssor, RefusesOmegaOutsideTheOpenInterval) {
    for (const double omega : {-1.0, 0.0, 2.0, 3.0})
        EXPECT_THROW(make_preconditioner("ssor", {{"omega", omega}}), Error) << omega;
    EXPECT_NO_THROW(make_preconditioner("ssor", {{"omega", 1.999}}));
}

TEST(Ssor, NeedsFarFewerIterationsThanItsDiagonal) {
    const sparse::Matrix3 A = testing::grid_matrix(40, 40, 1e3, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);

    const int with = testing::iterations_with(Settings::of(std::string("ssor")), A, filter);
    const int diagonal =
        testing::iterations_with(Settings::of(std::string("block_jacobi")), A, filter);

    EXPECT_LT(with, 0.6 * diagonal) << diagonal;
}

TEST(Ssor, NamesWhatIsWrongWithTheMatrix) {
    testing::expect_named_failures("ssor");
}

TEST(Ssor, SaysWhatItIsAndWhatItHolds) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 100, 3, 1);
    const auto preconditioner = make_preconditioner("ssor", {{"omega", 1.5}});

    ASSERT_TRUE(preconditioner->setup(A, sparse::NodeFilter(A.rows()), {}).ok());

    EXPECT_NE(preconditioner->description().find("omega = 1.5, 30 vertices in 1 strips"),
              std::string::npos)
        << preconditioner->description();
    // L and L', each half of what is off the diagonal, in double.
    EXPECT_GT(preconditioner->bytes(), std::size_t(A.pattern().blocks() - 30) * 72);
}

}  // namespace
}  // namespace taffeta::solve
