#pragma once

#include "taffeta/ode/stage.h"

/// What constraints ask of a step from (x, v), the same for every method. With the prescribed
/// acceleration z and the position alteration y, the forbidden directions move as
///
///     (I - S) v(t + c h) = (I - S) (v + c h z)
///     (I - S) x(t + c h) = (I - S) (x + c (h v1 + y)),     v1 = v + h z,  0 <= c <= 1,
///
/// which at c = 1 is where backward Euler ends: at the wanted velocity, in the place that this
/// velocity leads to. Why not each method's own formula with a = z? A midpoint rule would put a pin
/// at x + h (v + v1)/2, past its target, and a vertex below the floor that it has just met.
///
/// Free directions are not touched, not even in the last bit.
namespace taffeta::ode {

class ConstrainedMotion {
  public:
    /// Fixes z and y of the step from `state`, which must live until the step ends.
    void begin(SecondOrderSystem& system, const State& state, double h);

    /// x += c y.
    void alter(double c, VecX& x) const;
    /// Puts the forbidden directions of x and v where they are at t + c h.
    void impose_position(SecondOrderSystem& system, double c, VecX& x);
    void impose_velocity(SecondOrderSystem& system, double c, VecX& v);
    /// Alters the predictor of a stage at t + c h and chooses its forbidden part so that
    /// (xp + alpha z, vp + beta z) is where they are then.
    void fit(SecondOrderSystem& system, double c, Stage& stage);

    /// u <- S u + (I - S) wanted, for what a method carries on: a constraint that ends must not
    /// leave the jump that it made in a history, which would take it for a tendency.
    void replace_forbidden(SecondOrderSystem& system, const VecX& wanted, VecX& u);

  private:
    void put_position(SecondOrderSystem& system, double c, double alpha, VecX& x);
    void put_velocity(SecondOrderSystem& system, double c, double beta, VecX& v);

    const State* start_ = nullptr;
    double h_ = 0;
    VecX z_, y_, wanted_, difference_, free_;
};

}  // namespace taffeta::ode
