#pragma once

#include <optional>
#include <string>

#include "taffeta/base/fields.h"
#include "taffeta/contact/barrier.h"
#include "taffeta/contact/collision_scene.h"
#include "taffeta/contact/position_contact.h"

namespace taffeta::contact {

struct BarrierOptions {
    double thickness = 1e-3;      ///< reach of the barrier, m; of cloth at most half of an edge
    double stiffness = 1000;      ///< k, N/m
    double friction = 0.2;        ///< of cloth on cloth
    double slip_velocity = 1e-3;  ///< below it friction is drag, m/s
    double tolerance = 1e-3;      ///< m/s
    int max_iterations = 200;

    static Fields<BarrierOptions> fields();
};

/// The potential of [Li2020]: a barrier for every vertex and face, every two edges, and every vertex and
/// smooth obstacle, that are within reach, and smooth friction whose bounds are those at the start of
/// the step.
///
///     B(x) = sum m b(d),    d = |sum_j w_j x_j|,    grad d = w_j n
///
/// with w of the nearest points, which a gradient may take as fixed. The Hessian keeps the part that
/// has a sign: b'' grad d grad d'. What is left out, b' hess d, is not positive there: projecting
/// leaves next to nothing of it. (Where a vertex is nearest to an edge, all pairs of faces and edges
/// there say the same: they are one pair that counts as often.) So the potential is, about any x, a set
/// of springs of rank one, and goes into the linear system by the door that repulsion uses. The
/// mollifier m of near parallel edges is held fixed too.
class BarrierContact final : public PositionContact {
  public:
    explicit BarrierContact(const BarrierOptions& options);

    /// The next step. `problem` must last as long as it does. Returns how many vertices, edges and faces
    /// are within reach, as pairs.
    Index begin(const Problem& problem);

    void linearise(const VecX& x, double part, double aim,
                   std::vector<PairSpring>& springs) override;
    double value(const VecX& x, double part) override;
    void drop_friction() override { friction_.clear(); }
    double shorten(const VecX& x, double part, VecX& x1, double& part1) override;
    double tolerance() const override { return options_.tolerance; }
    int max_iterations() const override { return options_.max_iterations; }
    std::string nearest() const override;

  private:
    /// Two elements within reach, or a vertex and a smooth obstacle.
    struct Pair {
        ElementPair element;
        Index obstacle = -1;  ///< the smooth one; then `element` has the vertex four times
        Weights weight{};
        Vec3 normal = Vec3::Zero();
        double distance = 0, reach = 0;
        double share = 1;  ///< m, summed over pairs whose nearest points are the same
    };
    struct Friction {
        Pair pair;
        double bound;  ///< mu times the normal force, N
    };

    void find(const VecX& x, double part);
    void find_smooth(const VecX& x, double part);
    void merge_equal();
    void add_near(const ElementPair& element, std::vector<Pair>& found) const;
    bool is_cloth(Index vertex) const { return vertex < cloth_vertices(); }
    Index cloth_vertices() const { return Index(problem_->mass.size()); }
    double time_at(double part) const { return problem_->time + part * problem_->step; }
    void place(const VecX& x, double part, VecX& all) const;
    void take_cloth(const Pair& pair, PairSpring& spring) const;
    PairSpring spring_of(const Pair& pair, const VecX& aim, double time, double aim_time) const;
    PairSpring drag_of(const Friction& friction, const VecX& x) const;
    double friction_of(const Pair& pair) const;
    double smooth_share(const VecX& x, double part, const VecX& x1, double part1) const;

    BarrierOptions options_;
    std::optional<Problem> problem_;
    std::optional<ImpactFinder> finder_;
    std::vector<double> obstacle_friction_;
    std::vector<Pair> pairs_;
    std::vector<std::vector<Pair>> scratch_;
    std::vector<Friction> friction_;
    VecX at_, aim_, from_, to_;  ///< cloth and obstacles
    VecX start_obstacles_;       ///< all at t
};

}  // namespace taffeta::contact
