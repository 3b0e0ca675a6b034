#include "taffeta/solve/capi/handle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"

namespace taffeta::capi {

namespace {

constexpr Index block_grain = 2048;
/// How far the square of a unit vector's length may be from 1.
constexpr double unit_tolerance = 1e-6;

/// The vertex whose row in `begin` holds entry k.
Index row_of(const std::vector<Index>& begin, Index k) {
    return Index(std::upper_bound(begin.begin(), begin.end(), k) - begin.begin()) - 1;
}

}  // namespace

void refuse(taffeta_status status, const std::string& text) {
    throw Refusal(status, text);
}

std::int64_t Source::count() const {
    return gather ? gather->entries() : 9 * std::int64_t(pattern->blocks());
}

std::string Source::place(std::int64_t k) const {
    if (gather) return fmt::format("row {}", row_of(gather->row_begin(), Index(k)));
    const Index block = Index(k / 9);
    return fmt::format("block ({}, {})", row_of(pattern->row_begin, block),
                       pattern->column[std::size_t(block)]);
}

void Source::check(const double* values) const {
    // Found in parallel, named afterwards. Nine at a time, so that the number of chunks fits.
    const std::int64_t size = count();
    const Index groups = Index((size + 8) / 9);
    const Index bad = parallel_sum<Index>(groups, block_grain, [&](Index begin, Index end) {
        const std::int64_t last = std::min(size, 9 * std::int64_t(end));
        Index found = 0;
        for (std::int64_t k = 9 * std::int64_t(begin); k < last; ++k)
            found |= Index(!std::isfinite(values[k]));
        return found;
    });
    if (bad == 0) return;
    const double* first =
        std::find_if(values, values + size, [](double value) { return !std::isfinite(value); });
    const std::int64_t k = first - values;
    refuse(TAFFETA_NOT_FINITE, fmt::format("values[{}] = {} ({})", k, *first, place(k)));
}

void Source::fill(const double* values, sparse::Matrix3& A) const {
    if (gather) {
        gather->fill(values, A);
        return;
    }
    parallel_for(pattern->blocks(), block_grain, [&](Index s) {
        const double* block = values + 9 * std::size_t(s);
        if (!row_major)
            A.block(s) = Eigen::Map<const Mat3>(block);
        else
            A.block(s) = Eigen::Map<const Mat3>(block).transpose();
    });
}

sparse::NodeFilter make_filter(Index vertices, Index count, const taffeta_constraint* constraints) {
    sparse::NodeFilter filter(vertices);
    for (Index k = 0; k < count; ++k) {
        const taffeta_constraint& constraint = constraints[k];
        const Index vertex = constraint.vertex;
        const auto fail = [&](const std::string& what) {
            refuse(TAFFETA_BAD_FILTER, fmt::format("constraint {}: {}", k, what));
        };
        if (vertex < 0 || vertex >= vertices)
            fail(fmt::format("vertex {} of {}", vertex, vertices));
        if (constraint.forbidden < 1 || constraint.forbidden > 3)
            fail(fmt::format("{} forbidden directions, must be 1, 2 or 3", constraint.forbidden));
        if (filter.find(vertex)) fail(fmt::format("vertex {} has one already", vertex));
        if (constraint.forbidden == 3) {
            filter.fix(vertex);
        } else {
            for (Index d = 0; d < constraint.forbidden; ++d) {
                const Vec3 direction(constraint.direction[d]);
                // Negated, so that NaN is a fault.
                if (!(std::abs(direction.squaredNorm() - 1) <= unit_tolerance))
                    fail(fmt::format("direction {} is no unit vector: ({}, {}, {})", d,
                                     direction.x(), direction.y(), direction.z()));
                filter.forbid(vertex, direction);
                if (filter.free_directions(vertex) != 2 - d)
                    fail("the two directions are parallel");
            }
        }
        const Vec3 target(constraint.target);
        if (!target.allFinite()) fail("a target that is not finite");
        filter.set_target(vertex, target);
    }
    return filter;
}

}  // namespace taffeta::capi

using namespace taffeta;

taffeta_solver::taffeta_solver() : solver(solve::make_linear_solver(Settings())) {}

void taffeta_solver::use(std::unique_ptr<solve::LinearSolver> other) {
    solver = std::move(other);
    solver->set_tolerance(tolerance);
    solver->set_near_kernel({coordinates_.size() > 0 ? &coordinates_ : nullptr});
    report_ = {};
    levels_.clear();
}

void taffeta_solver::set_matrix(capi::Source from, const double* values) {
    from.check(values);
    sparse::Matrix3 matrix(from.pattern);
    from.fill(values, matrix);
    const bool other_size = matrix.rows() != filter.vertices();
    sparse::NodeFilter fresh(other_size ? matrix.rows() : 0);
    // Nothing below throws.
    if (other_size) {
        filter = std::move(fresh);
        set_coordinates(VecX());
    }
    source = std::move(from);
    A = std::move(matrix);
}

void taffeta_solver::set_coordinates(VecX values) {
    coordinates_.swap(values);
    solver->set_near_kernel({coordinates_.size() > 0 ? &coordinates_ : nullptr});
}

taffeta_status taffeta_solver::solve(const double* b, double* x) {
    const Eigen::Index size = 3 * Eigen::Index(A.rows());
    right_side_ = Eigen::Map<const VecX>(b, size);
    solution_ = Eigen::Map<const VecX>(x, size);
    report_ = solver->solve(A, filter, right_side_, solution_);
    levels_ = report_.iterations > 0 ? solver->description() : std::string();
    Eigen::Map<VecX>(x, size) = solution_;
    sentence = report_.message;
    message = sentence.c_str();
    return taffeta_status(int(report_.status));
}

taffeta_statistics taffeta_solver::statistics() const {
    const solve::SetupCounts counts = solver->setup_counts();
    taffeta_statistics all{};
    all.status = taffeta_status(int(report_.status));
    all.iterations = report_.iterations;
    all.residual = report_.residual;
    all.setup_s = report_.setup_seconds;
    all.solve_s = report_.solve_seconds;
    all.bytes = solver->bytes();
    all.vertices = A.rows();
    all.constrained = Index(filter.entries().size());
    all.hierarchies_built = counts.built;
    all.hierarchies_updated = counts.refreshed;
    all.hierarchies_kept = counts.kept;
    all.levels = levels_.c_str();
    return all;
}
