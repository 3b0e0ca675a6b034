#pragma once

#include <span>
#include <vector>

#include "taffeta/contact/impacts.h"
#include "taffeta/contact/repulsion.h"

namespace taffeta::contact {

struct RepulsionOptions {
    double thickness = 1e-3;  ///< kept between cloth and cloth, m; 0: no repulsion
    double stiffness = 1000;  ///< k of a spring, N/m
    double damping = 0;       ///< d, as a time: d = damping k, s
    double friction = 0.2;
    double recovery = 0.2;  ///< part of a missing distance that is regained in a step
};

/// The cloth at the start of a step.
struct ClothMotion {
    const VecX& x;                          ///< of all vertices of the surface, m
    const VecX& x1;                         ///< where they go if nothing holds them, m
    const VecX& mass;                       ///< per cloth vertex, kg
    double step;                            ///< h, s
    std::span<const double> shortest_edge;  ///< per cloth vertex, m
    /// Per vertex, 1: pairs of which both elements have one get no spring; may be empty.
    std::span<const char> left_alone{};
};

/// The springs of a step: pairs of cloth that are nearer than the thickness, or would be at its end.
///
/// Since nothing has crossed, the side on which an element lies is the side from which it is repelled:
/// no memory is needed. A vertex is repelled by the nearest face on each of its sides, an edge by the
/// nearest edge on each side whose nearest point lies inside of both: more springs would add up to more
/// stiffness where the mesh is finer. Near fine meshes the thickness is at most half of the shortest
/// edge, or neighbours would repel each other.
class Proximity {
  public:
    void find(BroadPhase& broad, const CollisionSurface& surface, const ClothMotion& motion,
              const RepulsionOptions& options, std::vector<PairSpring>& springs);

  private:
    std::vector<std::vector<PairSpring>> found_;  ///< of each chunk
};

}  // namespace taffeta::contact
