#include <array>

#include "taffeta/energy/lattice.h"
#include "taffeta/energy/psd.h"
#include "taffeta/energy/scatter.h"

namespace taffeta::energy {

namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;

struct DifferenceSheetOptions {
    double stretch_warp = 3000;
    double stretch_weft = 3000;
    double shear = 300;
    std::string psd = "automatic";

    static Fields<DifferenceSheetOptions> fields() {
        using O = DifferenceSheetOptions;
        return {
            {"stretch_warp", &O::stretch_warp, "k_u, N/m", at_least(0)},
            {"stretch_weft", &O::stretch_weft, "k_v, N/m", at_least(0)},
            {"shear", &O::shear, "k_sh, N/m", at_least(0)},
            {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
        };
    }
};

/// A membrane by finite differences on a grid, after [Terzopoulos87]:
///
///     E = sum over edges along u  k_u/2 w (|D_u x| - 1)^2, w = du dv, half on the boundary, v alike,
///       + sum over cells  k_sh/2 du dv (w_u . w_v)^2,  w_u, w_v the means over opposite edges.
///
/// An edge is a spring of stiffness k_u w/du^2; a cell has four vertices and, as triangles have not, no
/// diagonal that tells one bias from the other.
class DifferenceSheet final : public Energy {
  public:
    explicit DifferenceSheet(const DifferenceSheetOptions& options)
        : options_(options), rule_(psd_rule(options.psd)) {}

    std::string_view name() const override { return "finite_differences"; }
    sparse::StencilSet stencils() const override { return {4, vertex_}; }

    void bind(const BodyView& body, Diagnostics&) override {
        const Lattice grid = require_lattice(body, "finite_differences");
        const Index nx = grid.columns, ny = grid.rows;
        du_ = grid.du, dv_ = grid.dv;
        for (Index j = 0; j <= ny; ++j)
            for (Index i = 0; i <= nx; ++i) {
                if (i < nx)
                    element({grid.at(i, j), grid.at(i + 1, j), -1, -1}, du_,
                            rim_share(j, ny) * options_.stretch_warp * dv_ / du_);
                if (j < ny)
                    element({grid.at(i, j), grid.at(i, j + 1), -1, -1}, dv_,
                            rim_share(i, nx) * options_.stretch_weft * du_ / dv_);
                if (i < nx && j < ny)
                    element({grid.at(i, j), grid.at(i + 1, j), grid.at(i, j + 1),
                             grid.at(i + 1, j + 1)},
                            0, options_.shear * du_ * dv_);
            }
    }

    double value(const VecX& x) const override {
        const auto both = parts(x);
        return both[0].second + both[1].second;
    }
    std::vector<std::pair<std::string_view, double>> parts(const VecX& x) const override {
        double stretch = 0, shear = 0;  // in the order of the elements
        for (std::size_t e = 0; e < element_.size(); ++e) {
            const Element& cell = element_[e];
            const Index* v = vertex_.data() + 4 * e;
            if (cell.length > 0) {
                const double change = (vec3(x, v[1]) - vec3(x, v[0])).norm() - cell.length;
                stretch += cell.stiffness / 2 * change * change;
            } else {
                const auto [u, w] = means(x, v);
                shear += cell.stiffness / 2 * u.dot(w) * u.dot(w);
            }
        }
        return {{"stretch", stretch}, {"shear", shear}};
    }

    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; ++e)
                if (element_[std::size_t(e)].length > 0)
                    add_edge(at, targets, plan, e);
                else
                    add_cell(at, targets, plan, e);
        });
    }

  private:
    struct Element {
        double length;     ///< of an edge, m; 0: a cell
        double stiffness;  ///< N/m; of a cell k_sh du dv, N m
    };

    void element(const std::array<Index, 4>& vertices, double length, double stiffness) {
        element_.push_back({length, stiffness});
        vertex_.insert(vertex_.end(), vertices.begin(), vertices.end());
    }
    /// w_u and w_v of a cell whose corners are (0,0), (1,0), (0,1), (1,1).
    std::pair<Vec3, Vec3> means(const VecX& x, const Index* v) const {
        const Vec3 a = vec3(x, v[0]), b = vec3(x, v[1]), c = vec3(x, v[2]), d = vec3(x, v[3]);
        return {(b - a + d - c) / (2 * du_), (c - a + d - b) / (2 * dv_)};
    }

    void add_edge(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index e) const {
        const Element& edge = element_[std::size_t(e)];
        const Index* v = vertex_.data() + 4 * std::size_t(e);
        const Vec3 d = vec3(at.x, v[1]) - vec3(at.x, v[0]);
        const double length = d.norm();
        if (!(length > 1e-12 * edge.length)) return;  // no direction to act along
        const Vec3 a = d / length;
        const double tension = edge.stiffness * (length - edge.length);
        if (targets.force) {
            vec3(*targets.force, v[0]) += tension * a;
            vec3(*targets.force, v[1]) -= tension * a;
        }
        if (!targets.stiffness) return;
        double across = tension / length;
        if (rule_ == PsdRule::gauss_newton) across = 0;
        if (rule_ != PsdRule::exact) across = std::max(across, 0.0);
        const Mat3 block =
            (edge.stiffness - across) * a * a.transpose() + across * Mat3::Identity();
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                targets.stiffness->block(plan.slot[16 * std::size_t(e) + std::size_t(4 * i + j)]) +=
                    i == j ? block : Mat3(-block);
    }

    void add_cell(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index e) const {
        const double k = element_[std::size_t(e)].stiffness;
        const Index* v = vertex_.data() + 4 * std::size_t(e);
        const auto [u, w] = means(at.x, v);
        const double s = u.dot(w);
        const double cu[4] = {-1 / (2 * du_), 1 / (2 * du_), -1 / (2 * du_), 1 / (2 * du_)};
        const double cv[4] = {-1 / (2 * dv_), -1 / (2 * dv_), 1 / (2 * dv_), 1 / (2 * dv_)};
        if (targets.force)
            for (int i = 0; i < 4; ++i)
                vec3(*targets.force, v[i]) -= k * s * (cu[i] * w + cv[i] * u);
        if (!targets.stiffness) return;
        // k (g g' + s Q), g = (w_v; w_u)
        Eigen::Matrix<double, 6, 1> g;
        g << w, u;
        Mat6 H = g * g.transpose();
        if (rule_ != PsdRule::gauss_newton) {
            H.topRightCorner<3, 3>() += s * Mat3::Identity();
            H.bottomLeftCorner<3, 3>() += s * Mat3::Identity();
        }
        if (rule_ == PsdRule::clamp || rule_ == PsdRule::automatic) H = spectral_positive_part(H);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                targets.stiffness->block(plan.slot[16 * std::size_t(e) + std::size_t(4 * i + j)]) +=
                    k *
                    (cu[i] * (cu[j] * H.topLeftCorner<3, 3>() + cv[j] * H.topRightCorner<3, 3>()) +
                     cv[i] * (cu[j] * H.bottomLeftCorner<3, 3>() +
                              cv[j] * H.bottomRightCorner<3, 3>()));
    }

    DifferenceSheetOptions options_;
    PsdRule rule_;
    double du_ = 0, dv_ = 0;
    std::vector<Element> element_;
    std::vector<Index> vertex_;
};

}  // namespace

extern const EnergyEntry entry_differences;
constinit const EnergyEntry entry_differences{
    "finite_differences",
    "Baraff-Witkin's stretch and shear by finite differences on a regular grid",
    EnergyProperties{.conservative = true, .internal = true}, field_table<DifferenceSheetOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        return std::make_unique<DifferenceSheet>(read_options<DifferenceSheetOptions>(settings));
    }};

}  // namespace taffeta::energy
