#pragma once

#include "taffeta/ode/constrained_motion.h"
#include "taffeta/ode/history.h"
#include "taffeta/ode/lagrange.h"

/// The past of linear multistep methods.
namespace taffeta::ode {

/// A point that a multistep method remembers, and the step that led away from it.
struct PastPoint {
    double h = 0;
    VecX x, v, a;
};

/// The points before the present state, newest first. They describe its motion only if the state is
/// where the last step ended and the constraints are those of the last step: a contact that comes or
/// goes makes a kink, and what it prescribed is no tendency. Then the method starts anew, at its own
/// order. Whether constraints are the same is seen by a fixed vector q: S q changes with S.
class MultistepPast {
  public:
    /// What a formula combines: the points (x, v) or their slopes (v, a). The rest stays empty.
    enum class Of { points, slopes };

    MultistepPast(std::size_t most, Of of) : points_(most), of_(of) {}

    bool belongs_to(SecondOrderSystem& system, const State& state);
    /// How many points there are before a state that they belong to.
    std::size_t count() const { return count_; }
    const PastPoint& operator[](std::size_t i) const { return points_[i]; }
    /// Where the past points lie when the present is 0 and the next step ends at 1.
    NodeWeights places(double h) const;

    /// After a step from `begin` to `end`. `continued`: the points before it belong to it.
    void add(SecondOrderSystem& system, bool continued, const State& begin, const VecX& a,
             const State& end, double h);
    /// Shifts all points: an alteration of positions is no velocity.
    void alter(const ConstrainedMotion& motion);

    std::vector<char> save() const;
    void load(std::span<const char> bytes);

  private:
    /// S q into probe_.
    void probe(SecondOrderSystem& system);

    std::vector<PastPoint> points_;
    const Of of_;
    std::size_t count_ = 0;
    State end_;         ///< of the last step
    VecX constraints_;  ///< S q of the last step
    VecX probe_;
};

}  // namespace taffeta::ode
