#include "taffeta/ode/study/spring_form.h"

namespace taffeta::ode::study {

SpringForm::SpringForm(Problem& problem)
    : system_(*problem.system),
      of_(*problem.springs),
      springs_(of_.springs),
      free_(problem.system->size()),
      held_(of_.held),
      inverse_mass_(VecX::Zero(size() / 3)) {
    TAFFETA_ASSERT(3 * of_.inverse_mass.size() == free_);
    inverse_mass_.head(free_ / 3) = of_.inverse_mass;
}

State SpringForm::with_held(const State& state) const {
    State all{state.t, VecX(size()), VecX::Zero(size())};
    all.x << state.x, held_;
    all.v.head(free_) = state.v;
    return all;
}

State SpringForm::without_held(const State& state) const {
    return {state.t, state.x.head(free_), state.v.head(free_)};
}

void SpringForm::extend(const VecX& free, VecX& out) const {
    out.setZero(size());
    out.head(free_) = free;
}

void SpringForm::force(double t, const VecX& x, const VecX& v, VecX& f) {
    x_ = x.head(free_);
    v_ = v.head(free_);
    system_.force(t, x_, v_, part_);
    extend(part_, f);
}

SolveReport SpringForm::solve_mass(const VecX& f, VecX& a) {
    x_ = f.head(free_);
    const SolveReport report = system_.solve_mass(x_, part_);
    extend(part_, a);
    return report;
}

void SpringForm::linearize(double t, const VecX& x, const VecX& v, VecX* f) {
    x_ = x.head(free_);
    v_ = v.head(free_);
    system_.linearize(t, x_, v_, f ? &part_ : nullptr);
    if (f) extend(part_, *f);
}

void SpringForm::apply(const Coefficients& c, const VecX& u, VecX& out) {
    x_ = u.head(free_);
    system_.apply(c, x_, part_);
    extend(part_, out);
}

SolveReport SpringForm::solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) {
    x_ = rhs.head(free_);
    part_ = u.head(free_);
    const SolveReport report = system_.solve(c, x_, tolerance, part_);
    extend(part_, u);
    return report;
}

void SpringForm::constrain(VecX& a, double h) {
    (void)h;
    project(a);  // what is held stays where it is
}

void SpringForm::project(VecX& r) {
    r.tail(held_.size()).setZero();
}

void SpringForm::external_force(double t, const VecX& x, const VecX& v, VecX& f) {
    x_ = x.head(free_);
    v_ = v.head(free_);
    of_.external_force(t, x_, v_, part_);
    extend(part_, f);
}

}  // namespace taffeta::ode::study
