#include <Eigen/Geometry>

#include "taffeta/base/parallel.h"
#include "taffeta/energy/scatter.h"

namespace taffeta::energy {

namespace {

struct StitchOptions {
    double stiffness = 1000;
    double closing_time = 0.5;

    static Fields<StitchOptions> fields() {
        return {{"stiffness", &StitchOptions::stiffness, "of each stitch, N/m", at_least(0)},
                {"closing_time", &StitchOptions::closing_time,
                 "in which the threads are pulled shut, s; 0: at once", at_least(0)}};
    }
};

/// Threads that sew a mesh together: a vertex and a point of a seam, d apart, by a thread that gets
/// shorter steadily until it has no length.
///
///     f = k max(0, |d| - l(t)) d/|d|,    l(t) = |d(0)| max(0, 1 - t/T)
///
/// on both, with the stiffness k n n' + k (1 - l/|d|) (I - n n'), which is positive semidefinite where the
/// thread is taut. As l follows the time this has no potential.
class Stitches final : public Energy {
  public:
    explicit Stitches(const StitchOptions& options) : options_(options) {}

    std::string_view name() const override { return "stitches"; }
    sparse::StencilSet stencils() const override { return {3, vertex_}; }

    void bind(const BodyView& body, Diagnostics&) override {
        for (const mesh::Stitch& stitch : body.mesh.stitch) {
            for (const Index v : {stitch.vertex, stitch.start, stitch.end})
                vertex_.push_back(body.first_vertex + v);
            weight_.push_back({1, -(1 - stitch.part), -stitch.part});
            const auto& x = body.mesh.position;
            length_.push_back((x[std::size_t(stitch.vertex)] -
                               (1 - stitch.part) * x[std::size_t(stitch.start)] -
                               stitch.part * x[std::size_t(stitch.end)])
                                  .norm());
        }
    }

    double value(const VecX&) const override { return 0; }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        const double left =
            options_.closing_time > 0 ? std::max(0.0, 1 - at.time / options_.closing_time) : 0;
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; ++e)
                add_thread(e, left * length_[std::size_t(e)], at.x, targets, plan);
        });
    }

  private:
    void add_thread(Index e, double length, const VecX& x, const Targets& targets,
                    const ScatterPlan& plan) const {
        const Index* vertex = vertex_.data() + 3 * std::size_t(e);
        const std::array<double, 3>& weight = weight_[std::size_t(e)];
        Vec3 d = Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k)
            d += weight[k] * vec3(x, vertex[k]);
        const double distance = d.norm();
        if (distance < length) return;
        const Vec3 n = distance > 0 ? Vec3(d / distance) : Vec3(Vec3::UnitX());
        if (targets.force) {
            const Vec3 pull = options_.stiffness * (distance - length) * n;
            for (std::size_t k = 0; k < 3; ++k)
                vec3(*targets.force, vertex[k]) -= weight[k] * pull;
        }
        if (!targets.stiffness) return;
        const double across = distance > 0 ? 1 - length / distance : (length > 0 ? 0 : 1);
        const Mat3 K =
            options_.stiffness * (across * Mat3::Identity() + (1 - across) * n * n.transpose());
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                targets.stiffness->block(plan.slot[9 * std::size_t(e) + 3 * i + j]) +=
                    weight[i] * weight[j] * K;
    }

    StitchOptions options_;
    std::vector<Index> vertex_;                  ///< of the world, three a stitch
    std::vector<std::array<double, 3>> weight_;  ///< of each of them
    std::vector<double> length_;                 ///< |d(0)|, m
};

}  // namespace

extern const EnergyEntry entry_stitches;
constinit const EnergyEntry entry_stitches{
    "stitches", "threads that sew a mesh together",
    EnergyProperties{.conservative = false, .internal = true}, field_table<StitchOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        return std::make_unique<Stitches>(read_options<StitchOptions>(settings));
    }};

}  // namespace taffeta::energy
