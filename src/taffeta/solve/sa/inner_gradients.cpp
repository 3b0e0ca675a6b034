#include "taffeta/solve/sa/inner_gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::solve::sa {

namespace {

/// Share of the residual by which it may differ from its recurrence.
constexpr double parted = 0.5;
/// From one true residual to the next; what falls less has met rounding.
constexpr double stalled = 0.9;
constexpr double least_tolerance = 1e-6;
/// Relative error of a product that is worth having, and how many of them the residual may fall by
/// between two true ones: from there on iterations grow (docs/solver.md).
constexpr double worst_product = 2e-3, errors_a_stage = 300;

/// That loops over eight at a time may read, and must find zero.
constexpr std::size_t floats_behind = 4;

void copy(FloatSpan from, FloatSpan to) {
    std::copy_n(from.data(), from.size(), to.data());
}

}  // namespace

/// p, A p and the sum of the steps since the last true residual, in memory that set-ups use.
struct InnerGradients::Vectors {
    explicit Vectors(const Hierarchy& hierarchy)
        : direction(part(hierarchy, 0)), image(part(hierarchy, 1)), sum(part(hierarchy, 2)) {
        for (const FloatSpan vector : {direction, image, sum})
            std::fill_n(vector.data() + vector.size(), floats_behind, 0.0f);
        sum.set_zero();
    }

    FloatSpan direction, image, sum;

  private:
    static constexpr std::size_t room = 16;  // floats: alignment, and zeros behind the end

    static FloatSpan part(const Hierarchy& hierarchy, std::size_t which) {
        const std::size_t length = hierarchy.right_side().size();
        const std::size_t with_room = (length / room + 1) * room;
        FloatArray& scratch = hierarchy.scratch();
        if (scratch.size() < 3 * with_room) scratch.resize(3 * with_room);
        return {scratch.data() + which * with_room, length};
    }
};

InnerGradients::Replaced InnerGradients::replace_residual(const Hierarchy& hierarchy,
                                                          const Vectors& vectors,
                                                          OuterSystem& outer) {
    hierarchy.add(vectors.sum.data(), hierarchy.scale() / unit_, outer.iterate());
    vectors.sum.set_zero();
    FloatArray& recurrence = hierarchy.right_side();
    FloatArray& exact = hierarchy.solution();
    hierarchy.load(outer.residual(), unit_, exact);
    const double squared = dot(exact, exact, partials_);
    const double difference =
        dot(recurrence, recurrence, partials_) - 2 * dot(recurrence, exact, partials_) + squared;
    std::swap(recurrence, exact);
    return {std::sqrt(std::max(0.0, difference)), std::sqrt(squared)};
}

bool InnerGradients::run(const Hierarchy& hierarchy, const VecX& r, const InnerLimits& limits,
                         OuterSystem& outer, InnerReport& report) {
    if (!hierarchy.knows_products() || limits.tolerance < least_tolerance ||
        product_error_ > worst_product)
        return false;
    using Outcome = InnerReport::Outcome;
    FloatArray &residual = hierarchy.right_side(), &preconditioned = hierarchy.solution();
    const FloatSpan product = hierarchy.product();
    const Vectors vectors(hierarchy);
    std::fill_n(product.data() + product.size(), floats_behind, 0.0f);
    unit_ = 1 / std::sqrt(sparse::dot(r, r, partials_));
    hierarchy.load(r, unit_, residual);

    const auto precondition = [&] {
        hierarchy.cycle_and_multiply();
        return dot(residual, preconditioned, partials_);
    };
    const auto end = [&](Outcome outcome) {
        report.outcome = outcome;
        // What was gained since the last true residual.
        if (outcome != Outcome::converged &&
            std::isfinite(dot(vectors.sum, vectors.sum, partials_)))
            hierarchy.add(vectors.sum.data(), hierarchy.scale() / unit_, outer.iterate());
        return true;
    };
    double rho = precondition();
    const double zero_rho =
        limits.zero_rho > 0 ? limits.zero_rho * (unit_ * unit_) / hierarchy.scale() : rho;
    report.residual = std::sqrt(rho / zero_rho);
    if (!(rho > 0) || !std::isfinite(rho)) return end(Outcome::gave_up);
    if (report.residual < limits.tolerance) return end(Outcome::converged);

    copy(preconditioned, vectors.direction);
    copy(product, vectors.image);
    double curvature = dot(vectors.direction, vectors.image, partials_);
    double before = std::numeric_limits<double>::infinity();
    double stage = before;  // the residual when it was last a true one
    int steps = 0;          // since then
    while (report.iterations < limits.max_iterations) {
        const double alpha = rho / curvature;
        if (!(curvature > 0) || !std::isfinite(alpha)) break;
        step(float(alpha), vectors.direction, vectors.image, vectors.sum, residual);
        ++report.iterations;
        ++steps;
        // The first step is the longest, and so is what its product is wrong by. Will this be the last
        // one, falling as the one before?
        const double now = report.residual;
        const bool first = report.iterations == 1;
        const bool due = first || now * now < limits.tolerance * before ||
                         now < errors_a_stage * product_error_ * stage ||
                         report.iterations % limits.residual_interval == 0;
        Replaced replaced{0, 1};
        if (due) replaced = replace_residual(hierarchy, vectors, outer);
        if (first) {
            const double moved = alpha * std::sqrt(dot(vectors.image, vectors.image, partials_));
            // Of what it moves and of the residual, which is one: where rounding makes a product large, it
            // is no measure of itself.
            const double error = replaced.difference / std::min(moved, 1.0);
            product_error_ = std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
            if (product_error_ > worst_product) break;
        }
        // Two true residuals and the step between them give the exact A p.
        if (due && steps == 1)
            add_difference(float(1 / alpha), preconditioned, residual, vectors.image);
        if (due) steps = 0;
        double next = precondition();
        report.residual = std::sqrt(next / zero_rho);
        const bool claimed = report.residual < limits.tolerance && !due;
        if (claimed) {
            replaced = replace_residual(hierarchy, vectors, outer);
            next = precondition();
            report.residual = std::sqrt(next / zero_rho);
            steps = 0;
        }
        if (!(next > 0) || !std::isfinite(next)) break;
        if (!outer.goes_on(report.iterations, report.residual)) return end(Outcome::stopped);
        if (report.residual < limits.tolerance) return end(Outcome::converged);
        if (due || claimed) {
            if (!(report.residual <= stalled * stage)) break;
            stage = report.residual;
        }
        // p = M^-1 r + beta p, where p still suits r.
        const bool restart = !(replaced.difference <= parted * replaced.norm);
        curvature = turn(restart ? 0.0f : float(next / rho), preconditioned, product,
                         vectors.direction, vectors.image, partials_);
        rho = next;
        before = now;
    }
    return end(Outcome::gave_up);
}

}  // namespace taffeta::solve::sa
