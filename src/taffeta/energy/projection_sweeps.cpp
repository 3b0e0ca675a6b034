#include "taffeta/energy/projection_sweeps.h"

#include <Eigen/Geometry>

#include "taffeta/base/jacobi.h"

namespace taffeta::energy {

Fields<ProjectionOptions> ProjectionOptions::fields() {
    using O = ProjectionOptions;
    return {
        {"max", &O::max, "largest stretch, as length over rest length", between(1, 100)},
        {"min", &O::min, "smallest stretch; 0: cloth may be compressed at will", between(0, 1)},
        {"tolerance", &O::tolerance, "how far beyond a bound is near enough", between(1e-12, 1)},
        {"sweeps", &O::sweeps, "at most, over all elements in a step", between(1, 100000)},
    };
}

ProjectedState::ProjectedState(const sparse::NodeFilter& filter, std::span<const double> mass,
                               Index first, double h, VecX& x, VecX& v)
    : filter_(filter), mass_(mass), first_(first), h_(h), x_(x), v_(v) {
    double total = 0;
    for (std::size_t i = 0; i < mass_.size(); ++i) {
        about_ += mass_[i] * position(Index(i));
        total += mass_[i];
    }
    about_ /= total;
    begin_ = angular_momentum(about_);
}

Vec3 ProjectedState::angular_momentum(const Vec3& about) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < mass_.size(); ++i)
        sum += mass_[i] * (position(Index(i)) - about).cross(Vec3(vec3(v_, first_ + Index(i))));
    return sum;
}

void ProjectedState::return_angular_momentum() {
    const Index count = Index(mass_.size());
    for (const sparse::NodeFilter::Entry& held : filter_.entries())
        if (held.vertex >= first_ && held.vertex < first_ + count) return;

    // Moves keep the centre of mass: a rotation about it has no linear momentum.
    const Vec3 lost = begin_ - angular_momentum(about_);
    Mat3 inertia = Mat3::Zero(), axes;
    for (Index i = 0; i < count; ++i) {
        const Vec3 r = position(i) - about_;
        inertia += mass_[std::size_t(i)] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    jacobi_eigen(inertia, axes);
    Vec3 rotation = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
        if (inertia(k, k) > 1e-12 * inertia.diagonal().maxCoeff())
            rotation += axes.col(k) * (axes.col(k).dot(lost) / inertia(k, k));
    for (Index i = 0; i < count; ++i)
        vec3(v_, first_ + i) += rotation.cross(position(i) - about_);
}

}  // namespace taffeta::energy
