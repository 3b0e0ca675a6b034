#include "taffeta/ode/complex_shift.h"

#include <fmt/format.h>

#include <cmath>

namespace taffeta::ode {

bool ComplexShiftSolver::solve(SecondOrderSystem& system, std::complex<double> mu, const VecXc& r,
                               double tolerance, double linear_tolerance, VecXc& w,
                               StepReport& report) {
    w.setZero(r.size());
    residual_ = r;
    const double start = residual_.norm(), goal = tolerance * start;
    double norm = start;
    for (int k = 0; k < most_cycles && norm > goal; ++k) {
        if (k > 0) {
            apply(system, mu, w, product_);
            residual_ = r - product_;
        }
        norm = cycle(system, mu, goal, linear_tolerance, w, report);
        if (norm < 0) return false;
    }
    if (norm <= goal) return true;
    report.solve.status =
        std::isfinite(norm) ? SolveStatus::max_iterations : SolveStatus::not_finite;
    report.solve.message = fmt::format(
        "the coupled stages: GMRES stopped after {} iterations at residual {:.3g}, goal {:.3g}; a "
        "smaller time step helps",
        most_cycles * most_vectors, norm, goal);
    return false;
}

double ComplexShiftSolver::cycle(SecondOrderSystem& system, std::complex<double> mu, double goal,
                                 double linear_tolerance, VecXc& w, StepReport& report) {
    double norm = residual_.norm();
    projected_.setZero();
    projected_[0] = norm;
    int columns = 0;
    while (columns < most_vectors && norm > goal) {
        const auto j = std::size_t(columns);
        if (basis_.size() <= j) {
            basis_.emplace_back();
            directions_.emplace_back();
        }
        basis_[j] = residual_ / residual_.norm();
        if (!precondition(system, std::abs(mu), linear_tolerance, basis_[j], directions_[j],
                          report))
            return -1;
        // q - sum_i <v_i, q> v_i, twice: once is not orthogonal where the residual has fallen far
        apply(system, mu, directions_[j], residual_);
        const double before = residual_.norm();
        H_.col(columns).setZero();
        for (int pass = 0; pass < 2; ++pass)
            for (std::size_t i = 0; i <= j; ++i) {
                const std::complex<double> part = basis_[i].dot(residual_);
                H_(Eigen::Index(i), columns) += part;
                residual_ -= part * basis_[i];
            }
        const double left = residual_.norm();
        H_(columns + 1, columns) = left;
        rotate(columns);
        ++columns;
        norm = std::abs(projected_[columns]);
        if (!(left > 1e-14 * before)) break;  // the space is exhausted: the solution is in it
    }
    add_combination(columns, w);
    return norm;
}

bool ComplexShiftSolver::precondition(SecondOrderSystem& system, double size,
                                      double linear_tolerance, const VecXc& r, VecXc& z,
                                      StepReport& report) {
    const Coefficients c{.m = 1, .d = size, .k = size * size};
    z.resize(r.size());
    for (const bool imaginary : {false, true}) {
        if (imaginary) {
            part_ = r.imag();
        } else {
            part_ = r.real();
        }
        solution_.setZero(r.size());
        if (part_.squaredNorm() > 0) {
            report.solve = system.solve(c, part_, linear_tolerance, solution_);
            ++report.linear_solves;
            report.linear_iterations += report.solve.iterations;
            if (!report.ok()) return false;
        }
        if (imaginary) {
            z.imag() = solution_;
        } else {
            z.real() = solution_;
        }
    }
    return true;
}

void ComplexShiftSolver::apply(SecondOrderSystem& system, std::complex<double> mu, const VecXc& z,
                               VecXc& q) {
    // (P + i Q)(u + i w) = (P u - Q w) + i (P w + Q u)
    const std::complex<double> square = mu * mu;
    const Coefficients P{.m = 1, .d = mu.real(), .k = square.real()};
    const Coefficients Q{.m = 0, .d = mu.imag(), .k = square.imag()};
    q.resize(z.size());
    part_ = z.real();
    system.apply(P, part_, image_);
    q.real() = image_;
    system.apply(Q, part_, image_);
    q.imag() = image_;
    part_ = z.imag();
    system.apply(P, part_, image_);
    q.imag() += image_;
    system.apply(Q, part_, image_);
    q.real() -= image_;
    part_ = q.real();
    system.project(part_);
    q.real() = part_;
    part_ = q.imag();
    system.project(part_);
    q.imag() = part_;
}

void ComplexShiftSolver::rotate(int column) {
    const auto turn = [](double c, std::complex<double> s, std::complex<double>& upper,
                         std::complex<double>& lower) {
        const std::complex<double> kept = upper;
        upper = c * kept + s * lower;
        lower = c * lower - std::conj(s) * kept;
    };
    for (int i = 0; i < column; ++i)
        turn(cosine_[i], sine_[i], H_(i, column), H_(i + 1, column));
    const std::complex<double> a = H_(column, column), b = H_(column + 1, column);
    const double length = std::hypot(std::abs(a), std::abs(b));
    cosine_[column] = length > 0 ? std::abs(a) / length : 1;
    const std::complex<double> phase = std::abs(a) > 0 ? a / std::abs(a) : 1;
    sine_[column] = length > 0 ? phase * std::conj(b) / length : 0;
    turn(cosine_[column], sine_[column], H_(column, column), H_(column + 1, column));
    turn(cosine_[column], sine_[column], projected_[column], projected_[column + 1]);
}

void ComplexShiftSolver::add_combination(int columns, VecXc& w) {
    // H weight = projected, backwards
    for (int i = columns - 1; i >= 0; --i) {
        std::complex<double> sum = projected_[i];
        for (int j = i + 1; j < columns; ++j)
            sum -= H_(i, j) * weight_[j];
        weight_[i] = sum / H_(i, i);
    }
    for (int j = 0; j < columns; ++j)
        w += weight_[j] * directions_[std::size_t(j)];
}

}  // namespace taffeta::ode
