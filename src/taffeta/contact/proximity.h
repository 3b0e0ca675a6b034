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
    const VecX& x;     ///< of all vertices of the surface, m
    const VecX& x1;    ///< where they go if nothing holds them, m: for friction
    const VecX& mass;  ///< per cloth vertex, kg
    double step;       ///< h, s
    std::span<const double> shortest_edge;  ///< per cloth vertex, m
    /// Per vertex a mark: pairs of which both elements are tangled with cloth get no spring; may be empty.
    std::span<const char> left_alone{};
};

/// A pair of elements that are near.
struct NearPair {
    ElementPair pair;
    Index first = 0;  ///< the vertex, or the first of the edges
    Nearness now;
    Vec3 point;        ///< of the face that is nearest to the vertex, m; of no use for edges
    double limit = 0;  ///< thickness that holds for it, m
};

/// The springs of a step: pairs of cloth that are nearer than the thickness.
///
/// Not those that only might be at its end: a spring acts both ways, so it draws together what would have
/// turned back by itself, and a sheet that trembles gains energy from every wrong guess, the more the
/// shorter its edges are. What does come that near within the step meets the impulses of contact/response.h.
///
/// Since nothing has crossed, the side on which an element lies is the side from which it is repelled:
/// no memory is needed. A vertex is repelled by the nearest face, and by each farther one whose nearest
/// point lies in front of the planes of the nearer ones: the other wall of a valley, the sheet on the
/// other side, but not the next face of a flat sheet, nor the layer behind it. With the nearest alone what
/// rests in a valley would jump from wall to wall. An edge is repelled by the nearest edge on each side
/// whose nearest point lies inside of both: more springs would add up to more stiffness where the mesh is
/// finer, and crumpled cloth, which cannot satisfy them all, gains energy from them. Near fine meshes the
/// thickness is at most half of the shortest edge, or neighbours would repel each other.
class Proximity {
  public:
    void find(BroadPhase& broad, const CollisionSurface& surface, const ClothMotion& motion,
              const RepulsionOptions& options, std::vector<PairSpring>& springs);

  private:
    std::vector<std::vector<NearPair>> scratch_;  ///< of each chunk of candidates
    std::vector<NearPair> near_;
    std::vector<const NearPair*> kept_;
};

}  // namespace taffeta::contact
