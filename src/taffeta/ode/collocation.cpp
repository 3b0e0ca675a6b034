#include "taffeta/ode/collocation.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "taffeta/base/error.h"
#include "taffeta/ode/lagrange.h"

namespace taffeta::ode {

namespace {

constexpr Coefficients only_mass{.m = 1, .d = 0, .k = 0};
/// How far the linear systems are solved where the options do not say: Newton's method with one
/// matrix for all stages gains less than this an iteration.
constexpr double coupled_tolerance = 1e-3;

}  // namespace

Tableau collocation_tableau(const std::vector<double>& nodes) {
    Tableau tableau;
    tableau.c = nodes;
    const auto row = [&](double end) {
        const NodeWeights weights = integration_weights(nodes, end);
        return std::vector<double>(weights.begin(), weights.begin() + std::ptrdiff_t(nodes.size()));
    };
    for (const double c : nodes)
        tableau.a.push_back(row(c));
    tableau.b = row(1);
    return tableau;
}

std::vector<double> gauss_nodes(int stages) {
    if (stages == 2) return {0.5 - std::sqrt(3.0) / 6, 0.5 + std::sqrt(3.0) / 6};
    TAFFETA_ASSERT(stages == 3);
    return {0.5 - std::sqrt(15.0) / 10, 0.5, 0.5 + std::sqrt(15.0) / 10};
}

std::vector<double> radau_nodes(int stages) {
    if (stages == 2) return {1.0 / 3, 1};
    TAFFETA_ASSERT(stages == 3);
    return {(4 - std::sqrt(6.0)) / 10, (4 + std::sqrt(6.0)) / 10, 1};
}

Collocation::Collocation(const std::vector<double>& nodes)
    : tableau_(collocation_tableau(nodes)),
      count_(nodes.size()),
      stage_x_(count_),
      stage_v_(count_),
      stage_a_(count_),
      residual_(count_),
      trial_a_(count_),
      trial_residual_(count_),
      correction_(count_) {
    const auto n = Eigen::Index(count_);
    Eigen::MatrixXd A(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j)
            A(i, j) = tableau_.a[std::size_t(i)][std::size_t(j)];
    square_ = A * A;
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(A);
    const Eigen::MatrixXcd T = eigen.eigenvectors(), inverse = T.inverse();
    for (Eigen::Index k = 0; k < n; ++k)
        if (eigen.eigenvalues()[k].imag() >= 0)
            modes_.push_back({eigen.eigenvalues()[k], T.col(k), inverse.row(k)});
}

StepReport Collocation::step(SecondOrderSystem& system, State& state, double h) {
    StepReport report;
    motion_.begin(system, state, h);
    for (VecX& a : stage_a_) {
        a.setZero(system.size());
        system.constrain(a, h);
    }
    if (!newton(system, state, h, report)) return report;

    if (tableau_.ends_at_last_stage()) {
        next_.x = stage_x_.back();
        next_.v = stage_v_.back();
        a_ = stage_a_.back();
        return finish(system, state, h, report);
    }
    // x+ = x + h v + h^2 sum_i b_i sum_j a_ij A_j,  v+ = v + h sum_i b_i A_i
    next_.x = state.x + h * state.v;
    a_.setZero(system.size());
    for (std::size_t j = 0; j < count_; ++j) {
        double weight = 0;
        for (std::size_t i = 0; i < count_; ++i)
            weight += tableau_.b[i] * tableau_.a[i][j];
        next_.x += h * h * weight * stage_a_[j];
        a_ += tableau_.b[j] * stage_a_[j];
    }
    next_.v = state.v + h * a_;
    motion_.alter(1, next_.x);
    return finish(system, state, h, report);
}

double Collocation::residual(SecondOrderSystem& system, const State& state, double h,
                             const Stages& a, Stages& r, StepReport& report) {
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const double c = tableau_.c[i];
        stage_v_[i] = state.v;
        stage_x_[i] = state.x + c * h * state.v;
        for (std::size_t j = 0; j < count_; ++j) {
            stage_v_[i] += h * tableau_.a[i][j] * a[j];
            stage_x_[i] += h * h * square_(Eigen::Index(i), Eigen::Index(j)) * a[j];
        }
        motion_.alter(c, stage_x_[i]);
        motion_.impose_position(system, c, stage_x_[i]);
        motion_.impose_velocity(system, c, stage_v_[i]);
        system.force(state.t + c * h, stage_x_[i], stage_v_[i], f_);
        ++report.force_evaluations;
        system.apply(only_mass, a[i], inertia_);
        r[i] = f_ - inertia_;
        system.project(r[i]);
        sum += r[i].squaredNorm();
    }
    return std::sqrt(sum);
}

/// What rounding makes of the residual, as in `StageSolver::solve_newton`: K and D of the last
/// `linearize` times the rounding of x and v, whose independent signs a fixed sequence stands for.
double Collocation::rounding_floor(SecondOrderSystem& system) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const auto spread = [&](const VecX& at, const Coefficients& c) {
        real_rhs_.resize(at.size());
        for (Eigen::Index i = 0; i < at.size(); ++i)
            real_rhs_[i] = (std::uint32_t(i) * 2654435761U) >> 31 != 0 ? -at[i] : at[i];
        system.apply(c, real_rhs_, real_solution_);
        system.project(real_solution_);
        return real_solution_.norm();
    };
    system.project(f_);
    const double terms = spread(stage_x_.back(), {.m = 0, .d = 0, .k = 1}) +
                         spread(stage_v_.back(), {.m = 0, .d = 1, .k = 0});
    return 4 * eps * std::sqrt(double(count_)) * (terms + f_.norm() + inertia_.norm());
}

bool Collocation::newton(SecondOrderSystem& system, const State& state, double h,
                         StepReport& report) {
    double norm = residual(system, state, h, stage_a_, residual_, report);
    const double reference = system.force_scale() > 0 ? system.force_scale() : norm;
    const double goal = newton_.tolerance * reference;
    const std::size_t middle = count_ / 2;

    while (norm > goal && report.newton_iterations < newton_.max_iterations) {
        system.linearize(state.t + tableau_.c[middle] * h, stage_x_[middle], stage_v_[middle]);
        if (!correct(system, h, report)) return false;

        double length = 1, trial_norm = 0;
        for (int halvings = 0;; ++halvings, length *= 0.5) {
            for (std::size_t i = 0; i < count_; ++i)
                trial_a_[i] = stage_a_[i] + length * correction_[i];
            trial_norm = residual(system, state, h, trial_a_, trial_residual_, report);
            const bool falls = trial_norm <= (1 - 1e-4 * length) * norm;
            if (falls) break;
            ++report.newton_rejected;
            // The whole step does not help: is there nothing left but rounding?
            if (halvings == 0) {
                const double floor = rounding_floor(system);
                if (norm <= floor) {
                    report.newton_residual = norm / reference;
                    report.newton_floor = floor / reference;
                    // The places of the stages are those of the try.
                    residual(system, state, h, stage_a_, residual_, report);
                    ++report.newton_rejected;
                    return true;
                }
            }
            if (!newton_.line_search && std::isfinite(trial_norm)) {
                --report.newton_rejected;  // taken all the same
                break;
            }
            if (halvings == 10) {
                report.newton_residual = norm / reference;
                report.solve.status = SolveStatus::breakdown;
                report.solve.message = fmt::format(
                    "Newton iteration {} of {} coupled stages: no step along the direction reduces "
                    "the residual {:.3g} (goal {:.3g} N); a smaller time step or a looser "
                    "newton.tolerance helps",
                    report.newton_iterations + 1, count_, norm, goal);
                return false;
            }
        }
        stage_a_.swap(trial_a_);
        residual_.swap(trial_residual_);
        norm = trial_norm;
        ++report.newton_iterations;
    }

    report.newton_residual = reference > 0 ? norm / reference : 0;
    if (norm <= goal) return true;
    report.solve.status =
        std::isfinite(norm) ? SolveStatus::max_iterations : SolveStatus::not_finite;
    report.solve.message =
        fmt::format("Newton stopped after {} iterations at residual {:.3g} N, goal {:.3g} N",
                    report.newton_iterations, norm, goal);
    return false;
}

bool Collocation::correct(SecondOrderSystem& system, double h, StepReport& report) {
    const double given = newton_.linear_tolerance;
    for (VecX& d : correction_)
        d.setZero(system.size());
    for (const Mode& mode : modes_) {
        const std::complex<double> mu = h * mode.value;
        if (mu.imag() == 0) {
            real_rhs_.setZero(system.size());
            for (std::size_t i = 0; i < count_; ++i)
                real_rhs_ += mode.row[Eigen::Index(i)].real() * residual_[i];
            real_solution_.setZero(system.size());
            report.solve = system.solve({.m = 1, .d = mu.real(), .k = mu.real() * mu.real()},
                                        real_rhs_, given, real_solution_);
            ++report.linear_solves;
            report.linear_iterations += report.solve.iterations;
            if (!report.ok()) return false;
            for (std::size_t i = 0; i < count_; ++i)
                correction_[i] += mode.column[Eigen::Index(i)].real() * real_solution_;
            continue;
        }
        rhs_.setZero(system.size());
        for (std::size_t i = 0; i < count_; ++i)
            rhs_ += mode.row[Eigen::Index(i)] * residual_[i];
        if (!complex_.solve(system, mu, rhs_, given > 0 ? given : coupled_tolerance, given,
                            solution_, report))
            return false;
        // the conjugate mode adds the conjugate
        for (std::size_t i = 0; i < count_; ++i)
            correction_[i] += 2 * (mode.column[Eigen::Index(i)] * solution_).real();
    }
    return true;
}

namespace {

using MakeNodes = std::vector<double> (*)(int);

template <MakeNodes nodes, int stages>
std::unique_ptr<Integrator> make_collocation(const Settings& settings) {
    read_options<NoOptions>(settings);
    return std::make_unique<Collocation>(nodes(stages));
}

constexpr IntegratorProperties gauss_properties(int order) {
    return {.order = order,
            .implicit = true,
            .a_stable = true,
            .symplectic = true,
            .force_evaluations = 0,
            .residual_forces = order / 2};
}

constexpr IntegratorProperties radau_properties(int order) {
    return {.order = order,
            .implicit = true,
            .a_stable = true,
            .l_stable = true,
            .force_evaluations = 0,
            .residual_forces = (order + 1) / 2};
}

}  // namespace

extern const IntegratorEntry entry_gauss4, entry_gauss6, entry_radau_iia3, entry_radau_iia5;

constinit const IntegratorEntry entry_gauss4{
    .key = "gauss4",
    .doc = "Gauss method of two stages: order four, symplectic, A-stable. [Hauth03] section 2.4",
    .properties = gauss_properties(4),
    .fields = &field_table<NoOptions>,
    .make = &make_collocation<&gauss_nodes, 2>,
};

constinit const IntegratorEntry entry_gauss6{
    .key = "gauss6",
    .doc = "Gauss method of three stages: order six, symplectic, A-stable. [Hauth03] section 2.4",
    .properties = gauss_properties(6),
    .fields = &field_table<NoOptions>,
    .make = &make_collocation<&gauss_nodes, 3>,
};

constinit const IntegratorEntry entry_radau_iia3{
    .key = "radau_iia3",
    .doc = "Radau IIA method of two stages: order three, L-stable. [HairerWanner96] section IV.5",
    .properties = radau_properties(3),
    .fields = &field_table<NoOptions>,
    .make = &make_collocation<&radau_nodes, 2>,
};

constinit const IntegratorEntry entry_radau_iia5{
    .key = "radau_iia5",
    .doc = "Radau IIA method of three stages: order five, L-stable. [HairerWanner96] section IV.8",
    .properties = radau_properties(5),
    .fields = &field_table<NoOptions>,
    .make = &make_collocation<&radau_nodes, 3>,
};

}  // namespace taffeta::ode
