#include "taffeta/energy/projection_sweeps.h"

namespace taffeta::energy {

namespace {

/// Bounds of the lengths of edges, after Provot: one edge after the other, its ends are moved to each other in
/// the inverse ratio of their masses until it is as long as it may be. [Provot95] section 4
///
/// Provot moves both ends by half of the excess and leaves velocities alone, which keeps neither momentum.
/// Diagonals have bounds as well, so that shear is limited in the directions of the mesh.
class EdgeProjection final : public StrainProjection {
  public:
    explicit EdgeProjection(const ProjectionOptions& options) : options_(options) {}

    void bind(const BodyView& body) override {
        first_ = body.first_vertex;
        mass_.assign(body.vertex_mass.begin(), body.vertex_mass.end());
        for (std::size_t f = 0; f < body.mesh.face.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const Index i = body.mesh.face[f][k], j = body.mesh.face[f][(k + 1) % 3];
                const std::array<Vec2, 3>& uv = body.rest.face_uv[f];
                add(i, j, (uv[(k + 1) % 3] - uv[k]).norm());
            }
        std::sort(edge_.begin(), edge_.end(), [](const RestEdge& a, const RestEdge& b) {
            return std::pair(a.i, a.j) < std::pair(b.i, b.j);
        });
        // Both faces of an edge named it; at a seam each has a length of its own.
        std::size_t kept = 0;
        for (std::size_t e = 0, count = 1; e < edge_.size(); ++e) {
            if (kept > 0 && edge_[kept - 1].i == edge_[e].i && edge_[kept - 1].j == edge_[e].j) {
                RestEdge& edge = edge_[kept - 1];
                edge.length += (edge_[e].length - edge.length) / double(++count);
                continue;
            }
            count = 1;
            edge_[kept++] = edge_[e];
        }
        edge_.resize(kept);
        for (const RestEdge& edge : edge_) {
            vertex_.push_back(edge.i);
            vertex_.push_back(edge.j);
        }
        plan_ = make_scatter_plan(Index(mass_.size()), {2, vertex_}, nullptr);
    }

    ProjectionReport project(const sparse::NodeFilter& filter, double h, VecX& x,
                             VecX& v) override {
        ProjectedState state(filter, mass_, first_, h, x, v);
        return sweep_elements(
            options_, plan_, state, Index(edge_.size()),
            [&](Index e) { adjust(std::size_t(e), state); },
            [&](Index e) { return excess(std::size_t(e), state); });
    }

  private:
    struct RestEdge {
        Index i, j;  ///< of the body, i < j
        double length;
    };

    void add(Index i, Index j, double length) {
        edge_.push_back({std::min(i, j), std::max(i, j), length});
    }

    StretchedVector<2> vector_of(std::size_t e) const { return {vertex_.data() + 2 * e, {-1, 1}}; }
    double ratio(std::size_t e, const ProjectedState& state) const {
        return vector_of(e).now(state).norm() / edge_[e].length;
    }
    double excess(std::size_t e, const ProjectedState& state) const {
        const double beyond = options_.excess(ratio(e, state));
        return beyond > 0 && vector_of(e).can_change(state) ? beyond : 0;
    }
    void adjust(std::size_t e, ProjectedState& state) const {
        const double now = ratio(e, state);
        if (options_.excess(now) > 0)
            vector_of(e).set_length(options_.nearest(now) * edge_[e].length, state);
    }

    ProjectionOptions options_;
    Index first_ = 0;
    std::vector<double> mass_;
    std::vector<RestEdge> edge_;
    std::vector<Index> vertex_;
    ScatterPlan plan_;
};

}  // namespace

extern const StrainProjectionEntry entry_edges;
constinit const StrainProjectionEntry entry_edges{
    "edges",
    "edges brought back into bounds after every step, keeping momentum [Provot95]",
    {},
    field_table<ProjectionOptions>,
    [](const Settings& settings) -> std::unique_ptr<StrainProjection> {
        return std::make_unique<EdgeProjection>(read_options<ProjectionOptions>(settings));
    }};

}  // namespace taffeta::energy
