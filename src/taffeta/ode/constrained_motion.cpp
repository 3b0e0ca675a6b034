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

void ConstrainedMotion::replace_forbidden(SecondOrderSystem& system, const VecX& wanted, VecX& u) {
    // u <- u - (I - S) (u - wanted): where S = I the difference of equal numbers is exactly zero.
    difference_ = u - wanted;
    free_ = difference_;
    system.project(free_);
    u -= difference_ - free_;
}

void ConstrainedMotion::put_position(SecondOrderSystem& system, double c, double alpha, VecX& x) {
    wanted_ = start_->x + (c * h_) * start_->v + (c * h_ * h_ - alpha) * z_;
    alter(c, wanted_);
    replace_forbidden(system, wanted_, x);
}

void ConstrainedMotion::put_velocity(SecondOrderSystem& system, double c, double beta, VecX& v) {
    wanted_ = start_->v + (c * h_ - beta) * z_;
    replace_forbidden(system, wanted_, v);
}

}  // namespace taffeta::ode
