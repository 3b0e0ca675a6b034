#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/energy_audit.h"

/// `pinned` and `drooping` at 961 vertices against trajectories computed by an independent program
/// (numpy, direct solves): tests/golden/trajectories.json. be1 is the linearised stepper with
/// clamped Hessians, ben the converged backward Euler, which depends on no Hessian rule.
namespace taffeta::scene {
namespace {

Settings references() {
    const std::string path = TAFFETA_SOURCE_DIR "/tests/golden/trajectories.json";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return parse_json(text.str(), path);
}

struct Case {
    const char* key;  ///< in the reference file
    const char* scene;
    const char* integrator;
    const char* psd;  ///< rule of the hinge
    const char* solver;
    double position_tolerance;  ///< m
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.key << " " << c.solver << " " << c.psd;
}

class Trajectory : public testing::TestWithParam<Case> {};

TEST_P(Trajectory, FollowsTheReference) {
    const Case& c = GetParam();
    const Settings file = references();
    const Settings* reference = file.find(c.key);
    ASSERT_NE(reference, nullptr);
    const Scene scene = load_scene(
        c.scene, {std::string("integrator=") + c.integrator, std::string("solver=") + c.solver,
                  "materials.benchmark-cotton.preset=benchmark-cotton",
                  std::string("materials.benchmark-cotton.bending.psd=") + c.psd,
                  std::string("materials.benchmark-cotton.membrane.psd=") +
                      (std::string(c.psd) == "gauss_newton" ? "gauss_newton" : "clamp"),
                  "newton={\"tolerance\": 1e-7, \"max_iterations\": 3000}"});
    BuiltScene built = build(scene);
    ASSERT_EQ(built.world.vertex_count(), 961);
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    const auto& probes = reference->find("probes")->items();

    double worst = 0, worst_energy = 0;
    for (const Settings& frame : reference->find("frames")->items()) {
        const long step = long(frame.find("step")->number());
        while (simulation.progress().step < step) {
            const sim::StepRecord record = simulation.step();
            ASSERT_TRUE(record.ok()) << simulation.message();
            ASSERT_EQ(record.pieces, 1) << "step " << record.step;  // no other step size
        }

        const auto& expected = frame.find("x")->items();
        for (std::size_t p = 0; p < probes.size(); ++p)
            for (int axis = 0; axis < 3; ++axis) {
                const double x = vec3(simulation.world().state.x, Index(probes[p].number()))[axis];
                worst =
                    std::max(worst, std::abs(x - expected[p].items()[std::size_t(axis)].number()));
            }
        const sim::EnergyAudit audit = sim::audit(simulation.world());
        const double scale = std::abs(frame.find("gravity")->number());
        for (const char* term : {"stretch", "shear", "bend", "gravity"})
            worst_energy = std::max(worst_energy,
                                    std::abs(audit.of(term) - frame.find(term)->number()) / scale);
        worst_energy = std::max(worst_energy,
                                std::abs(audit.kinetic - frame.find("kinetic")->number()) / scale);
    }

    RecordProperty("worst_position_error_m", std::to_string(worst));
    EXPECT_LE(worst, c.position_tolerance);
    // Energies are smooth functions of the positions: their relative error follows.
    EXPECT_LE(worst_energy, 1e4 * c.position_tolerance);
}

constexpr const char* direct = "ldlt";
constexpr const char* pcg =
    R"({"type": "prefiltered_pcg", "preconditioner": "block_jacobi", "tolerance": 1e-10})";

constexpr const char* multigrid =
    R"({"type": "prefiltered_pcg", "preconditioner": "sa", "tolerance": 1e-10})";

INSTANTIATE_TEST_SUITE_P(
    Golden, Trajectory,
    testing::Values(
        Case{"pinned_be1", "pinned", "linearised_backward_euler", "clamp", direct, 1e-9},
        Case{"drooping_be1", "drooping", "linearised_backward_euler", "clamp", direct, 1e-9},
        Case{"pinned_be1", "pinned", "linearised_backward_euler", "clamp", pcg, 1e-7},
        Case{"drooping_be1", "drooping", "linearised_backward_euler", "clamp", pcg, 1e-7},
        // A residual of 1e-7 weights moves a vertex by less than 1e-11 m in a step of 2 ms.
        Case{"pinned_ben", "pinned", "backward_euler", "clamp", direct, 1e-8},
        Case{"drooping_ben", "drooping", "backward_euler", "clamp", direct, 1e-8},
        Case{"pinned_ben", "pinned", "backward_euler", "gauss_newton", direct, 1e-8},
        Case{"drooping_ben", "drooping", "backward_euler", "gauss_newton", direct, 1e-8},
        Case{"pinned_be1", "pinned", "linearised_backward_euler", "clamp", multigrid, 1e-7},
        Case{"drooping_be1", "drooping", "linearised_backward_euler", "clamp", multigrid, 1e-7},
        Case{"pinned_ben", "pinned", "backward_euler", "automatic", pcg, 1e-7},
        Case{"drooping_ben", "drooping", "backward_euler", "automatic", pcg, 1e-7}));

}  // namespace
}  // namespace taffeta::scene
