#include <fmt/format.h>

#include "taffeta/energy/lattice.h"
#include "taffeta/energy/spring_set.h"
#include "taffeta/energy/springs.h"

namespace taffeta::energy {

namespace {

struct SpringSheetOptions {
    double stretch = 3000;
    double shear = 300;
    double flexion = 0;
    std::optional<double> structural, diagonal;
    std::vector<double> curve_strain, curve_tension;
    double tau = 0;
    std::string psd = "automatic";

    static Fields<SpringSheetOptions> fields() {
        using O = SpringSheetOptions;
        return {
            {"stretch", &O::stretch,
             "E t/(1 - nu^2) along warp and weft, N/m: structural springs are what the others "
             "leave of it",
             positive()},
            {"shear", &O::shear, "G t, N/m: the diagonal springs", at_least(0)},
            {"flexion", &O::flexion,
             "springs over two cells, N/m; they resist folds but have no stiffness while flat",
             at_least(0)},
            {"structural", &O::structural, "k_s, N/m, instead of what follows from `stretch`",
             at_least(0)},
            {"diagonal", &O::diagonal, "k_d, N/m, instead of `shear`", at_least(0)},
            {"curve_strain", &O::curve_strain,
             "strains of a measured curve for the structural springs, rising"},
            {"curve_tension", &O::curve_tension,
             "tension at each of these strains, N/m; a cubic between them, straight beyond"},
            {"tau", &O::tau, "damping along the springs as a time, d = tau k, s", at_least(0)},
            {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
        };
    }

    double diagonal_stiffness() const { return diagonal.value_or(shear); }
    /// c11 = k_s + k_d + 4 k_f
    double structural_stiffness() const {
        return structural.value_or(stretch - diagonal_stiffness() - 4 * flexion);
    }
    std::optional<ForceCurve> curve() const {
        if (curve_strain.empty()) return {};
        return ForceCurve(curve_strain, curve_tension);
    }
    void check(const Settings& settings) const {
        if (structural_stiffness() < 0)
            settings.fail(
                fmt::format("a stretch of {} N/m leaves {} N/m for the structural springs "
                            "beside shear and four times flexion",
                            stretch, structural_stiffness()),
                "springs have a Poisson's ratio of their own: shear is at most stretch");
        const std::size_t points = curve_strain.size();
        bool rising = points != 1 && curve_tension.size() == points;
        for (std::size_t k = 1; k < points; ++k)
            rising = rising && curve_strain[k] > curve_strain[k - 1];
        if (!rising)
            settings.fail(fmt::format("the curve has {} strains and {} tensions", points,
                                      curve_tension.size()),
                          "two rising strains at least, with a tension for each");
    }
};

/// A sheet of structural, shear and flexion springs on a grid. With spacing h in both directions its
/// small-strain tangent is c11 = c22 = k_s + k_d + 4 k_f, c12 = c33 = k_d. Springs along the boundary have
/// half of the stiffness, as they have half of the sheet. Where spacings differ, a spring's stiffness is that
/// of the strip of sheet which it stands for.
///
/// On any other mesh springs along its edges take the place, as of [VanGelder98].
class SpringSheet final : public SpringSet {
  public:
    explicit SpringSheet(const SpringSheetOptions& options)
        : SpringSet(options.tau, options.psd, options.curve()), options_(options) {}

  protected:
    void collect(const BodyView& body, Diagnostics& diagnostics,
                 std::vector<ModelSpring>& springs) const override {
        const std::optional<Lattice> lattice = find_lattice(body);
        if (lattice)
            collect_grid(*lattice, springs);
        else
            collect_edges(body, diagnostics, springs);
    }

  private:
    void collect_grid(const Lattice& grid, std::vector<ModelSpring>& springs) const {
        const Index nx = grid.columns, ny = grid.rows;
        const double du = grid.du, dv = grid.dv, ratio = dv / du;
        const double kf = options_.flexion;
        const double ksu = structural(du / dv), ksv = structural(dv / du);
        const bool measured = !options_.curve_strain.empty();
        const auto add = [&](Index i, Index j, double length, double stiffness, bool by_curve) {
            if (stiffness > 0) springs.push_back({i, j, length, stiffness, by_curve});
        };
        for (Index j = 0; j <= ny; ++j)
            for (Index i = 0; i < nx; ++i)
                add(grid.at(i, j), grid.at(i + 1, j), du,
                    rim_share(j, ny) * (measured ? dv : ksu * ratio), measured);
        for (Index j = 0; j < ny; ++j)
            for (Index i = 0; i <= nx; ++i)
                add(grid.at(i, j), grid.at(i, j + 1), dv,
                    rim_share(i, nx) * (measured ? du : ksv / ratio), measured);
        // Both diagonals of a cell: c33 = 2 k du dv / (du^2 + dv^2).
        const double length_sq = du * du + dv * dv;
        const double kd = options_.diagonal_stiffness() * length_sq / (2 * du * dv);
        for (Index j = 0; j < ny; ++j)
            for (Index i = 0; i < nx; ++i) {
                add(grid.at(i, j), grid.at(i + 1, j + 1), std::sqrt(length_sq), kd, false);
                add(grid.at(i + 1, j), grid.at(i, j + 1), std::sqrt(length_sq), kd, false);
            }
        for (Index j = 0; j <= ny; ++j)
            for (Index i = 0; i + 2 <= nx; ++i)
                add(grid.at(i, j), grid.at(i + 2, j), 2 * du, rim_share(j, ny) * kf * ratio, false);
        for (Index j = 0; j + 2 <= ny; ++j)
            for (Index i = 0; i <= nx; ++i)
                add(grid.at(i, j), grid.at(i, j + 2), 2 * dv, rim_share(i, nx) * kf / ratio, false);
    }

    /// Along u: c11 = k_s + k_d (du/dv)^2 + 4 k_f.
    double structural(double ratio) const {
        const double left =
            options_.stretch - options_.diagonal_stiffness() * ratio * ratio - 4 * options_.flexion;
        const double k = options_.structural.value_or(left);
        if (k < 0)
            fail_input("springs",
                       fmt::format("cells {:.3g} times as long as wide leave {:.3g} N/m for the "
                                   "structural springs beside the diagonals",
                                   ratio, k),
                       "use cells that are more like squares, or give `structural`");
        return k;
    }

    void collect_edges(const BodyView& body, Diagnostics& diagnostics,
                       std::vector<ModelSpring>& springs) const {
        if (!options_.curve_strain.empty() || options_.flexion > 0)
            diagnostics.push_back(
                {Severity::warning,
                 {},
                 "the springs are along the edges of a mesh that is no grid: without "
                 "flexion and without the measured curve",
                 "use a regular grid for them"});
        SheetTangent sheet{Mat3::Zero()};
        const double diagonal = options_.diagonal_stiffness();
        const double along = options_.structural_stiffness() + diagonal + 4 * options_.flexion;
        sheet.stiffness << along, diagonal, 0, diagonal, along, 0, 0, 0, diagonal;
        std::vector<EnergySpring> found;
        add_edge_springs(body, sheet, found);
        merge_springs(found);
        for (const EnergySpring& s : found)
            springs.push_back({s.i, s.j, s.length, s.stiffness, false});
    }

    SpringSheetOptions options_;
};

}  // namespace

extern const EnergyEntry entry_springs;
constinit const EnergyEntry entry_springs{
    "springs",
    "masses and springs: structural, shear and flexion, by constants or a measured curve",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SpringSheetOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        const auto options = read_options<SpringSheetOptions>(settings);
        options.check(settings);
        return std::make_unique<SpringSheet>(options);
    }};

}  // namespace taffeta::energy
