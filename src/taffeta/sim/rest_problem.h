#pragma once

#include "taffeta/contact/position_contact.h"
#include "taffeta/sim/cloth_system.h"

namespace taffeta::sim {

/// The potential energy of a world at rest, with a part of its weight and with the barrier of a contact that
/// follows positions: what a search for equilibria sees.
class RestProblem {
  public:
    /// `contact` may be null; else its step has begun and its obstacles are where that ends.
    RestProblem(const World& world, ClothSystem& system, contact::PositionContact* contact,
                double t)
        : world_(world),
          system_(system),
          contact_(contact),
          t_(t),
          still_(VecX::Zero(system.size())) {}

    /// The part of the weight that does not act yet.
    void relieve(double part) { relief_ = part; }

    double value(const VecX& x) const;
    /// What the value is a difference of: the sum of the sizes of its parts, J.
    double magnitude(const VecX& x) const;
    /// f = - S dE/dx.
    void force(const VecX& x, VecX& f);
    /// The same, and K about x for `solve` and `curvature`.
    void linearise(const VecX& x, VecX& f);
    /// (K + damping M) d = f.
    SolveReport solve(double damping, const VecX& f, double tolerance, VecX& d);
    double curvature(const VecX& d);  ///< d'K d
    /// |f| that the rounding of positions leaves: how much f changes when each goes to the next double.
    double rounding(const VecX& x);
    /// Cuts the way from x to x1 before the first contact; what is left of it, 1 when it was free.
    double shorten(const VecX& x, VecX& x1);

    double force_scale() const { return system_.force_scale(); }  ///< the weight, N
    std::string nearest() const;  ///< the nearest contact, for messages; empty without

  private:
    void place_contact(const VecX& x);
    void finish(VecX& f) const;

    const World& world_;
    ClothSystem& system_;
    contact::PositionContact* contact_;
    double t_;
    double relief_ = 0;
    VecX still_, product_, next_, f_, f_next_;
};

}  // namespace taffeta::sim
