#include "taffeta/solve/direct/direct_solver.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "taffeta/base/timer.h"
#include "taffeta/solve/direct/simplicial_factors.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::solve {

namespace {

/// A residual above this after one step of refinement means that the factors are useless.
constexpr double accepted_residual = 1e-6;

/// A pivot is what elimination left of the diagonal number: below this part of it, only rounding.
constexpr double rounding = 32 * std::numeric_limits<double>::epsilon();

/// All of the prefiltered matrix.
constexpr sparse::FillLimits no_limits{0, std::numeric_limits<double>::infinity()};

}  // namespace

const char* const ordering_doc =
    "order of elimination: nested dissection by METIS [KK98], or approximate minimum degree "
    "[ADD96]";

Range ordering_choices() {
    return one_of({"metis", "amd"});
}

SolveReport DirectSolver::solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                                const VecX& b, VecX& x) {
    SolveReport report = check_.run(A, filter, b, x);
    if (!report.ok() || A.rows() == 0) return report;
    if (basis_) report = check_constraints(*basis_, filter);
    if (!report.ok()) return report;
    // The factors use one triangle only: a NaN in the other one would pass.
    if (!b.allFinite() || !sparse::find_not_finite(A).empty()) return not_finite(A, b, {});
    const std::string asymmetry = sparse::find_asymmetry(A);
    if (!asymmetry.empty()) return failure(SolveStatus::indefinite, asymmetry);
    Timer timer;
    report = factorize(A, filter);
    const double setup_seconds = timer.restart();
    if (report.ok()) report = back_solve(A, filter, b, x);
    report.setup_seconds = setup_seconds;
    report.solve_seconds = timer.seconds();
    return report;
}

SolveReport DirectSolver::factorize(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    const bool coupled = basis_ && basis_->rank() > 0;
    if (coupled && !coupled_.update(A, *basis_, no_limits))
        return failure(SolveStatus::bad_size,
                       "the constraints across vertices fill more blocks than can be counted");
    filtered_ = coupled ? coupled_.matrix() : A;
    sparse::prefilter(filtered_, filter);
    SolveReport report;
    const sparse::Pattern& pattern = filtered_.shared_pattern();
    if (pattern != analysed_) {
        analysed_.reset();
        FillOrder order;
        report = fill_reducing_order(*pattern, ordering_, order);
        if (report.ok()) report = triangle_.make(*pattern, std::move(order), factors_->half());
        if (report.ok()) {
            triangle_.fill(filtered_);
            report = factors_->analyse(triangle_);
        }
        if (!report.ok()) return report;
        analysed_ = pattern;
        ++counts_.built;
    } else {
        triangle_.fill(filtered_);
        ++counts_.refreshed;
    }
    report = factors_->factorize(triangle_);
    if (report.status == SolveStatus::indefinite) return name_bad_pivot(A);
    if (!report.ok()) return report;
    factors_->pivots(pivots_);
    return check_pivots(A, triangle_);
}

SolveReport DirectSolver::check_pivots(const sparse::Matrix3& A, const Triangle& B) const {
    for (Index k = 0; k < B.size(); ++k) {
        const double size = std::abs(B.diagonal(k)), pivot = pivots_[k];
        if (!std::isfinite(pivot)) return not_finite(A, {}, {});
        if (pivot > rounding * size) continue;
        const bool negative = pivot < -1e-12 * size;
        const Index row = B.row(k);
        return failure(negative ? SolveStatus::indefinite : SolveStatus::singular,
                       fmt::format("the pivot of vertex {}, {} is {:.3g} (its diagonal number is "
                                   "{:.3g}): A is {}",
                                   row / 3, "xyz"[row % 3], pivot, B.diagonal(k),
                                   negative ? "indefinite" : "singular"));
    }
    return {};
}

/// Only by L D L' do all libraries say the same about a bad matrix. It costs time and memory where
/// there is nothing else left to do.
SolveReport DirectSolver::name_bad_pivot(const sparse::Matrix3& A) {
    SimplicialFactors factors;
    Triangle upper;
    SolveReport report = upper.make(filtered_.pattern(), triangle_.order(), factors.half());
    if (report.ok()) {
        upper.fill(filtered_);
        report = factors.analyse(upper);
    }
    if (!report.ok())
        return failure(SolveStatus::indefinite, "a pivot is not positive: A is indefinite");
    factors.factorize(upper);
    factors.pivots(pivots_);
    report = check_pivots(A, upper);
    if (report.ok())
        report = failure(SolveStatus::singular,
                         "a pivot is positive or not by rounding: A is nearly singular");
    return report;
}

SolveReport DirectSolver::back_solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                                     const VecX& b, VecX& x) {
    // S c with c = b - A z
    right_side_ = b;
    if (basis_ ? basis_->has_targets() : filter.has_targets()) {
        if (basis_)
            basis_->targets(y_);
        else
            filter.targets(y_);
        sparse::multiply(A, y_, image_);
        right_side_ -= image_;
    }
    project(filter, right_side_);
    const double norm = right_side_.norm();
    if (!std::isfinite(norm)) return not_finite(A, b, x);

    SolveReport report;
    y_ = VecX::Zero(b.size());
    residual_ = right_side_;
    for (int pass = 0; pass < 2 && norm > 0; ++pass) {
        // y <- y + B^-1 (S c - B y)
        triangle_.permute(residual_, permuted_);
        report = factors_->solve(permuted_, correction_);
        if (!report.ok()) return report;
        triangle_.permute_back(correction_, residual_);
        y_ += residual_;
        sparse::multiply(filtered_, y_, image_);
        residual_ = right_side_ - image_;
        report.residual = residual_.norm() / norm;
    }
    project(filter, y_);
    if (!(report.residual <= accepted_residual)) {
        report.status = SolveStatus::singular;
        report.message = fmt::format("the factors leave a residual of {:.3g}: A is nearly singular",
                                     report.residual);
    }
    if (!y_.allFinite()) return report;
    x = y_;
    if (basis_)
        basis_->add_targets(x);
    else
        filter.add_targets(x);
    return report;
}

void DirectSolver::project(const sparse::NodeFilter& filter, VecX& u) {
    if (basis_)
        basis_->project(u, along_rows_);
    else
        filter.project(u);
}

std::string DirectSolver::description() const {
    if (!analysed_) return {};
    return fmt::format("ordering {}: {} numbers in the triangle, {} in its factor\n", ordering_,
                       triangle_.matrix().nonZeros(), triangle_.order().factor_entries);
}

std::size_t DirectSolver::bytes() const {
    if (!analysed_) return 0;
    return factors_->bytes() + triangle_.bytes() + coupled_.bytes() +
           std::size_t(filtered_.pattern().blocks()) * sizeof(Mat3) +
           std::size_t(7 * y_.size()) * sizeof(double);
}

}  // namespace taffeta::solve
