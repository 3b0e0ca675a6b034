#include <array>
#include <optional>

#include "taffeta/energy/lattice.h"
#include "taffeta/energy/scatter.h"

namespace taffeta::energy {

namespace {

struct DifferencePlateOptions {
    double stiffness = 1e-5;
    std::optional<double> warp, weft, twist;

    static Fields<DifferencePlateOptions> fields() {
        using O = DifferencePlateOptions;
        return {
            {"stiffness", &O::stiffness, "bending stiffness B, N m", at_least(0)},
            {"warp", &O::warp, "B_u, bent along the warp, N m; else `stiffness`", at_least(0)},
            {"weft", &O::weft, "B_v, bent along the weft, N m; else `stiffness`", at_least(0)},
            {"twist", &O::twist, "D33, N m; else half of the mean of warp and weft", at_least(0)},
        };
    }
};

/// A plate by finite differences on a grid, after [Terzopoulos87]:
///
///     E = 1/2 sum w (B_u |D_uu x|^2 + B_v |D_vv x|^2) + 1/2 sum du dv 4 D33 |D_uv x|^2,
///
/// second differences at vertices (w = du dv, half of it on the two boundary lines along them), mixed ones
/// at cells. Linear in x with a constant stiffness, which inside is B/h^2 times the bi-Laplacian stencil
/// 20, -8, 2, 1; free edges follow from the weights. A plate with Poisson's ratio zero in every direction, at
/// rest when flat; that it is linear makes a stretched sheet feel more curved than it is. It has no damping of
/// its own: that of a linear term would resist rotation.
class DifferencePlate final : public Energy {
  public:
    explicit DifferencePlate(const DifferencePlateOptions& options) : options_(options) {}

    std::string_view name() const override { return "bend"; }
    sparse::StencilSet stencils() const override { return {4, vertex_}; }

    void bind(const BodyView& body, Diagnostics&) override {
        const Lattice grid = require_lattice(body, "finite_differences");
        const Index nx = grid.columns, ny = grid.rows;
        const double du = grid.du, dv = grid.dv, area = du * dv;
        const double warp = options_.warp.value_or(options_.stiffness);
        const double weft = options_.weft.value_or(options_.stiffness);
        const double twist = options_.twist.value_or((warp + weft) / 4);
        for (Index j = 0; j <= ny; ++j)
            for (Index i = 0; i <= nx; ++i) {
                const double uu = 1 / (du * du), vv = 1 / (dv * dv), uv = 1 / area;
                if (i > 0 && i < nx)
                    term(rim_share(j, ny) * area * warp,
                         {grid.at(i - 1, j), grid.at(i, j), grid.at(i + 1, j), -1},
                         {uu, -2 * uu, uu, 0});
                if (j > 0 && j < ny)
                    term(rim_share(i, nx) * area * weft,
                         {grid.at(i, j - 1), grid.at(i, j), grid.at(i, j + 1), -1},
                         {vv, -2 * vv, vv, 0});
                if (i < nx && j < ny)
                    term(4 * area * twist,
                         {grid.at(i, j), grid.at(i + 1, j), grid.at(i, j + 1),
                          grid.at(i + 1, j + 1)},
                         {uv, -uv, -uv, uv});
            }
    }

    double value(const VecX& x) const override {
        return parallel_sum(Index(term_.size()), sum_grain, [&](Index begin, Index end) {
            double sum = 0;
            for (Index e = begin; e < end; ++e)
                sum += term_[std::size_t(e)].weight / 2 * difference(x, e).squaredNorm();
            return sum;
        });
    }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; ++e)
                add_term(at, targets, plan, e);
        });
    }

  private:
    struct Term {
        double weight;
        std::array<double, 4> factor;
    };

    void term(double weight, const std::array<Index, 4>& vertices,
              const std::array<double, 4>& factor) {
        term_.push_back({weight, factor});
        vertex_.insert(vertex_.end(), vertices.begin(), vertices.end());
    }
    Vec3 difference(const VecX& x, Index e) const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k)
            if (const Index v = vertex_[4 * std::size_t(e) + k]; v >= 0)
                sum += term_[std::size_t(e)].factor[k] * vec3(x, v);
        return sum;
    }
    void add_term(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index e) const {
        const Term& t = term_[std::size_t(e)];
        const Index* v = vertex_.data() + 4 * std::size_t(e);
        if (targets.force) {
            const Vec3 bent = difference(at.x, e);
            for (std::size_t k = 0; k < 4; ++k)
                if (v[k] >= 0) vec3(*targets.force, v[k]) -= t.weight * t.factor[k] * bent;
        }
        if (!targets.stiffness) return;
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t l = 0; l < 4; ++l) {
                const Index slot = plan.slot[16 * std::size_t(e) + 4 * k + l];
                if (slot < 0) continue;
                const double entry = t.weight * t.factor[k] * t.factor[l];
                targets.stiffness->block(slot).diagonal().array() += entry;
            }
    }

    DifferencePlateOptions options_;
    std::vector<Term> term_;
    std::vector<Index> vertex_;
};

}  // namespace

extern const EnergyEntry entry_bending_differences;
constinit const EnergyEntry entry_bending_differences{
    "finite_differences", "plate by finite differences on a regular grid, the bi-Laplacian stencil",
    EnergyProperties{.conservative = true, .internal = true}, field_table<DifferencePlateOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        return std::make_unique<DifferencePlate>(read_options<DifferencePlateOptions>(settings));
    }};

}  // namespace taffeta::energy
