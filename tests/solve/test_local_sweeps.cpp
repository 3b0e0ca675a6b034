#include <gtest/gtest.h>

#include <cmath>

#include "solve/folded_sheet.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/gauss_seidel.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/solve/sa/local_sweeps.h"
#include "taffeta/solve/sa/options.h"

/// More sweeps where a sheet is creased or has springs to another layer: which rows, what the sweeps do,
/// and what they are good for.
namespace taffeta::solve {
namespace {

using testing::dense;
using testing::Random;

constexpr double spring_stiffness = 1e4;

///   ___________/\/\/\____________    `folds` rows of vertices up and down, from row `first` on
///
/// Springs along the edges and nothing else: across itself a flat sheet has its mass alone.
struct Creased {
    Index columns, rows;
    VecX x;
    sparse::Matrix3 A;

    Creased(Index width, Index length, Index first, Index folds, double height = 0.01)
        : columns(width),
          rows(length),
          x(testing::sheet(width, length)),
          A(testing::grid_matrix(width, length, 0, 0, 1)) {
        for (Index v = first * columns; v < (first + folds) * columns; ++v)
            x[3 * v + 2] = v / columns % 2 == 0 ? height : 0;
        testing::add_springs(x, spring_stiffness, 0, A);
    }
    Index vertices() const { return A.rows(); }
};

/// The sweeps of a level in the order of the vertices.
struct SweptLevel {
    sparse::NodeFilter filter;
    std::vector<Index> order;
    std::vector<char> constrained;
    sa::SquareRows<3> matrix;
    sa::HalfRows<3> half;
    sa::LocalSweeps sweeps;

    SweptLevel(const sparse::Matrix3& A, int most, bool many_strips = true)
        : SweptLevel(A, A, {}, sparse::NodeFilter(A.rows()), most, many_strips) {}
    /// `whole` differs from A in the rows `contact`.
    SweptLevel(const sparse::Matrix3& A, const sparse::Matrix3& whole,
               const std::vector<Index>& contact, const sparse::NodeFilter& held, int most,
               bool many_strips)
        : filter(held),
          order(std::size_t(A.rows())),
          constrained(order.size(), 0),
          matrix(testing::rows_of(A)),
          half(testing::half_of(matrix, testing::strips_of(matrix, many_strips))) {
        std::iota(order.begin(), order.end(), 0);
        for (const sparse::NodeFilter::Entry& entry : filter.entries())
            constrained[std::size_t(entry.vertex)] = 1;
        half.load(sa::FilteredRows(A, filter, 1, order, order, constrained));
        const sa::FilteredRows rows(whole, filter, 1, order, order, constrained);
        EXPECT_EQ(sweeps.make(rows, contact, half, most, 0.02, matrix.inverse_diagonal), -1);
    }

    /// From zero forward on A x = b; r follows.
    VecX forward(const VecX& b, VecX& r) const {
        const sa::FloatArray right = testing::padded(b);
        sa::FloatArray x = testing::padded(VecX::Zero(b.size())), left = testing::padded(b);
        sweeps.forward(matrix.inverse_diagonal, right, x, left);
        r = testing::unpadded(left);
        return testing::unpadded(x);
    }
    VecX backward(const VecX& b, const VecX& from) const {
        sa::FloatArray x = testing::padded(from);
        sweeps.backward(matrix.inverse_diagonal, testing::padded(b), x);
        return testing::unpadded(x);
    }
};

double energy_of(const Eigen::MatrixXd& A, const VecX& x) {
    return x.dot(A * x);
}

TEST(LocalSweeps, AreWhereTheSheetIsCreasedAndThereAlone) {
    const Creased flat(30, 40, 0, 0);
    EXPECT_TRUE(SweptLevel(flat.A, 4).sweeps.empty());

    // Rows 19 to 24 have bent springs, and 18 and 25 are their neighbours.
    const Creased creased(30, 40, 20, 4);
    const SweptLevel level(creased.A, 4);
    EXPECT_GE(level.sweeps.rows(), 4 * creased.columns);
    EXPECT_LE(level.sweeps.rows(), 8 * creased.columns);
    VecX r;
    const VecX x = level.forward(Random(3).field(creased.vertices()), r);
    for (Index v = 0; v < creased.vertices(); ++v) {
        const Index row = v / creased.columns;
        if (row < 18 || row > 25) {
            EXPECT_EQ(vec3(x, v).norm(), 0) << v;
        } else if (row >= 20 && row < 24) {
            EXPECT_GT(vec3(x, v).norm(), 0) << v;
        }
    }
}

TEST(LocalSweeps, AreNotWhereVerticesAreHeldAndNotWhereAllIsCreased) {
    const Creased flat(30, 40, 0, 0), all(30, 40, 0, 40);
    sparse::NodeFilter held(flat.vertices());
    for (Index v = 0; v < flat.columns; ++v)
        held.fix(v);
    EXPECT_TRUE(SweptLevel(flat.A, flat.A, {}, held, 4, true).sweeps.empty());
    EXPECT_TRUE(SweptLevel(all.A, 4).sweeps.empty()) << "they would cost more than they save";
    EXPECT_TRUE(SweptLevel(Creased(30, 40, 20, 4).A, 0).sweeps.empty());
}

TEST(LocalSweeps, ReduceTheEnergyAndKeepTheResidual) {
    const Creased creased(24, 30, 12, 3);
    const SweptLevel level(creased.A, 3);
    const Eigen::MatrixXd A = dense(creased.A);
    const VecX b = Random(5).field(creased.vertices()), exact = A.llt().solve(b);
    VecX r;
    const VecX x = level.forward(b, r);
    EXPECT_LE((b - A * x - r).norm(), 1e-5 * b.norm());
    EXPECT_LT(energy_of(A, exact - x), energy_of(A, exact));
    const VecX further = level.backward(b, x);
    EXPECT_LT(energy_of(A, exact - further), energy_of(A, exact - x));
}

/// c'(S b) = b'(S' c): S are the forward sweeps from zero, S' the backward ones.
TEST(LocalSweeps, AreAdjoint) {
    const Creased creased(24, 30, 12, 3);
    for (const bool many : {false, true}) {
        const SweptLevel level(creased.A, 3, many);
        const VecX b = Random(5).field(creased.vertices()), c = Random(6).field(creased.vertices());
        VecX r;
        const double one = c.dot(level.forward(b, r));
        const double other = b.dot(level.backward(c, VecX::Zero(c.size())));
        EXPECT_NEAR(one, other, 1e-5 * std::abs(one)) << many;
    }
}

TEST(LocalSweeps, AreTheSameForAnyNumberOfThreads) {
    const Creased creased(24, 200, 90, 20);
    const VecX b = Random(5).field(creased.vertices());
    const auto both = [&](int threads) {
        set_thread_count(threads);
        const SweptLevel level(creased.A, 3);
        VecX r;
        const VecX x = level.forward(b, r);
        const VecX result = level.backward(b, x) + r;
        set_thread_count(0);
        return result;
    };
    const VecX one = both(1);
    for (const int threads : {2, 4, 8})
        EXPECT_EQ(both(threads), one) << threads;
}

/// A fold whose springs, ten times as stiff as the sheet, hold a part of it only.
struct Touching : testing::Folded {
    sparse::Matrix3 A;
    std::vector<Index> contact;

    explicit Touching(Index side = 16) : Folded(side, 2, 1e3) {
        terms.resize(terms.size() / 3);
        A = whole();
        for (const RankOneTerm& term : terms)
            contact.insert(contact.end(), term.vertex.begin(), term.vertex.end());
    }
};

/// Sweeps over all rows that leave those with springs alone, and then these.
struct SweepsOfAll {
    const Touching sheet;
    const SweptLevel level{sheet.E, sheet.A, sheet.contact, sparse::NodeFilter(sheet.vertices()),
                           2,       true};

    explicit SweepsOfAll(const Touching& touching = Touching()) : sheet(touching) {}

    VecX forward(const VecX& b, VecX& r) const {
        const sa::FloatArray right = testing::padded(b);
        sa::FloatArray x = testing::padded(b), left = testing::padded(b);
        const sa::FloatArray& inverse = level.matrix.inverse_diagonal;
        sa::smooth_from_zero(level.half, inverse, right, x, left, level.sweeps.kept());
        level.sweeps.forward(inverse, right, x, left);
        r = testing::unpadded(left);
        return testing::unpadded(x);
    }
    VecX backward(const VecX& b, const VecX& from, VecX& product) const {
        const sa::FloatArray right = testing::padded(b);
        sa::FloatArray x = testing::padded(from), change = testing::padded(b),
                       image = testing::padded(b);
        const sa::FloatArray& inverse = level.matrix.inverse_diagonal;
        level.sweeps.backward(inverse, right, x);
        sa::smooth_backward_and_multiply(level.half, inverse, right, x, change, image,
                                         level.sweeps.kept());
        level.sweeps.multiply_kept(x, image);
        product = testing::unpadded(image);
        return testing::unpadded(x);
    }
};

TEST(LocalSweeps, WithContactAreAdjointSweepsOfTheWholeMatrix) {
    const SweepsOfAll sweep;
    const Eigen::MatrixXd A = dense(sweep.sheet.A);
    const VecX b = Random(5).field(sweep.sheet.vertices()), c = Random(6).field(b.size() / 3);
    VecX r, product, unused;
    const VecX x = sweep.forward(b, r);
    EXPECT_LE((b - A * x - r).norm(), 1e-5 * b.norm());
    const VecX further = sweep.backward(b, x, product);
    EXPECT_LE((A * further - product).norm(), 1e-5 * product.norm());
    EXPECT_NEAR(c.dot(x), b.dot(sweep.backward(c, VecX::Zero(c.size()), unused)),
                1e-5 * std::abs(c.dot(x)));
}

/// Groups that are swept at the same time must have nothing in common: here they are many.
TEST(LocalSweeps, WithContactAreTheSameForAnyNumberOfThreads) {
    const Touching sheet(64);
    const VecX b = Random(5).field(sheet.vertices());
    const auto both = [&](int threads) {
        set_thread_count(threads);
        const SweepsOfAll sweep(sheet);
        VecX r, product;
        const VecX x = sweep.forward(b, r);
        VecX result(4 * b.size());
        result << x, r, sweep.backward(b, x, product), product;
        set_thread_count(0);
        return result;
    };
    const VecX one = both(1);
    for (const int threads : {2, 2, 2, 4, 8})
        EXPECT_EQ(both(threads), one) << threads;
}

/// Each row in turn makes the energy of the error least, however stiff the springs are.
TEST(LocalSweeps, WithContactReduceTheEnergyOfTheError) {
    const SweepsOfAll sweep;
    const Eigen::MatrixXd A = dense(sweep.sheet.A);
    const VecX b = Random(5).field(sweep.sheet.vertices()), exact = A.llt().solve(b);
    VecX r, product;
    const VecX x = sweep.forward(b, r), further = sweep.backward(b, x, product);
    EXPECT_LT(energy_of(A, exact - x), energy_of(A, exact));
    EXPECT_LT(energy_of(A, exact - further), energy_of(A, exact - x));
}

/// With coarse levels that know of the springs no eigenvalue of M^-1 A is above one.
TEST(LocalSweeps, AndCoarseLevelsAreNoStifferThanTheMatrix) {
    const Touching sheet;
    const sparse::NodeFilter filter(sheet.vertices());
    std::vector<Vec3> q;
    std::vector<double> k;
    for (const RankOneTerm& term : sheet.terms) {
        q.insert(q.end(), term.q.begin(), term.q.end());
        k.push_back(term.k);
    }
    sa::Hierarchy hierarchy((sa::Recipe()));
    hierarchy.set_terms({sheet.contact, q, k, &sheet.A});
    ASSERT_TRUE(hierarchy.build(sheet.E, filter, {&sheet.x}).ok());
    const Eigen::Index n = 3 * sheet.vertices();
    Eigen::MatrixXd M(n, n);
    VecX z(n), image(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        hierarchy.cycle(VecX::Unit(n, i), z);
        M.col(i) = z;
    }
    EXPECT_LE((M - M.transpose()).norm(), 1e-5 * M.norm());
    const Eigen::MatrixXd root = dense(sheet.A).llt().matrixL();
    const VecX eigenvalues =
        oracle::eigenvalues((root.transpose() * (0.5 * (M + M.transpose())) * root).eval());
    EXPECT_LE(eigenvalues.maxCoeff(), 1 + 1e-4);
    EXPECT_GT(eigenvalues.minCoeff(), 0);
    ASSERT_TRUE(hierarchy.cycle_and_multiply(VecX::Ones(n), z, image));
    // Sums of so many products in single precision, whose roundings add up as a random walk.
    const Eigen::MatrixXd A = dense(sheet.A);
    const double terms = double((A.array() != 0).rowwise().count().maxCoeff());
    const double rounding = std::sqrt(terms) * 6e-8 * (A.cwiseAbs() * z.cwiseAbs()).norm();
    EXPECT_LE((A * z - image).norm(), rounding);
}

int iterations(const Creased& creased, int local_sweeps) {
    Settings settings = testing::solver_settings("prefiltered_pcg");
    settings["tolerance"] = Settings::of(1e-5);
    settings["preconditioner"] = testing::solver_settings("sa");
    settings["preconditioner"]["local_sweeps"] = Settings::of(double(local_sweeps));
    const auto solver = make_linear_solver(settings);
    solver->set_near_kernel({&creased.x});
    const VecX b = Random(7).field(creased.vertices());
    VecX x = VecX::Zero(b.size());
    const SolveReport report =
        solver->solve(creased.A, sparse::NodeFilter(creased.vertices()), b, x);
    EXPECT_TRUE(report.ok()) << report.message;
    VecX image;
    sparse::multiply(creased.A, x, image);
    EXPECT_LE((image - b).norm(), 1e-3 * b.norm());
    return report.iterations;
}

TEST(LocalSweeps, SaveIterationsOfTheWholeSheet) {
    const Creased creased(60, 60, 30, 4);
    const int with = iterations(creased, 4), without = iterations(creased, 0);
    EXPECT_LE(with, 0.8 * without) << without;
    EXPECT_EQ(iterations(Creased(60, 60, 0, 0), 4), iterations(Creased(60, 60, 0, 0), 0));
}

}  // namespace
}  // namespace taffeta::solve
