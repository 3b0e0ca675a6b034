#include "comparison.h"

#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::app {

namespace {

constexpr double exact_tolerance = 1e-12;

Settings tight_solver() {
    Settings settings = Settings::object();
    settings["type"] = Settings::of(std::string("prefiltered_pcg"));
    settings["preconditioner"] = Settings::of(std::string("sa"));
    settings["tolerance"] = Settings::of(exact_tolerance);
    return settings;
}

}  // namespace

void Comparison::add(const std::string& name, const Settings& settings, int every) {
    SolverTotals totals;
    totals.name = name;
    totals.every = every;
    totals.solver = solve::make_linear_solver(settings);
    totals_.push_back(std::move(totals));
    solution_.emplace_back();
    current_.push_back(false);
}

SolveReport Comparison::solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                              const VecX& b, VecX& x) {
    SolveReport first;
    std::size_t leader = totals_.size();
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        SolverTotals& totals = totals_[k];
        current_[k] = systems_ % totals.every == totals.every / 2;
        if (!current_[k]) continue;
        solution_[k] = x;
        const SolveReport report = totals.solver->solve(A, filter, b, solution_[k]);
        if (totals.every == 1 && leader == totals_.size()) {
            leader = k;
            first = report;
        }
        if (!report.ok()) {
            totals.failed = true;
            totals.message = report.message;
        }
        ++totals.solves;
        totals.iterations += report.iterations;
        totals.most_iterations = std::max(totals.most_iterations, report.iterations);
        if (report.iterations > 0)
            totals.rates += std::pow(report.residual, 1.0 / report.iterations);
        totals.setup_seconds += report.setup_seconds;
        totals.solve_seconds += report.solve_seconds;
        totals.prefilter_seconds += report.prefilter_seconds;
    }
    A_ = A;
    filter_ = filter;
    b_ = b;
    start_ = x;
    ++systems_;
    TAFFETA_ASSERT(leader < totals_.size());
    x = solution_[leader];
    return first;
}

void Comparison::set_tolerance(double tolerance) {
    for (SolverTotals& totals : totals_)
        totals.solver->set_tolerance(tolerance);
}

void Comparison::set_near_kernel(const solve::NearKernel& near_kernel) {
    near_kernel_ = near_kernel;
    for (SolverTotals& totals : totals_)
        totals.solver->set_near_kernel(near_kernel);
}

void Comparison::set_stiff_terms(const solve::StiffTerms& terms) {
    for (SolverTotals& totals : totals_)
        totals.solver->set_stiff_terms(terms);
}

void Comparison::reset() {
    for (SolverTotals& totals : totals_)
        totals.solver->reset();
}

void Comparison::settle() {
    for (SolverTotals& totals : totals_)
        totals.solver->settle();
}

void Comparison::measure_errors() {
    if (A_.empty()) return;
    const auto solver = solve::make_linear_solver(tight_solver());
    solver->set_near_kernel(near_kernel_);
    VecX exact = start_;
    solver->solve(A_, filter_, b_, exact);
    const auto norm = [&](const VecX& u) {
        VecX image;
        sparse::multiply(A_, u, image);
        return std::sqrt(u.dot(image));
    };
    const double size = norm(exact);
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        if (!current_[k]) {
            solution_[k] = start_;
            totals_[k].solver->solve(A_, filter_, b_, solution_[k]);
        }
        totals_[k].error = norm(solution_[k] - exact) / size;
    }
    for (SolverTotals& totals : totals_) {
        // Tolerances in steps of two, from loose to tight: the first that is enough.
        for (double tolerance = 1e-2; tolerance > 1e-9; tolerance /= 2) {
            VecX found = VecX::Zero(exact.size());
            totals.solver->set_tolerance(tolerance);
            const SolveReport report = totals.solver->solve(A_, filter_, b_, found);
            if (!report.ok()) break;
            if (norm(found - exact) > equal_error * size) continue;
            totals.equal_error_seconds =
                totals.setup_seconds / std::max(1, totals.solves) + report.solve_seconds;
            break;
        }
        totals.solver->set_tolerance(0);
    }
}

std::size_t Comparison::matrix_bytes() const {
    if (A_.empty()) return 0;
    const std::size_t blocks = std::size_t(A_.pattern().blocks());
    return blocks * (9 * sizeof(double) + sizeof(Index)) +
           2 * std::size_t(A_.rows()) * sizeof(Index);
}

}  // namespace taffeta::app
