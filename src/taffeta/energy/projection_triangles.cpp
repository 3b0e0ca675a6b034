#include "taffeta/energy/deformation.h"
#include "taffeta/energy/projection_sweeps.h"

namespace taffeta::energy {

namespace {

/// Bounds of both principal stretches of every triangle, the singular values of its F, by changes of
/// velocity. After [Thomaszewski09] and [Wang10]: what is limited has no directions of the mesh.
///
/// The material direction d of a stretch beyond its bound is that of an eigenvector of F'F, and the vector that
/// gets another length is F d = sum (d.c_i) x_i. (A new triangle made of clamped singular values, fitted by mean
/// and rotation, would have no answer where a corner is pinned.)
class TriangleProjection final : public StrainProjection {
  public:
    explicit TriangleProjection(const ProjectionOptions& options) : options_(options) {}

    void bind(const BodyView& body) override {
        first_ = body.first_vertex;
        mass_.assign(body.vertex_mass.begin(), body.vertex_mass.end());
        face_ = body.mesh.face;
        for (std::size_t f = 0; f < face_.size(); ++f) {
            const DeformationMap<double> map = deformation_map(body.rest.face_uv[f]);
            const Vec2 c1(map.c1u, map.c1v), c2(map.c2u, map.c2v);
            map_.push_back({-c1 - c2, c1, c2});
            vertex_.insert(vertex_.end(), face_[f].begin(), face_[f].end());
        }
        plan_ = make_scatter_plan(Index(mass_.size()), {3, vertex_}, nullptr);
    }

    ProjectionReport project(const sparse::NodeFilter& filter, double h, VecX& x,
                             VecX& v) override {
        ProjectedState state(filter, mass_, first_, h, x, v);
        return sweep_elements(
            options_, plan_, state, Index(face_.size()),
            [&](Index f) { clamp(std::size_t(f), state); },
            [&](Index f) {
                const Stretch worst = worst_stretch(std::size_t(f), state);
                return worst.excess > 0 && worst.vector.can_change(state) ? worst.excess : 0;
            });
    }

  private:
    using Coefficients = std::array<Vec2, 3>;  ///< c_i, 1/m
    struct Stretch {
        StretchedVector<3> vector;  ///< F d
        double ratio, excess;
    };

    StretchedVector<3> vector_of(std::size_t f, const Vec2& d) const {
        const Coefficients& c = map_[f];
        return {face_[f].data(), {d.dot(c[0]), d.dot(c[1]), d.dot(c[2])}};
    }
    Stretch stretch(std::size_t f, const Vec2& d, const ProjectedState& state) const {
        const StretchedVector<3> vector = vector_of(f, d);
        const double ratio = vector.now(state).norm();
        return {vector, ratio, options_.excess(ratio)};
    }
    /// Of the two principal stretches the one that is further out of bounds.
    Stretch worst_stretch(std::size_t f, const ProjectedState& state) const {
        const Vec3 u = vector_of(f, Vec2(1, 0)).now(state), v = vector_of(f, Vec2(0, 1)).now(state);
        const double angle = 0.5 * std::atan2(2 * u.dot(v), u.squaredNorm() - v.squaredNorm());
        const Vec2 d(std::cos(angle), std::sin(angle));
        const Stretch large = stretch(f, d, state), small = stretch(f, Vec2(-d.y(), d.x()), state);
        return large.excess >= small.excess ? large : small;
    }
    void clamp(std::size_t f, ProjectedState& state) const {
        // The second stretch may be out of bounds too, or have been brought there.
        for (int turn = 0; turn < 2; ++turn) {
            const Stretch worst = worst_stretch(f, state);
            if (worst.excess == 0) return;
            worst.vector.set_length(options_.nearest(worst.ratio), state);
        }
    }

    ProjectionOptions options_;
    Index first_ = 0;
    std::vector<double> mass_;
    std::vector<Triangle> face_;
    std::vector<Coefficients> map_;
    std::vector<Index> vertex_;
    ScatterPlan plan_;
};

}  // namespace

extern const StrainProjectionEntry entry_triangles;
constinit const StrainProjectionEntry entry_triangles{
    "triangles",
    "principal stretches of triangles clamped after every step, keeping momentum [Thomaszewski09]",
    {},
    field_table<ProjectionOptions>,
    [](const Settings& settings) -> std::unique_ptr<StrainProjection> {
        return std::make_unique<TriangleProjection>(read_options<ProjectionOptions>(settings));
    }};

}  // namespace taffeta::energy
