#include "taffeta/ode/spring_method.h"

#include <algorithm>

#include "taffeta/base/parallel.h"

namespace taffeta::ode {

namespace {

constexpr Index springs_per_task = 512;
constexpr Index particles_per_task = 1024;

}  // namespace

void Mobility::find(SecondOrderSystem& system, const VecX& inverse_mass) {
    const Eigen::Index size = system.size();
    inverse_mass_ = inverse_mass;
    row_.assign(std::size_t(inverse_mass.size()), -1);
    filter_.clear();
    // The columns of all S by three projections.
    for (int k = 0; k < 3; ++k) {
        unit_.setZero(size);
        for (Eigen::Index i = k; i < size; i += 3)
            unit_[i] = 1;
        column_[k] = unit_;
        system.project(column_[k]);
    }
    for (Index i = 0; i < Index(inverse_mass.size()); ++i) {
        Mat3 S;
        for (int k = 0; k < 3; ++k)
            S.col(k) = vec3(column_[k], i);
        if (S == Mat3::Identity() || inverse_mass_[i] == 0) continue;
        // S is a projector, so that its trace is the number of free directions.
        if (S.trace() < 0.5) {
            inverse_mass_[i] = 0;
        } else {
            row_[std::size_t(i)] = Index(filter_.size());
            filter_.push_back(S);
        }
    }
}

SpringSystem* SpringMethod::begin(SecondOrderSystem& system, const State& state, double h,
                                  StepReport& report) {
    SpringSystem* springs = system.spring_system();
    if (!springs) {
        report.solve.status = SolveStatus::breakdown;
        report.solve.message =
            "the system is not made of springs, which this method needs; take another integrator";
        return nullptr;
    }
    TAFFETA_ASSERT(system.size() == 3 * springs->inverse_mass().size());
    motion_.begin(system, state, h);
    mobility_.find(system, springs->inverse_mass());
    next_.t = state.t;
    next_.x = state.x;
    next_.v = state.v;
    return springs;
}

void SpringMethod::predict(SecondOrderSystem& system, SpringSystem& springs, double t, double h,
                           double c, double end, StepReport& report) {
    springs.external_force(t, next_.x, next_.v, f_);
    ++report.force_evaluations;
    start_ = next_.x;
    motion_.alter(c, start_);
    parallel_for(Index(f_.size() / 3), particles_per_task, [&](Index i) {
        vec3(next_.x, i) =
            vec3(start_, i) + h * vec3(next_.v, i) + h * h * mobility_.times(i, vec3(f_, i));
    });
    motion_.impose_position(system, end, next_.x);
}

void SpringMethod::end_step(SpringSystem& springs, const State& state, double h) {
    // After the swap in `finish`, next_ holds the state that the step began with.
    a_ = (state.v - next_.v) / h;
    springs.end_force(state.x, state.v, f_);
}

void SpringProjection::prepare(std::span<const Spring> springs, Index particles) {
    if (particles == particles_ && std::ranges::equal(springs, seen_)) return;
    seen_.assign(springs.begin(), springs.end());
    particles_ = particles;
    colours_ = colour_springs(springs, particles);
    lambda_.assign(colours_.spring.size(), 0);
    length_.clear();
    compliance_.clear();
    relaxation_.clear();
    damped_ = false;
    for (const Spring& spring : colours_.spring) {
        length_.push_back(spring.length);
        compliance_.push_back(1 / spring.stiffness);
        relaxation_.push_back(spring.damping / spring.stiffness);
        damped_ = damped_ || spring.damping > 0;
    }
}

void SpringProjection::begin() {
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
}

// A sweep reads and writes the two ends of each spring, and reads its four numbers: about 150 bytes, of
// which the positions stay in the second-level cache, and some 40 operations. What it costs are the root
// and the quotients, which depend on each other within a spring but not between those of a colour: four
// springs share each of them. Where a particle is held in some directions only, W is a matrix, and the
// springs go one by one.
template <class Change>
void SpringProjection::sweep(const Mobility& mobility, VecX& x, const Change& change) {
    for (Index colour = 0; colour < colours_.count(); ++colour) {
        const Index begin = colours_.begin[std::size_t(colour)];
        const Index size = colours_.begin[std::size_t(colour) + 1] - begin;
        parallel_chunks(size, springs_per_task, [&](Index first, Index end) {
            Index k = begin + first;
            if (!mobility.partial())
                for (; k + 4 <= begin + end; k += 4)
                    move_four(mobility.inverse_mass(), x, std::size_t(k), change);
            for (; k < begin + end; ++k)
                move_one(mobility, x, std::size_t(k), change);
        });
    }
}

template <class Change>
void SpringProjection::move_four(const VecX& weight, VecX& x, std::size_t first,
                                 const Change& change) {
    Lanes d[3], w_i, w_j;
    for (int lane = 0; lane < 4; ++lane) {
        const Spring& spring = colours_.spring[first + std::size_t(lane)];
        for (int c = 0; c < 3; ++c)
            d[c][lane] = x[3 * spring.i + c] - x[3 * spring.j + c];
        w_i[lane] = weight[spring.i];
        w_j[lane] = weight[spring.j];
    }
    const Lanes length = (d[0].square() + d[1].square() + d[2].square()).sqrt();
    // Ends that coincide give the spring no direction, hence no force.
    const Lanes inverse = (length > 0).select(1 / length, 0.0);
    const Lanes w = w_i + w_j, C = length - Lanes::Map(&length_[first]);
    auto lambda = Lanes::Map(&lambda_[first]);
    Lanes made = change.of_four(first, d, inverse, C, w, lambda);
    made = (length > 0 && w > 0).select(made, 0.0);
    lambda += made;
    made *= inverse;
    for (int lane = 0; lane < 4; ++lane) {
        const Spring& spring = colours_.spring[first + std::size_t(lane)];
        for (int c = 0; c < 3; ++c) {
            const double shift = made[lane] * d[c][lane];
            x[3 * spring.i + c] += w_i[lane] * shift;
            x[3 * spring.j + c] -= w_j[lane] * shift;
        }
    }
}

template <class Change>
void SpringProjection::move_one(const Mobility& mobility, VecX& x, std::size_t k,
                                const Change& change) {
    const Spring& spring = colours_.spring[k];
    const Vec3 d = vec3(x, spring.i) - vec3(x, spring.j);
    const double length = d.norm();
    if (!(length > 0)) return;
    const Vec3 n = d / length;
    const Vec3 w_i = mobility.times(spring.i, n), w_j = mobility.times(spring.j, n);
    const double w = n.dot(w_i + w_j);
    if (!(w > 0)) return;
    const double made = change.of_one(k, n, d, length - length_[k], w, lambda_[k]);
    lambda_[k] += made;
    vec3(x, spring.i) += made * w_i;
    vec3(x, spring.j) -= made * w_j;
}

void SpringProjection::sweep_compliant(const Mobility& mobility, const VecX& start, double h,
                                       double tau, VecX& x) {
    struct Compliant {
        const SpringProjection& of;
        const VecX& start;
        double inverse_h, tau;
        bool damped;

        Lanes of_four(std::size_t first, const Lanes* d, const Lanes& inverse, const Lanes& C,
                      const Lanes& w, const Lanes& lambda) const {
            const Lanes alpha = Lanes::Map(&of.compliance_[first]) * (inverse_h * inverse_h);
            Lanes residual = -C - alpha * lambda;
            if (!damped) return residual / (w + alpha);
            const Lanes gamma = (Lanes::Map(&of.relaxation_[first]) + tau) * inverse_h;
            Lanes moved = Lanes::Zero();
            for (int c = 0; c < 3; ++c) {
                Lanes before;
                for (int lane = 0; lane < 4; ++lane) {
                    const Spring& spring = of.colours_.spring[first + std::size_t(lane)];
                    before[lane] = start[3 * spring.i + c] - start[3 * spring.j + c];
                }
                moved += d[c] * (d[c] - before);
            }
            residual -= gamma * inverse * moved;
            return residual / ((1 + gamma) * w + alpha);
        }
        double of_one(std::size_t k, const Vec3& n, const Vec3& d, double C, double w,
                      double lambda) const {
            const Spring& spring = of.colours_.spring[k];
            const double alpha = of.compliance_[k] * (inverse_h * inverse_h);
            const double gamma = (of.relaxation_[k] + tau) * inverse_h;
            double residual = -C - alpha * lambda;
            if (damped)
                residual -= gamma * n.dot(d - (vec3(start, spring.i) - vec3(start, spring.j)));
            return residual / ((1 + gamma) * w + alpha);
        }
    };
    sweep(mobility, x, Compliant{*this, start, 1 / h, tau, damped_ || tau > 0});
}

void SpringProjection::sweep_hard(const Mobility& mobility, double s, VecX& x) {
    struct Hard {
        double s;

        Lanes of_four(std::size_t, const Lanes*, const Lanes&, const Lanes& C, const Lanes& w,
                      const Lanes&) const {
            return -s * C / w;
        }
        double of_one(std::size_t, const Vec3&, const Vec3&, double C, double w, double) const {
            return -s * C / w;
        }
    };
    sweep(mobility, x, Hard{s});
}

void SpringProjection::add_force(double h, const VecX& x, VecX& f) const {
    for (Index colour = 0; colour < colours_.count(); ++colour) {
        const Index first = colours_.begin[std::size_t(colour)];
        const Index size = colours_.begin[std::size_t(colour) + 1] - first;
        parallel_for(size, springs_per_task, [&](Index offset) {
            const auto k = std::size_t(first + offset);
            const Spring& spring = colours_.spring[k];
            const Vec3 d = vec3(x, spring.i) - vec3(x, spring.j);
            const double length = d.norm();
            if (!(length > 0)) return;
            const Vec3 force = (lambda_[k] / (h * h * length)) * d;
            vec3(f, spring.i) += force;
            vec3(f, spring.j) -= force;
        });
    }
}

}  // namespace taffeta::ode
