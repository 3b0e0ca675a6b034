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
}

void SpringProjection::begin() {
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
}

template <class Step>
void SpringProjection::sweep(const Mobility& mobility, VecX& x, const Step& step) {
    for (Index colour = 0; colour < colours_.count(); ++colour) {
        const Index first = colours_.begin[std::size_t(colour)];
        const Index size = colours_.begin[std::size_t(colour) + 1] - first;
        parallel_for(size, springs_per_task, [&](Index offset) {
            const auto k = std::size_t(first + offset);
            const Spring& spring = colours_.spring[k];
            const Vec3 d = vec3(x, spring.i) - vec3(x, spring.j);
            const double length = d.norm();
            // Ends that coincide give the spring no direction, hence no force.
            if (!(length > 0)) return;
            const Vec3 n = d / length;
            const Vec3 w_i = mobility.times(spring.i, n), w_j = mobility.times(spring.j, n);
            const double weight = n.dot(w_i + w_j);
            if (!(weight > 0)) return;
            const double change = step(spring, n, length - spring.length, weight, lambda_[k]);
            lambda_[k] += change;
            vec3(x, spring.i) += change * w_i;
            vec3(x, spring.j) -= change * w_j;
        });
    }
}

void SpringProjection::sweep_compliant(const Mobility& mobility, const VecX& start, double h,
                                       double tau, VecX& x) {
    sweep(mobility, x,
          [&](const Spring& spring, const Vec3& n, double C, double weight, double lambda) {
              const double alpha = 1 / (spring.stiffness * h * h);
              const double gamma = (spring.damping / spring.stiffness + tau) / h;
              double residual = -C - alpha * lambda;
              if (gamma > 0)
                  residual -= gamma * n.dot((vec3(x, spring.i) - vec3(start, spring.i)) -
                                            (vec3(x, spring.j) - vec3(start, spring.j)));
              return residual / ((1 + gamma) * weight + alpha);
          });
}

void SpringProjection::sweep_hard(const Mobility& mobility, double s, VecX& x) {
    sweep(mobility, x, [&](const Spring&, const Vec3&, double C, double weight, double) {
        return -s * C / weight;
    });
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
