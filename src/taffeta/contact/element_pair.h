#pragma once

#include <array>
#include <span>
#include <string>

#include "taffeta/contact/ccd.h"

/// A vertex and a face, or two edges, that may come near each other: their geometry.
///
/// With the weights w of their nearest points, the vector from the second to the first is
/// sum_j w_j x_j over the four vertices: (1, -b1, -b2, -b3) for a vertex and a face,
/// (1 - a, a, -(1 - b), -b) for two edges. [BFA02] section 6
namespace taffeta::contact {

struct ElementPair {
    CcdKind kind = CcdKind::vertex_face;
    /// The vertex and the face's corners; or the ends of one edge, then of the other.
    std::array<Index, 4> vertex{};

    auto operator<=>(const ElementPair&) const = default;
};

/// With what a vertex is entangled, as bits of its mark: cloth that an obstacle has crossed need not cross cloth.
enum Tangle : char { tangled_with_cloth = 1, tangled_with_obstacle = 2 };

/// Whether both elements have a vertex that is marked with this; with no marks, no.
bool is_left_alone(const ElementPair& pair, std::span<const char> marked, Tangle tangle);

using Corners = std::array<Vec3, 4>;
using Weights = std::array<double, 4>;

/// Where the four vertices are in x (3 per vertex).
Corners corners_of(const ElementPair& pair, const VecX& x);
/// "vertex 7 and face (1, 2, 3)" or "edges (1, 2) and (3, 4)", for messages.
std::string text(const ElementPair& pair);

/// sum_j w_j x_j
Vec3 weighted(const Weights& weight, const Corners& x);

/// The weights of the nearest points of two closed elements at fixed positions. Also right for
/// degenerate faces and edges.
Weights nearest_weights(CcdKind kind, const Corners& x);

struct Nearness {
    Weights weight{};
    double distance = 0;         ///< m
    Vec3 normal = Vec3::Zero();  ///< unit or zero, from the second element to the first
};

/// Nearest points and the direction between them. Where they are too close for their difference to
/// say the direction, it is at right angles to both elements, on the side where the first lies, which is
/// decided exactly; zero where no direction is at right angles to both alone.
Nearness nearness(CcdKind kind, const Corners& x);

/// The direction at right angles to both elements: the face's normal, or the cross product of the
/// edges. Unit; zero where it is not defined (no area, parallel edges).
Vec3 common_normal(CcdKind kind, const Corners& x);

}  // namespace taffeta::contact
