#include "taffeta/contact/proximity.h"

#include <algorithm>

#include "taffeta/contact/near_pairs.h"

namespace taffeta::contact {
namespace {

constexpr double inside = 1e-6;  ///< of an edge, from its ends
constexpr double edge_share = 0.5;
constexpr double least_part = 0.2;  ///< of the thickness: below it the law stiffens no more
constexpr double in_front =
    1e-3;  ///< of the thickness, from a plane: what lies nearer is behind it

/// Tells whether a pair is near, and makes its spring.
class SpringFinder {
  public:
    SpringFinder(const CollisionSurface& surface, const ClothMotion& motion,
                 const RepulsionOptions& options)
        : surface_(surface), motion_(motion), options_(options) {}

    void add_if_near(const ElementPair& pair, std::array<Index, 2> element,
                     std::vector<NearPair>& found) const {
        NearPair near;
        near.element = element;
        if (is_near(pair, near)) found.push_back(near);
    }

    PairSpring spring_of(const NearPair& near) const {
        PairSpring spring;
        spring.vertex = near.pair.vertex;
        spring.weight = near.now.weight;
        spring.normal = near.now.normal;
        const double limit = near.limit, g = near.now.distance;
        spring.rest = limit;
        spring.stiffness = options_.stiffness;
        if (g < limit) {
            // F = r k (L - g) (L / g)^2 at the start of the step, with its slope or k for the way.
            const double over = 1 / std::max(g / limit, least_part);
            const double soft = options_.recovery * options_.stiffness * over * over;
            const double force = soft * (limit - g);
            spring.stiffness = std::max(spring.stiffness, soft * (2 * over - 1));
            spring.rest = g + force / spring.stiffness;
        }
        spring.damping = options_.damping * options_.stiffness;
        spring.drag = drag_of(near, spring);
        return spring;
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
        const Weights& w = near.now.weight;
        if (pair.kind == CcdKind::edge_edge &&
            std::any_of(w.begin(), w.end(), [](double part) { return std::abs(part) < inside; }))
            return false;
        near.next = std::min(near.now.distance, near.now.normal.dot(weighted(w, end)));
        near.point = {Vec3::Zero(), Vec3::Zero()};
        for (std::size_t k = 0; k < 4; ++k)
            near.point[std::size_t(w[k] < 0)] += std::abs(w[k]) * start[k];
        return near.next < limit;
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

/// Whether for the element at `end` of both pairs what the second pair is about lies behind the plane
/// through the nearest point of the first, which keeps the element away already.
bool is_behind(const NearPair& near, const NearPair& nearer, int end, int nearer_end) {
    const Vec3 normal = nearer_end == 0 ? nearer.now.normal : Vec3(-nearer.now.normal);
    const Vec3 way = near.point[std::size_t(1 - end)] - nearer.point[std::size_t(1 - nearer_end)];
    return normal.dot(way) <= in_front * nearer.limit;
}

}  // namespace

void Proximity::find(BroadPhase& broad, const CollisionSurface& surface, const ClothMotion& motion,
                     const RepulsionOptions& options, std::vector<PairSpring>& springs) {
    const SpringFinder finder(surface, motion, options);
    near_.clear();
    collect_pairs(
        broad, surface,
        [&](const ElementPair& pair, Index first, Index second, std::vector<NearPair>& found) {
            finder.add_if_near(pair, {first, second}, found);
        },
        scratch_, near_);
    choose();
    for (std::size_t k = 0; k < near_.size(); ++k)
        if (chosen_[k] != 0) springs.push_back(finder.spring_of(near_[k]));
}

void Proximity::choose() {
    places_.clear();
    for (std::size_t k = 0; k < near_.size(); ++k) {
        const NearPair& near = near_[k];
        const bool edges = near.pair.kind == CcdKind::edge_edge;
        places_.push_back({edges, near.element[0], near.next, k, 0});
        if (edges) places_.push_back({edges, near.element[1], near.next, k, 1});
    }
    std::sort(places_.begin(), places_.end());
    chosen_.assign(near_.size(), 0);
    for (std::size_t first = 0, last = 0; first < places_.size(); first = last) {
        kept_.clear();
        for (; last < places_.size() && places_[last].is_of_same_element(places_[first]); ++last) {
            const Place& place = places_[last];
            const bool hidden = std::any_of(kept_.begin(), kept_.end(), [&](const Place& nearer) {
                return is_behind(near_[place.pair], near_[nearer.pair], place.end, nearer.end);
            });
            if (hidden) continue;
            kept_.push_back(place);
            chosen_[place.pair] = 1;
        }
    }
}

}  // namespace taffeta::contact
