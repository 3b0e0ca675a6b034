#include "taffeta/contact/barrier_contact.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "taffeta/contact/near_pairs.h"

namespace taffeta::contact {
namespace {

constexpr double edge_part = 0.5;   ///< of the shortest edge: the longest reach
constexpr double kept_share = 0.8;  ///< of the way to the first contact
constexpr double least_share = 1e-10;
constexpr double no_weight = 1e-12;
constexpr double traced_part = 0.9;  ///< of a distance, that a vertex may go towards an obstacle
constexpr double arrived = 1e-3;     ///< of its first distance: where tracing ends

double sine2_of_edges(const Corners& x) {
    const Vec3 u = x[1] - x[0], v = x[3] - x[2];
    const double size = u.squaredNorm() * v.squaredNorm();
    return size > 0 ? u.cross(v).squaredNorm() / size : 0;
}

}  // namespace

Fields<BarrierOptions> BarrierOptions::fields() {
    using Options = BarrierOptions;
    return {
        {"thickness", &Options::thickness,
         "distance at which things begin to repel each other, m; of cloth and cloth no more "
         "than half of an edge",
         positive()},
        {"stiffness", &Options::stiffness, "k of the barrier -k (d - r)^2 ln(d/r), N/m",
         positive()},
        {"friction", &Options::friction, "Coulomb coefficient of cloth on cloth", at_least(0)},
        {"slip_velocity", &Options::slip_velocity,
         "speed of slip above which friction has its full strength, m/s", positive()},
        {"tolerance", &Options::tolerance,
         "a step is done when no vertex would change its velocity by more, m/s", positive()},
        {"max_iterations", &Options::max_iterations, "of Newton's method in a step", at_least(1)}};
}

BarrierContact::BarrierContact(const BarrierOptions& options) : options_(options) {}

Index BarrierContact::begin(const Problem& problem) {
    problem_.emplace(problem);
    if (!finder_ && !problem.faces.empty()) {
        const CollisionScene scene(problem);
        obstacle_friction_.assign(scene.friction().begin(), scene.friction().end());
        finder_.emplace(scene.surface());
    }
    find(problem.x, 0);
    friction_.clear();
    for (const Pair& pair : pairs_) {
        const double bound = friction_of(pair) * pair.share *
                             Barrier{pair.reach, options_.stiffness}.force(pair.distance);
        if (bound > 0) friction_.push_back({pair, bound});
    }
    return Index(pairs_.size());
}

/// The cloth at x, and the obstacles `part` of their way.
void BarrierContact::place(const VecX& x, double part, VecX& all) const {
    const Index vertices = finder_ ? finder_->surface().vertices : cloth_vertices();
    all.resize(3 * Eigen::Index(vertices));
    all.head(x.size()) = x;
    if (vertices > cloth_vertices()) CollisionScene::place_obstacles(*problem_, time_at(part), all);
}

void BarrierContact::add_near(const ElementPair& element, std::vector<Pair>& found) const {
    Pair pair;
    pair.element = element;
    pair.reach = options_.thickness;
    bool all_cloth = true;
    double edge = INFINITY;
    for (const Index v : element.vertex) {
        all_cloth = all_cloth && is_cloth(v);
        if (is_cloth(v)) edge = std::min(edge, problem_->shortest_edge[std::size_t(v)]);
    }
    if (all_cloth) pair.reach = std::min(pair.reach, edge_part * edge);
    const Corners corners = corners_of(element, at_);
    const Nearness near = nearness(element.kind, corners);
    if (near.distance >= pair.reach) return;
    pair.weight = near.weight;
    pair.normal = near.normal;
    pair.distance = near.distance;
    if (element.kind == CcdKind::edge_edge)
        pair.share = parallel_mollifier(sine2_of_edges(corners));
    if (pair.share > 0) found.push_back(pair);
}

/// Pairs of a vertex and an edge, or of two vertices, that elements with them have in common.
void BarrierContact::merge_equal() {
    using Key = std::tuple<Index, Index, Index, double>;
    std::map<Key, std::size_t> first;
    std::size_t kept = 0;
    for (const Pair& pair : pairs_) {
        std::array<Index, 2> side[2] = {{-1, -1}, {-1, -1}};  // one vertex or two of each element
        int used = 0;
        const std::size_t second = pair.element.kind == CcdKind::vertex_face ? 1 : 2;
        for (std::size_t k = 0; k < 4; ++k) {
            if (std::abs(pair.weight[k]) <= no_weight) continue;
            ++used;
            std::array<Index, 2>& here = side[k < second ? 0 : 1];
            here[here[0] < 0 ? 0 : 1] = pair.element.vertex[k];
        }
        if (used < 4) {
            for (std::array<Index, 2>& here : side)
                if (here[1] >= 0 && here[1] < here[0]) std::swap(here[0], here[1]);
            const bool turned = side[0][1] >= 0 || (side[1][1] < 0 && side[1][0] < side[0][0]);
            if (turned) std::swap(side[0], side[1]);
            const auto [place, is_new] =
                first.try_emplace({side[0][0], side[1][0], side[1][1], pair.reach}, kept);
            if (!is_new) {
                pairs_[place->second].share += pair.share;
                continue;
            }
        }
        pairs_[kept++] = pair;
    }
    pairs_.resize(kept);
}

/// Vertices near obstacles without an exact surface.
void BarrierContact::find_smooth(const VecX& x, double part) {
    const double time = time_at(part);
    for (std::size_t o = 0; o < problem_->obstacles.size(); ++o) {
        const Obstacle& obstacle = *problem_->obstacles[o].shape;
        if (obstacle.has_exact_surface()) continue;
        for (Index v = 0; v < cloth_vertices(); ++v) {
            const Vec3 p = vec3(x, v);
            if (!problem_->pinned.empty() && problem_->pinned[std::size_t(v)]) continue;
            if (!obstacle.near(p, options_.thickness, time)) continue;
            const Sample sample = obstacle.sample(p, time);
            if (sample.distance >= options_.thickness) continue;
            Pair pair;
            pair.element = {CcdKind::vertex_face, {v, v, v, v}};
            pair.obstacle = Index(o);
            pair.weight = {1, 0, 0, 0};
            pair.normal = sample.normal;
            pair.distance = sample.distance;
            pair.reach = options_.thickness;
            pairs_.push_back(pair);
        }
    }
}

void BarrierContact::find(const VecX& x, double part) {
    place(x, part, at_);
    pairs_.clear();
    if (finder_)
        collect_pairs(
            finder_->fitted(at_, at_, options_.thickness), finder_->surface(),
            [&](const ElementPair& pair, Index, std::vector<Pair>& found) {
                add_near(pair, found);
            },
            scratch_, pairs_);
    merge_equal();
    find_smooth(x, part);
}

std::string BarrierContact::nearest() const {
    const auto least =
        std::min_element(pairs_.begin(), pairs_.end(),
                         [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
    if (least == pairs_.end()) return "nothing near";
    const std::string name =
        least->obstacle < 0 ? text(least->element)
                            : fmt::format("vertex {} and obstacle '{}'", least->element.vertex[0],
                                          problem_->obstacles[std::size_t(least->obstacle)].name);
    return fmt::format("{}, {:.3g} m apart", name, least->distance);
}

/// The part of a pair that is made of cloth. In place of other vertices one of the cloth stands, without
/// weight.
void BarrierContact::take_cloth(const Pair& pair, PairSpring& spring) const {
    Index cloth = -1;
    for (const Index v : pair.element.vertex)
        if (is_cloth(v)) cloth = v;
    for (std::size_t k = 0; k < 4; ++k) {
        const Index v = pair.element.vertex[k];
        spring.vertex[k] = is_cloth(v) ? v : cloth;
        spring.weight[k] = is_cloth(v) ? pair.weight[k] : 0;
    }
}

/// A spring with the force and the curvature of the pair's barrier. What an obstacle does until it is
/// where `aim` has it moves the spring's rest.
PairSpring BarrierContact::spring_of(const Pair& pair, const VecX& aim, double time,
                                     double aim_time) const {
    const Barrier barrier{pair.reach, options_.stiffness};
    const double force = pair.share * barrier.force(pair.distance);
    PairSpring spring{};
    spring.vertex = pair.element.vertex;
    spring.normal = pair.normal;
    spring.stiffness = pair.share * barrier.curvature(pair.distance);
    if (pair.obstacle >= 0) {
        spring.weight = pair.weight;
        const Vec3 p = vec3(at_, spring.vertex[0]);
        // The surface is where the vertex is less the distance; it moves as the obstacle carries it.
        const Vec3 surface = p - pair.distance * pair.normal;
        Vec3 moved = surface;
        if (aim_time > time)
            moved = problem_->obstacles[std::size_t(pair.obstacle)].shape->carried(surface, time,
                                                                                   aim_time);
        spring.rest = force / spring.stiffness + pair.distance + pair.normal.dot(moved);
        return spring;
    }
    take_cloth(pair, spring);
    Vec3 rest = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
        if (const Index v = pair.element.vertex[k]; !is_cloth(v))
            rest += pair.weight[k] * vec3(aim, v);
    spring.rest = force / spring.stiffness + pair.distance - pair.normal.dot(rest);
    return spring;
}

double BarrierContact::friction_of(const Pair& pair) const {
    if (pair.obstacle >= 0) return problem_->obstacles[std::size_t(pair.obstacle)].friction;
    for (const Index v : pair.element.vertex)
        if (!is_cloth(v)) return obstacle_friction_[std::size_t(v - cloth_vertices())];
    return options_.friction;
}

/// Coulomb's law about the slip since the start of the step, whose speed at the end that is.
PairSpring BarrierContact::drag_of(const Friction& friction, const VecX& x) const {
    const Pair& pair = friction.pair;
    PairSpring spring{};
    spring.vertex = pair.element.vertex;
    spring.normal = pair.normal;
    const double h = problem_->step;
    Vec3 slip = Vec3::Zero();
    if (pair.obstacle >= 0) {
        spring.weight = pair.weight;
        const Vec3 from = vec3(problem_->x, spring.vertex[0]);
        spring.against = (problem_->obstacles[std::size_t(pair.obstacle)].shape->carried(
                              from, problem_->time, problem_->time + h) -
                          from) /
                         h;
        slip = (vec3(x, spring.vertex[0]) - from) / h - spring.against;
    } else {
        take_cloth(pair, spring);
        for (std::size_t k = 0; k < 4; ++k) {
            const Index v = pair.element.vertex[k];
            if (is_cloth(v))
                slip += pair.weight[k] * (vec3(x, v) - vec3(problem_->x, v)) / h;
            else
                spring.against -= pair.weight[k] * (vec3(aim_, v) - vec3(start_obstacles_, v)) / h;
        }
        slip -= spring.against;
    }
    slip -= spring.normal.dot(slip) * spring.normal;
    spring.drag = friction.bound * smooth_slip(slip.norm(), options_.slip_velocity);
    return spring;
}

void BarrierContact::linearise(const VecX& x, double part, double aim,
                               std::vector<PairSpring>& springs) {
    find(x, part);
    springs.clear();
    place(x, aim, aim_);
    for (const Pair& pair : pairs_)
        springs.push_back(spring_of(pair, aim_, time_at(part), time_at(aim)));
    if (friction_.empty()) return;
    // Friction knows the whole way of obstacles.
    place(problem_->x, 0, start_obstacles_);
    place(x, 1, aim_);
    for (const Friction& friction : friction_)
        springs.push_back(drag_of(friction, x));
}

/// The least share of their ways that vertices go without meeting a smooth obstacle: seen from it, by
/// steps of the distance.
double BarrierContact::smooth_share(const VecX& x, double part, const VecX& x1,
                                    double part1) const {
    double least = 1;
    const double time = time_at(part), end = time_at(part1);
    for (const PlacedObstacle& obstacle : problem_->obstacles) {
        const Obstacle& shape = *obstacle.shape;
        if (shape.has_exact_surface()) continue;
        for (Index v = 0; v < cloth_vertices(); ++v) {
            if (!problem_->pinned.empty() && problem_->pinned[std::size_t(v)]) continue;
            const Vec3 start = shape.carried(vec3(x, v), time, end);
            const Vec3 way = vec3(x1, v) - start;
            const double length = way.norm();
            if (length == 0 || !shape.near(start, length, end)) continue;
            const double first = shape.sample(start, end).distance;
            double gap = first, gone = 0;
            while (gone < length && gap > arrived * first) {
                gone = std::min(length, gone + traced_part * gap);
                gap = shape.sample(start + gone / length * way, end).distance;
            }
            if (gone < length || gap <= 0) least = std::min(least, kept_share * gone / length);
        }
    }
    return least;
}

double BarrierContact::shorten(const VecX& x, double part, VecX& x1, double& part1) {
    const VecX wanted = x1;
    const double wanted_part = part1;
    double share = 1;
    place(x, part, from_);
    for (;;) {
        place(x1, part1, to_);
        double free = smooth_share(x, part, x1, part1);
        if (finder_) {
            const std::span<const Impact> impacts = finder_->find(from_, to_, 0);
            if (finder_->touching_from_the_start() > 0) return 0;
            if (!impacts.empty()) free = std::min(free, kept_share * impacts.front().time);
        }
        if (free == 1) return share;
        share *= free;
        if (share < least_share) return 0;
        x1 = x + share * (wanted - x);
        part1 = part + share * (wanted_part - part);
    }
}

double BarrierContact::value(const VecX& x, double part) {
    find(x, part);
    double sum = 0;
    for (const Pair& pair : pairs_)
        sum += pair.share * Barrier{pair.reach, options_.stiffness}.value(pair.distance);
    return sum;
}

}  // namespace taffeta::contact
