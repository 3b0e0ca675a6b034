#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/ode/matrix_exponential.h"
#include "taffeta/ode/method.h"

/// The exponential Rosenbrock-Euler method: the flow of the system linearised about the start of
/// the step, of y = (x, v) with F = (v, M^-1 f) and J = dF/dy, solved exactly:
///
///     y+ = y + h phi_1(h J) F(t, y) + h phi_2(h J) (F(t + h, y) - F(t, y))     [HochbruckOstermann10]
///
/// Exact on linear systems whose force is linear in time, whatever the step; of order two on all
/// others (the last term is what a force that depends on time needs for it). On springs it neither
/// damps nor gains. No system is solved, but M's.
///
/// y+ - y is the last column of the exponential of the augmented matrix
///
///     [ h J   h dF   h F ]      dF = F(t + h, y) - F(t, y)
///     [  0      0     1  ]
///     [  0      0     0  ]
///
/// which is computed densely up to `dense_limit` rows, else in a Krylov space of `krylov_size`
/// vectors with as many substeps as the error estimate of [Saad92] asks for. x is measured in the
/// unit that makes both halves of J of one size, which saves most of the squarings. Constrained
/// directions drift at the velocity of the end of the step.
namespace taffeta::ode {

namespace {

class ExponentialRosenbrock final : public Method {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        n_ = system.size();
        h_ = h;
        u_ = state.v;
        motion_.impose_velocity(system, 1, u_);
        system.linearize(state.t, state.x, u_, &f_);
        system.force(state.t + h, state.x, u_, end_f_);
        report.force_evaluations = 2;
        if (!free_acceleration(system, f_, start_a_, report)) return report;
        if (!free_acceleration(system, end_f_, change_, report)) return report;
        change_ -= start_a_;
        choose_units(system, report);
        if (!report.ok()) return report;
        if (!std::isfinite(unit_) || !start_a_.allFinite() || !change_.allFinite()) {
            report.solve.status = SolveStatus::not_finite;
            report.solve.message =
                fmt::format("the force or its slope at t = {:.6g} s is not finite", state.t);
            return report;
        }

        w_.setZero(2 * n_ + 2);
        w_[2 * n_ + 1] = weight_;
        if (!(2 * n_ + 2 <= dense_limit ? flow_densely(system, report)
                                        : flow_by_krylov(system, report)))
            return report;
        next_.x = state.x + w_.head(n_) / unit_;
        next_.v = u_ + w_.segment(n_, n_);
        motion_.alter(1, next_.x);
        const StepReport finished = finish(system, state, h, report);
        if (finished.ok()) a_ = (state.v - next_.v) / h;
        return finished;
    }

  private:
    static constexpr Eigen::Index dense_limit = 50, krylov_size = 30;
    static constexpr double tolerance = 1e-13;  ///< of a substep, relative
    static constexpr int most_substeps = 10000;

    /// a = S M^-1 f.
    bool free_acceleration(SecondOrderSystem& system, const VecX& f, VecX& a, StepReport& report) {
        report.solve = system.solve_mass(f, a);
        system.project(a);
        return report.ok();
    }

    /// The unit of x, 1/s, and the weight of the last row: powers of two, so that nothing is rounded.
    void choose_units(SecondOrderSystem& system, StepReport& report) {
        unit_ = weight_ = 1;
        double largest = 0;
        for (const VecX* direction : {&start_a_, &u_}) {
            if (direction->squaredNorm() == 0) continue;
            system.apply({.m = 0, .d = 0, .k = 1}, *direction, product_);
            if (!free_acceleration(system, product_, acceleration_, report)) return;
            largest = std::max(largest, acceleration_.norm() / direction->norm());
        }
        const auto power = [](double value) { return std::exp2(std::round(std::log2(value))); };
        if (largest > 0) unit_ = power(std::sqrt(largest));
        const double size =
            std::max({unit_ * u_.lpNorm<1>(), start_a_.lpNorm<1>(), change_.lpNorm<1>()});
        if (size > 1e-100) weight_ = power(size / std::max(1.0, unit_));
    }

    /// out = the augmented matrix times w.
    bool apply(SecondOrderSystem& system, const VecX& w, VecX& out, StepReport& report) {
        const double one = w[2 * n_ + 1] / weight_, time = w[2 * n_] / weight_;
        out.resize(2 * n_ + 2);
        out.head(n_) = (h_ * unit_) * (w.segment(n_, n_) + one * u_);
        part_ = w.head(n_) / unit_;
        system.apply({.m = 0, .d = 0, .k = 1}, part_, product_);
        part_ = w.segment(n_, n_);
        system.apply({.m = 0, .d = 1, .k = 0}, part_, damping_);
        product_ += damping_;
        if (!free_acceleration(system, product_, acceleration_, report)) return false;
        out.segment(n_, n_) = h_ * (one * start_a_ + time * change_ - acceleration_);
        out[2 * n_] = w[2 * n_ + 1];
        out[2 * n_ + 1] = 0;
        return true;
    }

    bool flow_densely(SecondOrderSystem& system, StepReport& report) {
        const Eigen::Index size = 2 * n_ + 2;
        matrix_.resize(size, size);
        for (Eigen::Index j = 0; j < size; ++j) {
            vector_.setZero(size);
            vector_[j] = 1;
            if (!apply(system, vector_, image_, report)) return false;
            matrix_.col(j) = image_;
        }
        if (!matrix_.allFinite()) return not_finite(report);
        w_ = weight_ * exponential_.of(matrix_).col(size - 1);
        return true;
    }

    bool flow_by_krylov(SecondOrderSystem& system, StepReport& report) {
        const Eigen::Index size = 2 * n_ + 2, m = krylov_size;
        basis_.resize(size, m + 1);
        double done = 0, length = 1;
        for (int substep = 0; done < 1; ++substep) {
            if (substep == most_substeps) {
                report.solve.status = SolveStatus::max_iterations;
                report.solve.message =
                    fmt::format("the exponential needs more than {} substeps; a smaller step helps",
                                most_substeps);
                return false;
            }
            // Arnoldi: J V_m = V_{m+1} H, on the matrix that [Saad92] ends with two more rows.
            hessenberg_.setZero(m + 2, m + 2);
            const double size_of_w = w_.norm();
            basis_.col(0) = w_ / size_of_w;
            Eigen::Index used = m;
            for (Eigen::Index j = 0; j < m; ++j) {
                vector_ = basis_.col(j);
                if (!apply(system, vector_, image_, report)) return false;
                ++report.linear_iterations;
                const double before = image_.norm();
                for (int pass = 0; pass < 2; ++pass)
                    for (Eigen::Index i = 0; i <= j; ++i) {
                        const double share = basis_.col(i).dot(image_);
                        hessenberg_(i, j) += share;
                        image_ -= share * basis_.col(i);
                    }
                const double rest = image_.norm();
                if (!std::isfinite(rest)) return not_finite(report);
                if (rest <= 4 * std::numeric_limits<double>::epsilon() * before) {
                    used = j + 1;  // the space is invariant: exact
                    break;
                }
                hessenberg_(j + 1, j) = rest;
                basis_.col(j + 1) = image_ / rest;
            }
            const bool exact = used < m;
            if (!exact) hessenberg_(m + 1, m) = 1;
            length = std::min(length, 1 - done);
            for (;;) {
                if (exact) {
                    small_ = length * hessenberg_.topLeftCorner(used, used);
                } else {
                    small_ = length * hessenberg_;
                }
                const Eigen::MatrixXd& flow = exponential_.of(small_);
                const double error = exact ? 0 : std::abs(flow(m + 1, 0));
                if (error <= tolerance * length || exact) {
                    const Eigen::Index columns = exact ? used : m + 1;
                    coefficients_ = size_of_w * flow.col(0).head(columns);
                    w_.noalias() = basis_.leftCols(columns) * coefficients_;
                    done = length >= 1 - done ? 1 : done + length;
                    const double growth =
                        exact ? 5 : 0.9 * std::pow(tolerance * length / error, 1.0 / double(m));
                    length *= std::clamp(growth, 0.2, 5.0);
                    break;
                }
                length *= std::clamp(0.9 * std::pow(tolerance * length / error, 1.0 / double(m)),
                                     0.1, 0.8);
            }
        }
        return true;
    }

    static bool not_finite(StepReport& report) {
        report.solve.status = SolveStatus::not_finite;
        report.solve.message = "the slope of the force is not finite";
        return false;
    }

    Eigen::Index n_ = 0;
    double h_ = 0, unit_ = 1, weight_ = 1;
    MatrixExponential exponential_;
    VecX u_, end_f_, start_a_, change_, w_;
    VecX vector_, image_, part_, product_, damping_, acceleration_, coefficients_;
    Eigen::MatrixXd matrix_, basis_, hessenberg_, small_;
};

}  // namespace

extern const IntegratorEntry entry_exponential;
constinit const IntegratorEntry entry_exponential{
    .key = "exponential",
    .doc =
        "Exponential Rosenbrock-Euler: exact on linear systems, order two on others. "
        "[HochbruckOstermann10]",
    .properties = {.order = 2,
                   .inexact_slopes_order = 1,
                   .a_stable = true,
                   .exact_on_linear = true,
                   .force_evaluations = 2},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<ExponentialRosenbrock>,
};

}  // namespace taffeta::ode
