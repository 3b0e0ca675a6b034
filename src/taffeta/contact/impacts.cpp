#include "taffeta/contact/impacts.h"

#include <algorithm>
#include <tuple>

#include "taffeta/base/parallel.h"

namespace taffeta::contact {
namespace {

constexpr Index impact_grain = 256;   ///< rows of candidates a task
constexpr double allowed_loss = 0.5;  ///< of a small gap in a step, before it is an impact
constexpr double least_gap = 0.05;    ///< of the gap: below it a pair may not approach at all
constexpr double still = 1 - 1e-9;    ///< of a distance: no approach but rounding
constexpr double regained = 0.1;      ///< of the gap in a step, where it was lost

Corners difference(const Corners& a, const Corners& b) {
    Corners result;
    for (std::size_t k = 0; k < 4; ++k)
        result[k] = a[k] - b[k];
    return result;
}

Corners interpolated(const Corners& start, const Corners& end, double t) {
    Corners result;
    for (std::size_t k = 0; k < 4; ++k)
        result[k] = start[k] + t * (end[k] - start[k]);
    return result;
}

/// What must remain: not more than there was, but a lost gap is slowly regained.
double target_of(double before, double gap) {
    return std::min(gap, std::max(0.0, before) + regained * gap);
}

/// Normal and weights of the contact at `time`, so that before it the separation is positive.
Impact impact_at(const ElementPair& pair, double time, const Corners& start, const Corners& end,
                 double gap) {
    Impact impact{pair, time, {}, {}, 0, false};
    const Corners there = interpolated(start, end, time), way = difference(end, start);
    impact.weight = nearest_weights(pair.kind, there);
    const Vec3 approach = weighted(impact.weight, way), before = weighted(impact.weight, start);
    Vec3 normal = common_normal(pair.kind, there);
    if (normal.isZero(0)) normal = before;
    if (normal.isZero(0)) normal = -approach;
    const double length = normal.norm();
    // Two points that stay together: any direction tells as much.
    impact.normal = length > 0 ? Vec3(normal / length) : Vec3(Vec3::UnitX());
    const double speed = impact.normal.dot(approach);
    if (speed > 0 || (speed == 0 && impact.normal.dot(before) < 0)) impact.normal = -impact.normal;
    impact.target = target_of(impact.normal.dot(before), gap);
    return impact;
}

/// Of elements that end too near each other without a contact, and were `before` apart.
Impact near_miss(const ElementPair& pair, const Nearness& near, const Corners& start, double before,
                 double gap) {
    Impact impact{pair, 1, near.weight, near.normal, target_of(before, gap), true};
    if (!impact.normal.isZero(0)) return impact;
    // Parallel edges, say, that nearly touch: back to where they came from.
    const Vec3 apart = weighted(near.weight, start);
    impact.normal = apart.isZero(0) ? Vec3(Vec3::UnitX()) : Vec3(apart.normalized());
    return impact;
}

}  // namespace

double separation(const Impact& impact, const VecX& x) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k)
        sum += impact.weight[k] * impact.normal.dot(vec3(x, impact.pair.vertex[k]));
    return sum;
}

ImpactFinder::ImpactFinder(CollisionSurface surface)
    : surface_(std::move(surface)), broad_(surface_.face, surface_.edge, surface_.vertices) {
    cloth_.assign(std::size_t(surface_.vertices), 0);
    std::fill_n(cloth_.begin(), surface_.cloth_vertices, char(1));
}

Tangle ImpactFinder::kind_of(const ElementPair& pair) const {
    const bool cloth = std::all_of(pair.vertex.begin(), pair.vertex.end(),
                                   [&](Index v) { return surface_.is_cloth(v); });
    return cloth ? tangled_with_cloth : tangled_with_obstacle;
}

void ImpactFinder::leave_alone(const ElementPair& pair) {
    alone_.resize(std::size_t(surface_.vertices), 0);
    for (const Index v : pair.vertex)
        alone_[std::size_t(v)] |= kind_of(pair);
}

void ImpactFinder::test(const ElementPair& pair, const VecX& x0, const VecX& x1, double gap,
                        Found& found) const {
    if (!alone_.empty() && is_left_alone(pair, alone_, kind_of(pair))) return;
    const Corners start = corners_of(pair, x0), end = corners_of(pair, x1);
    if (const auto time = first_contact({pair.kind, start, end})) {
        if (*time == 0 && touches({pair.kind, start, start}))
            ++found.touching;
        else
            found.impacts.push_back(impact_at(pair, *time, start, end, gap));
        return;
    }
    const Nearness near = nearness(pair.kind, end);
    if (near.distance >= allowed_loss * gap) return;
    // Distances, not the way along the last direction: that turns, and is rounding where they nearly touch.
    const double before = nearness(pair.kind, start).distance;
    const bool lost = near.distance < allowed_loss * std::min(gap, before);
    const bool last = near.distance < least_gap * gap && near.distance < still * before;
    if (lost || last) found.impacts.push_back(near_miss(pair, near, start, before, gap));
}

template <class PairOf>
void ImpactFinder::collect(const CandidateRows& rows, const VecX& x0, const VecX& x1, double gap,
                           const PairOf& pair_of) {
    const Index count = Index(rows.begin.size()) - 1;
    const Index chunks = (count + impact_grain - 1) / impact_grain;
    if (Index(found_.size()) < chunks) found_.resize(std::size_t(chunks));
    parallel_for(chunks, 1, [&](Index c) {
        Found& found = found_[std::size_t(c)];
        found.impacts.clear();
        found.touching = 0;
        for (Index i = c * impact_grain; i < std::min(count, (c + 1) * impact_grain); ++i)
            for (const Index j : rows.of(i))
                test(pair_of(i, j), x0, x1, gap, found);
    });
    for (Index c = 0; c < chunks; ++c) {
        const Found& found = found_[std::size_t(c)];
        impacts_.insert(impacts_.end(), found.impacts.begin(), found.impacts.end());
        touching_ += found.touching;
    }
    candidates_ += rows.pairs();
}

void ImpactFinder::refit(const VecX& x0, const VecX& x1, double distance,
                         std::span<const char> active) {
    if (!ordered_) broad_.order(x0);
    ordered_ = true;
    broad_.refit(x0, x1, distance, active);
}

BroadPhase& ImpactFinder::fitted(const VecX& x0, const VecX& x1, double distance) {
    refit(x0, x1, distance, cloth_);
    return broad_;
}

std::span<const Impact> ImpactFinder::find(const VecX& x0, const VecX& x1, double gap,
                                           std::span<const char> moved) {
    impacts_.clear();
    candidates_ = 0;
    if (moved.empty()) {
        touching_ = 0;
        fitted(x0, x1, gap);
    } else {
        refit(x0, x1, gap, moved);
    }
    collect(broad_.find_vertex_face(), x0, x1, gap,
            [&](Index v, Index f) { return surface_.vertex_face(v, f); });
    collect(broad_.find_edge_edge(), x0, x1, gap,
            [&](Index e, Index other) { return surface_.edge_edge(e, other); });
    std::sort(impacts_.begin(), impacts_.end(), [](const Impact& a, const Impact& b) {
        return std::tie(a.time, a.pair) < std::tie(b.time, b.pair);
    });
    return impacts_;
}

}  // namespace taffeta::contact
