#include <fmt/format.h>

#include "taffeta/energy/air_drag.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"
#include "taffeta/energy/wind.h"

namespace taffeta::energy {

namespace {

struct AirOptions {
    std::string drag = "quadratic";
    double density = 1.2;
    double normal = 1.2;
    double tangential = 0.05;
    Wind wind;

    static Fields<AirOptions> fields() {
        using O = AirOptions;
        return {
            {"drag", &O::drag, "growth with the speed", one_of({"quadratic", "linear"})},
            {"density", &O::density, "of the air, kg/m^3 (quadratic drag)", at_least(0)},
            {"normal", &O::normal,
             "coefficient along the normal: without unit (quadratic) or N s/m^3 (linear)",
             at_least(0)},
            {"tangential", &O::tangential, "coefficient along the cloth, in the same unit",
             at_least(0)},
            {"wind", &O::wind, "velocity of the air"},
        };
    }

    void check(const Settings& settings) const {
        for (std::size_t i = 0; i < wind.vortices.size(); ++i)
            if (wind.vortices[i].axis.norm() < 1e-12)
                settings.fail(fmt::format("wind.vortices[{}].axis has no length", i));
    }
};

/// Drag on every triangle by the mean velocity of its corners; a third of it to each. The
/// derivative by positions is dropped.
class Air final : public Energy {
  public:
    explicit Air(const AirOptions& options)
        : drag_{options.drag == "quadratic", options.density, options.normal, options.tangential},
          wind_(options.wind) {}

    std::string_view name() const override { return "air"; }
    sparse::StencilSet stencils() const override {
        return {3, std::span(vertex_).first(3 * std::size_t(count_))};
    }
    bool has_stiffness() const override { return false; }
    bool has_damping() const override { return true; }

    void bind(const BodyView& body, Diagnostics&) override {
        const std::vector<Triangle>& faces = body.mesh.face;
        const std::vector<Index> order = face_order(body.mesh);
        count_ = Index(faces.size());
        const std::size_t packs = (faces.size() + lanes - 1) / lanes;
        vertex_.resize(3 * lanes * packs);
        for (std::size_t e = 0; e < lanes * packs; ++e) {
            const auto f = std::size_t(order[std::min(e, faces.size() - 1)]);
            for (std::size_t k = 0; k < 3; ++k)
                vertex_[3 * e + k] = body.first_vertex + faces[f][k];
        }
    }

    double value(const VecX&) const override { return 0; }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        const Vec3 wind = wind_.at(at.time);
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; e += lanes)
                add_pack(at, wind, targets, plan, e, std::min(lanes, end - e));
        });
    }

  private:
    void add_pack(const EvaluationPoint& at, const Vec3& wind, const Targets& targets,
                  const ScatterPlan& plan, Index element, Index active) const {
        const Index* stencil = vertex_.data() + 3 * std::size_t(element);
        const Vector3<Pack> x0 = gather(at.x.data(), stencil, 3, 0);
        const Vector3<Pack> normal =
            cross(gather(at.x.data(), stencil, 3, 1) - x0, gather(at.x.data(), stencil, 3, 2) - x0);
        const Pack length = square_root(dot(normal, normal)), area = 0.5 * length;
        const Vector3<Pack> n = guarded_reciprocal(length, broadcast<Pack>(1e-100)) * normal;
        const Vector3<Pack> sum = gather(at.v.data(), stencil, 3, 0) +
                                  gather(at.v.data(), stencil, 3, 1) +
                                  gather(at.v.data(), stencil, 3, 2);
        Vector3<Pack> u{sum.x / 3.0 - wind.x(), sum.y / 3.0 - wind.y(), sum.z / 3.0 - wind.z()};
        if (!wind_.vortices.empty()) subtract_vortices(at, stencil, u);
        if (targets.force) {
            const Vector3<Pack> third = (1.0 / 3) * drag_.force(area, n, u);
            for (std::size_t k = 0; k < 3; ++k)
                add_vector(*targets.force, stencil + k, 3, active, third);
        }
        if (targets.damping) {
            const Matrix33<Pack> ninth = full((1.0 / 9) * drag_.jacobian(area, n, u));
            const Index* slot = plan.slot.data() + 9 * std::size_t(element);
            for (std::size_t k = 0; k < 9; ++k)
                add_block(*targets.damping, slot + k, 9, active, ninth);
        }
    }

    /// The part of the wind that differs from place to place, at the middles of four faces.
    void subtract_vortices(const EvaluationPoint& at, const Index* stencil,
                           Vector3<Pack>& u) const {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            Vec3 middle = Vec3::Zero();
            for (std::size_t k = 0; k < 3; ++k)
                middle += vec3(at.x, stencil[3 * lane + k]) / 3;
            for (const Vortex& vortex : wind_.vortices) {
                const Vec3 air = vortex.at(at.time, middle);
                u.x[lane] -= air.x();
                u.y[lane] -= air.y();
                u.z[lane] -= air.z();
            }
        }
    }

    AirDrag drag_;
    Wind wind_;
    Index count_ = 0;
    std::vector<Index> vertex_;  ///< of the world, three an element, whole packs
};

}  // namespace

extern const EnergyEntry entry_air;
constinit const EnergyEntry entry_air{"air", "drag of still or moving air on every triangle",
                                      EnergyProperties{.conservative = false, .internal = false},
                                      field_table<AirOptions>,
                                      [](const Settings& settings) -> std::unique_ptr<Energy> {
                                          const auto options = read_options<AirOptions>(settings);
                                          options.check(settings);
                                          return std::make_unique<Air>(options);
                                      }};

}  // namespace taffeta::energy
