#pragma once

#include <algorithm>
#include <optional>

#include "taffeta/energy/force_curve.h"
#include "taffeta/energy/psd.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"

namespace taffeta::energy {

/// One spring of a mass-spring body: E = k/2 (|d| - L)^2, or L w W(|d|/L - 1) by a measured curve.
struct ModelSpring {
    Index i, j;        ///< vertices of the world
    double length;     ///< L, m
    double stiffness;  ///< k, N/m; of a measured one its share of the curve's width w, m
    bool measured = false;
};

/// Bodies that are masses and springs. Their springs are found by who derives from this.     [Provot95]
///
/// H = N' a a' + N/|d| (I - a a') with the tension N; its second part is negative in compression and then left
/// out by the clamp, which is the exact positive part. Damping is drag along the spring, tau N'(0) a a'.
class SpringSet : public Energy {
  public:
    SpringSet(double tau, const std::string& psd, std::optional<ForceCurve> curve = {})
        : tau_(tau), rule_(psd_rule(psd)), curve_(std::move(curve)) {}

    std::string_view name() const override { return "springs"; }
    void bind(const BodyView& body, Diagnostics& diagnostics) override {
        std::vector<ModelSpring> found;
        collect(body, diagnostics, found);
        std::vector<Vec3> centers;
        for (const ModelSpring& s : found)
            centers.push_back((body.mesh.position[std::size_t(s.i - body.first_vertex)] +
                               body.mesh.position[std::size_t(s.j - body.first_vertex)]) /
                              2);
        for (const Index s : spatial_order(centers))
            springs_.push_back(found[std::size_t(s)]);
        for (const ModelSpring& s : springs_) {
            vertex_.push_back(s.i);
            vertex_.push_back(s.j);
        }
    }
    sparse::StencilSet stencils() const override { return {2, vertex_}; }
    bool has_damping() const override { return tau_ > 0; }

    double value(const VecX& x) const override {
        return parallel_sum(Index(springs_.size()), sum_grain, [&](Index begin, Index end) {
            double sum = 0;
            for (Index e = begin; e < end; ++e) {
                const ModelSpring& s = springs_[std::size_t(e)];
                const double change = (vec3(x, s.i) - vec3(x, s.j)).norm() - s.length;
                sum += s.measured ? s.length * s.stiffness * curve_->energy(change / s.length)
                                  : s.stiffness / 2 * change * change;
            }
            return sum;
        });
    }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; ++e)
                add_spring(at, targets, plan, e);
        });
    }

    bool add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const override {
        (void)body;
        for (const ModelSpring& s : springs_)
            springs.push_back({s.i, s.j, s.length, slope_at_rest(s), tau_ * slope_at_rest(s)});
        return true;
    }

  protected:
    virtual void collect(const BodyView& body, Diagnostics& diagnostics,
                         std::vector<ModelSpring>& springs) const = 0;

  private:
    double slope_at_rest(const ModelSpring& s) const {
        return s.measured ? s.stiffness * curve_->slope(0) / s.length : s.stiffness;
    }

    void add_spring(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                    Index e) const {
        const ModelSpring& s = springs_[std::size_t(e)];
        const Vec3 d = vec3(at.x, s.i) - vec3(at.x, s.j);
        const double length = d.norm();
        if (!(length > 1e-12 * s.length)) return;  // no direction to act along
        const Vec3 a = d / length;
        const double change = length - s.length;
        const double tension =
            s.measured ? s.stiffness * curve_->tension(change / s.length) : s.stiffness * change;
        const double drag = tau_ * slope_at_rest(s);
        if (targets.force) {
            double pull = tension;
            if (tau_ > 0) pull += drag * a.dot(vec3(at.v, s.i) - vec3(at.v, s.j));
            vec3(*targets.force, s.i) -= pull * a;
            vec3(*targets.force, s.j) += pull * a;
        }
        const Index* slot = plan.slot.data() + 4 * std::size_t(e);
        if (targets.stiffness) {
            double along = s.measured ? s.stiffness * curve_->slope(change / s.length) / s.length
                                      : s.stiffness;
            double across = tension / length;
            if (rule_ == PsdRule::gauss_newton) across = 0;
            if (rule_ != PsdRule::exact)
                along = std::max(along, 0.0), across = std::max(across, 0.0);
            add_pair(*targets.stiffness, slot,
                     (along - across) * a * a.transpose() + across * Mat3::Identity());
        }
        if (targets.damping && tau_ > 0) add_pair(*targets.damping, slot, drag * a * a.transpose());
    }
    static void add_pair(sparse::Matrix3& target, const Index* slot, const Mat3& block) {
        target.block(slot[0]) += block;
        target.block(slot[1]) -= block;
        target.block(slot[2]) -= block;
        target.block(slot[3]) += block;
    }

    double tau_;
    PsdRule rule_;
    std::optional<ForceCurve> curve_;
    std::vector<ModelSpring> springs_;
    std::vector<Index> vertex_;
};

}  // namespace taffeta::energy
