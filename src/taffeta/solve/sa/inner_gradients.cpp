#include "taffeta/solve/sa/inner_gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taffeta/solve/sa/float_vectors.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::solve::sa {

namespace {

/// Share of the residual by which it may differ from its recurrence.
constexpr double parted = 0.5;
/// From one true residual to the next; what falls less has met rounding.
constexpr double stalled = 0.9;
constexpr double least_tolerance = 1e-6;
/// Relative error of the first product, in tolerances: what the later ones add shrinks with the residual.
constexpr double trusted_error = 10;

/// |a - b|^2
double squared_distance(const FloatArray& a, const FloatArray& b, sparse::Partials& scratch) {
    return dot(a, a, scratch) - 2 * dot(a, b, scratch) + dot(b, b, scratch);
}

void copy(const FloatArray& from, FloatArray& to) {
    std::copy_n(from.data(), from.size(), to.data());
}

}  // namespace

/// Of the product with the solution of the hierarchy.
double InnerGradients::error_of_product(const Hierarchy& hierarchy, OuterSystem& outer) {
    hierarchy.store(hierarchy.solution(), hierarchy.scale() / unit_, step_);
    FloatArray& exact = image_;
    hierarchy.load(outer.product(step_), unit_, exact);
    const double squared = dot(exact, exact, partials_);
    const double difference = squared_distance(exact, hierarchy.product(), partials_);
    return std::sqrt(std::max(0.0, difference) / squared);
}

bool InnerGradients::replace_residual(const Hierarchy& hierarchy, OuterSystem& outer) {
    hierarchy.store(sum_, hierarchy.scale() / unit_, step_);
    sum_.set_zero();
    FloatArray& recurrence = hierarchy.right_side();
    FloatArray& exact = hierarchy.solution();
    hierarchy.load(outer.take(step_), unit_, exact);
    const double squared = dot(exact, exact, partials_);
    const double difference = squared_distance(recurrence, exact, partials_);
    std::swap(recurrence, exact);
    return difference <= parted * parted * squared;
}

bool InnerGradients::run(const Hierarchy& hierarchy, const VecX& r, const InnerLimits& limits,
                         OuterSystem& outer, InnerReport& report) {
    const double trusted = trusted_error * limits.tolerance;
    if (!hierarchy.knows_products() || limits.tolerance < least_tolerance ||
        product_error_ > trusted)
        return false;
    using Outcome = InnerReport::Outcome;
    FloatArray& residual = hierarchy.right_side();
    const FloatArray &preconditioned = hierarchy.solution(), &product = hierarchy.product();
    for (FloatArray* vector : {&direction_, &image_, &sum_})
        vector->resize(residual.size());
    step_.resize(r.size());
    sum_.set_zero();
    unit_ = 1 / std::sqrt(sparse::dot(r, r, partials_));
    hierarchy.load(r, unit_, residual);

    const auto precondition = [&] {
        hierarchy.cycle_and_multiply();
        return dot(residual, preconditioned, partials_);
    };
    const auto end = [&](Outcome outcome) {
        report.outcome = outcome;
        if (outcome != Outcome::converged) {  // what was gained since the last true residual
            hierarchy.store(sum_, hierarchy.scale() / unit_, step_);
            if (step_.allFinite()) outer.take(step_);
        }
        return true;
    };
    double rho = precondition();
    if (product_error_ < 0) {
        product_error_ = error_of_product(hierarchy, outer);
        if (!(product_error_ <= trusted)) return false;
    }
    const double zero_rho =
        limits.zero_rho > 0 ? limits.zero_rho * (unit_ * unit_) / hierarchy.scale() : rho;
    report.zero_rho = zero_rho * hierarchy.scale() / (unit_ * unit_);
    report.residual = std::sqrt(rho / zero_rho);
    if (!(rho > 0) || !std::isfinite(rho)) return end(Outcome::gave_up);
    if (report.residual < limits.tolerance) return end(Outcome::converged);

    copy(preconditioned, direction_);
    copy(product, image_);
    double curvature = dot(direction_, image_, partials_);
    double before = std::numeric_limits<double>::infinity(), last_true = before;
    while (report.iterations < limits.max_iterations) {
        const double alpha = rho / curvature;
        if (!(curvature > 0) || !std::isfinite(alpha)) break;
        step(float(alpha), direction_, image_, sum_, residual);
        ++report.iterations;
        // Will this be the last one, falling as the one before?
        const double now = report.residual;
        const bool due = now * now < limits.tolerance * before ||
                         report.iterations % limits.residual_interval == 0;
        bool agrees = !due || replace_residual(hierarchy, outer);
        double next = precondition();
        report.residual = std::sqrt(next / zero_rho);
        if (report.residual < limits.tolerance && !due) {
            agrees = replace_residual(hierarchy, outer);
            next = precondition();
            report.residual = std::sqrt(next / zero_rho);
        }
        if (!(next > 0) || !std::isfinite(next)) break;
        if (!outer.goes_on(report.iterations, report.residual)) return end(Outcome::stopped);
        if (report.residual < limits.tolerance) return end(Outcome::converged);
        if (!agrees || (due && report.residual > stalled * last_true)) break;
        if (due) last_true = report.residual;
        // p = M^-1 r + beta p
        curvature = turn(float(next / rho), preconditioned, product, direction_, image_, partials_);
        rho = next;
        before = now;
    }
    return end(Outcome::gave_up);
}

}  // namespace taffeta::solve::sa
