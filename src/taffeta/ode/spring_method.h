#pragma once

#include "taffeta/ode/method.h"
#include "taffeta/ode/spring_colours.h"

/// What PBD, XPBD and projective dynamics have in common.
namespace taffeta::ode {

/// Inverse masses under constraints. Where S forbids some directions of a particle, W = S/m is a
/// matrix; where it forbids all, or the mass is infinite, W = 0.
class Mobility {
  public:
    /// Of this step. S must act on every particle by itself.
    void find(SecondOrderSystem& system, const VecX& inverse_mass);

    /// 1/m, or 0 where the particle is held entirely.
    double of(Index particle) const { return inverse_mass_[particle]; }
    /// W n
    Vec3 times(Index particle, const Vec3& n) const {
        const Index k = row_[std::size_t(particle)];
        if (k < 0) return inverse_mass_[particle] * n;
        return inverse_mass_[particle] * (filter_[std::size_t(k)] * n);
    }
    /// Whether some particle is held in some directions but not in all.
    bool partial() const { return !filter_.empty(); }
    const VecX& inverse_mass() const { return inverse_mass_; }

  private:
    VecX inverse_mass_;
    std::vector<Index> row_;    ///< in `filter_`; -1: all of S is free, or nothing
    std::vector<Mat3> filter_;  ///< S
    VecX unit_, column_[3];
};

/// A method on springs: its base finds them, and says so where there are none.
class SpringMethod : public Method {
  protected:
    /// nullptr and a failed report where the system has no springs.
    SpringSystem* begin(SecondOrderSystem& system, const State& state, double h,
                        StepReport& report);
    /// Forecasts (x, v) -> x + h v + h^2 W f_ext + c y on `next_`, where `h` may be the c-th part
    /// of a step that ends at the fraction `end` of it. Leaves in `start_` the place from which the
    /// new velocity counts, which is `x + c y`: an alteration is no velocity.
    void predict(SecondOrderSystem& system, SpringSystem& springs, double t, double h, double c,
                 double end, StepReport& report);
    /// After a `finish` that succeeded: the mean acceleration, and `f_` as the force at the end.
    void end_step(SpringSystem& springs, const State& state, double h);

    Mobility mobility_;
    VecX start_;
};

/// Moves the ends of springs along them, colour after colour, for PBD and XPBD.
class SpringProjection {
  public:
    /// Keeps the colours as long as the springs are the same ones.
    void prepare(std::span<const Spring> springs, Index particles);
    /// Forgets the multipliers: before the first sweep of a step.
    void begin();

    /// [MMC16] algorithm 1 with eq. 18 and, for damping, 26. For each spring, with C = |d| - l,
    ///     alpha = 1/(k h^2),  gamma = (c/k + tau)/h,
    ///     dlambda = (-C - alpha lambda - gamma n.(d - d_start)) / ((1 + gamma) n'W n + alpha),
    ///     x_i += W n dlambda,  x_j -= W n dlambda.
    void sweep_compliant(const Mobility& mobility, const VecX& start, double h, double tau,
                         VecX& x);
    /// [MHHR07] eq. 9 to 11:  dlambda = -s C / n'W n, whatever k, c and h are.
    void sweep_hard(const Mobility& mobility, double s, VecX& x);
    /// f += the force that the multipliers of a step h stand for, lambda n/h^2.
    void add_force(double h, const VecX& x, VecX& f) const;

    const SpringColours& colours() const { return colours_; }

  private:
    using Lanes = Eigen::Array4d;  ///< one number of each of four springs

    template <class Change>
    void sweep(const Mobility& mobility, VecX& x, const Change& change);
    template <class Change>
    void move_four(const VecX& weight, VecX& x, std::size_t first, const Change& change);
    template <class Change>
    void move_one(const Mobility& mobility, VecX& x, std::size_t k, const Change& change);

    std::vector<Spring> seen_;
    Index particles_ = -1;
    SpringColours colours_;
    /// Of the springs by colour, each property by itself, so that four are one load.
    std::vector<double> length_, compliance_, relaxation_;  ///< m, m/N, c/k in s
    std::vector<double> lambda_;                            ///< N s^2
    bool damped_ = false;
};

}  // namespace taffeta::ode
