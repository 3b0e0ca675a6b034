#pragma once

#include "taffeta/ode/error_scale.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/ode/spring_matrix.h"

/// The kernel that carries every implicit method of second-order systems.
///
/// Find a with          M a = f(t, xp + alpha a, vp + beta a),
/// whose Newton matrix is M + beta D + alpha K, K = -df/dx, D = -df/dv. A method is its predictor
/// (xp, vp) and its two coefficients:
///
///   backward Euler      xp = x + h v                          vp = v                alpha h^2, beta h
///   implicit midpoint   xp = x + h/2 v                        vp = v                h^2/4,     h/2
///   trapezoid           xp = x + h v + h^2/4 a0               vp = v + h/2 a0       h^2/4,     h/2
///   BDF of any order    history terms                         history terms         gamma^2,   gamma
///   Newmark(b, g)       xp = x + h v + h^2 (1/2 - b) a0       vp = v + h (1-g) a0   b h^2,     g h
///   SDIRK(g), a stage   known stages                          known stages          (g h)^2,   g h
///   generalised-alpha   Newmark's between the ends, see generalised_alpha.cpp
///
/// so an integrator is about 40 lines and the linear solver always receives the same family.
/// [Hauth03] section 3, [SOFA15].
namespace taffeta::ode {

struct Stage {
    double t = 0;      ///< time at which f is evaluated, s
    double h = 0;      ///< step, s: what prescribed accelerations refer to
    double alpha = 0;  ///< s^2
    double beta = 0;   ///< s
    VecX xp, vp;       ///< predictor
};

/// What a method knows of a stage before it is solved.
struct StageForecast {
    /// Of a, in the free directions; nullptr: 0. An extrapolation of the past is off by a power of h, so
    /// that Newton begins where it has little left to do.
    const VecX* guess = nullptr;
    /// Where the tolerance of the step is known: an iteration whose own error in (x, v) is below `allowed`
    /// times it, estimated as `rate` times the last change, is the last and needs no residual to prove it.
    const ErrorScale* scale = nullptr;
    double allowed = 0;
    /// Change of an iteration over the one before; the latest that was seen, to be kept from stage to stage.
    /// 1: unknown. [HBGLSSW05] section 2.1
    double* rate = nullptr;
};

/// Solves stages; owns the scratch, so a step allocates nothing once its size is known.
class StageSolver {
  public:
    /// One linear solve about (x0, v0):
    /// (M + beta D + alpha K) a = f0 - K (xp - x0) - D (vp - v0).
    /// With backward Euler this is the step of [BW98] eq. 6.
    StepReport solve_linearised(SecondOrderSystem& system, const Stage& stage, const VecX& x0,
                                const VecX& v0, double linear_tolerance, VecX& a);

    /// (m M + d D + k K) a = rhs in the free directions, of the matrices that were linearised last;
    /// in the others a is the one that is prescribed for a step h. Spoils `rhs`.
    StepReport solve_linear(SecondOrderSystem& system, const Coefficients& c, double h, VecX& rhs,
                            double linear_tolerance, VecX& a);

    /// Newton from a = 0, or from a guess, with the constraints, until |S r| <= tolerance * reference,
    /// where r = f - M a and the reference is the system's force scale (the first residual if it has
    /// none), or until the tolerance of the step is met (`StageForecast::scale`). A backtracking line
    /// search keeps |S r| falling. Where a guess leads nowhere, Newton begins anew from a = 0.
    ///
    ///   newton       J_k s = r_k with J_k = M + beta D + alpha K at the iterate: quadratic.
    ///   inexact      |J_k s - r_k| <= eta_k |r_k|, eta_k constant ([Hauth03] section 3.2 advises
    ///                0.02) or choice 2 of [EisenstatWalker96], 0.9 (|r_k|/|r_{k-1}|)^2, safeguarded.
    ///   simplified   J of the first iteration for the whole stage, [Hauth03] eq. 49: linear, at a
    ///                rate that grows with the step; stalls or diverges for large ones.
    ///   springs      the same with the constant matrix of spring_matrix.h in the place of J, eq. 50: no K
    ///                and no D, and one factor for all steps of a size; slower still.
    ///
    /// x = xp + alpha a is known to no more than the rounding of its terms, and f to K times that.
    /// Where the goal lies below, the iteration ends with the residual that rounding allows, and
    /// `StepReport::newton_floor` says so. If it stalls above that floor, diverges or meets
    /// the iteration limit, the report says so in a sentence and no state has changed.
    StepReport solve_newton(SecondOrderSystem& system, const Stage& stage,
                            const NewtonOptions& options, VecX& a,
                            const StageForecast& forecast = {});

  private:
    StepReport iterate(SecondOrderSystem& system, const Stage& stage, const NewtonOptions& options,
                       const StageForecast& forecast, VecX& a);
    /// `step_` from `residual_` by the matrix that the options name.
    SolveReport solve_direction(SecondOrderSystem& system, const Stage& stage,
                                const NewtonOptions& options, int iteration, double tolerance);
    double residual(SecondOrderSystem& system, const Stage& stage, const VecX& a, VecX& r);
    double rounding_floor(SecondOrderSystem& system, const Stage& stage, const VecX& a);

    VecX x_, v_, force_, residual_, trial_residual_, inertia_, step_, trial_, difference_, product_;
    SpringMatrix springs_;
};

}  // namespace taffeta::ode
