#pragma once

#include <span>
#include <vector>

#include "taffeta/contact/impacts.h"
#include "taffeta/contact/intersections.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::contact {

/// Cloth that intersects, cloth or an obstacle, is led out of it without knowing which side was the right
/// one: the curves along which surfaces cross are made shorter until they vanish. After [VMT06].
///
/// Where an edge with direction E meets a face with unit normal N, the curve goes on from that point P
/// into the faces beside the edge, in directions R_a (and R_b), unit, in the plane of the face. When the
/// edge moves by u against the face, P moves by u - (N.u)/(N.E) E, so that the curve's length falls
/// fastest along
///
///     G = R - (R.E)/(N.E) N,    R = R_a + R_b.
///
/// Each vertex goes a small part of its shortest edge along the mean of its G, weighted as P lies between
/// the vertices; those of the edge along G, those of the face against it.
class Untangling {
  public:
    static constexpr double longest_stride = 0.05;  ///< of a vertex in a step, of its shortest edge

    explicit Untangling(const CollisionSurface& surface);

    /// How many pairs of edges and faces intersect at x (3 #V of the surface).
    Index find(const VecX& x);
    /// The same where nothing can have come to cross but what was left alone since the last search.
    Index find_again(const VecX& x);
    /// Per vertex of the surface the marks (contact/element_pair.h) of the edges and faces at it that
    /// intersect: between two elements with a vertex of the same mark contact has no say, since they do not
    /// know their side. Cloth that an obstacle has crossed knows its side of other cloth.
    std::span<const char> involved() const { return involved_; }
    /// Adds the displacements of a step along the free directions of vertices that no pin holds, m.
    void displace(const VecX& x, std::span<const double> shortest_edge,
                  const sparse::NodeFilter& filter, std::span<const char> pinned,
                  VecX& displacement) const;

  private:
    Index mark();
    Vec3 descent(const EdgeFace& pair, const VecX& x, std::array<double, 5>& weight) const;

    Index cloth_vertices_;
    Surfaces surfaces_, marked_;
    std::vector<std::array<Index, 2>> beside_;  ///< of each edge, the corners opposite, or -1
    std::vector<EdgeFace> pairs_;
    std::vector<char> involved_;
};

}  // namespace taffeta::contact
