#include "taffeta/base/parallel.h"
#include "taffeta/energy/scatter.h"

namespace taffeta::energy {

namespace {

struct GravityOptions {
    Vec3 acceleration = Vec3(0, -9.81, 0);

    static Fields<GravityOptions> fields() {
        return {{"acceleration", &GravityOptions::acceleration, "g, m/s^2"}};
    }
};

/// Weight: E = - sum m_i g.x_i, f_i = m_i g, no stiffness.
class Gravity final : public Energy {
  public:
    explicit Gravity(const GravityOptions& options) : acceleration_(options.acceleration) {}

    std::string_view name() const override { return "gravity"; }
    sparse::StencilSet stencils() const override { return {1, vertex_}; }
    bool has_stiffness() const override { return false; }

    void bind(const BodyView& body, Diagnostics&) override {
        mass_.assign(body.vertex_mass.begin(), body.vertex_mass.end());
        for (Index i = 0; i < Index(mass_.size()); ++i)
            vertex_.push_back(body.first_vertex + i);
    }

    double value(const VecX& x) const override {
        return parallel_sum(Index(mass_.size()), sum_grain, [&](Index begin, Index end) {
            double sum = 0;
            for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
                sum -= mass_[i] * acceleration_.dot(vec3(x, vertex_[i]));
            return sum;
        });
    }

    void add(const EvaluationPoint&, const Targets& targets,
             const ScatterPlan& plan) const override {
        if (!targets.force) return;
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
                vec3(*targets.force, vertex_[i]) += mass_[i] * acceleration_;
        });
    }

  private:
    Vec3 acceleration_;
    std::vector<double> mass_;
    std::vector<Index> vertex_;
};

}  // namespace

extern const EnergyEntry entry_gravity;
constinit const EnergyEntry entry_gravity{
    "gravity", "weight of the vertices", EnergyProperties{.conservative = true, .internal = false},
    field_table<GravityOptions>, [](const Settings& settings) -> std::unique_ptr<Energy> {
        return std::make_unique<Gravity>(read_options<GravityOptions>(settings));
    }};

}  // namespace taffeta::energy
