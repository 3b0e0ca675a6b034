#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "solve/solve_helpers.h"
#include "taffeta/solve/direct/fill_order.h"
#include "taffeta/solve/direct/mkl_library.h"
#include "taffeta/solve/direct/simplicial_factors.h"

/// The direct solvers, each with each ordering, against dense solutions by Lagrange multipliers.
namespace taffeta::solve {
namespace {

using testing::kkt_solution;
using testing::Random;

struct DirectCase {
    std::string solver, ordering;
};

std::vector<DirectCase> direct_cases() {
    std::vector<DirectCase> cases;
    for (const SolverEntry* entry : linear_solvers())
        if (entry->properties.direct)
            for (const char* ordering : {"metis", "amd"})
                cases.push_back({std::string(entry->key), ordering});
    return cases;
}

class Direct : public ::testing::TestWithParam<DirectCase> {
  protected:
    void SetUp() override {
        const Unavailable lack =
            unavailable(find_entry(linear_solvers(), "solver", GetParam().solver));
        if (lack) GTEST_SKIP() << lack.why << " (" << lack.remedy << ")";
    }
    static std::unique_ptr<LinearSolver> make() {
        Settings settings = testing::solver_settings(GetParam().solver);
        settings["ordering"] = Settings::of(GetParam().ordering);
        return make_linear_solver(settings);
    }
};

TEST_P(Direct, SolvesUnderConstraints) {
    const sparse::Matrix3 A = testing::grid_matrix(8, 7, 1e4, 6, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const VecX b = Random(3).field(A.rows());
    VecX x = Random(4).field(A.rows());  // the guess is of no use to it
    const auto solver = make();

    const SolveReport report = solver->solve(A, filter, b, x);

    const VecX expected = kkt_solution(A, filter, b);
    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_LT(report.residual, 1e-12);
    EXPECT_GT(report.setup_seconds, 0);
    EXPECT_GT(report.solve_seconds, 0);
    EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm());
    // At the very least the factor of a dense 3 x 3 block a vertex.
    EXPECT_GT(solver->bytes(), std::size_t(A.rows()) * 6 * sizeof(double));
}

TEST_P(Direct, ReusedForNewNumbersConstraintsAndPatterns) {
    const auto solver = make();
    const sparse::Matrix3 first = testing::grid_matrix(6, 6, 10, 2, 1);
    sparse::Matrix3 second = first;  // the same pattern object, other numbers
    for (Index s = 0; s < second.pattern().blocks(); ++s)
        second.block(s) *= 3;
    const sparse::Matrix3 third = testing::grid_matrix(4, 9, 10, 2, 1);  // as many rows

    const sparse::Matrix3* const systems[] = {&first, &second, &third, &first};
    for (const sparse::Matrix3* A : systems)
        for (const std::uint64_t seed : {1u, 2u}) {
            const sparse::NodeFilter filter = testing::mixed_filter(A->rows(), seed);
            const VecX b = Random(seed).field(A->rows());
            VecX x = VecX::Zero(b.size());

            ASSERT_TRUE(solver->solve(*A, filter, b, x).ok());

            EXPECT_LE((x - kkt_solution(*A, filter, b)).norm(), 1e-10 * x.norm());
        }
    // first and second share an analysis, third and first again need one each
    EXPECT_EQ(solver->setup_counts().built, 3);
    EXPECT_EQ(solver->setup_counts().refreshed, 5);
}

TEST(Ldlt, HeldVerticesFillNothing) {
    // Two sheets of 12 x 12 free vertices: one alone, one in the corner of a larger held one.
    const auto solved = [](Index side) {
        const sparse::Matrix3 A = testing::grid_matrix(side, side, 10, 0, 1);
        sparse::NodeFilter filter(A.rows());
        for (Index i = 0; i < A.rows(); ++i)
            if (i % side >= 12 || i / side >= 12) filter.fix(i);
        const VecX b = Random(5).field(A.rows());
        VecX x = VecX::Zero(b.size());
        SimplicialFactors factors;
        sparse::Matrix3 B = A;
        sparse::prefilter(B, filter);
        FillOrder order;
        EXPECT_TRUE(fill_reducing_order(B.pattern(), "amd", order).ok());
        Triangle triangle;
        EXPECT_TRUE(triangle.make(B.pattern(), order, factors.half()).ok());
        triangle.fill(B);
        EXPECT_TRUE(factors.analyse(triangle).ok());
        EXPECT_TRUE(factors.factorize(triangle).ok());
        VecX right_side, solution;
        filter.project(x = b);
        triangle.permute(x, right_side);
        EXPECT_TRUE(factors.solve(right_side, solution).ok());
        triangle.permute_back(solution, x);
        EXPECT_LE((x - kkt_solution(A, filter, b)).norm(), 1e-10 * x.norm());
        return factors.blocks();
    };

    const std::size_t alone = solved(12), held = solved(18);

    EXPECT_GT(alone, 3u * 144);
    EXPECT_LT(held, alone + alone / 2);  // another order, but no blocks of the other 180
}

TEST_P(Direct, NamesTheVertexOfABadPivot) {
    sparse::Matrix3 indefinite = testing::grid_matrix(4, 4, 1, 0, 1);
    indefinite.block(indefinite.pattern().diagonal[9])(1, 1) -= 1000;
    sparse::Matrix3 singular = testing::grid_matrix(4, 4, 1, 0, 1);
    singular.set_zero();
    const VecX b = VecX::Ones(48);
    VecX x = VecX::Zero(48);

    const SolveReport negative = make()->solve(indefinite, sparse::NodeFilter(16), b, x);
    const SolveReport zero = make()->solve(singular, sparse::NodeFilter(16), b, x);

    EXPECT_EQ(negative.status, SolveStatus::indefinite) << negative.message;
    EXPECT_NE(negative.message.find("vertex 9, y"), std::string::npos) << negative.message;
    EXPECT_EQ(zero.status, SolveStatus::singular) << zero.message;
    EXPECT_EQ(x, VecX::Zero(48));
}

TEST_P(Direct, SeesAPivotThatIsOnlyRounding) {
    // A sheet that nothing holds: the Laplacian times I, whose kernel are three translations. The
    // right side is in its range, so that the residual would tell nothing.
    sparse::Matrix3 A = testing::grid_matrix(5, 5, 1, 0, 1);
    const sparse::BlockPattern& pattern = A.pattern();
    for (Index i = 0; i < A.rows(); ++i) {
        const Index begin = pattern.row_begin[std::size_t(i)];
        const Index end = pattern.row_begin[std::size_t(i) + 1];
        for (Index s = begin; s < end; ++s)
            A.block(s) = -0.1 * Mat3::Identity();
        A.block(pattern.diagonal[std::size_t(i)]) = 0.1 * (end - begin - 1) * Mat3::Identity();
    }
    VecX b, x = VecX::Zero(75);
    sparse::multiply(A, Random(1).field(25), b);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(25), b, x);

    EXPECT_EQ(report.status, SolveStatus::singular) << report.message;
    EXPECT_NE(report.message.find("pivot"), std::string::npos) << report.message;
}

TEST_P(Direct, GoesOnAfterABadMatrix) {
    const sparse::Matrix3 good = testing::grid_matrix(4, 4, 1, 2, 1);
    sparse::Matrix3 bad = good, infinite = good;  // the same pattern object
    bad.block(bad.pattern().diagonal[5])(2, 2) = -7;
    infinite.block(3)(0, 0) = std::numeric_limits<double>::infinity();
    const sparse::NodeFilter filter = testing::mixed_filter(16, 1);
    const VecX b = Random(3).field(16);
    VecX x = VecX::Zero(48), first = x;
    const auto solver = make();

    ASSERT_TRUE(solver->solve(good, filter, b, first).ok());
    EXPECT_EQ(solver->solve(bad, sparse::NodeFilter(16), b, x).status, SolveStatus::indefinite);
    EXPECT_EQ(solver->solve(infinite, filter, b, x).status, SolveStatus::not_finite);
    ASSERT_TRUE(solver->solve(good, filter, b, x).ok());

    EXPECT_EQ(x, first);
}

TEST_P(Direct, SeesThatTheMatrixIsNotSymmetric) {
    sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    A.block(A.pattern().slot(5, 6))(0, 1) += 3;
    const VecX b = VecX::Ones(48);
    VecX x = VecX::Zero(48);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(16), b, x);

    EXPECT_EQ(report.status, SolveStatus::indefinite);
    EXPECT_NE(report.message.find("not symmetric"), std::string::npos) << report.message;
}

/// Vertices without a neighbour beside pairs, and a coupling that is stored one way only.
TEST_P(Direct, TakesGraphsInPiecesAndHalfStoredZeros) {
    auto pattern = std::make_shared<sparse::BlockPattern>();
    *pattern = {.row_begin = {0, 1, 3, 4, 7, 9},
                .column = {0, 1, 4, 2, 0, 3, 4, 1, 4},
                .diagonal = {0, 1, 3, 5, 8}};
    sparse::Matrix3 A(pattern);
    for (const Index s : pattern->diagonal)
        A.block(s) = Vec3(2, 3, 4).asDiagonal();
    A.block(2) = A.block(7) = -Mat3::Identity();  // 1 and 4; the others are zeros one way
    const VecX b = Random(2).field(5);
    VecX x = VecX::Zero(15);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(5), b, x);

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_LE((testing::dense(A) * x - b).norm(), 1e-14 * b.norm());
}

INSTANTIATE_TEST_SUITE_P(Registry, Direct, ::testing::ValuesIn(direct_cases()),
                         [](const auto& tested) {
                             return tested.param.solver + "_" + tested.param.ordering;
                         });

class FillOrderOf : public ::testing::TestWithParam<const char*> {};

TEST_P(FillOrderOf, CountsWhatTheDenseFactorHolds) {
    // By numbers, so that nothing cancels: dominant with random couplings, one number a block.
    const sparse::Matrix3 A = testing::grid_matrix(7, 6, 1, 0, 1);
    FillOrder order;

    ASSERT_TRUE(fill_reducing_order(A.pattern(), GetParam(), order).ok());

    const Eigen::Index n = A.rows();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
    Random random(5);
    for (Index k = 0; k < n; ++k) {
        ASSERT_EQ(order.position[std::size_t(order.vertex[std::size_t(k)])], k);
        for (Index i = 0; i < k; ++i)
            if (A.pattern().slot(order.vertex[std::size_t(k)], order.vertex[std::size_t(i)]) >= 0)
                K(k, i) = K(i, k) = 0.01 + 0.1 * std::abs(random.uniform());
        K(k, k) = 10;
    }
    std::int64_t blocks = 0;
    for (Eigen::Index k = 0; k < n; ++k)  // elimination, right-looking
        for (Eigen::Index i = k + 1; i < n; ++i) {
            if (K(i, k) == 0) continue;
            ++blocks;
            for (Eigen::Index j = k + 1; j < n; ++j)
                K(i, j) -= K(i, k) * K(k, j) / K(k, k);
        }
    EXPECT_EQ(order.factor_entries, 9 * blocks + 6 * n);
}

INSTANTIATE_TEST_SUITE_P(Methods, FillOrderOf, ::testing::Values("metis", "amd"));

TEST(FillOrder, FillsMuchLessThanTheOrderOfTheMesh) {
    const sparse::Matrix3 A = testing::grid_matrix(40, 40, 1, 0, 1);
    for (const char* method : {"metis", "amd"}) {
        FillOrder order;

        ASSERT_TRUE(fill_reducing_order(A.pattern(), method, order).ok());

        // Row by row each of the 1600 rows of blocks fills from its first number on, 40 blocks.
        EXPECT_LT(order.factor_entries, 9 * 1600 * 40 / 2) << method;
    }
}

TEST(Mkl, IsRefusedWithAReasonWhereItIsAbsentOrBroken) {
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / "taffeta_no_mkl";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "libmkl_rt.so.2") << "this is no library";

    const MklLibrary absent = load_mkl((folder / "nothing").string());
    const MklLibrary text = load_mkl(folder.string());
    const MklLibrary other = load_mkl("/proc/self/exe");
    const MklLibrary without = load_mkl("libm.so.6");

    for (const MklLibrary* library : {&absent, &text, &other, &without}) {
        EXPECT_EQ(library->pardiso, nullptr);
        EXPECT_NE(library->lack.remedy.find("TAFFETA_MKL"), std::string::npos);
    }
    EXPECT_NE(absent.lack.why.find("nothing"), std::string::npos) << absent.lack.why;
    EXPECT_NE(text.lack.why.find("libmkl_rt.so.2"), std::string::npos) << text.lack.why;
    EXPECT_NE(without.lack.why.find("there is no"), std::string::npos) << without.lack.why;
    std::filesystem::remove_all(folder);
}

/// MKL itself ends a program in which one of its parts is missing.
TEST(Mkl, ThatIsIncompleteEndsNobody) {
    const char* const place = std::getenv("TAFFETA_MKL");
    if (mkl_library().lack || !place) GTEST_SKIP() << "needs MKL, at TAFFETA_MKL";
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / "taffeta_half_mkl";
    std::filesystem::create_directories(folder);
    for (const auto& file : std::filesystem::directory_iterator(
             std::filesystem::is_directory(place) ? std::filesystem::path(place)
                                                  : std::filesystem::path(place).parent_path()))
        if (file.path().filename().string().starts_with("libmkl_rt.so"))
            std::filesystem::copy_file(file.path(), folder / file.path().filename(),
                                       std::filesystem::copy_options::overwrite_existing);

    const MklLibrary incomplete = load_mkl(folder.string());

    EXPECT_EQ(incomplete.pardiso, nullptr);
    EXPECT_NE(incomplete.lack.why.find("does not work"), std::string::npos) << incomplete.lack.why;
    std::filesystem::remove_all(folder);
}

TEST(DirectSolvers, ThatAreMissingSayHowToGetThem) {
    for (const SolverEntry* entry : linear_solvers()) {
        const Unavailable lack = unavailable(*entry);
        if (!lack) continue;
        try {
            testing::make_solver(std::string(entry->key));
            ADD_FAILURE() << entry->key;
        } catch (const Error& error) {
            EXPECT_NE(error.message().find(entry->key), std::string::npos) << error.message();
            EXPECT_NE(error.message().find(lack.why), std::string::npos) << error.message();
            EXPECT_FALSE(error.hint().empty());
        }
    }
}

}  // namespace
}  // namespace taffeta::solve
