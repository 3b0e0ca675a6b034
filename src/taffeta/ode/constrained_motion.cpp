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

void ConstrainedMotion::impose(SecondOrderSystem& system, double c, VecX& x, VecX& v) {
    put(system, c, 0, 0, x, v);
}

void ConstrainedMotion::fit(SecondOrderSystem& system, double c, Stage& stage) {
    alter(c, stage.xp);
    put(system, c, stage.alpha, stage.beta, stage.xp, stage.vp);
}

void ConstrainedMotion::put(SecondOrderSystem& system, double c, double alpha, double beta, VecX& x,
                            VecX& v) {
    // v <- v - (I - S) (v - wanted); where S = I the difference of equal numbers is exactly zero
    difference_ = v - start_->v - (c * h_ - beta) * z_;
    free_ = difference_;
    system.project(free_);
    v -= difference_ - free_;

    difference_ = x - start_->x - (c * h_) * start_->v - (c * h_ * h_ - alpha) * z_;
    if (y_.size() > 0) difference_ -= c * y_;
    free_ = difference_;
    system.project(free_);
    x -= difference_ - free_;
}

}  // namespace taffeta::ode
