#include <gtest/gtest.h>

#include "solve/sa_helpers.h"
#include "taffeta/solve/sa/aggregate.h"
#include "taffeta/solve/sa/prolongator.h"
#include "taffeta/solve/sa/strength.h"

/// Descent for the energy of a prolongator within its pattern.
namespace taffeta::solve {
namespace {

constexpr Index columns = 14, rows = 13;
constexpr float omega = 0.6f;
constexpr double unit = double(sa::fixed_unit);  // of the numbers of P
/// Half a unit for what is rounded, and less than one for what that in even strips makes in odd ones.
constexpr double steps_off = 1.5;

/// A sheet with its prolongator smoothed once, of translations (C = 3) or of rigid motions (6).
template <int C>
struct Smoothed {
    sparse::Matrix3 matrix = testing::grid_matrix(columns, rows, 1e2, 2, 6);
    sa::SquareRows<3> A = testing::rows_of(matrix);
    sa::Strips strips;
    sa::HalfRows<3> half;
    sa::Aggregates aggregates = sa::aggregate(sa::strength_of(A, {}), {});
    sa::Tentative<C> basis;
    sa::ProlongatorRows<3, C> P;
    sa::Workspaces workspaces;

    explicit Smoothed(bool many_strips, Index held = -1)
        : strips(testing::strips_of(A, many_strips)), half(testing::half_of(A, strips)) {
        const VecX x = testing::sheet(columns, rows);
        sa::Kernel<3> kernel(std::size_t(A.rows()));
        for (Index v = 0; v < A.rows(); ++v) {
            sa::KernelBlock<3>& K = kernel[std::size_t(v)];
            K.leftCols<3>().setIdentity();
            for (int k = 0; k < 3; ++k)
                K.col(3 + k) = Vec3::Unit(k).cross(vec3(x, v));
            if (v == held) K.row(2).setZero();
        }
        basis = sa::tentative<C>(kernel, aggregates);
        sa::make_prolongator_pattern(A, aggregates, P);
        sa::smooth_prolongator(half, A.inverse_diagonal, aggregates, basis.block, omega, workspaces,
                               P);
    }

    void descend() {
        sa::lower_energy(half, A.inverse_diagonal, basis.weight, omega, workspaces, P);
    }

    Eigen::MatrixXd dense_P() const {
        Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * A.rows(), C * aggregates.count);
        for (Index i = 0; i < A.rows(); ++i)
            for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s)
                full.block<3, C>(3 * i, C * P.column[std::size_t(s)]) =
                    P.block(s).template cast<double>();
        return full;
    }
    /// What a translation of the whole sheet is on the coarse level.
    Eigen::MatrixXd dense_R() const {
        Eigen::MatrixXd full(C * aggregates.count, 3);
        for (Index a = 0; a < aggregates.count; ++a)
            full.middleRows<C>(C * a) = basis.coarse[std::size_t(a)].template leftCols<3>();
        return full;
    }
    bool all_free(Index i) const {
        for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s)
            if (basis.weight[std::size_t(P.column[std::size_t(s)])] == 0) return false;
        return true;
    }
};

double energy(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P) {
    return (P.transpose() * A * P).trace();
}

/// The same step from its definition: for a row, -omega D^-1 A P where P has numbers, less the share of
/// each aggregate, weight / sum of squares of the weights, in what that changes of P R.
template <int C>
Eigen::MatrixXd descended(const Smoothed<C>& sheet) {
    const Eigen::MatrixXd A = testing::dense(sheet.matrix);
    Eigen::MatrixXd P = sheet.dense_P();
    for (Index parity = 0; parity < 2; ++parity) {
        const Eigen::MatrixXd product = A * P;
        for (Index strip = parity; strip < sheet.strips.count(); strip += 2)
            for (Index i = sheet.strips.begin[std::size_t(strip)];
                 i < sheet.strips.begin[std::size_t(strip) + 1]; ++i) {
                if (!sheet.all_free(i)) continue;
                const Mat3 inverse = A.block<3, 3>(3 * i, 3 * i).inverse();
                Mat3 moved = Mat3::Zero();
                double squares = 0;
                const auto for_each = [&](const auto& body) {
                    for (Index s = sheet.P.row_begin[std::size_t(i)];
                         s < sheet.P.row_begin[std::size_t(i) + 1]; ++s) {
                        const Index a = sheet.P.column[std::size_t(s)];
                        body(a, std::sqrt(double(sheet.basis.begin[std::size_t(a) + 1] -
                                                 sheet.basis.begin[std::size_t(a)])));
                    }
                };
                for_each([&](Index a, double weight) {
                    const Eigen::Matrix<double, 3, C> step =
                        -double(omega) * inverse * product.block<3, C>(3 * i, C * a);
                    P.block<3, C>(3 * i, C * a) += step;
                    moved += weight * step.template leftCols<3>();
                    squares += weight * weight;
                });
                for_each([&](Index a, double weight) {
                    P.block<3, 3>(3 * i, C * a) -= weight / squares * moved;
                });
            }
    }
    return P;
}

template <int C>
void expect_the_step_of_the_definition() {
    for (const bool many : {false, true}) {
        Smoothed<C> sheet(many);
        ASSERT_EQ(sheet.strips.count() > 1, many);
        const Eigen::MatrixXd before = sheet.dense_P(), expected = descended(sheet);

        sheet.descend();

        EXPECT_GT((expected - before).norm(), 0.05 * before.norm());
        EXPECT_LE((sheet.dense_P() - expected).cwiseAbs().maxCoeff(), steps_off * unit) << many;
    }
}

TEST(LowerEnergy, IsTheStepOfItsDefinition) {
    expect_the_step_of_the_definition<3>();
    expect_the_step_of_the_definition<6>();
}

template <int C>
void expect_less_energy_and_the_same_translations() {
    for (const bool many : {false, true}) {
        Smoothed<C> sheet(many);
        const Eigen::MatrixXd A = testing::dense(sheet.matrix);
        const Eigen::MatrixXd R = sheet.dense_R(), translations = sheet.dense_P() * R;
        double last = energy(A, sheet.dense_P());
        for (int step = 0; step < 4; ++step) {
            sheet.descend();
            const double now = energy(A, sheet.dense_P());
            EXPECT_LT(now, (step == 0 ? 0.9 : 1) * last) << step;
            last = now;
        }
        // Half a unit a number and step, of no more than eight aggregates of ten.
        EXPECT_LE((sheet.dense_P() * R - translations).cwiseAbs().maxCoeff(),
                  4 * unit / 2 * 8 * std::sqrt(10.0));
    }
}

TEST(LowerEnergy, FallsAndTranslationsStay) {
    expect_less_energy_and_the_same_translations<3>();
    expect_less_energy_and_the_same_translations<6>();
}

/// An aggregate with a held direction has no weight: the rows that it reaches stay as they are.
TEST(LowerEnergy, LeavesRowsNearConstraints) {
    const Index held = 3 * columns + 4;
    Smoothed<3> sheet(true, held);
    const Index there = sheet.aggregates.of[std::size_t(held)];
    for (Index a = 0; a < sheet.aggregates.count; ++a)
        EXPECT_EQ(sheet.basis.weight[std::size_t(a)] == 0, a == there) << a;
    const Eigen::MatrixXd before = sheet.dense_P();

    sheet.descend();

    const Eigen::MatrixXd change = sheet.dense_P() - before;
    Index same = 0;
    for (Index i = 0; i < sheet.A.rows(); ++i) {
        if (!sheet.all_free(i)) {
            EXPECT_EQ(change.middleRows<3>(3 * i).norm(), 0) << i;
            ++same;
        }
    }
    EXPECT_GT(same, 5);
    EXPECT_GT(change.norm(), 0.01 * before.norm());
}

/// Fewer iterations for no more work in each.
TEST(LowerEnergy, SavesIterations) {
    const sparse::Matrix3 A = testing::elastic_matrix(60, 60, 1e3);
    const VecX x = testing::sheet(60, 60), exact = testing::Random(4).field(A.rows());
    VecX b;
    sparse::multiply(A, exact, b);
    const auto iterations = [&](int steps) {
        Settings settings = testing::solver_settings("prefiltered_pcg", {{"tolerance", 1e-8}});
        settings["preconditioner"] = testing::solver_settings("sa");
        settings["preconditioner"]["energy_steps"] = Settings::of(double(steps));
        const auto solver = make_linear_solver(settings);
        solver->set_near_kernel({&x});
        VecX found = VecX::Zero(b.size());
        const SolveReport report = solver->solve(A, sparse::NodeFilter(A.rows()), b, found);
        EXPECT_TRUE(report.ok()) << report.message;
        EXPECT_LE((found - exact).norm(), 1e-5 * exact.norm());
        return report.iterations;
    };
    EXPECT_LE(iterations(1), 0.9 * iterations(0));
}

}  // namespace
}  // namespace taffeta::solve
