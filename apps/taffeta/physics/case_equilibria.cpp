#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "physics/findings.h"
#include "physics/start_journal.h"
#include "physics/statics.h"
#include "taffeta/base/timer.h"

namespace taffeta::app::physics {

namespace {

struct StartScene {
    const char* scene;
    int vertices;
    std::vector<std::string> settings;
};

/// Every free coordinate by up to half of a cell.
StartRecord search_from(const StartScene& scene, int seed) {
    const Timer timer;
    Statics statics(built_builtin(scene.scene, scene.vertices, scene.settings));
    const mesh::TriMesh& mesh = statics.world().bodies[0].mesh;
    const double edge =
        (mesh.position[std::size_t(mesh.face[0][1])] - mesh.position[std::size_t(mesh.face[0][0])])
            .norm();
    for (const Eigen::Index k : free_coordinates(statics.world()))
        statics.x()[k] += edge / 2 * random_number(std::uint64_t(k), std::uint64_t(seed));
    const sim::EquilibriumReport report = statics.solve();
    return {sim::to_string(report.status),
            report.iterations,
            report.refused,
            report.gradient,
            report.floor,
            report.largest_rise / std::abs(report.energy_end),
            timer.seconds()};
}

void measure_equilibria(const Effort& effort, Findings& findings) {
    const int starts = effort.quick ? std::min(5, effort.starts) : effort.starts;
    const StartScene scenes[] = {
        {"cusick",
         effort.quick ? 400 : 2107,
         {"materials.cloth.membrane.psd=exact", "materials.cloth.bending.psd=exact"}},
        {"cantilever",
         effort.quick ? 400 : 2000,
         {"time.quasistatic={\"max_iterations\": 2000}", "time.frames=1", "solver=ldlt",
          "materials.strip.membrane.psd=exact", "materials.strip.bending.psd=exact"}}};
    StartJournal journal(effort.journal);
    for (const StartScene& scene : scenes) {
        int converged = 0;
        long iterations = 0;
        double rise = 0, gradient = 0, floor = 0;
        std::map<std::string, int> ends;
        for (int seed = 1; seed <= starts; ++seed) {
            const StartRecord* known = journal.find(scene.scene, scene.vertices, seed);
            const StartRecord record =
                known ? *known
                      : journal.add(scene.scene, scene.vertices, seed, search_from(scene, seed));
            iterations += record.iterations;
            rise = std::max(rise, record.rise);
            gradient = std::max(gradient, record.gradient);
            floor = std::max(floor, record.floor);
            converged += record.ok();
            ++ends[record.status];
        }
        const std::string setup = fmt::format("{}, {} random starts", scene.scene, starts);
        findings.at_least("part that converges to 1e-8 of the weight or to rounding", setup, 1,
                          double(converged) / starts);
        findings.at_most("largest rise of the energy in a step, of the energy", setup, 1e-12, rise);
        std::string counts;
        for (const auto& [status, count] : ends)
            counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, status);
        findings.remark += fmt::format(
            "{}{}, {} vertices: {}; the largest gradient left is {:.2g} of the weight, {} "
            "iterations in the mean.",
            findings.remark.empty() ? "" : " ", scene.scene, scene.vertices, counts, gradient,
            iterations / starts);
        if (floor > 0)
            findings.remark += fmt::format(
                " Where rounding ends it, the forces change by up to {:.2g} of the weight when "
                "every position goes to the next double.",
                floor);
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
