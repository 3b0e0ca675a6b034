#include "taffeta/contact/response.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "taffeta/base/error.h"

namespace taffeta::contact {
namespace {

constexpr int zone_sweeps = 200;
constexpr int patience = 4;              ///< zone rounds without fewer impacts
constexpr double zone_tolerance = 0.02;  ///< of an impact's target
constexpr double flight = 4;             ///< of the longest way: what is pushed farther has fled
constexpr double kept_part = 0.8;        ///< of the way to the first contact, in a cut
constexpr double shortest_part = 0.02;   ///< of the way; below it a vertex stays where it was
/// Of a free vertex's mobility: a pair that obstacles hold more than this would have to be pushed far
/// sideways to come apart a little.
constexpr double held_mobility = 0.25;

/// Sets of vertices that have met.
class Islands {
  public:
    explicit Islands(Index count) : parent_(std::size_t(count)) {
        std::iota(parent_.begin(), parent_.end(), Index(0));
    }
    Index root(Index v) {
        while (parent_[std::size_t(v)] != v) {
            Index& up = parent_[std::size_t(v)];
            up = parent_[std::size_t(up)];
            v = up;
        }
        return v;
    }
    void join(Index a, Index b) {
        a = root(a);
        b = root(b);
        if (a != b) parent_[std::size_t(std::max(a, b))] = std::min(a, b);
    }

  private:
    std::vector<Index> parent_;
};

}  // namespace

/// One resolution: the stages share what has moved.
class Response::Pass {
  public:
    Pass(ImpactFinder& finder, const VecX& x0, VecX& x1, const Movable& movable,
         const ResponseOptions& options)
        : finder_(finder), x0_(x0), x1_(x1), movable_(movable), options_(options) {}

    ResponseReport run() {
        std::span<const Impact> impacts = find_all();
        report_.impacts = Index(impacts.size());
        report_.touching = finder_.touching_from_the_start();
        if (impacts.empty()) return report_;
        const VecX proposed = x1_;
        reach_ = reach_of(proposed);
        if (impulses(impacts, proposed)) return report_;
        const VecX pushed = has_fled(proposed) ? proposed : x1_;
        if (zones(proposed)) return report_;
        if (has_fled(proposed)) x1_ = pushed;
        cut();
        return report_;
    }

  private:
    const CollisionSurface& surface() const { return finder_.surface(); }

    std::span<const Impact> find_all() {
        moved_.assign(std::size_t(surface().vertices), 0);
        if (!options_.only_moved) return finder_.find(x0_, x1_, options_.gap);
        for (Index v = 0; v < surface().cloth_vertices; ++v)
            moved_[std::size_t(v)] = vec3(x0_, v) != vec3(x1_, v);
        return find_moved();
    }
    /// What touches among the pairs with a vertex that has moved since the last search.
    std::span<const Impact> find_moved() {
        const std::span<const Impact> found = finder_.find(x0_, x1_, options_.gap, moved_);
        std::fill(moved_.begin(), moved_.end(), char(0));
        return found;
    }

    /// S_i n / m_i; `yielding`: obstacles hold nobody back.
    Vec3 mobility(Index v, const Vec3& n, bool yielding) const {
        if (!surface().is_cloth(v)) return Vec3::Zero();
        if (!movable_.pinned.empty() && movable_.pinned[std::size_t(v)] != 0) return Vec3::Zero();
        const double inverse = 1 / movable_.mass[v];
        const sparse::NodeFilter::Entry* held = yielding ? nullptr : movable_.filter.find(v);
        return held ? Vec3(inverse * (held->projector * n)) : Vec3(inverse * n);
    }

    /// What a unit impulse does to the separation, 1/kg, and whether obstacles had to yield for it;
    /// 0 when nothing can move.
    struct Yield {
        double response = 0;
        bool yielding = false;
    };
    Yield response_along(const Impact& impact, const Vec3& n) const {
        double held = 0, free = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const double w2 = impact.weight[k] * impact.weight[k];
            held += w2 * n.dot(mobility(impact.pair.vertex[k], n, false));
            free += w2 * n.dot(mobility(impact.pair.vertex[k], n, true));
        }
        if (held > held_mobility * free) return {held, false};
        return {free, true};
    }

    /// x1 += w S/m n times the impulse (kg m).
    void push(const Impact& impact, const Vec3& impulse, bool yielding) {
        for (std::size_t k = 0; k < 4; ++k) {
            const Index v = impact.pair.vertex[k];
            if (impact.weight[k] == 0 || !surface().is_cloth(v)) continue;
            vec3(x1_, v) += impact.weight[k] * mobility(v, impulse, yielding);
            moved_[std::size_t(v)] = 1;
        }
    }

    /// How far from the proposed end collisions can lead at most: a few times the longest way of all.
    double reach_of(const VecX& proposed) const {
        double longest = 0;
        for (Index v = 0; v < surface().vertices; ++v)
            longest = std::max(longest, (vec3(proposed, v) - vec3(x0_, v)).squaredNorm());
        return flight * (std::sqrt(longest) + options_.gap);
    }
    /// Whether a vertex was pushed farther: where conditions contradict each other (between parts of a
    /// body that intersects itself, say), each push only makes the next one larger.
    bool has_fled(const VecX& proposed) const {
        for (Index v = 0; v < surface().cloth_vertices; ++v)
            if ((vec3(x1_, v) - vec3(proposed, v)).squaredNorm() > reach_ * reach_) return true;
        return false;
    }

    double friction_of(const Impact& impact) const {
        for (const Index v : impact.pair.vertex)
            if (!surface().is_cloth(v))
                return movable_.obstacle_friction[std::size_t(v - surface().cloth_vertices)];
        return options_.friction;
    }

    /// Coulomb's law for the slip of this step, given the normal impulse.
    void rub(const Impact& impact, double normal_impulse) {
        const double bound = friction_of(impact) * normal_impulse;
        if (bound <= 0) return;
        Vec3 slip = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k) {
            const Index v = impact.pair.vertex[k];
            slip += impact.weight[k] * (vec3(x1_, v) - vec3(x0_, v));
        }
        slip -= impact.normal.dot(slip) * impact.normal;
        const double length = slip.norm();
        if (length == 0) return;
        const Vec3 direction = slip / length;
        const Yield yield = response_along(impact, direction);
        if (yield.response <= 0) return;
        push(impact, -std::min(bound, length / yield.response) * direction, yield.yielding);
    }

    /// One after another, until nothing touches or the rounds are used up.
    bool impulses(std::span<const Impact> impacts, const VecX& proposed) {
        while (!impacts.empty()) {
            if (report_.impulse_rounds == options_.impulse_rounds || has_fled(proposed))
                return false;
            ++report_.impulse_rounds;
            for (const Impact& impact : impacts) {
                if (report_.impulse_rounds == 1) keep(impact);
                const double missing = impact.target - separation(impact, x1_);
                if (missing <= 0) continue;
                const Yield yield = response_along(impact, impact.normal);
                if (yield.response <= 0) continue;
                const double impulse = missing / yield.response;
                push(impact, impulse * impact.normal, yield.yielding);
                rub(impact, impulse);
            }
            impacts = find_moved();
        }
        return true;
    }

    /// Remembers an impact for the zones, of each pair the last one: its normal is that of the motion
    /// as it is by now. What the earlier one pushed is taken back.
    void keep(const Impact& impact) {
        const auto [place, is_new] = of_pair_.try_emplace(impact.pair, zone_.size());
        if (is_new) {
            zone_.push_back(impact);
            impulse_.push_back(0);
            return;
        }
        const std::size_t k = place->second;
        if (impulse_[k] != 0)
            push(zone_[k], -impulse_[k] * zone_[k].normal,
                 response_along(zone_[k], zone_[k].normal).yielding);
        zone_[k] = impact;
        impulse_[k] = 0;
    }

    /// From the proposed end on, all impacts at once. Given up when rounds bring nothing any more.
    bool zones(const VecX& proposed) {
        x1_ = proposed;
        std::size_t fewest = std::numeric_limits<std::size_t>::max();
        int in_vain = 0;
        while (report_.zone_rounds < options_.zone_rounds && in_vain < patience) {
            ++report_.zone_rounds;
            relax_zones();
            if (has_fled(proposed)) return false;
            // Everything may have moved compared with the last search.
            const std::span<const Impact> impacts =
                report_.zone_rounds == 1 ? find_all() : find_moved();
            report_.zone_impacts = Index(zone_.size());
            if (impacts.empty()) return true;
            in_vain = impacts.size() < fewest ? 0 : in_vain + 1;
            fewest = std::min(fewest, impacts.size());
            for (const Impact& impact : impacts)
                keep(impact);
        }
        return false;
    }

    void relax_zones() {
        for (int sweep = 0; sweep < zone_sweeps; ++sweep) {
            double worst = 0;
            for (std::size_t k = 0; k < zone_.size(); ++k) {
                const Impact& impact = zone_[k];
                const double missing = impact.target - separation(impact, x1_);
                worst = std::max(worst, missing / impact.target);
                if (missing <= 0 && impulse_[k] == 0) continue;
                const Yield yield = response_along(impact, impact.normal);
                if (yield.response <= 0) continue;
                const double sum = std::max(0.0, impulse_[k] + missing / yield.response);
                if (sum == impulse_[k]) continue;
                push(impact, (sum - impulse_[k]) * impact.normal, yield.yielding);
                impulse_[k] = sum;
            }
            if (worst <= zone_tolerance) return;
        }
    }

    bool can_move(Index v) const {
        return surface().is_cloth(v) &&
               (movable_.pinned.empty() || movable_.pinned[std::size_t(v)] == 0);
    }

    /// Since the last search.
    bool has_moved(const ElementPair& pair) const {
        return std::any_of(pair.vertex.begin(), pair.vertex.end(),
                           [&](Index v) { return moved_[std::size_t(v)] != 0; });
    }

    /// Every island goes a part of its way, less in each round, in the end none.
    void cut() {
        const VecX wanted = x1_;
        const Index n = surface().cloth_vertices;
        std::vector<double> part(std::size_t(n), 1.0);
        Islands islands(n);
        for (std::span<const Impact> impacts = find_all(); !impacts.empty();
             impacts = find_moved()) {
            ++report_.cut_rounds;
            std::vector<double> next = part;
            for (const Impact& impact : impacts) {
                Index first = -1;
                for (const Index v : impact.pair.vertex) {
                    if (!can_move(v)) continue;
                    if (first < 0) first = v;
                    islands.join(first, v);
                }
                if (first >= 0 || impact.only_near) continue;
                if (!options_.tolerate_pinched) return fail(impact, "which nothing can hold back");
                let_cross(impact);
            }
            // The least part of an island, shortened by the time of its first contact.
            std::vector<double> least(std::size_t(n), 1.0);
            std::vector<char> hit(std::size_t(n), 0);
            for (Index v = 0; v < n; ++v) {
                double& here = least[std::size_t(islands.root(v))];
                here = std::min(here, part[std::size_t(v)]);
            }
            for (const Impact& impact : impacts)
                for (const Index v : impact.pair.vertex)
                    if (can_move(v)) {
                        const Index root = islands.root(v);
                        if (hit[std::size_t(root)] == 0)
                            least[std::size_t(root)] *= kept_part * impact.time;
                        hit[std::size_t(root)] = 1;
                    }
            bool shortened = false;
            for (Index v = 0; v < n; ++v) {
                const Index root = islands.root(v);
                if (hit[std::size_t(root)] == 0 || !can_move(v)) continue;
                double to = least[std::size_t(root)];
                if (to < shortest_part) to = 0;
                double& now = part[std::size_t(v)];
                if (to >= now) continue;
                now = to;
                shortened = true;
                moved_[std::size_t(v)] = 1;
                if (now == 0)
                    vec3(x1_, v) = vec3(x0_, v);
                else
                    vec3(x1_, v) = vec3(x0_, v) + now * (vec3(wanted, v) - vec3(x0_, v));
            }
            // Who has stopped has come no nearer by himself: it will not be searched for again.
            bool crosses = false;
            for (const Impact& impact : impacts) {
                if (impact.only_near || has_moved(impact.pair)) continue;
                if (!options_.tolerate_pinched)
                    return fail(impact,
                                "where the cloth has already stopped: what moves there pinches it");
                let_cross(impact);
                crosses = true;
            }
            if (!shortened && !crosses) break;
        }
        for (const double p : part) {
            report_.cut_vertices += p < 1;
            report_.smallest_part = std::min(report_.smallest_part, p);
        }
    }

    /// Says no more to this pair. It is looked at again, as one of its vertices counts as moved.
    void let_cross(const Impact& impact) {
        if (impact.only_near) return;
        ++report_.pinched;
        finder_.leave_alone(impact.pair);
        moved_[std::size_t(impact.pair.vertex[0])] = 1;
    }

    void fail(const Impact& impact, const char* why) {
        report_.failure = fmt::format("infeasible motion at {}, {}", text(impact.pair), why);
    }

    ImpactFinder& finder_;
    const VecX& x0_;
    VecX& x1_;
    const Movable& movable_;
    const ResponseOptions& options_;
    ResponseReport report_;
    double reach_ = 0;  ///< m
    std::vector<char> moved_;
    std::vector<Impact> zone_;
    std::vector<double> impulse_;                 ///< of each, kg m
    std::map<ElementPair, std::size_t> of_pair_;  ///< where its impact is in `zone_`
};

ResponseReport Response::resolve(const VecX& x0, VecX& x1, const Movable& movable,
                                 const ResponseOptions& options) {
    TAFFETA_ASSERT(x0.size() == 3 * Eigen::Index(finder_.surface().vertices));
    TAFFETA_ASSERT(x1.size() == x0.size());
    return Pass(finder_, x0, x1, movable, options).run();
}

}  // namespace taffeta::contact
