#include <Eigen/Geometry>
#include <Eigen/LU>

#include "taffeta/base/jacobi.h"
#include "taffeta/ode/history.h"
#include "taffeta/ode/method.h"

/// Two published shortcuts of backward Euler for particles on springs, for comparison with it. Both
/// take the stiffness K0 of the place where they began for the stiffness of all times, leave all
/// damping explicit, and end as backward Euler does: v+ = v + h a, x+ = x + h v+.
///
///     desbrun99   (M + h^2 K0) a* = f(t, x, v)                                   [Desbrun99]
///                 a = a* - w x (x_i - x_G),  w such that a has the torque of f
///
/// filters the forces by an inverse that was computed once, drops the h K v of the right-hand side,
/// and gives back the angular momentum that the filter takes, by the rotation of least energy, so
/// that it is right to rounding (the publication shifts the particles in proportion to the lost
/// torque). Not dissipative: bounded on an undamped spring whatever the step, but too slow.
///
///     kang2000    u = P^-1 r,   a = u + P^-1 (r - A u),   A = M + h^2 K0,  r = f - h K0 v   [Kang00]
///
/// is two sweeps of Jacobi's method instead of a solve, with the 3 x 3 diagonal blocks P of A
/// (theirs: m + h^2 sum k for all three coordinates). For springs 2 P - A is positive, so that it
/// only under-estimates the implicit step, the more the stiffer the cloth.
///
/// Both are of order one and stable for every step on springs without damping, as long as no later K
/// is stiffer than K0: the publications take the Laplacian sum k of the springs, which none is; the
/// true K of a flat sheet knows nothing of what it resists when it hangs. Unknowns that do not
/// come in triples are no particles: no angular momentum, P the diagonal.
namespace taffeta::ode {

namespace {

/// Keeps K0 until the state is not the one in which the last step ended.
class ConstantStiffness : public ImplicitMethod {
  public:
    ConstantStiffness() : ImplicitMethod(true) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) final {
        StepReport report;
        motion_.begin(system, state, h);
        const bool follows = same_state(state, end_);
        if (!follows) {
            linearise(system, state);
            begin_ = state;
            frozen_ = false;  // until the step has succeeded, the place that is kept is another
        } else if (!frozen_) {
            linearise(system, place_);
            frozen_ = true;
        }
        system.force(state.t, state.x, state.v, f_);
        report.force_evaluations = 1;
        if (!solve(system, state, h, report)) return report;
        next_.v = state.v + h * a_;
        motion_.impose_velocity(system, 1, next_.v);
        next_.x = state.x + h * next_.v;
        motion_.alter(1, next_.x);
        const StepReport finished = finish(system, state, h, report);
        if (!finished.ok()) return finished;
        if (!follows) place_ = begin_;
        frozen_ = true;
        end_ = state;
        return finished;
    }

    std::vector<char> save() const final {
        if (end_.x.size() == 0) return {};
        return HistoryWriter().put(place_).put(end_).take();
    }
    void load(std::span<const char> bytes) final {
        end_ = {};
        frozen_ = false;
        if (!bytes.empty()) HistoryReader(bytes).get(place_).get(end_);
    }

  protected:
    virtual void linearise(SecondOrderSystem& system, const State& at) {
        system.linearize(at.t, at.x, at.v);
    }
    /// `a_` from `f_`.
    virtual bool solve(SecondOrderSystem& system, const State& state, double h,
                       StepReport& report) = 0;

  private:
    State begin_;          ///< of the present step
    State place_;          ///< where K0 was taken
    State end_;            ///< of the last step
    bool frozen_ = false;  ///< whether the system holds the K of `place_`
};

class Desbrun99 final : public ConstantStiffness {
  private:
    bool solve(SecondOrderSystem& system, const State& state, double h,
               StepReport& report) override {
        rhs_ = f_;
        if (!solve_linear(system, {.m = 1, .d = 0, .k = h * h}, h, report)) return false;
        if (system.size() % 3 == 0) return_angular_momentum(system, state.x);
        return true;
    }

    void return_angular_momentum(SecondOrderSystem& system, const VecX& x) {
        system.apply({.m = 1, .d = 0, .k = 0}, a_, lost_);
        lost_ -= f_;
        system.project(lost_);
        correction_.setOnes(x.size());
        system.apply({.m = 1, .d = 0, .k = 0}, correction_, mass_);

        const Index count = Index(x.size() / 3);
        Vec3 centre = Vec3::Zero(), torque = Vec3::Zero();
        double total = 0;
        for (Index i = 0; i < count; ++i) {
            centre += mass_[3 * i] * vec3(x, i);
            total += mass_[3 * i];
        }
        centre /= total;
        Mat3 inertia = Mat3::Zero();
        for (Index i = 0; i < count; ++i) {
            const Vec3 r = vec3(x, i) - centre;
            torque += r.cross(Vec3(vec3(lost_, i)));
            inertia += mass_[3 * i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
        }
        const Vec3 rotation = solve_inertia(inertia, torque);
        for (Index i = 0; i < count; ++i)
            vec3(correction_, i) = rotation.cross(Vec3(vec3(x, i) - centre));
        system.project(correction_);
        a_ -= correction_;
    }

    /// The smallest w with I w = torque: particles on one line have no inertia about it.
    static Vec3 solve_inertia(const Mat3& inertia, const Vec3& torque) {
        Mat3 values = inertia, vectors;
        jacobi_eigen(values, vectors);
        Vec3 rotation = Vec3::Zero();
        for (int k = 0; k < 3; ++k)
            if (values(k, k) > 1e-12 * values.diagonal().maxCoeff())
                rotation += vectors.col(k) * (vectors.col(k).dot(torque) / values(k, k));
        return rotation;
    }

    VecX lost_, mass_, correction_;
};

class Kang2000 final : public ConstantStiffness {
  private:
    /// The diagonal blocks of K0 by one product for each unknown: for studies, not for large cloth.
    void linearise(SecondOrderSystem& system, const State& at) override {
        ConstantStiffness::linearise(system, at);
        const Eigen::Index n = system.size(), width = n % 3 == 0 ? 3 : 1;
        diagonal_.resize(width, n);
        for (Eigen::Index j = 0; j < n; ++j) {
            unit_.setZero(n);
            unit_[j] = 1;
            system.apply({.m = 0, .d = 0, .k = 1}, unit_, product_);
            diagonal_.col(j) = product_.segment(j - j % width, width);
        }
        unit_.setOnes(n);
        system.apply({.m = 1, .d = 0, .k = 0}, unit_, mass_);
    }

    bool solve(SecondOrderSystem& system, const State& state, double h,
               StepReport& report) override {
        // r = S (f - h K0 v - A z)
        const Coefficients A{.m = 1, .d = 0, .k = h * h};
        system.apply({.m = 0, .d = 0, .k = h}, state.v, product_);
        rhs_ = f_ - product_;
        a_.setZero(system.size());
        system.constrain(a_, h);
        if (a_.squaredNorm() > 0) {
            system.apply(A, a_, product_);
            rhs_ -= product_;
        }
        system.project(rhs_);
        sweep(h, rhs_, first_);
        system.project(first_);
        system.apply(A, first_, product_);
        rhs_ -= product_;
        system.project(rhs_);
        sweep(h, rhs_, second_);
        system.project(second_);
        a_ += first_ + second_;
        report.solve = {};
        return true;
    }

    /// u = P^-1 r
    void sweep(double h, const VecX& r, VecX& u) const {
        u.resize(r.size());
        if (diagonal_.rows() == 1) {
            u = r.array() / (mass_.array() + h * h * diagonal_.row(0).transpose().array());
            return;
        }
        for (Eigen::Index i = 0; i < r.size(); i += 3) {
            Mat3 block = h * h * diagonal_.middleCols<3>(i);
            block.diagonal() += mass_.segment<3>(i);
            u.segment<3>(i) = block.inverse() * r.segment<3>(i);
        }
    }

    Eigen::MatrixXd diagonal_;
    VecX unit_, mass_, first_, second_;
};

}  // namespace

extern const IntegratorEntry entry_desbrun99, entry_kang2000;

constinit const IntegratorEntry entry_desbrun99{
    .key = "desbrun99",
    .doc =
        "Forces filtered by the inverse of M + h^2 K of the first state, angular momentum "
        "returned. [Desbrun99]",
    .properties = {.order = 1, .implicit = true, .stable_undamped = true, .linearised = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Desbrun99>,
};

constinit const IntegratorEntry entry_kang2000{
    .key = "kang2000",
    .doc = "Two Jacobi sweeps on M + h^2 K of the first state instead of a solve. [Kang00]",
    .properties = {.order = 1, .implicit = true, .stable_undamped = true, .linearised = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Kang2000>,
};

}  // namespace taffeta::ode
