#pragma once

#include <cmath>
#include <vector>

#include "taffeta/energy/scatter.h"
#include "taffeta/energy/strain_projection.h"

/// What strain projections have in common: Gauss-Seidel sweeps over coloured elements, and how
/// a vector gets another length.
namespace taffeta::energy {

struct ProjectionOptions {
    double max = 1.1;
    double min = 0;
    double tolerance = 1e-3;
    int sweeps = 100;

    static Fields<ProjectionOptions> fields();

    /// How far a ratio is outside of the bounds.
    double excess(double ratio) const { return std::max({ratio - max, min - ratio, 0.0}); }
    double nearest(double ratio) const { return std::clamp(ratio, min, max); }
};

/// The vertices of a body with the state of a world, within one projection.
class ProjectedState {
  public:
    ProjectedState(const sparse::NodeFilter& filter, std::span<const double> mass, Index first,
                   double h, VecX& x, VecX& v);

    Vec3 position(Index i) const { return vec3(x_, first_ + i); }
    /// S u/m
    Vec3 over_mass(Index i, const Vec3& u) const {
        const sparse::NodeFilter::Entry* const held = filter_.find(first_ + i);
        const Vec3 free = held ? Vec3(held->projector * u) : u;
        return free / mass_[std::size_t(i)];
    }
    /// Moves a vertex, and its velocity with it.
    void move(Index i, const Vec3& change) {
        vec3(x_, first_ + i) += change;
        vec3(v_, first_ + i) += change / h_;
    }
    /// Gives a body without held vertices the angular momentum that it began with.
    void return_angular_momentum();

  private:
    Vec3 angular_momentum(const Vec3& about) const;

    const sparse::NodeFilter& filter_;
    std::span<const double> mass_;
    Index first_;
    double h_;
    VecX& x_;
    VecX& v_;
    Vec3 begin_ = Vec3::Zero();  ///< angular momentum about `about_`
    Vec3 about_ = Vec3::Zero();  ///< the centre of mass at the begin
};

/// A vector p = sum a_i x_i, sum a_i = 0, of N vertices.
template <int N>
struct StretchedVector {
    const Index* vertex;
    std::array<double, std::size_t(N)> weight;  ///< a

    Vec3 now(const ProjectedState& state) const {
        Vec3 p = Vec3::Zero();
        for (std::size_t k = 0; k < std::size_t(N); ++k)
            p += weight[k] * state.position(vertex[k]);
        return p;
    }
    /// How p changes by a unit of impulse along n, sum a_i^2 S n/m.
    Vec3 response(const ProjectedState& state, const Vec3& n) const {
        Vec3 way = Vec3::Zero();
        for (std::size_t k = 0; k < std::size_t(N); ++k)
            way += weight[k] * weight[k] * state.over_mass(vertex[k], n);
        return way;
    }
    bool can_change(const ProjectedState& state) const {
        const Vec3 p = now(state);
        return p.squaredNorm() > 0 && response(state, p).dot(p) > 0;
    }

    void set_length(double wanted, ProjectedState& state) const {
        const Vec3 p = now(state);
        const double length = p.norm();
        if (length == 0) return;
        const Vec3 n = p / length, way = response(state, n);
        const double along = way.dot(n);
        if (!(along > 0)) return;
        // |p + s way| = wanted; where a filter turns `way` from n, to first order.
        const double s = (wanted - length) / along;
        for (std::size_t k = 0; k < std::size_t(N); ++k)
            state.move(vertex[k], s * weight[k] * state.over_mass(vertex[k], n));
    }
};

/// The worst of a set; for parallel sums.
struct LargestExcess {
    double value = 0;
    LargestExcess& operator+=(const LargestExcess& other) {
        value = std::max(value, other.value);
        return *this;
    }
};

/// Sweeps `element(e)` over the plan's elements until `excess(e)` is at most the tolerance for all. The
/// elements of a cluster go one after the other and clusters of one colour share no vertex: the same bits for
/// any number of threads.
template <class Element, class Excess>
ProjectionReport sweep_elements(const ProjectionOptions& options, const ScatterPlan& plan,
                                ProjectedState& state, Index count, const Element& element,
                                const Excess& excess) {
    ProjectionReport report;
    for (;;) {
        report.excess = parallel_sum<LargestExcess>(count, sum_grain, [&](Index begin, Index end) {
                            LargestExcess most;
                            for (Index e = begin; e < end; ++e)
                                most += {excess(e)};
                            return most;
                        }).value;
        if (!(report.excess > options.tolerance) || report.sweeps == options.sweeps) {
            if (report.sweeps > 0) state.return_angular_momentum();
            return report;
        }
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; ++e)
                element(e);
        });
        ++report.sweeps;
    }
}

}  // namespace taffeta::energy
