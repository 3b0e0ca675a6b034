#pragma once

#include <span>
#include <vector>

#include "taffeta/contact/box_tree.h"

namespace taffeta::contact {

/// Pairs by their first element: those of element i are second[begin[i]] to second[begin[i + 1] - 1],
/// ascending.
struct CandidateRows {
    std::vector<Index> begin;
    std::vector<Index> second;

    Index pairs() const { return Index(second.size()); }
    std::span<const Index> of(Index i) const {
        return {second.data() + begin[std::size_t(i)], second.data() + begin[std::size_t(i) + 1]};
    }
};

/// The broad phase: vertices and faces, and edges, that can come within a distance during a motion.
///
/// Every vertex moves straight from x0 to x1. The candidates are the pairs whose boxes around the
/// motion, enlarged by half the distance on every side, meet, without a common vertex: a superset of
/// what touches (boxes are rounded outward). Rows are sorted, whatever the threads.
///
/// One object serves a whole simulation: `order` once, `refit` for every motion, then the two lists.
/// Nothing is allocated once the lists have their size.
class BroadPhase {
  public:
    BroadPhase(std::vector<Triangle> faces, std::vector<Edge> edges, Index vertices);

    /// Puts neighbours together, by positions x (3 #V). Needed again only when the elements have become
    /// strangers, which costs time, not correctness.
    void order(const VecX& x);

    /// Takes the motion from x0 to x1. With `active` (#V) only pairs with an active vertex will be
    /// found: give those that have moved since the last search, or leave out the obstacles.
    void refit(const VecX& x0, const VecX& x1, double distance, std::span<const char> active = {});

    /// Vertex and face.
    const CandidateRows& find_vertex_face();
    /// Two edges, the first with the lower index.
    const CandidateRows& find_edge_edge();

  private:
    struct Pair {
        Index first, second;
    };
    template <class Add>
    void find(const BoxTree& first, const BoxTree& second, const Add& add, CandidateRows& rows);

    std::vector<Triangle> face_;
    std::vector<Edge> edge_;
    Index vertices_;
    BoxTree vertex_tree_, face_tree_, edge_tree_;
    std::vector<std::vector<Pair>> found_;  ///< of each chunk of leaves
    std::vector<Index> cursor_;             ///< where the next of each row goes
    CandidateRows vertex_face_, edge_edge_;
};

}  // namespace taffeta::contact
