#include <algorithm>
#include <array>
#include <span>

#include "taffeta/energy/lattice.h"
#include "taffeta/energy/law_baraff_witkin.h"
#include "taffeta/energy/psd.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"

namespace taffeta::energy {

namespace {

void add_scaled(double* target, double scale, const Mat3& block) {
    add_to(target, scale * load(block.data()));
    add_to(target + 4, scale * load(block.data() + 4));
    target[8] += scale * block(2, 2);
}

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
        std::vector<Element> found;
        std::vector<Vec3> centers;
        const auto element = [&](const std::array<Index, 4>& vertices, double length,
                                 double stiffness) {
            found.push_back({vertices, length, stiffness});
            Vec3 sum = Vec3::Zero();
            for (const Index v : vertices)
                if (v >= 0) sum += body.mesh.position[std::size_t(v - body.first_vertex)];
            centers.push_back(sum / (length > 0 ? 2 : 4));
        };
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
        for (const Index e : spatial_order(centers)) {
            element_.push_back(found[std::size_t(e)]);
            const auto& vertices = element_.back().vertex;
            vertex_.insert(vertex_.end(), vertices.begin(), vertices.end());
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
            const Index* v = cell.vertex.data();
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
            std::array<Index, lanes> cell;
            std::size_t cells = 0;
            for (Index e = begin; e < end; ++e) {
                if (element_[std::size_t(e)].length > 0) {
                    add_edge(at, targets, plan, e);
                    continue;
                }
                cell[cells++] = e;
                if (cells < cell.size()) continue;
                add_cells(at, targets, plan, cell);
                cells = 0;
            }
            if (cells > 0) add_cells(at, targets, plan, std::span(cell.data(), cells));
        });
    }

  private:
    struct Element {
        std::array<Index, 4> vertex;  ///< of an edge the first two
        double length;                ///< of an edge, m; 0: a cell
        double stiffness;             ///< N/m; of a cell k_sh du dv, N m
    };

    /// w_u and w_v of a cell whose corners are (0,0), (1,0), (0,1), (1,1).
    std::pair<Vec3, Vec3> means(const VecX& x, const Index* v) const {
        const Vec3 a = vec3(x, v[0]), b = vec3(x, v[1]), c = vec3(x, v[2]), d = vec3(x, v[3]);
        return {(b - a + d - c) / (2 * du_), (c - a + d - b) / (2 * dv_)};
    }

    void add_edge(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index e) const {
        const Element& edge = element_[std::size_t(e)];
        const Index* v = edge.vertex.data();
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
                add_scaled(targets.stiffness->slot(
                               plan.slot[16 * std::size_t(e) + std::size_t(4 * i + j)]),
                           i == j ? 1 : -1, block);
    }

    /// Up to four cells side by side.
    void add_cells(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                   std::span<const Index> cells) const {
        const Index active = Index(cells.size());
        std::array<Index, 4 * lanes> vertex{};
        std::array<Index, 16 * lanes> slot{};
        for (Index lane = 0; lane < lanes; ++lane) {
            const std::size_t e = std::size_t(cells[std::size_t(std::min(lane, active - 1))]);
            std::copy_n(element_[e].vertex.data(), 4, vertex.data() + 4 * lane);
            if (targets.stiffness)
                std::copy_n(plan.slot.data() + 16 * e, 16, slot.data() + 16 * lane);
        }
        const auto corner = [&](int i) { return gather(at.x.data(), vertex.data(), 4, i); };
        const Vector3<Pack> x[4] = {corner(0), corner(1), corner(2), corner(3)};
        const Deformation<Pack> F{(1 / (2 * du_)) * (x[1] - x[0] + x[3] - x[2]),
                                  (1 / (2 * dv_)) * (x[2] - x[0] + x[3] - x[1])};
        const double k = options_.shear * du_ * dv_;
        // Signs of the derivatives of w_u and w_v by a corner; cu = +-1/(2 du), cv = +-1/(2 dv).
        constexpr double along_u[4] = {-1, 1, -1, 1}, along_v[4] = {-1, -1, 1, 1};
        const double cu = 1 / (2 * du_), cv = 1 / (2 * dv_);
        if (targets.force) {
            const Pack s = dot(F.u, F.v);
            for (std::size_t i = 0; i < 4; ++i)
                add_vector(*targets.force, vertex.data() + i, 4, active,
                           (-k * s) * ((along_u[i] * cu) * F.v + (along_v[i] * cv) * F.u));
        }
        if (!targets.stiffness) return;
        const MembraneHessian<Pack> H = BaraffWitkin::shear_hessian(F, rule_);
        const Matrix33<Pack> A = full((k * cu * cu) * H.uu), C = full((k * cv * cv) * H.vv);
        const Matrix33<Pack> B = (k * cu * cv) * H.uv;
        // The signs of two corners agree along both of u and v, along one or along none.
        const Matrix33<Pack> alike = A + C, turned = B + transpose(B);
        const Matrix33<Pack> apart = A + -C, skew = B + -transpose(B);
        const Matrix33<Pack> block[2][2] = {{apart + -skew, apart + skew},
                                            {alike + -turned, alike + turned}};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                const double both_u = along_u[i] * along_u[j];
                const bool agree = both_u == along_v[i] * along_v[j];
                const bool plus = along_u[i] * along_v[j] * both_u > 0;
                add_block(*targets.stiffness, slot.data() + 4 * i + j, 16, active,
                          both_u * block[agree][plus]);
            }
    }

    DifferenceSheetOptions options_;
    PsdRule rule_;
    double du_ = 0, dv_ = 0;
    std::vector<Element> element_;
    std::vector<Index> vertex_;  ///< four an element, -1 where an edge has none
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
