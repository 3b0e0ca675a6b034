#include <fmt/format.h>

#include <algorithm>

#include "physics/findings.h"
#include "physics/statics.h"

namespace taffeta::app::physics {

namespace {

void measure_equilibria(const Effort& effort, Findings& findings) {
    const int starts = effort.quick ? std::min(5, effort.starts) : effort.starts;
    const struct {
        const char* scene;
        int vertices;
        std::vector<std::string> settings;
    } scenes[] = {{"cusick",
                   effort.quick ? 400 : 2107,
                   {"materials.cloth.membrane.psd=exact", "materials.cloth.bending.psd=exact"}},
                  {"cantilever",
                   effort.quick ? 400 : 2000,
                   {"time.quasistatic={\"max_iterations\": 2000}", "time.frames=1", "solver=ldlt",
                    "materials.strip.membrane.psd=exact", "materials.strip.bending.psd=exact"}}};
    for (const auto& scene : scenes) {
        int converged = 0;
        long iterations = 0;
        int rounded = 0;
        double rise = 0, floor = 0;
        std::string reasons;
        for (int seed = 1; seed <= starts; ++seed) {
            Statics statics(built_builtin(scene.scene, scene.vertices, scene.settings));
            // Every free coordinate by up to half of a cell.
            const mesh::TriMesh& mesh = statics.world().bodies[0].mesh;
            const double edge = (mesh.position[std::size_t(mesh.face[0][1])] -
                                 mesh.position[std::size_t(mesh.face[0][0])])
                                    .norm();
            for (const Eigen::Index k : free_coordinates(statics.world()))
                statics.x()[k] += edge / 2 * random_number(std::uint64_t(k), std::uint64_t(seed));
            const sim::EquilibriumReport report = statics.solve();
            iterations += report.iterations;
            rise = std::max(rise, report.largest_rise / std::abs(report.energy_end));
            converged += report.ok();
            rounded += report.status == sim::EquilibriumStatus::at_rounding;
            floor = std::max(floor, report.floor);
            if (!report.ok())
                reasons += fmt::format(" Start {} of {}: {}: {}.", seed, scene.scene,
                                       sim::to_string(report.status), report.message);
        }
        const std::string setup = fmt::format("{}, {} random starts", scene.scene, starts);
        findings.at_least("part that converges to 1e-8 of the weight or to rounding", setup, 1,
                          double(converged) / starts);
        findings.at_most("largest rise of the energy in a step, of the energy", setup, 1e-12, rise);
        if (rounded > 0)
            reasons += fmt::format(
                " {} of them end at rounding: positions in doubles leave up to {:.2g} of its "
                "weight.",
                rounded, floor);
        findings.remark += fmt::format(" {}: {} iterations in the mean.{}", scene.scene,
                                       iterations / starts, reasons);
    }
}

}  // namespace

extern const CaseEntry case_equilibria;
constinit const CaseEntry case_equilibria{
    "equilibria", "Equilibria from random starts",
    "The quasistatic solve of the drape tester and of the cantilever from starts in which every "
    "free "
    "coordinate of every vertex is moved at random by up to half of a cell: all must end at a "
    "gradient of "
    "1e-8 of the weight, or at what the rounding of positions leaves where that is more, and no "
    "accepted step may raise the energy but by rounding.",
    measure_equilibria};

}  // namespace taffeta::app::physics
