#include "taffeta/contact/proximity.h"

#include <algorithm>
#include <tuple>

#include "taffeta/contact/near_pairs.h"

namespace taffeta::contact {
namespace {

constexpr double inside = 1e-6;  ///< of an edge, from its ends
constexpr double edge_share = 0.5;
/// Of the thickness, from a plane: what lies nearer is behind it.
constexpr double in_front = 1e-3;

/// Tells whether a pair is near, and makes its spring.
class SpringFinder {
  public:
    SpringFinder(const CollisionSurface& surface, const ClothMotion& motion,
                 const RepulsionOptions& options)
        : surface_(surface), motion_(motion), options_(options) {}

    void add_if_near(const ElementPair& pair, Index first, std::vector<NearPair>& found) const {
        NearPair near;
        near.first = first;
        if (is_near(pair, near)) found.push_back(near);
    }

    PairSpring spring_of(const NearPair& near) const {
        PairSpring spring;
        spring.vertex = near.pair.vertex;
        spring.weight = near.now.weight;
        spring.normal = near.now.normal;
        // A part of what is missing, so that contact that is at rest does not hop.
        spring.rest = near.now.distance + options_.recovery * (near.limit - near.now.distance);
        spring.stiffness = options_.stiffness;
        spring.damping = options_.damping * options_.stiffness;
        spring.drag = drag_of(near, spring);
        return spring;
    }

  private:
    bool is_near(const ElementPair& pair, NearPair& near) const {
        if (is_left_alone(pair, motion_.left_alone, tangled_with_cloth)) return false;
        double limit = options_.thickness;
        for (const Index v : pair.vertex) {
            if (!surface_.is_cloth(v)) return false;
            limit = std::min(limit, edge_share * motion_.shortest_edge[std::size_t(v)]);
        }
        const Corners start = corners_of(pair, motion_.x);
        near.pair = pair;
        near.limit = limit;
        near.now = nearness(pair.kind, start);
        const Weights& w = near.now.weight;
        if (pair.kind == CcdKind::edge_edge &&
            std::any_of(w.begin(), w.end(), [](double part) { return std::abs(part) < inside; }))
            return false;
        near.point.setZero();
        for (std::size_t k = 1; k < 4; ++k)
            near.point -= w[k] * start[k];
        return near.now.distance < limit;
    }

    double drag_of(const NearPair& near, const PairSpring& spring) const {
        const double force = spring.stiffness * (spring.rest - near.now.distance);
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

/// Whether what a pair is about is no matter of its own for their first element: for a vertex, if it lies
/// behind the plane through the nearest point of the nearer pair, which keeps the vertex away already;
/// for an edge, if it is on the same side.
bool is_hidden(const NearPair& near, const NearPair& nearer) {
    if (near.pair.kind == CcdKind::edge_edge) return near.now.normal.dot(nearer.now.normal) >= 0;
    return nearer.now.normal.dot(near.point - nearer.point) <= in_front * nearer.limit;
}

}  // namespace

void Proximity::find(BroadPhase& broad, const CollisionSurface& surface, const ClothMotion& motion,
                     const RepulsionOptions& options, std::vector<PairSpring>& springs) {
    const SpringFinder finder(surface, motion, options);
    near_.clear();
    collect_pairs(
        broad, surface,
        [&](const ElementPair& pair, Index first, std::vector<NearPair>& found) {
            finder.add_if_near(pair, first, found);
        },
        scratch_, near_);
    const auto is_of_same_element = [](const NearPair& a, const NearPair& b) {
        return a.pair.kind == b.pair.kind && a.first == b.first;
    };
    // The pairs of an element are neighbours in the list.
    for (auto begin = near_.begin(), end = begin; begin != near_.end(); begin = end) {
        while (end != near_.end() && is_of_same_element(*begin, *end))
            ++end;
        std::sort(begin, end, [](const NearPair& a, const NearPair& b) {
            return std::tie(a.now.distance, a.pair) < std::tie(b.now.distance, b.pair);
        });
        kept_.clear();
        for (auto near = begin; near != end; ++near) {
            if (std::any_of(kept_.begin(), kept_.end(),
                            [&](const NearPair* nearer) { return is_hidden(*near, *nearer); }))
                continue;
            kept_.push_back(&*near);
            springs.push_back(finder.spring_of(*near));
        }
    }
}

}  // namespace taffeta::contact
