#pragma once

#include <fmt/format.h>

#include "taffeta/energy/psd.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"
#include "taffeta/energy/springs.h"

namespace taffeta::energy {

/// What an in-plane material has to provide, for `Real` = double and Pack (lanes.h):
///
///     using Options = ...;                     // with fields(), check(settings) and `psd`
///     static constexpr std::string_view key;   // of its registry entry
///     static constexpr std::array<std::string_view, N> part_names;
///     explicit Law(const Options&);
///     bool has_viscosity() const;
///     std::array<Real, N> psi(F) const;                    // J/m^2, by parts
///     Deformation<Real> stress(F) const;                   // P = dpsi/dF, N/m
///     MembraneHessian<Real> hessian(F, rule) const;        // N/m
///     MembraneHessian<Real> viscosity(F) const;            // PSD, N s/m; f_d = -A (V : dF/dt) c
///     Vec2 rest_stretch() const;        // of warp and weft where there is no stress
///     const char* limit(F) const;       // for double: what is wrong at the law's limit, or nullptr
///     std::pair<Deformation<Real>, MembraneHessian<Real>> stress_and_hessian(F, rule) const;
///                                       // optional: both, where they share most of the work
///
/// The derivative of the viscous force by positions is dropped: one part of it is not symmetric,
/// the other indefinite.
template <class Law>
class MembraneEnergy final : public Energy {
  public:
    explicit MembraneEnergy(const typename Law::Options& options)
        : law_(options), rule_(psd_rule(options.psd)) {}

    std::string_view name() const override { return Law::key; }
    sparse::StencilSet stencils() const override {
        return {3, std::span(vertex_).first(3 * std::size_t(count_))};
    }
    bool has_damping() const override { return law_.has_viscosity(); }

    void bind(const BodyView& body, Diagnostics&) override {
        const std::vector<Triangle>& faces = body.mesh.face;
        count_ = Index(faces.size());
        face_ = face_order(body.mesh);
        // The last pack is filled up with copies of the last element, which are never scattered.
        const std::size_t packs = (faces.size() + lanes - 1) / lanes;
        map_.resize(packs);
        vertex_.resize(3 * lanes * packs);
        for (std::size_t e = 0; e < lanes * packs; ++e) {
            const auto f = std::size_t(face_[std::min(e, faces.size() - 1)]);
            const DeformationMap<double> map = deformation_map(body.rest.face_uv[f]);
            DeformationMap<Pack>& pack = map_[e / lanes];
            const std::size_t lane = e % lanes;
            pack.c1u[lane] = map.c1u, pack.c1v[lane] = map.c1v;
            pack.c2u[lane] = map.c2u, pack.c2v[lane] = map.c2v;
            pack.area[lane] = map.area;
            for (std::size_t k = 0; k < 3; ++k)
                vertex_[3 * e + k] = body.first_vertex + faces[f][k];
        }
    }

    double value(const VecX& x) const override {
        double sum = 0;
        for (const double part : part_values(x))
            sum += part;
        return sum;
    }
    std::vector<std::pair<std::string_view, double>> parts(const VecX& x) const override {
        const Parts values = part_values(x);
        std::vector<std::pair<std::string_view, double>> named;
        for (std::size_t i = 0; i < values.size(); ++i)
            named.emplace_back(Law::part_names[i], values[i]);
        return named;
    }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; e += lanes) {
                prefetch_blocks(targets.stiffness, plan, 3, e + lanes, end);
                add_pack(at, targets, plan, e, std::min(lanes, end - e));
            }
        });
    }

    bool add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const override {
        const Vec2 b = law_.rest_stretch();
        const Deformation<double> rest{{b.x(), 0, 0}, {0, b.y(), 0}};
        const SheetTangent sheet{tangent(law_.hessian(rest, PsdRule::exact), b),
                                 tangent(law_.viscosity(rest), b), b};
        add_edge_springs(body, sheet, springs);
        return true;
    }

    void inspect(const VecX& x, Diagnostics& diagnostics) const override {
        Index count = 0, first = -1;
        const char* first_limit = nullptr;
        for (Index e = 0; e < count_; ++e) {
            const Deformation<Pack> F = gradient(x, e / lanes * lanes);
            const auto lane = std::size_t(e % lanes);
            const char* limit = law_.limit(
                {{F.u.x[lane], F.u.y[lane], F.u.z[lane]}, {F.v.x[lane], F.v.y[lane], F.v.z[lane]}});
            if (!limit) continue;
            const Index face = face_[std::size_t(e)];
            if (count++ == 0 || face < first) first = face, first_limit = limit;
        }
        if (count > 0)
            diagnostics.push_back({Severity::warning,
                                   {},
                                   fmt::format("{} faces are at the limit of {}; the first is face "
                                               "{}: {}",
                                               count, Law::key, first, first_limit),
                                   "take smaller steps or refine the mesh there"});
    }

  private:
    struct Parts : std::array<double, Law::part_names.size()> {
        Parts() { this->fill(0); }
        Parts& operator+=(const Parts& other) {
            for (std::size_t i = 0; i < this->size(); ++i)
                (*this)[i] += other[i];
            return *this;
        }
    };

    /// A form of dF as one of the strains (e_uu, e_vv, 2 e_uv) about the rest diag(b).
    static Mat3 tangent(const MembraneHessian<double>& H, const Vec2& b) {
        const Deformation<double> change[3] = {{{b.x(), 0, 0}, {0, 0, 0}},
                                               {{0, 0, 0}, {0, b.y(), 0}},
                                               {{0, b.x() / 2, 0}, {b.y() / 2, 0, 0}}};
        Mat3 C;
        for (int i = 0; i < 3; ++i) {
            const Deformation<double> stress = apply(H, change[i]);
            for (int j = 0; j < 3; ++j)
                C(j, i) = dot(stress.u, change[j].u) + dot(stress.v, change[j].v);
        }
        return C;
    }

    /// F of four elements, or its rate when `field` holds velocities.
    Deformation<Pack> gradient(const VecX& field, Index element) const {
        const Index* stencil = vertex_.data() + 3 * std::size_t(element);
        return map_[std::size_t(element / lanes)].gradient(gather(field.data(), stencil, 3, 0),
                                                           gather(field.data(), stencil, 3, 1),
                                                           gather(field.data(), stencil, 3, 2));
    }

    Parts part_values(const VecX& x) const {
        return parallel_sum<Parts>(count_, sum_grain, [&](Index begin, Index end) {
            Parts sum;
            for (Index e = begin; e < end; e += lanes) {
                const auto densities = law_.psi(gradient(x, e));
                const Pack area = map_[std::size_t(e / lanes)].area;
                for (std::size_t i = 0; i < sum.size(); ++i)
                    sum[i] += sum_of_lanes(area * densities[i], std::min(lanes, end - e));
            }
            return sum;
        });
    }

    void add_pack(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index element, Index active) const {
        const DeformationMap<Pack>& map = map_[std::size_t(element / lanes)];
        const Deformation<Pack> F = gradient(at.x, element);
        const bool viscous = has_damping() && (targets.force || targets.damping);
        const MembraneHessian<Pack> V = viscous ? law_.viscosity(F) : MembraneHessian<Pack>{};
        std::pair<Deformation<Pack>, MembraneHessian<Pack>> both;
        constexpr bool shared = requires {
            law_.stress_and_hessian(F, rule_);
        };
        if constexpr (shared)
            if (targets.force && targets.stiffness) both = law_.stress_and_hessian(F, rule_);
        if (targets.force) {
            Deformation<Pack> P = shared && targets.stiffness ? both.first : law_.stress(F);
            if (viscous) {
                const Deformation<Pack> P_viscous = apply(V, gradient(at.v, element));
                P = {P.u + P_viscous.u, P.v + P_viscous.v};
            }
            const auto f = corner_forces(map, P);
            const Index* stencil = vertex_.data() + 3 * std::size_t(element);
            for (std::size_t k = 0; k < 3; ++k)
                add_vector(*targets.force, stencil + k, 3, active, f[k]);
        }
        const Index* slot = plan.slot.data() + 9 * std::size_t(element);
        if (targets.stiffness)
            add_corner_blocks(
                *targets.stiffness, slot, active,
                corner_blocks(map, shared && targets.force ? both.second : law_.hessian(F, rule_)));
        if (targets.damping && viscous)
            add_corner_blocks(*targets.damping, slot, active, corner_blocks(map, V));
    }

    Law law_;
    PsdRule rule_;
    Index count_ = 0;
    std::vector<DeformationMap<Pack>> map_;  ///< one a pack
    std::vector<Index> vertex_;              ///< of the world, three an element, whole packs
    std::vector<Index> face_;                ///< face of each element
};

/// For the registry entry of a law.
template <class Law>
std::unique_ptr<Energy> make_membrane(const Settings& settings) {
    const auto options = read_options<typename Law::Options>(settings);
    options.check(settings);
    return std::make_unique<MembraneEnergy<Law>>(options);
}

}  // namespace taffeta::energy
