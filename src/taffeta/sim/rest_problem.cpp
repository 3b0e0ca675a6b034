#include "taffeta/sim/rest_problem.h"

#include <cmath>
#include <cstdint>

namespace taffeta::sim {

double RestProblem::value(const VecX& x) const {
    double sum = 0;
    for (const auto& energy : world_.energies)
        sum += energy->value(x);
    if (contact_) sum += contact_->value(x, 1);
    if (relief_ == 0) return sum;
    // A part of the weight is missing, and with it the same part of - sum m g.x.
    for (Index i = 0; i < world_.vertex_count(); ++i)
        sum += relief_ * world_.mass[i] * world_.gravity.dot(vec3(x, i));
    return sum;
}

double RestProblem::magnitude(const VecX& x) const {
    double sum = std::abs(value(x));
    for (const auto& energy : world_.energies)
        sum += std::abs(energy->value(x));
    return sum;
}

void RestProblem::place_contact(const VecX& x) {
    if (!contact_) return;
    contact_->linearise(x, 1, 1, system_.repulsion().springs());
    system_.repulsion_changed();
}

void RestProblem::finish(VecX& f) const {
    if (relief_ > 0)
        for (Index i = 0; i < world_.vertex_count(); ++i)
            vec3(f, i) -= relief_ * world_.mass[i] * world_.gravity;
    system_.project(f);
}

void RestProblem::force(const VecX& x, VecX& f) {
    place_contact(x);
    system_.force(t_, x, still_, f);
    finish(f);
}

void RestProblem::linearise(const VecX& x, VecX& f) {
    place_contact(x);
    system_.linearize(t_, x, still_, &f);
    finish(f);
}

SolveReport RestProblem::solve(double damping, const VecX& f, double tolerance, VecX& d) {
    d.setZero(f.size());
    return system_.solve({.m = damping, .d = 0, .k = 1}, f, tolerance, d);
}

double RestProblem::curvature(const VecX& d) {
    system_.apply({.m = 0, .d = 0, .k = 1}, d, product_);
    return d.dot(product_);
}

double RestProblem::rounding(const VecX& x) {
    next_.resize(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        // Up or down without a pattern along the mesh: the high bits of a multiplicative hash.
        const bool up = (std::uint64_t(i + 1) * 0x9E3779B97F4A7C15u) >> 63;
        next_[i] = std::nextafter(x[i], up ? INFINITY : -INFINITY);
    }
    force(x, f_);
    force(next_, f_next_);
    return (f_next_ - f_).norm();
}

double RestProblem::shorten(const VecX& x, VecX& x1) {
    double part = 1;
    return contact_ ? contact_->shorten(x, 1, x1, part) : 1;
}

std::string RestProblem::nearest() const {
    return contact_ ? contact_->nearest() : std::string();
}

}  // namespace taffeta::sim
