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
    double recovery = 0.2;  ///< r, part of a small missing distance that is regained in a step
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

/// A pair of elements that are near, and how near they would come.
struct NearPair {
    ElementPair pair;
    std::array<Index, 2> element{};  ///< vertex and face, or two edges
    Nearness now;
    std::array<Vec3, 2> point;  ///< nearest points, on the first and on the second, m
    double next = 0;            ///< the least of the distances now and at the end, m
    double limit = 0;           ///< thickness that holds for it, m
};

/// The springs of a step: pairs of cloth that are nearer than the thickness, or would be at its end.
///
/// Since nothing has crossed, the side on which an element lies is the side from which it is repelled:
/// no memory is needed. A vertex is repelled by the nearest face, and by each farther one whose nearest
/// point lies in front of the planes of the nearer ones: the other wall of a valley, the sheet on the
/// other side, not the next face of a flat sheet nor the layer behind it, so that stiffness does not
/// add up where the mesh is finer. Edges likewise, if the nearest point lies inside of both and either
/// of them chooses the other. The nearest alone would make what rests in a valley jump from wall to
/// wall. Near fine meshes the thickness is at most half of the shortest edge, or neighbours would repel
/// each other.
class Proximity {
  public:
    void find(BroadPhase& broad, const CollisionSurface& surface, const ClothMotion& motion,
              const RepulsionOptions& options, std::vector<PairSpring>& springs);

  private:
    /// A near pair as one of its elements sees it.
    struct Place {
        bool edges;
        Index element;
        double next;
        std::size_t pair;
        int end;  ///< the element is the first or the second of the pair

        auto operator<=>(const Place&) const = default;
        bool is_of_same_element(const Place& other) const {
            return edges == other.edges && element == other.element;
        }
    };
    void choose();

    std::vector<std::vector<NearPair>> scratch_;  ///< of each chunk of candidates
    std::vector<NearPair> near_;
    std::vector<char> chosen_;  ///< of each near pair
    std::vector<Place> places_, kept_;
};

}  // namespace taffeta::contact
