#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "ode/spring_network.h"
#include "ode/spring_sheet.h"
#include "taffeta/ode/spring_laplacian.h"
#include "taffeta/ode/spring_matrix.h"

/// The constant matrix of springs: what it is, how long its factor is kept, and Newton's iteration with it
/// against what an independent implementation of [Hauth03] eq. 50 measured.
namespace taffeta::ode {
namespace {

using namespace testing;

/// M/h^2 + sum (k + c/h) (e_i - e_j)(e_i - e_j)' (x) I, all particles.
Eigen::MatrixXd dense(const SpringNetwork& system, double h) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(system.size(), system.size());
    for (Index i = 0; i < Index(system.inverse_mass().size()); ++i)
        A.diagonal().segment<3>(3 * i).setConstant(1 / (system.inverse_mass()[i] * h * h));
    for (const Spring& s : system.spring) {
        const Mat3 B = (s.stiffness + s.damping / h) * Mat3::Identity();
        A.block<3, 3>(3 * s.i, 3 * s.i) += B;
        A.block<3, 3>(3 * s.j, 3 * s.j) += B;
        A.block<3, 3>(3 * s.i, 3 * s.j) -= B;
        A.block<3, 3>(3 * s.j, 3 * s.i) -= B;
    }
    return A;
}

/// u in range(S) with S A u = S r.
VecX filtered_solution(const SpringNetwork& system, const Eigen::MatrixXd& A, const VecX& r) {
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(A.rows(), A.rows());
    Eigen::MatrixXd P = I;
    for (std::size_t i = 0; i < system.S.size(); ++i)
        P.block<3, 3>(3 * Eigen::Index(i), 3 * Eigen::Index(i)) = system.S[i];
    return P * (P * A * P + (I - P)).ldlt().solve(P * r);
}

VecX some_numbers(Eigen::Index size) {
    VecX r(size);
    for (Eigen::Index i = 0; i < size; ++i)
        r[i] = std::sin(1 + 3.7 * double(i));
    return r;
}

TEST(SpringLaplacian, SolvesWhatADenseFactorSolves) {
    SpringProblem sheet = spring_sheet(6, 50, 0.02);
    Mobility mobility;
    mobility.find(sheet.system, sheet.system.inverse_mass());
    SpringLaplacian laplacian;
    ASSERT_TRUE(laplacian.prepare(sheet.system.spring, mobility, 0.01).ok());
    VecX r = some_numbers(sheet.system.size()), u;
    sheet.system.project(r);

    laplacian.solve(r, u);

    const VecX expected = filtered_solution(sheet.system, dense(sheet.system, 0.01), r);
    EXPECT_LE((u - expected).norm(), 1e-12 * expected.norm());
}

TEST(SpringLaplacian, KeepsItsFactorUntilSomethingChanges) {
    SpringProblem sheet = spring_sheet(5, 50, 0.02);
    SpringNetwork& system = sheet.system;
    SpringLaplacian laplacian;
    const auto prepare = [&](double h) {
        Mobility mobility;
        mobility.find(system, system.inverse_mass());
        EXPECT_TRUE(laplacian.prepare(system.spring, mobility, h).ok());
        return laplacian.factorisations();
    };

    EXPECT_EQ(prepare(0.01), 1);
    EXPECT_EQ(prepare(0.01), 1);
    EXPECT_EQ(prepare(0.02), 2);  // the step
    EXPECT_EQ(prepare(0.02), 2);
    system.hold(7);
    EXPECT_EQ(prepare(0.02), 3);  // what is held
    EXPECT_EQ(prepare(0.02), 3);
    system.spring[3].stiffness *= 2;
    EXPECT_EQ(prepare(0.02), 4);  // a spring
    EXPECT_EQ(prepare(0.02), 4);
    // A particle that may move in a plane is in the factor as one that is free.
    system.S[8] = Mat3::Identity() - Vec3::UnitX() * Vec3::UnitX().transpose();
    EXPECT_EQ(prepare(0.02), 4);
}

TEST(SpringMatrix, MeetsFiltersOfSomeDirections) {
    SpringProblem sheet = spring_sheet(6, 50, 0.02);
    const Vec3 n = Vec3(1, 2, 2) / 3;
    sheet.system.S[8] -= n * n.transpose();
    sheet.system.S[9] = n * n.transpose();
    SpringMatrix matrix;
    ASSERT_TRUE(matrix.prepare(sheet.system, 1e-4).ok());
    VecX r = some_numbers(sheet.system.size()), u;
    sheet.system.project(r);

    const SolveReport report = matrix.solve(sheet.system, r, u);

    const VecX expected = filtered_solution(sheet.system, 1e-4 * dense(sheet.system, 0.01), r);
    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_GT(report.iterations, 1);
    EXPECT_LE((u - expected).norm(), 1e-9 * expected.norm());
}

/// The sheet of the measurements as a network, from where it hangs after 0.2 s.
SpringProblem hanging_sheet() {
    const SpringSheet sheet;
    std::vector<Spring> springs;
    for (const SpringSheet::Spring& s : sheet.springs)
        springs.push_back({s.i, s.j, s.length, sheet.k / (s.length * s.length), 0});
    SpringProblem made{
        {std::vector<double>(SpringSheet::count, SpringSheet::mass), std::move(springs)},
        SpringSheet::fallen(20)};
    made.system.gravity = Vec3(0, 0, -SpringSheet::gravity);
    made.system.hold(0);
    made.system.hold(SpringSheet::side - 1);
    made.system.start = made.start.v;
    return made;
}

TEST(SpringMatrix, HasAThirdOfTheNonZeros) {
    SpringProblem sheet = hanging_sheet();
    sheet.system.S.assign(SpringSheet::count, Mat3::Identity());
    SpringMatrix matrix;

    ASSERT_TRUE(matrix.prepare(sheet.system, 1e-4).ok());

    EXPECT_EQ(matrix.nonzeros(), 2631);
    EXPECT_EQ(3 * matrix.nonzeros(),
              9 * (SpringSheet::count + 2 * Index(sheet.system.spring.size())));
}

/// A step of backward Euler until the residual is `goal` times the first.
StepReport step_to(double goal, double h, int most) {
    SpringProblem sheet = hanging_sheet();
    VecX first;
    sheet.system.force(h, sheet.start.x + h * sheet.start.v, sheet.start.v, first);
    sheet.system.project(first);
    const auto euler = spring_method("backward_euler", {});
    euler->set_newton({.type = "springs",
                       .max_iterations = most,
                       .tolerance = goal * first.norm(),
                       .line_search = false});
    StepReport report = euler->step(sheet.system, sheet.start, h);
    report.newton_residual /= first.norm();
    return report;
}

TEST(SpringMatrix, ConvergesAtTheRatesThatWereMeasured) {
    // Iterations to 1e-1, .., 1e-4, 1e-6; 0: not within 150.
    const struct {
        double h;
        int to[5];
    } rows[] = {{0.0025, {2, 5, 9, 12, 20}},
                {0.005, {4, 14, 25, 37, 62}},
                {0.01, {11, 40, 77, 117, 0}},
                {0.04, {9, 118, 0, 0, 0}}};
    const double goals[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-6};
    for (const auto& [h, to] : rows)
        for (int i = 0; i < 5; ++i) {
            const StepReport report = step_to(goals[i], h, 150);
            EXPECT_EQ(report.ok(), to[i] > 0) << "h " << h << ", to " << goals[i];
            if (to[i] > 0) {
                EXPECT_NEAR(report.newton_iterations, to[i], 1) << "h " << h << ", to " << goals[i];
            }
        }

    // The measurement counted residuals, 200 of them.
    const double before = step_to(1e-14, 0.01, 198).newton_residual;
    const double after = step_to(1e-14, 0.01, 199).newton_residual;
    EXPECT_NEAR(after, 1.14e-6, 0.02e-6);
    EXPECT_NEAR(after / before, 0.9493, 5e-4);
}

TEST(SpringMatrix, LeadsWhereNewtonLeads) {
    SpringProblem sheet = spring_sheet(6, 5, 1e-3);
    sheet.system.start = sheet.start.v;
    const State expected = backward_euler_end(sheet, 0.005);
    const auto euler = spring_method("backward_euler", {});
    euler->set_newton({.type = "springs", .max_iterations = 500, .tolerance = 1e-13});

    const StepReport report = euler->step(sheet.system, sheet.start, 0.005);

    ASSERT_TRUE(report.ok()) << report.solve.message;
    EXPECT_LE((sheet.start.x - expected.x).norm(), 1e-10);
    EXPECT_GT(report.newton_iterations, 3);
}

TEST(SpringMatrix, LeadsThereUnderRayleighDampingToo) {
    Settings damping = Settings::object();
    damping["rayleigh_mass"] = Settings::of(0.5);
    const auto end = [&](const char* type) {
        SpringProblem sheet = spring_sheet(6, 5, 1e-3);
        sheet.system.start = sheet.start.v;
        const auto newmark = spring_method("newmark", damping);
        newmark->set_newton({.type = type, .max_iterations = 500, .tolerance = 1e-13});
        const StepReport report = newmark->step(sheet.system, sheet.start, 0.005);
        EXPECT_TRUE(report.ok()) << type << ": " << report.solve.message;
        return sheet.start;
    };

    EXPECT_LE((end("springs").x - end("newton").x).norm(), 1e-10);
}

TEST(SpringMatrix, IsNoneWhereThereAreNoSprings) {
    SpringSheet sheet;  // which does not say that it is one
    State state = sheet.at_rest();
    const auto euler = spring_method("backward_euler", {});
    euler->set_newton({.type = "springs"});

    const StepReport report = euler->step(sheet, state, 0.01);

    EXPECT_FALSE(report.ok());
    EXPECT_NE(report.solve.message.find("springs"), std::string::npos);
    EXPECT_EQ(state.t, 0);
}

}  // namespace
}  // namespace taffeta::ode
