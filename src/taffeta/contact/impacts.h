#pragma once

#include <span>
#include <vector>

#include "taffeta/contact/broad_phase.h"
#include "taffeta/contact/element_pair.h"

namespace taffeta::contact {

/// Triangles and edges of everything that may collide, over one numbering of vertices: first those of
/// the cloth, then those of obstacles.
struct CollisionSurface {
    std::vector<Triangle> face;
    std::vector<Edge> edge;
    Index cloth_vertices = 0;
    Index vertices = 0;  ///< all

    bool is_cloth(Index vertex) const { return vertex < cloth_vertices; }
    ElementPair vertex_face(Index v, Index f) const {
        const Triangle& corner = face[std::size_t(f)];
        return {CcdKind::vertex_face, {v, corner[0], corner[1], corner[2]}};
    }
    ElementPair edge_edge(Index e, Index other) const {
        const Edge &a = edge[std::size_t(e)], &b = edge[std::size_t(other)];
        return {CcdKind::edge_edge, {a[0], a[1], b[0], b[1]}};
    }
};

/// Two elements that touch while their vertices move straight from x0 to x1, or end closer together
/// than they may, as a condition on the end: sum_j w_j n . x1_j >= target.
struct Impact {
    ElementPair pair;
    double time = 0;  ///< of the first contact as a part of the motion; 1: they only end too close
    Weights weight{};
    Vec3 normal = Vec3::Zero();  ///< n, unit, from the second element to the first before they meet
    double target = 0;           ///< m, > 0
    bool only_near = false;      ///< they do not touch
};

/// sum_j w_j n . x_j, m.
double separation(const Impact& impact, const VecX& x);

/// Finds impacts: broad phase, then exact continuous detection (contact/ccd.h).
class ImpactFinder {
  public:
    explicit ImpactFinder(CollisionSurface surface);

    const CollisionSurface& surface() const { return surface_; }
    /// Its broad phase, fitted to another motion: pairs with a vertex of the cloth within `distance`.
    BroadPhase& fitted(const VecX& x0, const VecX& x1, double distance);

    /// All impacts of the motion from x0 to x1 (3 #vertices each), by time, then elements: the same
    /// for any number of threads. `gap` (m) is what should remain between elements at the end: a pair
    /// that approached to less than half of it, or of its distance at the start, is an impact too; and
    /// one that is down to a twentieth of it and approaches at all, as frames are stored in single
    /// precision, where what nearly touches may touch.
    /// With `moved` (#vertices) only pairs with a vertex that has moved since the last search.
    ///
    /// Pairs that touch at x0 already cannot be told inside from outside: they are left alone and
    /// counted.
    std::span<const Impact> find(const VecX& x0, const VecX& x1, double gap,
                                 std::span<const char> moved = {});
    Index touching_from_the_start() const { return touching_; }
    /// From now on pairs of elements that both have a vertex with the mark of their kind (#vertices) are
    /// left alone too; empty: none.
    void leave_alone_between(std::span<const char> vertices) {
        alone_.assign(vertices.begin(), vertices.end());
    }
    void leave_alone(const ElementPair& pair);
    /// Of the last search.
    Index candidates() const { return candidates_; }

  private:
    void refit(const VecX& x0, const VecX& x1, double distance, std::span<const char> active);
    Tangle kind_of(const ElementPair& pair) const;
    struct Found {
        std::vector<Impact> impacts;
        Index touching = 0;
    };
    void test(const ElementPair& pair, const VecX& x0, const VecX& x1, double gap,
              Found& found) const;
    template <class PairOf>
    void collect(const CandidateRows& rows, const VecX& x0, const VecX& x1, double gap,
                 const PairOf& pair_of);

    CollisionSurface surface_;
    BroadPhase broad_;
    std::vector<char> cloth_;  ///< per vertex, 1 on the cloth
    std::vector<char> alone_;  ///< marks per vertex, or empty
    std::vector<Found> found_;
    std::vector<Impact> impacts_;
    Index touching_ = 0, candidates_ = 0;
    bool ordered_ = false;
};

}  // namespace taffeta::contact
