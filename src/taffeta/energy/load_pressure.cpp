#include "taffeta/energy/scatter.h"

namespace taffeta::energy {

namespace {

struct PressureOptions {
    double pressure = 100;

    static Fields<PressureOptions> fields() {
        return {{"pressure", &PressureOptions::pressure,
                 "along the normals of the faces, Pa; of a closed surface from inside"}};
    }
};

/// A pressure that does not depend on the shape: p/6 (x1 - x0) x (x2 - x0) on each corner of a face.
///
/// Over a closed surface it is the gradient of p times the volume, forces and torques sum to zero, and a
/// stiffness would be symmetric; it is indefinite even there and left out, as are its torques on the
/// boundary of an open one.
class Pressure final : public Energy {
  public:
    explicit Pressure(const PressureOptions& options) : pressure_(options.pressure) {}

    std::string_view name() const override { return "pressure"; }
    sparse::StencilSet stencils() const override { return {3, vertex_}; }
    bool has_stiffness() const override { return false; }

    void bind(const BodyView& body, Diagnostics&) override {
        for (const Triangle& face : body.mesh.face)
            for (const Index vertex : face)
                vertex_.push_back(body.first_vertex + vertex);
    }

    double value(const VecX&) const override { return 0; }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        if (!targets.force) return;
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; ++e) {
                const Index* corner = vertex_.data() + 3 * std::size_t(e);
                const Vec3 x0 = vec3(at.x, corner[0]);
                const Vec3 a = vec3(at.x, corner[1]) - x0, b = vec3(at.x, corner[2]) - x0;
                const Vec3 push = pressure_ / 6 * a.cross(b);
                for (std::size_t k = 0; k < 3; ++k)
                    vec3(*targets.force, corner[k]) += push;
            }
        });
    }

  private:
    double pressure_;
    std::vector<Index> vertex_;  ///< of the world, three a face
};

}  // namespace

extern const EnergyEntry entry_pressure;
constinit const EnergyEntry entry_pressure{
    "pressure", "a constant pressure on all faces",
    EnergyProperties{.conservative = false, .internal = false}, field_table<PressureOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        return std::make_unique<Pressure>(read_options<PressureOptions>(settings));
    }};

}  // namespace taffeta::energy
