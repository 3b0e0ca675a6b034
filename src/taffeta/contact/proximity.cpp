#include "taffeta/contact/proximity.h"

#include <algorithm>

#include "taffeta/base/parallel.h"

namespace taffeta::contact {
namespace {

constexpr Index proximity_grain = 256;
constexpr double inside = 1e-6;  ///< of an edge, from its ends
constexpr double edge_share = 0.5;

/// A pair that is near, and how near it would come.
struct NearPair {
    ElementPair pair;
    Nearness now;
    double next = 0;   ///< the least of the distances now and at the end, m
    double limit = 0;  ///< thickness that holds for it, m
};

class SpringFinder {
  public:
    SpringFinder(const CollisionSurface& surface, const ClothMotion& motion,
                 const RepulsionOptions& options)
        : surface_(surface), motion_(motion), options_(options) {}

    /// Springs of one vertex with faces, or of one edge with later edges.
    template <class PairOf>
    void springs_of(std::span<const Index> others, const PairOf& pair_of,
                    std::vector<PairSpring>& found) const {
        NearPair best, other_side;
        bool have_best = false, have_other = false;
        for (const Index j : others) {
            NearPair near;
            if (!is_near(pair_of(j), near)) continue;
            if (!have_best || near.next < best.next) best = near;
            have_best = true;
        }
        if (!have_best) return;
        for (const Index j : others) {
            NearPair near;
            if (!is_near(pair_of(j), near)) continue;
            if (near.now.normal.dot(best.now.normal) >= 0) continue;
            if (!have_other || near.next < other_side.next) other_side = near;
            have_other = true;
        }
        found.push_back(spring_of(best));
        if (have_other) found.push_back(spring_of(other_side));
    }

  private:
    bool is_near(const ElementPair& pair, NearPair& near) const {
        if (is_left_alone(pair, motion_.left_alone)) return false;
        double limit = options_.thickness;
        for (const Index v : pair.vertex) {
            if (!surface_.is_cloth(v)) return false;
            limit = std::min(limit, edge_share * motion_.shortest_edge[std::size_t(v)]);
        }
        const Corners start = corners_of(pair, motion_.x), end = corners_of(pair, motion_.x1);
        near.pair = pair;
        near.limit = limit;
        near.now = nearness(pair.kind, start);
        if (pair.kind == CcdKind::edge_edge)
            for (const double w : near.now.weight)
                if (std::abs(w) < inside) return false;
        near.next =
            std::min(near.now.distance, near.now.normal.dot(weighted(near.now.weight, end)));
        return near.next < limit;
    }

    PairSpring spring_of(const NearPair& near) const {
        PairSpring spring;
        spring.vertex = near.pair.vertex;
        spring.weight = near.now.weight;
        spring.normal = near.now.normal;
        // A part of what is missing, so that contact that is at rest does not hop.
        const double missing = std::max(0.0, near.limit - near.now.distance);
        spring.rest = missing > 0 ? near.now.distance + options_.recovery * missing : near.limit;
        spring.stiffness = options_.stiffness;
        spring.damping = options_.damping * options_.stiffness;
        spring.drag = drag_of(near, spring);
        return spring;
    }

    double drag_of(const NearPair& near, const PairSpring& spring) const {
        const double force = spring.stiffness * std::max(0.0, spring.rest - near.now.distance);
        if (options_.friction <= 0 || force == 0) return 0;
        Vec3 slip = Vec3::Zero();
        double inverse_mass = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const Index v = spring.vertex[k];
            slip += spring.weight[k] * (vec3(motion_.x1, v) - vec3(motion_.x, v)) / motion_.step;
            inverse_mass += spring.weight[k] * spring.weight[k] / motion_.mass[v];
        }
        slip -= spring.normal.dot(slip) * spring.normal;
        const double most = 1 / (motion_.step * inverse_mass);
        const double speed = slip.norm();
        return speed * most > options_.friction * force ? options_.friction * force / speed : most;
    }

    const CollisionSurface& surface_;
    const ClothMotion& motion_;
    const RepulsionOptions& options_;
};

}  // namespace

void Proximity::find(BroadPhase& broad, const CollisionSurface& surface, const ClothMotion& motion,
                     const RepulsionOptions& options, std::vector<PairSpring>& springs) {
    const SpringFinder finder(surface, motion, options);
    const auto collect = [&](const CandidateRows& rows, const auto& pair_of) {
        const Index count = Index(rows.begin.size()) - 1;
        const Index chunks = (count + proximity_grain - 1) / proximity_grain;
        if (Index(found_.size()) < chunks) found_.resize(std::size_t(chunks));
        parallel_for(chunks, 1, [&](Index c) {
            std::vector<PairSpring>& found = found_[std::size_t(c)];
            found.clear();
            const Index last = std::min(count, (c + 1) * proximity_grain);
            for (Index i = c * proximity_grain; i < last; ++i)
                if (!rows.of(i).empty())
                    finder.springs_of(
                        rows.of(i), [&](Index j) { return pair_of(i, j); }, found);
        });
        for (Index c = 0; c < chunks; ++c)
            springs.insert(springs.end(), found_[std::size_t(c)].begin(),
                           found_[std::size_t(c)].end());
    };
    collect(broad.find_vertex_face(), [&](Index v, Index f) { return surface.vertex_face(v, f); });
    collect(broad.find_edge_edge(),
            [&](Index e, Index other) { return surface.edge_edge(e, other); });
}

}  // namespace taffeta::contact
