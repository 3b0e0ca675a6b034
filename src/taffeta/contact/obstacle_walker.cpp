#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "taffeta/contact/obstacle.h"
#include "taffeta/contact/walker_surface.h"

namespace taffeta::contact {
namespace {

std::atomic<std::uint64_t> walkers_made{0};

/// The person of contact/walker_gait.h as an obstacle.
class Walker final : public Obstacle {
  public:
    explicit Walker(const WalkerOptions& options) : options_(options), number_(++walkers_made) {}

    Sample sample(const Vec3& p, double t) const override {
        const Limbs& limbs = at(t);
        const LimbHit hit = nearest_limb(limbs, p);
        const Motion::Pose& pose = limbs[std::size_t(hit.limb)].pose;
        return {hit.distance, hit.normal, pose.velocity(p - hit.distance * hit.normal)};
    }

    /// A point of one limb may come to lie within another one, in a bent knee: it is then pushed out
    /// to where it was, on the surface or as deep.
    Vec3 carried(const Vec3& p, double from, double to) const override {
        // By value: the poses of two times are kept, and `from` may be the one that makes room.
        const Limbs before = at(from), after = at(to);
        const LimbHit hit = nearest_limb(before, p);
        const auto limb = std::size_t(hit.limb);
        Vec3 q = after[limb].pose.to_world(before[limb].pose.to_rest(p));
        const LimbHit now = nearest_limb(after, q);
        const double deeper = now.distance - std::min(hit.distance, 0.0);
        if (deeper < -1e-12) q -= deeper * now.normal;
        return q;
    }

    bool near(const Vec3& p, double distance, double t) const override {
        for (const Limb& limb : at(t))
            if (limb.cone.at(p).value < distance) return true;
        return false;
    }

    mesh::TriMesh surface(double t) const override { return limbs_surface(at(t), 48); }

  private:
    /// The limbs at t. Every thread keeps those of the last two times: a step asks for its start and
    /// its end. They are valid until the thread asks for two other times.
    const Limbs& at(double t) const {
        struct Kept {
            std::uint64_t walker = 0;
            double time = 0;
            Limbs limbs;
        };
        static thread_local Kept kept[2];
        static thread_local int oldest = 0;
        for (int k = 0; k < 2; ++k)
            if (kept[k].walker == number_ && kept[k].time == t) {
                oldest = 1 - k;
                return kept[k].limbs;
            }
        Kept& fresh = kept[oldest];
        oldest = 1 - oldest;
        fresh.limbs = limbs_at(options_, t);
        fresh.walker = number_;
        fresh.time = t;
        return fresh.limbs;
    }

    WalkerOptions options_;
    std::uint64_t number_;  ///< tells walkers apart in the threads' memories
};

}  // namespace

extern const ObstacleEntry entry_walker;
constinit const ObstacleEntry entry_walker{
    "walker",
    "person of rounded limbs who walks on the spot",
    {},
    [] { return field_table<WalkerOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<WalkerOptions>(settings);
        if (options.step_length >= 1.6 * leg_length(options.height))
            settings.fail("the walker's step_length is too long for its legs",
                          "legs swing at most 53 degrees: 0.6 m goes with a height of 1.75 m");
        options.motion.check(settings);
        return std::make_unique<Walker>(options);
    }};

}  // namespace taffeta::contact
