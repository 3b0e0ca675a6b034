#include "ode/cloth_sheet.h"

#include <fmt/format.h>

#include <cmath>

#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/cloth_system.h"
#include "taffeta/sim/pins.h"

namespace taffeta::app {

namespace {

using ode::study::Problem;
using ode::study::ProblemEntry;

struct ClothSheetOptions {
    int side = 8;
    double size = 0.3, stretch = 500, damping = 1e-5, end = 0.1;

    static Fields<ClothSheetOptions> fields() {
        return {
            {"side", &ClothSheetOptions::side, "squares along a side", between(2, 200)},
            {"size", &ClothSheetOptions::size, "of a side, m", between(1e-2, 100)},
            {"stretch", &ClothSheetOptions::stretch, "stiffness, N/m", between(1e-3, 1e6)},
            {"damping", &ClothSheetOptions::damping, "tau of stretch, s", between(0, 1)},
            {"end", &ClothSheetOptions::end, "duration, s", between(1e-4, 1e3)},
        };
    }
};

/// A world that nobody advances: integrators are handed its system.
struct Sheet {
    explicit Sheet(scene::BuiltScene built)
        : world(std::move(built.world)),
          solver(std::move(built.tools.solver)),
          system(world, *solver) {}

    void prepare(const ode::State& state, double h) {
        world.state = state;
        system.clear_constraints();
        pinned.assign(std::size_t(world.vertex_count()), 0);
        sim::apply_pins(world, h, system.filter(), pinned);
        system.begin_step(h);
    }

    sim::World world;
    std::unique_ptr<solve::LinearSolver> solver;
    sim::ClothSystem system;
    std::vector<char> pinned;
};

/// The sheet's system, whose forces persist: nothing touches it, and its pins stand.
class LoneCloth final : public ode::SecondOrderSystem {
  public:
    explicit LoneCloth(std::shared_ptr<Sheet> sheet)
        : sheet_(std::move(sheet)), system_(sheet_->system) {}

    Eigen::Index size() const override { return system_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override {
        system_.force(t, x, v, f);
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override { return system_.solve_mass(f, a); }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        system_.linearize(t, x, v, f);
    }
    void apply(const ode::Coefficients& c, const VecX& u, VecX& out) override {
        system_.apply(c, u, out);
    }
    SolveReport solve(const ode::Coefficients& c, const VecX& rhs, double tolerance,
                      VecX& u) override {
        return system_.solve(c, rhs, tolerance, u);
    }
    void constrain(VecX& a, double h) override { system_.constrain(a, h); }
    void project(VecX& r) override { system_.project(r); }
    double force_scale() const override { return system_.force_scale(); }
    const VecX* position_alteration() const override { return system_.position_alteration(); }
    bool force_persists() const override { return true; }
    ode::SpringSystem* spring_system() override { return system_.spring_system(); }

  private:
    std::shared_ptr<Sheet> sheet_;
    ode::SecondOrderSystem& system_;
};

std::unique_ptr<Problem> make_cloth_sheet(const Settings& settings) {
    const auto options = read_options<ClothSheetOptions>(settings);
    const std::string json = fmt::format(
        R"({{"up_axis": "Z", "time": {{"step": 0.001, "frames": 1, "retries": 0}}, "solver": "ldlt",
      "bodies": [{{"mesh": {{"grid": {{"columns": {0}, "rows": {0}, "width": {1}, "height": {1}}}}},
                  "material": "soft", "pins": [{{"sphere": {{"center": [0, {1}, 0], "radius": {5}}}}},
                           {{"sphere": {{"center": [{1}, {1}, 0], "radius": {5}}}}}]}}],
      "materials": {{"soft": {{"density": 0.15,
        "membrane": {{"type": "baraff_witkin", "stretch_warp": {2}, "stretch_weft": {2}, "shear": {3},
                     "tau_stretch": {4}, "tau_shear": {4}}},
        "bending": {{"type": "hinge", "warp": 1e-6, "weft": 1e-6, "bias": 1e-6}}}}}}}})",
        options.side, options.size, options.stretch, 0.5 * options.stretch, options.damping,
        0.1 * options.size / options.side);
    const auto sheet = std::make_shared<Sheet>(
        scene::build(scene::load_settings(scene::parse_json(json, "cloth_sheet"))));
    auto problem = std::make_unique<Problem>();
    problem->system = std::make_shared<LoneCloth>(sheet);
    problem->start = sheet->world.state;
    problem->end = options.end;
    problem->prepare = [sheet](const ode::State& state, double h) { sheet->prepare(state, h); };
    sheet->prepare(problem->start, 1e-3);
    // Estimates: per triangle some 400 operations of a force and 1500 of its slopes, as much again
    // for its hinges; the factors of a sheet of n vertices take some 900 n^1.5 (nested dissection).
    const double vertices = double(sheet->world.vertex_count());
    const double triangles = 2 * vertices, blocks = 13 * vertices;
    problem->cost = {.force = 800 * triangles,
                     .mass = 3 * vertices,
                     .linearise = 3000 * triangles,
                     .product = 18 * blocks,
                     .solve = 900 * std::pow(vertices, 1.5),
                     .iteration = 0};
    problem->names = {"x of the first vertex", "y", "z"};
    return problem;
}

/// Small and soft, so that what a step leaves of an error is well above the rounding of stiff forces.
Settings soft_sheet() {
    Settings options = Settings::object();
    options["side"] = Settings::of(3.0);
    options["stretch"] = Settings::of(20.0);
    options["end"] = Settings::of(0.05);
    options["damping"] = Settings::of(1e-3);
    return options;
}

}  // namespace

extern const ProblemEntry entry_cloth_sheet;
constinit const ProblemEntry entry_cloth_sheet{
    .key = "cloth_sheet",
    .doc = "a small sheet of Baraff-Witkin cloth that hangs from two corners. [BW98]",
    .properties = {.damped = true,
                   .nonlinear = true,
                   .exact = false,
                   .exact_slopes = false,
                   .first_steps = 20,
                   .order_options = &soft_sheet,
                   .highest_order = 4},
    .fields = &field_table<ClothSheetOptions>,
    .make = &make_cloth_sheet,
};

const ProblemEntry& cloth_sheet_entry() {
    return entry_cloth_sheet;
}

}  // namespace taffeta::app
