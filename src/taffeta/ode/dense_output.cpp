#include "taffeta/ode/dense_output.h"

namespace taffeta::ode {

SolveReport DenseOutput::set(SecondOrderSystem& system, const State& begin, const State& end,
                             int& force_evaluations) {
    begin_ = &begin;
    end_ = &end;
    system.force(begin.t, begin.x, begin.v, force_);
    ++force_evaluations;
    const SolveReport first = system.solve_mass(force_, begin_a_);
    if (!first.ok()) return first;
    system.force(end.t, end.x, end.v, force_);
    ++force_evaluations;
    return system.solve_mass(force_, end_a_);
}

void DenseOutput::interpolate(double theta, State& out) const {
    const double h = end_->t - begin_->t, s = theta, r = 1 - theta;
    if (s == 0 || s == 1) {
        out = s == 0 ? *begin_ : *end_;
        return;
    }
    // Values at the end are 1 - those at the begin, slopes and curvatures mirrored.
    const double cube = s * s * s, mirror = r * r * r;
    const double x1 = cube * (10 - 15 * s + 6 * s * s);
    const double v0 = s * mirror * (1 + 3 * s), v1 = -r * cube * (1 + 3 * r);
    const double a0 = 0.5 * s * s * mirror, a1 = 0.5 * r * r * cube;
    out.t = begin_->t + s * h;
    out.x = begin_->x + x1 * (end_->x - begin_->x) + h * (v0 * begin_->v + v1 * end_->v) +
            h * h * (a0 * begin_a_ + a1 * end_a_);

    const double dx1 = 30 * s * s * r * r;
    const double dv0 = mirror * (1 + 3 * s) - 3 * s * r * r * (1 + 3 * s) + 3 * s * mirror;
    const double dv1 = cube * (1 + 3 * r) - 3 * r * s * s * (1 + 3 * r) + 3 * r * cube;
    const double da0 = s * mirror - 1.5 * s * s * r * r;
    const double da1 = -r * cube + 1.5 * r * r * s * s;
    out.v = dx1 / h * (end_->x - begin_->x) + dv0 * begin_->v + dv1 * end_->v +
            h * (da0 * begin_a_ + da1 * end_a_);
}

}  // namespace taffeta::ode
