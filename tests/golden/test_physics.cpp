#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/energy_audit.h"

/// Whole simulations against closed forms: free fall, the hanging strip, the heavy cantilever,
/// momentum. Scenes are written out here so that nothing they depend on can move.
namespace taffeta::scene {
namespace {

sim::Simulation simulation_of(const std::string& json) {
    BuiltScene built = build(load_settings(parse_json(json, "test.json")));
    return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
}

TEST(FreeFall, FollowsBackwardEulerExactlyAlsoWithStrainDamping) {
    sim::Simulation simulation = simulation_of(R"({
      "up_axis": "Z", "time": {"step": 0.002, "frames": 1},
      "bodies": [{"mesh": {"grid": {"columns": 8, "rows": 8, "tessellation": "irregular"}},
                  "material": "damped"}],
      "materials": {"damped": {"preset": "benchmark-cotton",
        "membrane": {"tau_stretch": 0.01, "tau_shear": 0.01}, "bending": {"tau": 0.01}}},
      "solver": {"type": "prefiltered_pcg", "tolerance": 1e-12}})");

    for (int k = 1; k <= 50; ++k) {
        ASSERT_TRUE(simulation.step().ok()) << simulation.message();
        // v_k = -g h k, z_k = -g h^2 k (k + 1) / 2
        const double z = -9.81 * 4e-6 * k * (k + 1) / 2;
        for (Index i = 0; i < simulation.world().vertex_count(); ++i)
            ASSERT_NEAR(vec3(simulation.world().state.x, i).z(), z, 1e-14) << "step " << k;
    }
}

TEST(Momentum, OfAFreeSheetIsKept) {
    sim::Simulation simulation = simulation_of(R"({
      "up_axis": "Z", "gravity": [0, 0, 0], "time": {"step": 0.002, "frames": 1},
      "bodies": [{"mesh": {"grid": {"columns": 10, "rows": 10}}, "material": "benchmark-cotton",
                  "initial": {"displacement": {"amplitude": [0, 0, 0.05]}}}],
      "solver": {"type": "ldlt"}})");
    double scale = 0;
    for (int k = 0; k < 20; ++k) {
        ASSERT_TRUE(simulation.step().ok());
        double sum = 0;  // sum of |m v|
        for (Index i = 0; i < simulation.world().vertex_count(); ++i)
            sum += simulation.world().mass[i] * vec3(simulation.world().state.v, i).norm();
        scale = std::max(scale, sum);
    }

    ASSERT_GT(scale, 1e-4);  // it does move
    EXPECT_LT(sim::audit(simulation.world()).momentum.norm(), 1e-12 * scale);
}

TEST(HangingStrip, StretchesByRhoGLSquaredOverTwoK) {
    sim::Simulation simulation = simulation_of(R"({
      "gravity": [0, -9.81, 0], "time": {"step": 0.1, "frames": 1},
      "integrator": "backward_euler", "solver": "ldlt",
      "bodies": [{"mesh": {"grid": {"columns": 4, "rows": 20, "width": 0.2, "height": 1}},
                  "material": "soft", "pins": [{"region": "v_max"}]}],
      "materials": {"soft": {"density": 0.15,
        "membrane": {"type": "baraff_witkin", "stretch_warp": 50, "stretch_weft": 50, "shear": 25},
        "bending": {"type": "hinge", "warp": 1e-6, "weft": 1e-6, "bias": 1e-6}}}})");
    for (int k = 0; k < 400; ++k)
        ASSERT_TRUE(simulation.step().ok()) << simulation.message();

    const double stretch = -vec3(simulation.world().state.x, 2).y();  // middle of the lower edge

    EXPECT_NEAR(stretch, 0.15 * 9.81 / (2 * 50), 0.005 * 0.15 * 9.81 / (2 * 50));
}

/// Width and height of the static heavy cantilever over its length: the elastica.
struct Cantilever {
    double gamma, width, height;  ///< rho g L^3 / B, W/L, H/L
};
constexpr Cantilever elastica[] = {
    {1, 0.991246, 0.123471}, {10, 0.656354, 0.700200}, {100, 0.159223, 0.937524}};

/// Clamp at u = 0: the last fixed column at +dx/2, the one before at -dx/2.
Vec2 settled_cantilever(int nx, double gamma, const char* tessellation, const char* bending) {
    const double L = 0.05, dx = L / (nx + 0.5);
    const double B = 0.15 * 9.81 * L * L * L / gamma;
    sim::Simulation simulation = simulation_of(fmt::format(
        R"({{"up_axis": "Z", "time": {{"step": 0.1, "frames": 1}},
          "integrator": "backward_euler", "solver": "ldlt",
          "newton": {{"tolerance": 1e-7, "max_iterations": 200}},
          "bodies": [{{"mesh": {{"grid": {{"columns": {}, "rows": {}, "width": {}, "height": 0.01,
                                          "tessellation": "{}"}}}},
                      "material": "strip", "transform": {{"translate": [{}, 0, 0]}},
                      "pins": [{{"box": {{"max": [{}, 1, 1]}}}}]}}],
          "materials": {{"strip": {{"density": 0.15,
            "membrane": {{"type": "baraff_witkin", "stretch_warp": 3000, "stretch_weft": 3000,
                          "shear": 300}},
            "bending": {{"type": "plate", "stiffness": {}, {}}}}}}}}})",
        nx + 1, nx / 5, L + dx / 2, tessellation, -dx / 2, 0.51 * dx, B, bending));
    for (int k = 0; k < 150; ++k)
        if (!simulation.step().ok()) {
            ADD_FAILURE() << simulation.message();
            break;
        }
    // Mean of the free edge.
    Vec3 tip = Vec3::Zero();
    const Index columns = nx + 2, rows = nx / 5 + 1;
    for (Index j = 0; j < rows; ++j)
        tip += vec3(simulation.world().state.x, j * columns + columns - 1) / double(rows);
    return {tip.x() / L, -tip.z() / L};
}

/// W/L and H/L of the elastica cut into nx stiff links with springs between them, which is what a
/// plate that is exact for constant curvature makes of a regular mesh: Newton on the link angles.
Vec2 chain_of_links(int nx, double gamma) {
    const double dx = 1 / (nx + 0.5), spring = 1 / (gamma * dx);
    const auto n = std::size_t(nx);
    std::vector<double> angle(n), below(n), diagonal(n), right_side(n), factor(n);
    for (std::size_t i = 0; i < n; ++i) {
        angle[i] = 1.5 * double(i + 1) / nx;
        below[i] = dx * (double(n - i) - 0.5);  // weight that link i carries
    }
    for (int pass = 0; pass < 100; ++pass) {
        for (std::size_t i = 0; i < n; ++i) {
            const bool last = i + 1 == n;
            const double before = i > 0 ? angle[i - 1] : 0;
            right_side[i] = spring * (angle[i] - before) - below[i] * dx * std::cos(angle[i]) -
                            (last ? 0 : spring * (angle[i + 1] - angle[i]));
            diagonal[i] = spring * (last ? 1 : 2) + below[i] * dx * std::sin(angle[i]);
        }
        for (std::size_t i = 0; i < n; ++i) {  // tridiagonal elimination, off-diagonals -spring
            const double pivot = diagonal[i] + (i > 0 ? spring * factor[i - 1] : 0);
            factor[i] = -spring / pivot;
            right_side[i] = (right_side[i] + (i > 0 ? spring * right_side[i - 1] : 0)) / pivot;
        }
        for (std::size_t i = n; i-- > 0;) {
            if (i + 1 < n) right_side[i] -= factor[i] * right_side[i + 1];
            angle[i] -= right_side[i];
        }
    }
    Vec2 tip(dx / 2, 0);
    for (const double a : angle)
        tip += dx * Vec2(std::cos(a), std::sin(a));
    return tip;
}

TEST(HeavyCantilever, PlateIsTheChainOfLinksOnRegularMeshesAndMeetsTheElastica) {
    for (const int nx : {20, 40})
        for (const Cantilever& exact : elastica) {
            const Vec2 found =
                settled_cantilever(nx, exact.gamma, "regular", R"("variant": "plate")");

            const Vec2 links = chain_of_links(nx, exact.gamma);
            EXPECT_LE((found - links).norm(), 2e-4) << "nx " << nx << ", Gamma " << exact.gamma;
            // At Gamma = 100 the strip bends within four of its 20 cells: the chain itself is
            // 0.72 % too wide.
            const double allowed = nx == 20 && exact.gamma == 100 ? 0.0075 : 0.005;
            EXPECT_NEAR(found.x(), exact.width, allowed * exact.width)
                << "W/L, nx " << nx << ", Gamma " << exact.gamma;
            EXPECT_NEAR(found.y(), exact.height, 0.005 * exact.height)
                << "H/L, nx " << nx << ", Gamma " << exact.gamma;
        }
}

TEST(HeavyCantilever, ConsistentPlateIsWithinThreePercentOnIrregularMeshes) {
    for (const int nx : {20, 40})
        for (const Cantilever& exact : elastica) {
            // Four irregular cells cannot roll into this bend without stretching: the membrane
            // locks, and the error (11 %) goes with its stiffness and not with that of the plate.
            if (nx == 20 && exact.gamma == 100) continue;
            const Vec2 found =
                settled_cantilever(nx, exact.gamma, "irregular", R"("variant": "platex")");

            EXPECT_NEAR(found.x(), exact.width, 0.03 * exact.width)
                << "W/L, nx " << nx << ", Gamma " << exact.gamma;
            EXPECT_NEAR(found.y(), exact.height, 0.03 * exact.height)
                << "H/L, nx " << nx << ", Gamma " << exact.gamma;
        }
}

}  // namespace
}  // namespace taffeta::scene
