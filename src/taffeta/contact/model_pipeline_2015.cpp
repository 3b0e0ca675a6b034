#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "taffeta/base/byte_stream.h"
#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/contact/collision_scene.h"
#include "taffeta/contact/constraints_1998.h"
#include "taffeta/contact/leading_apart.h"
#include "taffeta/contact/proximity.h"
#include "taffeta/contact/response.h"
#include "taffeta/contact/untangling.h"

/// Cloth against obstacles and against itself, so that nothing crosses.        [TJM15, section 2]
///
/// Before the solve: constraints on vertices that touch an obstacle (contact/model_constraints_1998.cpp)
/// and springs between near elements of the cloth, implicit (contact/proximity.h). After it: what would
/// still meet on the way from x(t) to the new x is found exactly and resolved by impulses, impact zones
/// and, last, a cut in time (contact/response.h). Velocities change by what positions change, over h.
///
/// The promise: if nothing touches at the start of a step, nothing does at its end or in between,
/// counting vertices, edges and faces of the cloth and of obstacles that are meshes. A step for which
/// that cannot be had fails with a sentence. Smooth obstacles keep vertices out by their constraints.
namespace taffeta::contact {
namespace {

/// Contact of cloth with cloth, and what is left between things that met.
struct SelfContactOptions {
    double thickness = 1e-3;
    double stiffness = 1000;
    double damping = 0;
    double friction = 0.2;
    double recovery = 0.2;
    double gap = 1e-4;
    int impulse_rounds = 8;
    int zone_rounds = 20;

    static Fields<SelfContactOptions> fields() {
        using Options = SelfContactOptions;
        return {
            {"thickness", &Options::thickness,
             "distance at which cloth repels cloth, m; no more than half of an edge", at_least(0)},
            {"stiffness", &Options::stiffness, "of the repulsion of a pair, N/m", at_least(0)},
            {"damping", &Options::damping, "of the repulsion, in seconds times its stiffness",
             at_least(0)},
            {"friction", &Options::friction, "Coulomb coefficient of cloth on cloth", at_least(0)},
            {"recovery", &Options::recovery,
             "part of a missing distance that is regained in a step", between(0, 1)},
            {"gap", &Options::gap, "distance left between what met, m", positive()},
            {"impulse_rounds", &Options::impulse_rounds, "at most, before impact zones",
             at_least(0)},
            {"zone_rounds", &Options::zone_rounds, "at most, before the time is cut", at_least(0)}};
    }
};

struct Pipeline2015Options {
    double thickness = 1e-3, release_tolerance = 1e-3, max_alteration = 0.5, stick_velocity = 0.5;
    SelfContactOptions self;
    std::string start = "refuse", pinched = "stop";

    Constraints1998Options constraints() const {
        return {thickness, release_tolerance, max_alteration, stick_velocity};
    }

    static Fields<Pipeline2015Options> fields() {
        using Options = Pipeline2015Options;
        return {
            {"thickness", &Options::thickness, "distance kept from obstacles, m", positive()},
            {"release_tolerance", &Options::release_tolerance,
             "pull that a contact bears before it is released, in units of the weight on a vertex",
             at_least(0)},
            {"max_alteration", &Options::max_alteration,
             "largest displacement out of an obstacle in a step, in shortest edge lengths",
             between(0, 1)},
            {"stick_velocity", &Options::stick_velocity,
             "a vertex that slips faster does not begin to stick, m/s", at_least(0)},
            {"self", &Options::self, "contact of cloth with cloth"},
            {"start", &Options::start,
             "what to do with intersections at the start: refuse the scene, tolerate them and "
             "leave "
             "these pairs alone, or untangle them",
             one_of({"refuse", "tolerate", "untangle"})},
            {"pinched", &Options::pinched,
             "what to do where pins or obstacles leave cloth no room: stop, or let these pairs "
             "cross "
             "and untangle them later",
             one_of({"stop", "untangle"})}};
    }
};

class Pipeline2015 final : public ContactModel {
  public:
    explicit Pipeline2015(const Pipeline2015Options& options)
        : options_(options),
          constraints_(make_constraints_1998(options.constraints())),
          tangled_(options.start == "untangle") {}

    ContactReport before(const Problem& problem, const Demands& demands) override {
        ContactReport report = constraints_->before(problem, demands);
        const Timer timer;
        if (!problem.faces.empty()) {
            place(problem);
            report.touching = untangle(problem, demands);
            find_springs(problem, demands.repulsion);
            report.springs = Index(demands.repulsion.springs().size());
        }
        report.detection_seconds += timer.seconds();
        return report;
    }

    void after(const Problem& problem, const sparse::NodeFilter& filter,
               const VecX& constraint_impulse, VecX& x, VecX& v, ContactReport& report) override {
        constraints_->after(problem, filter, constraint_impulse, x, v, report);
        if (problem.faces.empty()) return;
        const Timer timer;
        end_.head(x.size()) = x;
        CollisionScene::place_obstacles(problem, problem.time + problem.step, end_);
        const Movable movable{problem.mass, filter, problem.pinned, friction_};
        const ResponseOptions options{options_.self.gap, options_.self.friction,
                                      options_.self.impulse_rounds, options_.self.zone_rounds,
                                      options_.pinched == "untangle" && problem.last_try};
        const ResponseReport response = response_->resolve(start_, end_, movable, options);
        report.impacts = response.impacts;
        report.rounds = response.impulse_rounds + response.zone_rounds + response.cut_rounds;
        report.zone_impacts = response.zone_impacts;
        report.stopped = response.cut_vertices;
        report.touching += response.touching;
        report.pinched = response.pinched;
        report.failure = response.failure;
        if (!response.ok()) return;
        // What nobody has touched keeps its bits.
        if (response.impacts > 0)
            parallel_for(Index(x.size() / 3), 4096, [&](Index i) {
                const Vec3 change = vec3(end_, i) - vec3(x, i);
                if (change.isZero(0)) return;
                vec3(v, i) += change / problem.step;
                vec3(x, i) = vec3(end_, i);
            });
        if (response.pinched > 0) tangled_ = pinched_ = true;
        if (pinched_) report.tangled = slip_out(problem, movable, options, x);
        report.response_seconds = timer.seconds();
    }

    bool tolerates_intersections() const override { return options_.start != "refuse"; }

    std::vector<char> save() const override {
        ByteWriter bytes;
        bytes.put(std::uint8_t((tangled_ ? 1 : 0) + (pinched_ ? 2 : 0)));
        bytes.put_bytes(constraints_->save());
        return bytes.take();
    }
    void load(std::span<const char> memory) override {
        ByteReader bytes(memory);
        const auto crossed = bytes.get<std::uint8_t>();
        tangled_ = (crossed & 1) != 0;
        pinched_ = (crossed & 2) != 0;
        constraints_->load(bytes.get_bytes());
    }

  private:
    /// The surfaces, once, and where they are at the start of the step.
    void place(const Problem& problem) {
        if (!response_) {
            CollisionScene scene(problem);
            friction_.assign(scene.friction().begin(), scene.friction().end());
            start_.setZero(3 * Eigen::Index(scene.surface().vertices));
            end_ = expected_ = start_;
            response_.emplace(scene.surface());
        }
        start_.head(problem.x.size()) = problem.x;
        CollisionScene::place_obstacles(problem, problem.time, start_);
    }

    Untangling& untangling() {
        if (!untangling_) untangling_.emplace(response_->finder().surface());
        return *untangling_;
    }

    /// What was pinched comes out of what it crossed, without velocity, where there is room. Returns how many
    /// pairs still intersect.
    Index slip_out(const Problem& problem, const Movable& movable, const ResponseOptions& options,
                   VecX& x) {
        const Index left =
            lead_apart(untangling(), *response_, movable, problem.shortest_edge, options, end_);
        tangled_ = pinched_ = left > 0;
        x = end_.head(x.size());
        return left;
    }

    /// Leads what intersects a little way apart, and leaves it alone otherwise. Returns how much there is.
    Index untangle(const Problem& problem, const Demands& demands) {
        ImpactFinder& finder = response_->finder();
        finder.leave_alone_between({});
        left_alone_ = {};
        if (!tangled_) return 0;
        const Index pairs = untangling().find(start_);
        tangled_ = pairs > 0;
        pinched_ = pinched_ && tangled_;
        if (!tangled_) return 0;
        left_alone_ = untangling_->involved();
        finder.leave_alone_between(left_alone_);
        untangling_->displace(start_, problem.shortest_edge, demands.filter, problem.pinned,
                              demands.alteration);
        return pairs;
    }

    void find_springs(const Problem& problem, Repulsion& repulsion) {
        if (options_.self.thickness == 0 || options_.self.stiffness == 0) return;
        const Eigen::Index size = problem.x.size();
        expected_ = start_;
        expected_.head(size) += problem.step * problem.v;
        ImpactFinder& finder = response_->finder();
        proximity_.find(
            finder.fitted(start_, start_, options_.self.thickness), finder.surface(),
            {start_, expected_, problem.mass, problem.step, problem.shortest_edge, left_alone_},
            {options_.self.thickness, options_.self.stiffness, options_.self.damping,
             options_.self.friction, options_.self.recovery},
            repulsion.springs());
    }

    Pipeline2015Options options_;
    std::unique_ptr<ContactModel> constraints_;
    std::optional<Response> response_;
    Proximity proximity_;
    std::optional<Untangling> untangling_;
    bool tangled_;                      ///< something may intersect at the start of the next step
    bool pinched_ = false;              ///< and a step before did that
    std::span<const char> left_alone_;  ///< of `untangling_`
    VecX start_, end_, expected_;       ///< of cloth and obstacles
    std::vector<double> friction_;      ///< per obstacle vertex
};

}  // namespace

extern const ContactModelEntry entry_pipeline_2015;
constinit const ContactModelEntry entry_pipeline_2015{
    "pipeline_2015",
    "nothing crosses: constraints, implicit repulsion, impulses, impact zones [TJM15]",
    {.self_contact = true},
    [] { return field_table<Pipeline2015Options>(); },
    [](const Settings& settings) -> std::unique_ptr<ContactModel> {
        return std::make_unique<Pipeline2015>(read_options<Pipeline2015Options>(settings));
    }};

}  // namespace taffeta::contact
