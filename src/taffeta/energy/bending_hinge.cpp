#include <fmt/format.h>

#include <optional>

#include "taffeta/energy/hinge.h"
#include "taffeta/energy/plastic.h"
#include "taffeta/energy/psd.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"
#include "taffeta/energy/springs.h"

namespace taffeta::energy {

namespace {

struct HingeOptions {
    double stiffness = 1e-5;
    std::optional<double> warp, weft, bias;
    double beta = 1;
    double tau = 0;
    std::optional<double> yield;
    double hardening = 0;
    std::string psd = "automatic";

    static Fields<HingeOptions> fields() {
        using O = HingeOptions;
        return {
            {"stiffness", &O::stiffness, "bending stiffness B, N m", at_least(0)},
            {"warp", &O::warp, "B_u, bent along the warp, N m; else `stiffness`", at_least(0)},
            {"weft", &O::weft, "B_v, bent along the weft, N m; else `stiffness`", at_least(0)},
            {"bias", &O::bias, "B_45, bent along the bias, N m; else the mean of warp and weft",
             at_least(0)},
            {"beta", &O::beta,
             "factor of the hinge: 1 is exact for cylinders along mesh lines, 3 is that of the "
             "Discrete Shells paper",
             positive()},
            {"tau", &O::tau, "damping of the angles as a time, d = tau k, s", at_least(0)},
            {"yield", &O::yield,
             "curvature beyond the rest shape at which it creases for good, 1/m; absent: never",
             at_least(0)},
            {"hardening", &O::hardening, "part of the bend beyond the yield that springs back",
             between(0, 1)},
            {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
        };
    }

    BendingStiffness bending() const {
        const double u = warp.value_or(stiffness), v = weft.value_or(stiffness);
        return {u, v, bias.value_or((u + v) / 2)};
    }
    void check(const Settings& settings) const {
        const BendingStiffness B = bending();
        // B_u x^2 + B_v (1-x)^2 + (4 B_45 - B_u - B_v) x (1-x) >= 0 on [0, 1]
        const double difference = std::sqrt(B.warp) - std::sqrt(B.weft);
        if (4 * B.bias < difference * difference * (1 - 1e-12))
            settings.fail(fmt::format("bias {} N m is too small beside warp {} and weft {}: some "
                                      "direction would have a negative bending stiffness",
                                      B.bias, B.warp, B.weft),
                          fmt::format("at least {:.6g}", difference * difference / 4));
    }
};

/// Hinges on all interior edges. With a yield, after each step
///     theta0 += (1 - hardening) (|theta - theta0| - theta_y)+ sign(theta - theta0),
/// theta_y = yield (A1 + A2)/l being the angle of a cylinder of that curvature along the hinge.
class HingeBending final : public Energy, public PlasticTerm {
  public:
    explicit HingeBending(const HingeOptions& options)
        : options_(options), rule_(psd_rule(options.psd)) {}

    std::string_view name() const override { return "bend"; }
    sparse::StencilSet stencils() const override {
        return {4, std::span(vertex_).first(4 * std::size_t(count_))};
    }
    bool has_damping() const override { return options_.tau > 0; }

    void bind(const BodyView& body, Diagnostics& diagnostics) override;
    double value(const VecX& x) const override;
    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; e += lanes) {
                prefetch_blocks(targets.stiffness, plan, 4, e + lanes, end);
                add_pack(at, targets, plan, e, std::min(lanes, end - e));
            }
        });
    }
    bool add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const override {
        add_hinge_springs(body, options_.bending(), options_.beta, options_.tau, springs);
        return true;
    }
    void inspect(const VecX& x, Diagnostics& diagnostics) const override;

    bool yields() const override { return options_.yield.has_value(); }
    void flow(const VecX& x) override;
    VecX rest_state() const override;
    void set_rest_state(const VecX& rest) override;

  private:
    struct Rest {
        Pack stiffness;  ///< k_e, N m
        Pack angle;      ///< theta0, rad
    };

    Vector3<Pack> corner(const VecX& field, Index element, int k) const {
        return gather(field.data(), vertex_.data() + 4 * std::size_t(element), 4, k);
    }
    Pack angle(const VecX& x, Index element) const {
        return dihedral_angle(corner(x, element, 0), corner(x, element, 1), corner(x, element, 2),
                              corner(x, element, 3));
    }
    void add_pack(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index element, Index active) const;
    Mat12 hessian(const VecX& x, Index element) const;

    HingeOptions options_;
    PsdRule rule_;
    Index count_ = 0;
    std::vector<Rest> rest_;     ///< one a pack
    std::vector<Index> vertex_;  ///< of the world, four an element, whole packs
    VecX yield_;                 ///< theta_y by element, rad; empty without a yield
};

void HingeBending::bind(const BodyView& body, Diagnostics& diagnostics) {
    const std::vector<mesh::Hinge>& hinges = body.topology.hinge;
    const auto point = [&](Index vertex) { return body.mesh.position[std::size_t(vertex)]; };
    std::vector<Vec3> centers;
    std::vector<std::size_t> usable;
    Index skipped = 0, first_skipped = -1;
    for (std::size_t h = 0; h < hinges.size(); ++h) {
        if (!(body.rest.hinge_length[h] > 0)) {
            if (skipped++ == 0) first_skipped = Index(h);
            continue;
        }
        usable.push_back(h);
        centers.push_back((point(hinges[h].vertex[0]) + point(hinges[h].vertex[1])) / 2);
    }
    if (skipped > 0)
        diagnostics.push_back(
            {Severity::warning, body.mesh.source,
             fmt::format("{} hinges of zero length do not bend; the first is hinge {} at vertices "
                         "{} and {}",
                         skipped, first_skipped, hinges[std::size_t(first_skipped)].vertex[0],
                         hinges[std::size_t(first_skipped)].vertex[1]),
             "weld or remove the edge"});

    const BendingStiffness B = options_.bending();
    const std::vector<Index> order = spatial_order(centers);
    count_ = Index(usable.size());
    const std::size_t packs = (usable.size() + lanes - 1) / lanes;
    rest_.resize(packs);
    vertex_.resize(4 * lanes * packs);
    if (options_.yield) yield_.resize(Eigen::Index(lanes * packs));
    for (std::size_t e = 0; e < lanes * packs; ++e) {
        const std::size_t h = usable[std::size_t(order[std::min(e, usable.size() - 1)])];
        const mesh::Hinge& hinge = hinges[h];
        const Vec2 edge = hinge_direction(hinge, body.rest);
        const double area_sum =
            body.rest.area[std::size_t(hinge.face[0])] + body.rest.area[std::size_t(hinge.face[1])];
        rest_[e / lanes].stiffness[e % lanes] = hinge_stiffness(
            B.along(Vec2(-edge.y(), edge.x())), options_.beta, body.rest.hinge_length[h], area_sum);
        if (options_.yield)
            yield_[Eigen::Index(e)] = *options_.yield * area_sum / body.rest.hinge_length[h];
        rest_[e / lanes].angle[e % lanes] = body.rest.hinge_angle[h];
        for (std::size_t k = 0; k < 4; ++k)
            vertex_[4 * e + k] = body.first_vertex + hinge.vertex[k];
    }
}

double HingeBending::value(const VecX& x) const {
    return parallel_sum(count_, sum_grain, [&](Index begin, Index end) {
        double sum = 0;
        for (Index e = begin; e < end; e += lanes) {
            const Rest& rest = rest_[std::size_t(e / lanes)];
            const Pack turn = angle(x, e) - rest.angle;
            sum += sum_of_lanes(0.5 * rest.stiffness * turn * turn, std::min(lanes, end - e));
        }
        return sum;
    });
}

/// block (i, j) += scale g_i g_j' for the hinge whose gradient is `g`.
void add_rank_one(sparse::Matrix3& target, const Index* slot, double scale, const double* g) {
    const OuterRight right[4] = {OuterRight(g), OuterRight(g + 3), OuterRight(g + 6),
                                 OuterRight(g + 9)};
    for (int i = 0; i < 4; ++i) {
        const OuterLeft left(scale, g + 3 * i);
        for (int j = 0; j < 4; ++j)
            add_outer(target.slot(slot[4 * i + j]), left, right[j]);
    }
}

void HingeBending::add_pack(const EvaluationPoint& at, const Targets& targets,
                            const ScatterPlan& plan, Index element, Index active) const {
    const Rest& rest = rest_[std::size_t(element / lanes)];
    const Dihedral<Pack> hinge = dihedral(corner(at.x, element, 0), corner(at.x, element, 1),
                                          corner(at.x, element, 2), corner(at.x, element, 3));
    const Pack damping = options_.tau * rest.stiffness;
    if (targets.force) {
        // f = -(k (theta - theta0) + d dtheta/dt) dtheta/dx
        Pack moment = rest.stiffness * (hinge.angle - rest.angle);
        if (options_.tau > 0) {
            Pack rate{};
            for (int k = 0; k < 4; ++k)
                rate += dot(hinge.gradient[std::size_t(k)], corner(at.v, element, k));
            moment += damping * rate;
        }
        const Index* stencil = vertex_.data() + 4 * std::size_t(element);
        for (std::size_t k = 0; k < 4; ++k)
            add_vector(*targets.force, stencil + k, 4, active, -moment * hinge.gradient[k]);
    }
    const bool viscous = targets.damping && options_.tau > 0;
    const bool gauss_newton = rule_ == PsdRule::automatic || rule_ == PsdRule::gauss_newton;
    if (!viscous && !targets.stiffness) return;

    // The gradients of the four lanes, each as twelve consecutive numbers.
    Pack parts[12];
    for (std::size_t k = 0; k < 4; ++k) {
        parts[3 * k] = hinge.gradient[k].x;
        parts[3 * k + 1] = hinge.gradient[k].y;
        parts[3 * k + 2] = hinge.gradient[k].z;
    }
    for (int k = 0; k < 12; k += 4)
        transpose(parts[k], parts[k + 1], parts[k + 2], parts[k + 3]);
    for (Index lane = 0; lane < active; ++lane) {
        const Pack g[3] = {parts[lane], parts[4 + lane], parts[8 + lane]};
        const auto* values = reinterpret_cast<const double*>(g);
        const Index* slot = plan.slot.data() + 16 * std::size_t(element + lane);
        if (targets.stiffness && gauss_newton)
            add_rank_one(*targets.stiffness, slot, rest.stiffness[lane], values);
        if (targets.stiffness && !gauss_newton)
            add_dense<4>(*targets.stiffness, slot, hessian(at.x, element + lane));
        if (viscous) add_rank_one(*targets.damping, slot, damping[lane], values);
    }
}

Mat12 HingeBending::hessian(const VecX& x, Index element) const {
    const Index* v = vertex_.data() + 4 * std::size_t(element);
    const Rest& rest = rest_[std::size_t(element / lanes)];
    return hinge_hessian({vec3(x, v[0]), vec3(x, v[1]), vec3(x, v[2]), vec3(x, v[3])},
                         rest.stiffness[element % lanes], rest.angle[element % lanes], rule_);
}

void HingeBending::flow(const VecX& x) {
    if (!options_.yield) return;
    parallel_for((count_ + lanes - 1) / lanes, sum_grain, [&](Index pack) {
        const Pack now = angle(x, pack * lanes);
        Pack& rest = rest_[std::size_t(pack)].angle;
        for (Index lane = 0; lane < lanes; ++lane) {
            const double turn = now[lane] - rest[lane];
            const double beyond = std::abs(turn) - yield_[pack * lanes + lane];
            if (beyond > 0) rest[lane] += std::copysign((1 - options_.hardening) * beyond, turn);
        }
    });
}

VecX HingeBending::rest_state() const {
    VecX rest(count_);
    for (Index e = 0; e < count_; ++e)
        rest[e] = rest_[std::size_t(e / lanes)].angle[e % lanes];
    return rest;
}

void HingeBending::set_rest_state(const VecX& rest) {
    for (Index e = 0; e < Index(rest.size()); ++e)
        rest_[std::size_t(e / lanes)].angle[e % lanes] = rest[e];
}

void HingeBending::inspect(const VecX& x, Diagnostics& diagnostics) const {
    Index folded = 0, first = -1;
    for (Index e = 0; e < count_; ++e)
        if (std::abs(angle(x, e / lanes * lanes)[e % lanes]) > folded_angle && folded++ == 0)
            first = e;
    if (folded > 0)
        diagnostics.push_back(folded_hinges(folded, vertex_[4 * std::size_t(first)],
                                            vertex_[4 * std::size_t(first) + 1]));
}

}  // namespace

extern const EnergyEntry entry_hinge;
constinit const EnergyEntry entry_hinge{
    "hinge", "bending by hinge angles, k/2 (theta - theta0)^2 (Discrete Shells)",
    EnergyProperties{.conservative = true, .internal = true}, field_table<HingeOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        const auto options = read_options<HingeOptions>(settings);
        options.check(settings);
        return std::make_unique<HingeBending>(options);
    }};

}  // namespace taffeta::energy
