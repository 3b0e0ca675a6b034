#include "taffeta/ode/rayleigh.h"

namespace taffeta::ode {

Fields<RayleighOptions> RayleighOptions::fields() {
    return with_rayleigh(Fields<RayleighOptions>());
}

SecondOrderSystem& RayleighSystem::around(SecondOrderSystem& system) {
    system_ = &system;
    if (r_M_ == 0 && r_K_ == 0) return system;
    return *this;
}

void RayleighSystem::apply_damping(const VecX& u, VecX& out) const {
    system_->apply({.m = r_M_, .d = 0, .k = r_K_}, u, out);
}

void RayleighSystem::force(double t, const VecX& x, const VecX& v, VecX& f) {
    if (r_K_ == 0) {
        system_->force(t, x, v, f);
    } else {
        system_->linearize(t, x, v, &f);
    }
    apply_damping(v, damping_);
    f -= damping_;
}

void RayleighSystem::linearize(double t, const VecX& x, const VecX& v, VecX* f) {
    system_->linearize(t, x, v, f);
    if (!f) return;
    apply_damping(v, damping_);
    *f -= damping_;
}

Coefficients RayleighSystem::damped(const Coefficients& c) const {
    return {.m = c.m + c.d * r_M_, .d = c.d, .k = c.k + c.d * r_K_};
}

void RayleighSystem::apply(const Coefficients& c, const VecX& u, VecX& out) {
    system_->apply(damped(c), u, out);
}

SolveReport RayleighSystem::solve(const Coefficients& c, const VecX& rhs, double tolerance,
                                  VecX& u) {
    return system_->solve(damped(c), rhs, tolerance, u);
}

}  // namespace taffeta::ode
