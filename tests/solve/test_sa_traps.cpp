#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "solve/sa_helpers.h"
#include "taffeta/solve/sa/prolongator.h"
#include "taffeta/solve/sa/strength.h"

/// Traps of smoothed aggregation that are easy to fall into and hard to see from outside. The table in
/// docs/solver.md says where the others are tested.
namespace taffeta::solve {
namespace {

using testing::elastic_matrix;
using testing::Random;
using testing::rows_of;
using testing::sheet;

sa::KernelBlock<3> rigid_block(const Vec3& x) {
    sa::KernelBlock<3> K;
    K.leftCols<3>().setIdentity();
    for (int k = 0; k < 3; ++k)
        K.col(3 + k) = Vec3::Unit(k).cross(x);
    return K;
}

Eigen::Map<const Eigen::Matrix<float, 3, 6, Eigen::RowMajor>> block_of(
    const sa::Tentative<6>& found, std::size_t vertex) {
    return Eigen::Map<const Eigen::Matrix<float, 3, 6, Eigen::RowMajor>>(found.block.data() +
                                                                         18 * vertex);
}

/// The row-maximum test as printed is not symmetric: then i may find j strong and not j i, and a
/// vertex can enter two aggregates or none.
TEST(SaTraps, StrengthOfThePaperIsSymmetricToo) {
    const sparse::Matrix3 A = testing::grid_matrix(12, 11, 1e3, 3, 5);
    const sa::Strength s = sa::strength_of(rows_of(A), sa::Recipe::paper2015());
    Index seen = 0;
    for (Index i = 0; i < A.rows(); ++i)
        for (Index k = s.row_begin[std::size_t(i)]; k < s.row_begin[std::size_t(i) + 1]; ++k) {
            const Index j = s.column[std::size_t(k)];
            const auto first = s.column.begin() + s.row_begin[std::size_t(j)];
            const auto last = s.column.begin() + s.row_begin[std::size_t(j) + 1];
            EXPECT_NE(std::find(first, last, i), last) << i << " " << j;
            ++seen;
        }
    EXPECT_GT(seen, A.rows());
    EXPECT_LT(seen, A.pattern().blocks() - A.rows());  // or the test would be void
}

/// A special vertex that stays in the neighbourhoods of others keeps all of them from being roots;
/// one that stays a candidate becomes an aggregate of its own.
TEST(SaTraps, NeighboursOfSpecialVerticesAreAggregatedAndTheyAreNot) {
    sparse::Matrix3 A = testing::grid_matrix(9, 9, 1e3, 0, 3);
    std::vector<Index> special;
    for (const Index v : {20, 24, 40, 56, 60}) {
        A.block(A.pattern().diagonal[std::size_t(v)]) += 1e9 * Mat3::Identity();
        special.push_back(v);
    }
    const sa::Recipe recipe = sa::Recipe::paper2015();

    const sa::Aggregates found = sa::aggregate(sa::strength_of(rows_of(A), recipe), recipe);

    std::vector<Index> size(std::size_t(found.count), 0);
    for (Index v = 0; v < A.rows(); ++v) {
        const bool is_special = std::count(special.begin(), special.end(), v) > 0;
        EXPECT_EQ(found.of[std::size_t(v)] < 0, is_special) << v;
        if (found.of[std::size_t(v)] >= 0) ++size[std::size_t(found.of[std::size_t(v)])];
    }
    for (const Index members : size)
        EXPECT_GE(members, 3);
}

/// An aggregate of given vertices, some of them held in some directions.
struct Placed {
    std::vector<Vec3> x;
    std::vector<Vec3> free = {};  ///< diagonal of S per vertex; empty: all ones
    int rank;
};

/// One vertex has three modes, two or a straight line five, three that are not collinear six; held
/// directions take more. Missing columns are zero, K = P^ R holds all the same, and P^ stays in
/// range(S), which has all columns of S K.
TEST(SaTraps, TentativeProlongatorKnowsTheRankOfEveryAggregate) {
    const Vec3 a(0.3, 0.1, 0.2), u(0.01, 0, 0.002), v(0, 0.012, 0.001), held(0, 0, 0);
    const Vec3 all(1, 1, 1), plane(1, 1, 0), line(1, 0, 0);
    const std::vector<Placed> cases = {
        {{a}, {}, 3},
        {{a, a + u}, {}, 5},
        {{a, a + u, a + 3 * u}, {}, 5},
        {{a, a + u, a + v}, {}, 6},
        {{a, a + u, a + v}, {all, all, held}, 5},
        {{a, a + u, a + v}, {all, held, held}, 3},
        {{a, a + u, a + v}, {plane, plane, plane}, 5},
        {{a, a + u, a + v}, {line, line, line}, 3},
        {{a, a + u, a + v}, {held, held, held}, 0},
    };
    for (std::size_t c = 0; c < cases.size(); ++c) {
        const Placed& placed = cases[c];
        sa::Kernel<3> kernel;
        Eigen::MatrixXd K(3 * Eigen::Index(placed.x.size()), 6);
        for (std::size_t i = 0; i < placed.x.size(); ++i) {
            sa::KernelBlock<3> block = rigid_block(placed.x[i]);
            if (!placed.free.empty()) block = placed.free[i].asDiagonal() * block;
            kernel.push_back(block);
            K.middleRows<3>(3 * Eigen::Index(i)) = block;
        }
        sa::Aggregates one;
        one.of.assign(placed.x.size(), 0);
        one.count = 1;
        // Independent of the code: singular values of the motions about the centre, in its radius.
        Vec3 centre = Vec3::Zero();
        for (const Vec3& x : placed.x)
            centre += x / double(placed.x.size());
        Eigen::MatrixXd scaled = K;
        for (std::size_t i = 0; i < placed.x.size(); ++i) {
            sa::KernelBlock<3> block = rigid_block(100 * (placed.x[i] - centre));
            if (!placed.free.empty()) block = placed.free[i].asDiagonal() * block;
            scaled.middleRows<3>(3 * Eigen::Index(i)) = block;
        }
        const Eigen::VectorXd squares = oracle::eigenvalues(scaled.transpose() * scaled);
        ASSERT_EQ((squares.array() > 1e-6).count(), placed.rank) << "case " << c;

        const sa::Tentative<6> found = sa::tentative<6>(kernel, one);

        EXPECT_EQ(6 - std::popcount(found.missing[0]), placed.rank) << "case " << c;
        Eigen::MatrixXd Q(K.rows(), 6);
        for (std::size_t i = 0; i < placed.x.size(); ++i)
            Q.middleRows<3>(3 * Eigen::Index(i)) = block_of(found, i).cast<double>();
        EXPECT_LE((Q * found.coarse[0] - K).norm(), 1e-6 * (1 + K.norm())) << "case " << c;
        Eigen::MatrixXd unit = Q.transpose() * Q;
        for (int k = 0; k < 6; ++k) {
            if (!(found.missing[0] & (1u << k))) continue;
            EXPECT_EQ(Q.col(k).norm(), 0) << "case " << c;
            EXPECT_EQ(found.coarse[0].row(k).norm(), 0) << "case " << c;
            unit(k, k) = 1;
        }
        EXPECT_LE((unit - Eigen::MatrixXd::Identity(6, 6)).norm(), 1e-5) << "case " << c;
        for (std::size_t i = 0; i < placed.free.size(); ++i)
            for (int r = 0; r < 3; ++r)
                if (placed.free[i][r] == 0) {
                    EXPECT_EQ(block_of(found, i).row(r).norm(), 0) << "case " << c;
                }
    }
}

/// The unknowns of missing modes get a positive number, or the coarse matrix would be singular: a
/// chain, of which every aggregate lacks a rotation.
TEST(SaTraps, CoarseMatrixIsPositiveWhereModesAreMissing) {
    const sparse::Matrix3 A = testing::grid_matrix(30, 1, 1e3, 0, 1);
    const sa::SquareRows<3> rows = rows_of(A);
    const sa::Aggregates aggregates = sa::aggregate(sa::strength_of(rows, {}), {});
    sa::Kernel<3> kernel;
    const VecX x = sheet(30, 1);
    for (Index v = 0; v < 30; ++v)
        kernel.push_back(rigid_block(vec3(x, v)));
    const sa::Tentative<6> basis = sa::tentative<6>(kernel, aggregates);
    ASSERT_TRUE(std::all_of(basis.missing.begin(), basis.missing.end(),
                            [](unsigned char m) { return m != 0; }));
    sa::ProlongatorRows<3, 6> P;
    sa::make_prolongator_pattern(rows, aggregates, P);
    const sa::HalfRows<3> half = testing::half_of(rows, testing::strips_of(rows, true));
    sa::Workspaces workspaces;
    sa::smooth_prolongator(half, rows.inverse_diagonal, aggregates, basis.block, 0.6f, workspaces,
                           P);
    sa::SquareRows<6> coarse;
    sa::make_galerkin_pattern(rows, P, aggregates.count, coarse);

    sa::galerkin_product(half, P, basis.missing, workspaces, coarse);

    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(6 * coarse.rows(), 6 * coarse.rows());
    for (Index i = 0; i < coarse.rows(); ++i)
        for (Index s = coarse.row_begin[std::size_t(i)]; s < coarse.row_begin[std::size_t(i) + 1];
             ++s)
            for (int c = 0; c < 6; ++c)
                for (int r = 0; r < 6; ++r)
                    full(6 * i + r, 6 * coarse.column[std::size_t(s)] + c) =
                        coarse.block(s)[6 * c + r];
    const Eigen::VectorXd spectrum = oracle::eigenvalues(full);
    // The smallest of A is its mass, 1, or more; that of a Galerkin product can only be larger, but
    // for the factor that the columns of P are no longer orthonormal.
    EXPECT_GT(spectrum[0], 1e-3);
    EXPECT_LE(sa::invert_diagonal(coarse), -1);
}

struct Solved {
    SolveReport report;
    double error = 0;
};

Solved solve_for_known(const sparse::Matrix3& A, const VecX& coordinates, const char* preset) {
    Settings settings = testing::solver_settings("prefiltered_pcg", {{"tolerance", 1e-8}});
    settings["preconditioner"] = testing::solver_settings("sa");
    settings["preconditioner"]["preset"] = Settings::of(std::string(preset));
    const auto solver = make_linear_solver(settings);
    solver->set_near_kernel({&coordinates});
    const VecX exact = Random(4).field(A.rows());
    VecX b, x = VecX::Zero(exact.size());
    sparse::multiply(A, exact, b);
    const SolveReport report = solver->solve(A, sparse::NodeFilter(A.rows()), b, x);
    return {report, (x - exact).norm() / exact.norm()};
}

/// Vertices that hang on the sheet by contact alone, k n n' between each and a vertex of the sheet:
/// they have a stiff neighbour in one direction and none in the others.
TEST(SaTraps, VerticesWithContactLinksOnlyAreSolved) {
    constexpr Index size = 24, loose = 40, count = size * size;
    std::vector<Index> stencils;
    const sparse::Matrix3 cloth = elastic_matrix(size, size, 1e3);
    for (Index i = 0; i < count; ++i)
        for (Index s = cloth.pattern().row_begin[std::size_t(i)];
             s < cloth.pattern().row_begin[std::size_t(i) + 1]; ++s)
            if (cloth.pattern().column[std::size_t(s)] > i) {
                stencils.push_back(i);
                stencils.push_back(cloth.pattern().column[std::size_t(s)]);
            }
    for (Index k = 0; k < loose; ++k) {
        stencils.push_back(13 * k);
        stencils.push_back(count + k);
    }
    const std::vector<sparse::StencilSet> sets = {{2, stencils}};
    VecX coordinates(3 * (count + loose));
    coordinates.head(3 * count) = sheet(size, size);
    for (const double stiffness : {1e2, 1e4, 1e6, 1e8}) {
        sparse::Matrix3 A(sparse::make_pattern(count + loose, sets));
        A.set_zero();
        for (Index i = 0; i < count; ++i)
            for (Index s = cloth.pattern().row_begin[std::size_t(i)];
                 s < cloth.pattern().row_begin[std::size_t(i) + 1]; ++s)
                A.block(A.pattern().slot(i, cloth.pattern().column[std::size_t(s)])) =
                    cloth.block(s);
        for (Index k = 0; k < loose; ++k) {
            const Index i = 13 * k, j = count + k;
            const Vec3 n = Vec3(0.1 * double(k % 3), 0.2, 1).normalized();
            const Mat3 link = stiffness * n * n.transpose();
            A.block(A.pattern().diagonal[std::size_t(i)]) += link;
            A.block(A.pattern().diagonal[std::size_t(j)]) = link + Mat3::Identity();
            A.block(A.pattern().slot(i, j)) = -link;
            A.block(A.pattern().slot(j, i)) = -link;
            vec3(coordinates, j) = vec3(coordinates, i) + 0.001 * n;
        }
        for (const char* preset : {"fast", "paper2015"}) {
            const Solved solved = solve_for_known(A, coordinates, preset);

            // 1e8 beside a mass of 1 is more than single precision can hold: an honest failure.
            if (stiffness > 1e7 && !solved.report.ok()) {
                EXPECT_EQ(solved.report.status, SolveStatus::breakdown);
                EXPECT_NE(solved.report.message.find("not positive"), std::string::npos);
                continue;
            }
            ASSERT_TRUE(solved.report.ok())
                << preset << " " << stiffness << ": " << solved.report.message;
            EXPECT_LE(solved.report.iterations, 80) << preset << " " << stiffness;
            EXPECT_LE(solved.error, 1e-4) << preset << " " << stiffness;
        }
    }
}

/// A component without mass that nothing holds can move as a whole for free: no load on it has an
/// answer, and none may be reported.
TEST(SaTraps, AComponentFreeOfMassIsNoSuccess) {
    sparse::Matrix3 A = elastic_matrix(20, 20, 1e3);
    for (Index i = 0; i < A.rows(); ++i)
        A.block(A.pattern().diagonal[std::size_t(i)]) -= Mat3::Identity();  // its mass
    const VecX ones = VecX::Ones(A.rows() * 3), coordinates = sheet(20, 20);
    VecX image;
    sparse::multiply(A, ones, image);
    ASSERT_LE(image.norm(), 1e-9 * ones.norm());
    for (const char* preconditioner : {"sa", "block_jacobi"}) {
        const auto solver =
            testing::make_solver("prefiltered_pcg", {{"max_iterations", 400}}, preconditioner);
        solver->set_near_kernel({&coordinates});
        VecX x = VecX::Zero(ones.size());

        const SolveReport report = solver->solve(A, sparse::NodeFilter(A.rows()), ones, x);

        EXPECT_FALSE(report.ok()) << preconditioner;
        EXPECT_NE(report.message, "");
    }
}

}  // namespace
}  // namespace taffeta::solve
