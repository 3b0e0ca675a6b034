#pragma once

#include <fmt/format.h>

#include "taffeta/energy/scatter.h"
#include "taffeta/energy/solid_material.h"
#include "taffeta/energy/solid_nodes.h"
#include "taffeta/energy/spatial_order.h"

namespace taffeta::energy {

/// What a law of solids has to provide, for `Real` = double and Pack (lanes.h):
///
///     static constexpr std::string_view key;        // of its registry entry
///     explicit Law(const SolidOptions&);
///     auto at(const Matrix33<Real>& F) const;       // what the others need: F or its singular values
///     Real psi(state) const;                        // J/m^3
///     Matrix33<Real> stress(state) const;           // P = dpsi/dF, N/m^2
///     SolidHessian<Real> hessian(state, rule) const;// N/m^2; the positive part unless rule is exact
///
/// The element loop runs four tets side by side. Elements with middle vertices are integrated at four
/// points (solid_nodes.h). Damping is the same for all laws (solid_material.h).
template <class Law>
class SolidEnergy final : public Energy {
  public:
    explicit SolidEnergy(const SolidOptions& options)
        : law_(options),
          rule_(psd_rule(options.psd)),
          viscosity_{options.tau * options.lambda(), options.tau * options.mu()} {}

    std::string_view name() const override { return Law::key; }
    sparse::StencilSet stencils() const override {
        return {nodes_, std::span(vertex_).first(std::size_t(nodes_) * std::size_t(count_))};
    }
    bool has_damping() const override { return viscosity_.mu > 0; }

    void bind(const BodyView& body, Diagnostics&) override {
        TAFFETA_ASSERT(body.tets != nullptr);
        const mesh::TetMesh& solid = *body.tets;
        nodes_ = solid.quadratic() ? 10 : 4;
        count_ = solid.tet_count();
        tet_ = tet_order(solid);
        // The last pack is filled up with copies of the last element, which are never scattered.
        const std::size_t packs = (tet_.size() + lanes - 1) / lanes;
        map_.resize(packs);
        vertex_.resize(std::size_t(nodes_) * lanes * packs);
        for (std::size_t e = 0; e < lanes * packs; ++e) {
            const Index t = tet_[std::min(e, tet_.size() - 1)];
            set_map(solid, t, map_[e / lanes], e % lanes);
            Index* stencil = vertex_.data() + std::size_t(nodes_) * e;
            for (std::size_t k = 0; k < 4; ++k)
                stencil[k] = body.first_vertex + solid.tet[std::size_t(t)][k];
            for (std::size_t k = 4; k < std::size_t(nodes_); ++k)
                stencil[k] = body.first_vertex + solid.middle[std::size_t(t)][k - 4];
        }
    }

    double value(const VecX& x) const override {
        return nodes_ == 4 ? sum_psi<4>(x) : sum_psi<10>(x);
    }
    std::vector<std::pair<std::string_view, double>> parts(const VecX& x) const override {
        return {{"solid", value(x)}};
    }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; e += lanes) {
                prefetch_blocks(targets.stiffness, plan, nodes_, e + lanes, end);
                if (nodes_ == 4)
                    add_pack<4>(at, targets, plan, e, std::min(lanes, end - e));
                else
                    add_pack<10>(at, targets, plan, e, std::min(lanes, end - e));
            }
        });
    }

    void inspect(const VecX& x, Diagnostics& diagnostics) const override {
        Index count = 0, first = -1;
        for (Index e = 0; e < count_; ++e) {
            if (!(nodes_ == 4 ? inverted<4>(x, e) : inverted<10>(x, e))) continue;
            const Index tet = tet_[std::size_t(e)];
            if (count++ == 0 || tet < first) first = tet;
        }
        if (count > 0)
            diagnostics.push_back(
                {Severity::warning,
                 {},
                 fmt::format("{} tets are inside out; the first is tet {}", count, first),
                 "take smaller steps, or a stiffer material"});
    }

  private:
    template <int Nodes>
    using Corners = std::array<Vector3<Pack>, Nodes>;

    static void set_map(const mesh::TetMesh& solid, Index t, SolidMap<Pack>& map,
                        std::size_t lane) {
        const mesh::Tet& tet = solid.tet[std::size_t(t)];
        const Vec3& x0 = solid.position[std::size_t(tet[0])];
        const Vec3 a = solid.position[std::size_t(tet[1])] - x0;
        const Vec3 b = solid.position[std::size_t(tet[2])] - x0;
        const Vec3 c = solid.position[std::size_t(tet[3])] - x0;
        const double det = a.cross(b).dot(c);
        const Vec3 rows[3] = {b.cross(c) / det, c.cross(a) / det, a.cross(b) / det};
        Vector3<Pack>* of[3] = {&map.c1, &map.c2, &map.c3};
        for (int i = 0; i < 3; ++i) {
            of[i]->x[lane] = rows[i].x();
            of[i]->y[lane] = rows[i].y();
            of[i]->z[lane] = rows[i].z();
        }
        map.volume[lane] = det / 6;
    }

    template <int Nodes>
    Corners<Nodes> gather_nodes(const VecX& field, Index element) const {
        const Index* stencil = vertex_.data() + std::size_t(Nodes) * std::size_t(element);
        Corners<Nodes> x;
        for (int k = 0; k < Nodes; ++k)
            x[std::size_t(k)] = gather(field.data(), stencil, Nodes, k);
        return x;
    }
    const SolidMap<Pack>& map_of(Index element) const { return map_[std::size_t(element / lanes)]; }

    template <int Nodes>
    double sum_psi(const VecX& x) const {
        constexpr int points = SolidNodes<Nodes>::points;
        return parallel_sum(count_, sum_grain, [&](Index begin, Index end) {
            double sum = 0;
            for (Index e = begin; e < end; e += lanes) {
                const Corners<Nodes> corners = gather_nodes<Nodes>(x, e);
                const SolidMap<Pack>& map = map_of(e);
                for (int p = 0; p < points; ++p) {
                    const auto F = map.gradient(point_corners<Pack, Nodes>(corners, p));
                    sum += sum_of_lanes((1.0 / points) * map.volume * law_.psi(law_.at(F)),
                                        std::min(lanes, end - e));
                }
            }
            return sum;
        });
    }

    template <int Nodes>
    bool inverted(const VecX& x, Index element) const {
        const Index first = element / lanes * lanes;
        const Corners<Nodes> corners = gather_nodes<Nodes>(x, first);
        for (int p = 0; p < SolidNodes<Nodes>::points; ++p) {
            const auto F = map_of(first).gradient(point_corners<Pack, Nodes>(corners, p));
            if (determinant(F)[std::size_t(element - first)] <= 0) return true;
        }
        return false;
    }

    template <int Nodes>
    void add_pack(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index element, Index active) const {
        constexpr int points = SolidNodes<Nodes>::points;
        SolidMap<Pack> map = map_of(element);
        map.volume = (1.0 / points) * map.volume;
        const Corners<Nodes> x = gather_nodes<Nodes>(at.x, element);
        const bool viscous = has_damping() && (targets.force || targets.damping);
        Corners<Nodes> v;
        if (viscous) v = gather_nodes<Nodes>(at.v, element);
        Sums<Nodes> sums;
        for (int p = 0; p < points; ++p) {
            const Matrix33<Pack> F = map.gradient(point_corners<Pack, Nodes>(x, p));
            const auto state = law_.at(F);
            if (targets.force) {
                Matrix33<Pack> P = law_.stress(state);
                if (viscous) {
                    const auto rate = map.gradient(point_corners<Pack, Nodes>(v, p));
                    P = P + viscosity_.stress(F, rate);
                }
                sums.add_force(p, corner_forces(map, P));
            }
            if (targets.stiffness) sums.K.add(p, corner_blocks(map, law_.hessian(state, rule_)));
            if (targets.damping && viscous) sums.D.add(p, viscosity_.blocks(map, F));
        }
        const Index* stencil = vertex_.data() + std::size_t(Nodes) * std::size_t(element);
        const Index* slot = plan.slot.data() + std::size_t(Nodes * Nodes) * std::size_t(element);
        if (targets.force)
            for (std::size_t k = 0; k < Nodes; ++k)
                add_vector(*targets.force, stencil + k, Nodes, active, sums.force[k]);
        if (targets.stiffness) scatter<Nodes>(*targets.stiffness, slot, active, sums.K);
        if (targets.damping && viscous) scatter<Nodes>(*targets.damping, slot, active, sums.D);
    }

    /// A single point has nothing to sum: its blocks are the element's.
    struct OnePoint {
        SolidBlocks<Pack> K;
        void add(int, const SolidBlocks<Pack>& blocks) { K = blocks; }
    };
    template <int Nodes>
    struct Sums {
        std::conditional_t<Nodes == 4, OnePoint, NodeBlocks<Pack, Nodes>> K, D;
        Corners<Nodes> force{};

        void add_force(int point, const std::array<Vector3<Pack>, 4>& f) {
            const auto& weights = node_weights<Nodes>()[std::size_t(point)];
            for (std::size_t n = 0; n < Nodes; ++n)
                for (int k = 0; k < weights[n].corners; ++k)
                    force[n] += weights[n].weight[k] * f[std::size_t(weights[n].corner[k])];
        }
    };

    template <int Nodes, class Blocks>
    static void scatter(sparse::Matrix3& target, const Index* slot, Index active,
                        const Blocks& blocks) {
        if constexpr (Nodes == 4) {
            const SolidBlocks<Pack>& K = blocks.K;
            const auto both = [&](int i, int j, const Matrix33<Pack>& block) {
                add_block(target, slot + 4 * i + j, 16, active, block);
                add_block(target, slot + 4 * j + i, 16, active, transpose(block));
            };
            add_block(target, slot + 0, 16, active, full(K.b00));
            add_block(target, slot + 5, 16, active, full(K.b11));
            add_block(target, slot + 10, 16, active, full(K.b22));
            add_block(target, slot + 15, 16, active, full(K.b33));
            both(0, 1, K.b01), both(0, 2, K.b02), both(0, 3, K.b03);
            both(1, 2, K.b12), both(1, 3, K.b13), both(2, 3, K.b23);
        } else {
            for (int n = 0; n < Nodes; ++n)
                for (int m = n; m < Nodes; ++m) {
                    const Matrix33<Pack>& block = blocks.block[n][m];
                    add_block(target, slot + Nodes * n + m, Nodes * Nodes, active, block);
                    if (m != n)
                        add_block(target, slot + Nodes * m + n, Nodes * Nodes, active,
                                  transpose(block));
                }
        }
    }

    Law law_;
    PsdRule rule_;
    SolidViscosity viscosity_;
    int nodes_ = 4;
    Index count_ = 0;
    std::vector<SolidMap<Pack>> map_;  ///< one a pack
    std::vector<Index> vertex_;        ///< of the world, `nodes_` an element, whole packs
    std::vector<Index> tet_;           ///< tet of each element
};

/// For the registry entry of a law.
template <class Law>
std::unique_ptr<Energy> make_solid(const Settings& settings) {
    return std::make_unique<SolidEnergy<Law>>(read_options<SolidOptions>(settings));
}

}  // namespace taffeta::energy
