#pragma once

#include "taffeta/contact/contact_model.h"
#include "taffeta/contact/impacts.h"

namespace taffeta::contact {

/// The surfaces of a problem in one numbering: the cloth's vertices as they are, then those of every
/// obstacle whose surface is exact.
class CollisionScene {
  public:
    explicit CollisionScene(const Problem& problem);

    const CollisionSurface& surface() const { return surface_; }
    /// Per obstacle vertex.
    std::span<const double> friction() const { return friction_; }
    /// Writes the positions of obstacle vertices at `time` behind those of the cloth.
    static void place_obstacles(const Problem& problem, double time, VecX& x);

  private:
    CollisionSurface surface_;
    std::vector<double> friction_;
};

}  // namespace taffeta::contact
