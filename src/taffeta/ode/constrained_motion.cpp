#include "taffeta/ode/constrained_motion.h"

namespace taffeta::ode {

void ConstrainedMotion::begin(SecondOrderSystem& system, const State& state, double h) {
    start_ = &state;
    h_ = h;
    z_.setZero(system.size());
    system.constrain(z_, h);
    if (const VecX* y = system.position_alteration()) {
        y_ = *y;
    } else {
        y_.resize(0);
    }
}

void ConstrainedMotion::alter(double c, VecX& x) const {
    if (y_.size() > 0) x += c * y_;
}

void ConstrainedMotion::impose_position(SecondOrderSystem& system, double c, VecX& x) {
    put_position(system, c, 0, x);
}

void ConstrainedMotion::impose_velocity(SecondOrderSystem& system, double c, VecX& v) {
    put_velocity(system, c, 0, v);
}

void ConstrainedMotion::fit(SecondOrderSystem& system, double c, Stage& stage) {
    alter(c, stage.xp);
    put_position(system, c, stage.alpha, stage.xp);
    put_velocity(system, c, stage.beta, stage.vp);
}

// u <- u - (I - S) (u - wanted). Where S = I the difference of equal numbers is exactly zero.

void ConstrainedMotion::put_position(SecondOrderSystem& system, double c, double alpha, VecX& x) {
    difference_ = x - start_->x - (c * h_) * start_->v - (c * h_ * h_ - alpha) * z_;
    if (y_.size() > 0) difference_ -= c * y_;
    free_ = difference_;
    system.project(free_);
    x -= difference_ - free_;
}

void ConstrainedMotion::put_velocity(SecondOrderSystem& system, double c, double beta, VecX& v) {
    difference_ = v - start_->v - (c * h_ - beta) * z_;
    free_ = difference_;
    system.project(free_);
    v -= difference_ - free_;
}

}  // namespace taffeta::ode
