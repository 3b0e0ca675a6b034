#pragma once

#include <vector>

#include "taffeta/contact/ccd.h"

namespace taffeta::contact {

/// Triangles of several parts over one field of positions, to be searched for intersections.
///
/// This is the audit of a finished simulation: it goes another way than the detection inside a step, and
/// shares with it the integers that decide what moves. Boxes are put into a grid, standing triangles are tested by expansions
/// (contact/exact_predicates.h), moving ones by separating directions and then by integers.
struct Surfaces {
    std::vector<Triangle> face;  ///< #F
    std::vector<Edge> edge;      ///< #E, every edge once
    std::vector<Index> part;     ///< #V, the part of each vertex
    std::vector<bool> fixed;     ///< per part: not tested against itself or another fixed one

    /// Adds a part whose vertices follow those that are there; its number.
    Index add(Index vertices, const std::vector<Triangle>& faces, bool is_fixed);
};

struct EdgeFace {
    Index edge, face;
    bool operator==(const EdgeFace&) const = default;
};

/// Every edge and face that intersect at positions x (3 #V), ascending by edge and face: exact.
///
/// Two triangles intersect exactly when an edge of one meets the other. An edge and a face that share
/// one corner intersect when they share more than it: cloth folded flat onto itself. An edge of the
/// face itself does not.
std::vector<EdgeFace> find_intersections(const Surfaces& surfaces, const VecX& x);

/// A vertex and a face, or two edges, without a common corner that touch during a motion.
struct Crossing {
    CcdKind kind;
    Index first, second;  ///< vertex and face, or two edges
    double time;          ///< of the first contact, as a part of the motion
    bool operator==(const Crossing&) const = default;
};

/// Everything that touches while all vertices move straight from x0 to x1, ascending by kind, first and
/// second: exact.
std::vector<Crossing> find_crossings(const Surfaces& surfaces, const VecX& x0, const VecX& x1);

}  // namespace taffeta::contact
