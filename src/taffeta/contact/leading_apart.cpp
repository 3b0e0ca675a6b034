#include "taffeta/contact/leading_apart.h"

#include <algorithm>

namespace taffeta::contact {
namespace {

constexpr int most_strides = 300;
constexpr int patience = 60;  ///< strides without fewer pairs
/// Of a stride, what is left for the next one. 0.9 to 0.97 lead out of wedges; less and the tip stays in some.
constexpr double inertia = 0.95;
constexpr double soon_over = 1e-3;  ///< of the longest stride
/// Of its length at the beginning: an edge is made no shorter and no longer.
constexpr double shortest = 0.7, longest = 1.3;

/// Adds to a stride what is left of those before it. In a wedge the two sides send cloth to and fro, one stride
/// this way and one that way; what they agree on, the way out of the wedge, is what adds up.
void go_on(const Movable& movable, std::span<const double> shortest_edge, VecX& drift,
           VecX& stride) {
    for (Index v = 0; v < Index(stride.size() / 3); ++v) {
        Vec3 way = inertia * vec3(drift, v) + vec3(stride, v);
        if (way.isZero(0)) continue;
        if (const auto* held = movable.filter.find(v)) way = held->projector * way;
        const double most = Untangling::longest_stride * shortest_edge[std::size_t(v)];
        const double length = way.norm();
        if (length < soon_over * most) way.setZero();
        vec3(drift, v) = way;
        vec3(stride, v) = length > most ? Vec3(most / length * way) : way;
    }
}

/// What hangs on a vertex that moves from `there` to `next` follows it: a tip that comes out alone would spring back
/// with the energy of what it left behind.
void follow(const CollisionSurface& surface, const Movable& movable, const VecX& begin,
            const VecX& there, VecX& next) {
    const auto moves = [&](Index v) { return vec3(next, v) != vec3(there, v); };
    const auto shift = [&](Index v, Vec3 by) {
        if (!movable.pinned.empty() && movable.pinned[std::size_t(v)]) return;
        if (const auto* held = movable.filter.find(v)) by = held->projector * by;
        vec3(next, v) += by;
    };
    for (const auto& [a, b] : surface.edge) {
        if (!surface.is_cloth(a) || !surface.is_cloth(b) || (!moves(a) && !moves(b))) continue;
        const Vec3 way = vec3(next, b) - vec3(next, a);
        const double length = way.norm(), before = (vec3(begin, b) - vec3(begin, a)).norm();
        const double wanted = std::clamp(length, shortest * before, longest * before);
        if (wanted == length || length == 0) continue;
        const Vec3 half = 0.5 * (wanted - length) / length * way;
        shift(a, -half);
        shift(b, half);
    }
}

}  // namespace

Index lead_apart(Untangling& untangling, Response& response, const Movable& movable,
                 std::span<const double> shortest_edge, ResponseOptions options, VecX& x) {
    options.tolerate_pinched = false;  // nothing moves but what is led apart
    options.only_moved = true;
    const Index begin = untangling.find(x);
    Index pairs = begin, fewest = begin;
    VecX there = x, next;
    VecX stride(3 * Eigen::Index(response.finder().surface().cloth_vertices));
    VecX drift = VecX::Zero(stride.size());
    int in_vain = 0;
    for (int k = 0; pairs > 0 && k < most_strides && in_vain < patience; ++k) {
        response.finder().leave_alone_between(untangling.involved());
        stride.setZero();
        untangling.displace(there, shortest_edge, movable.filter, movable.pinned, stride);
        go_on(movable, shortest_edge, drift, stride);
        next = there;
        next.head(stride.size()) += stride;
        follow(response.finder().surface(), movable, x, there, next);
        if (!response.resolve(there, next, movable, options).ok()) break;
        std::swap(there, next);
        pairs = untangling.find_again(there);
        in_vain = pairs < fewest ? 0 : in_vain + 1;
        fewest = std::min(fewest, pairs);
    }
    if (pairs > 0) return begin;
    x = there;
    return 0;
}

}  // namespace taffeta::contact
