#pragma once

#include "taffeta/base/types.h"

namespace taffeta::energy {

/// An energy whose rest state may change for good: what `Energy`s of cloth that creases are besides.
///
/// The rest state is constant during a step, so that the step has an energy; it flows between steps, to
/// where the state that was reached is no further from it than the yield (a return mapping).
class PlasticTerm {
  public:
    virtual ~PlasticTerm() = default;

    /// Whether it has a yield at all.
    virtual bool yields() const = 0;
    /// Moves the rest state after a step that ended at `x`.
    virtual void flow(const VecX& x) = 0;

    /// The rest state, for checkpoints, and back; its size does not change.
    virtual VecX rest_state() const = 0;
    virtual void set_rest_state(const VecX& rest) = 0;
};

}  // namespace taffeta::energy
