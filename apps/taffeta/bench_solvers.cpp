#include "bench_solvers.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "contestants.h"
#include "solver_names.h"
#include "system_files.h"
#include "table.h"
#include "taffeta/base/parallel.h"
#include "taffeta/scene/json.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/solve/residual.h"

namespace taffeta::app {

namespace {

struct ContestArguments {
    std::vector<std::string> scenes = {"pinned"};
    std::vector<int> vertices = {10201};
    std::string tessellation = "regular";
    std::vector<std::string> matrix;  ///< A and b
    SystemFiles files;
    std::string solvers, peers;
    std::vector<int> threads = {1};
    std::vector<std::string> overrides;
    int steps = 1, skip = 4, repeats = 5;
    double tolerance = 1e-5;
    bool keep = false;
    std::string json, csv;
};

/// Where the systems of some rows of the table come from.
struct Heat {
    std::string scene;
    int vertices = 0, threads = 1;
    std::vector<Contest> contests;
};

/// What one contestant took, all systems together, in the middle one of its repeats.
struct Score {
    int iterations = 0;  ///< most of a system
    double setup_seconds = 0, solve_seconds = 0;
    double residual = 0, error = 0;  ///< largest of a system
    std::string failure;

    double seconds() const { return setup_seconds + solve_seconds; }
};

std::string available_solvers() {
    std::string names = "auto,sa,diag";
    for (const solve::SolverEntry* entry : solve::linear_solvers()) {
        if (entry->key != "cholmod" && entry->key != "pardiso") continue;
        const solve::Unavailable lack = unavailable(*entry);
        if (lack)
            fmt::print("absent: {}: {}; {}\n", entry->key, lack.why, lack.remedy);
        else
            names += "," + std::string(entry->key);
    }
    return names;
}

std::vector<LoadedPeer> available_peers(const std::string& wanted) {
    std::vector<std::string> names = split_names(wanted), known;
    const bool all = names.empty();
    std::vector<LoadedPeer> found;
    for (LoadedPeer& peer : load_peers()) {
        known.push_back(peer.key);
        const auto name = std::find(names.begin(), names.end(), peer.key);
        if (!all && name == names.end()) continue;
        if (!all) names.erase(name);
        if (peer.module) {
            fmt::print("peer: {} {}\n", peer.name, peer.module->version);
            for (const PeerSetting& setting : peer.module->settings)
                fmt::print("  {}: {}\n", setting.name, setting.words);
            found.push_back(std::move(peer));
        } else {
            fmt::print("absent: {}: {}\n", peer.name, peer.lack);
        }
    }
    names.erase(std::remove(names.begin(), names.end(), "none"), names.end());
    if (!names.empty())
        fail_input("--peers", fmt::format("no peer is called {}", names.front()),
                   "there are " + joined(known) + ", none");
    return found;
}

/// OpenBLAS, which CHOLMOD and some peers call, takes all cores unless it is told.
void set_blas_threads(int threads) {
    if (void* const symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
        reinterpret_cast<void (*)(int)>(symbol)(threads);
}

/// Every contestant once, one after the other, and so on: they see the same state of the machine.
std::vector<Score> compete(const Heat& heat,
                           const std::vector<std::unique_ptr<Contestant>>& contestants,
                           const ContestArguments& arguments) {
    std::vector<std::vector<Score>> scores(contestants.size());
    for (int repeat = 0; repeat < arguments.repeats; ++repeat)
        for (std::size_t k = 0; k < contestants.size(); ++k) {
            Score& score = scores[k].emplace_back();
            for (std::size_t s = 0; s < heat.contests.size(); ++s) {
                const Contest& contest = heat.contests[s];
                const ContestRun run =
                    contestants[k]->run(contest, arguments.tolerance, arguments.keep && s > 0);
                score.iterations = std::max(score.iterations, run.iterations);
                score.setup_seconds += run.setup_seconds;
                score.solve_seconds += run.solve_seconds;
                if (score.failure.empty()) score.failure = run.failure;
                if (repeat > 0) continue;
                score.residual =
                    std::max(score.residual,
                             solve::relative_residual(contest.system.A, contest.system.filter,
                                                      contest.system.b, run.x));
                score.error = std::max(score.error, energy_error(contest, run.x));
            }
        }
    std::vector<Score> medians;
    for (std::vector<Score>& all : scores) {
        const double residual = all.front().residual, error = all.front().error;
        const auto middle = all.begin() + std::ptrdiff_t(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end(),
                         [](const Score& a, const Score& b) { return a.seconds() < b.seconds(); });
        medians.push_back(*middle);
        medians.back().residual = residual;
        medians.back().error = error;
    }
    return medians;
}

Table make_table() {
    return Table({"scene", "vertices", "solver", "settings", "threads", "iterations", "setup_s",
                  "solve_s", "total_s", "residual", "a_norm_error", "times_ours", "failure"});
}

void add_rows(const Heat& heat, const std::vector<std::unique_ptr<Contestant>>& contestants,
              const std::vector<Score>& scores, Table& table) {
    for (std::size_t k = 0; k < scores.size(); ++k) {
        const Score& score = scores[k];
        table.add({cell(heat.scene), cell(heat.vertices), cell(contestants[k]->solver),
                   cell(contestants[k]->settings), cell(heat.threads), cell(score.iterations),
                   cell(score.setup_seconds), cell(score.solve_seconds), cell(score.seconds()),
                   cell(score.residual), cell(score.error),
                   cell(score.seconds() / scores.front().seconds()), cell(score.failure)});
    }
}

std::vector<BenchSystem> systems_of(const ContestArguments& arguments, const std::string& scene,
                                    int vertices) {
    if (arguments.matrix.empty())
        return record_systems({scene, arguments.tessellation, vertices, arguments.skip,
                               arguments.steps, arguments.overrides});
    SystemFiles files = arguments.files;
    files.matrix = arguments.matrix[0];
    files.right_side = arguments.matrix[1];
    FileSystem system = read_system(files);
    if (system.A.empty()) fail_input(files.matrix, "the matrix has no rows");
    std::vector<BenchSystem> systems;
    systems.push_back({std::move(system.A), std::move(system.filter), std::move(system.b),
                       std::move(system.nodes)});
    return systems;
}

void run_bench_solvers(ContestArguments arguments) {
    if (arguments.solvers.empty()) arguments.solvers = available_solvers();
    std::vector<std::unique_ptr<Contestant>> ours, all;
    for (const std::string& name : split_names(arguments.solvers))
        ours.push_back(our_contestant(name));
    for (const LoadedPeer& peer : available_peers(arguments.peers))
        for (std::unique_ptr<Contestant>& contestant : peer_contestants(peer))
            all.push_back(std::move(contestant));
    const std::size_t serial = all.size();
    all.insert(all.begin(), std::make_move_iterator(ours.begin()),
               std::make_move_iterator(ours.end()));

    const bool from_files = !arguments.matrix.empty();
    if (from_files) {
        arguments.scenes = {arguments.matrix[0]};
        arguments.vertices = {0};
    }
    Table table = make_table();
    for (const std::string& scene : arguments.scenes)
        for (const int vertices : arguments.vertices) {
            Heat heat{scene, 0, 1, {}};
            for (BenchSystem& system : systems_of(arguments, scene, vertices))
                heat.contests.push_back(make_contest(std::move(system)));
            heat.vertices = heat.contests.front().system.A.rows();
            for (const int threads : arguments.threads) {
                set_thread_count(threads);
                set_blas_threads(threads);
                heat.threads = threads;
                Table rows = make_table();
                std::vector<std::unique_ptr<Contestant>> starters;
                // The peers here run on one thread.
                const std::size_t count = threads == 1 ? all.size() : all.size() - serial;
                std::move(all.begin(), all.begin() + std::ptrdiff_t(count),
                          std::back_inserter(starters));
                const std::vector<Score> scores = compete(heat, starters, arguments);
                add_rows(heat, starters, scores, rows);
                add_rows(heat, starters, scores, table);
                std::move(starters.begin(), starters.end(), all.begin());
                fmt::print("\n{}", rows.text(3));
                if (threads > 1 && serial > 0)
                    fmt::print("the peers run on one thread and are left out\n");
                std::fflush(stdout);
                // After every heat: an interrupt loses one, not all.
                if (!arguments.json.empty())
                    write_text(arguments.json, scene::write_json(table.json()) + "\n");
                if (!arguments.csv.empty()) write_text(arguments.csv, table.csv());
            }
        }
}

}  // namespace

void add_bench_solvers(Command bench) {
    const auto arguments = std::make_shared<ContestArguments>();
    Command command = bench.subcommand(
        "solvers", "our solvers, PETSc, hypre, Trilinos ML and direct ones on the same systems");
    command.option("--scenes", arguments->scenes, "built-in scenes")
        .comma_separated()
        .show_default();
    command.option("--vertices", arguments->vertices, "sizes").comma_separated().show_default();
    command.option("--tessellation", arguments->tessellation, "regular, irregular").show_default();
    command.option("--matrix", arguments->matrix, "A.mtx b.mtx: this system instead of scenes")
        .values(2);
    command.option("--nodes", arguments->files.nodes, "coordinates of its vertices");
    command.option("--filter", arguments->files.filter, "its constraints S");
    command.option("--target", arguments->files.target, "its prescribed values z");
    command.option("--solvers", arguments->solvers,
                   "ours, by their names in `bench table1`; ratios refer to the first (default "
                   "auto,sa,diag and the direct ones that are there)");
    command.option("--peers", arguments->peers,
                   "petsc, hypre, ml, or none (default: those that are there)");
    command.option("--threads", arguments->threads, "thread counts; peers run on one")
        .comma_separated()
        .show_default();
    command.option("--steps", arguments->steps, "systems of a scene, one a step")
        .show_default()
        .positive();
    command.option("--skip", arguments->skip, "steps before the first of them")
        .show_default()
        .within(0, 1000000);
    command
        .option("--repeats", arguments->repeats, "runs of each solver, in turns; the median counts")
        .show_default()
        .positive();
    command.option("--tolerance", arguments->tolerance, "of the residual in the M^-1 norm")
        .show_default()
        .within(1e-14, 1.0);
    command.flag("--keep", arguments->keep,
                 "our solvers keep what serves from one system to the next, as in an animation");
    command.option("--set", arguments->overrides, "key=value for the scenes").repeatable();
    command.option("--json", arguments->json, "file for the rows");
    command.option("--csv", arguments->csv, "file for the rows");
    command.footer(
        "Example:  taffeta bench solvers --scenes pinned --vertices 10201,40401 --csv peers.csv\n"
        "Each solver begins from nothing, set-up included. Residuals are Euclidean and computed\n"
        "from A; errors are in the norm of A against the solution to 1e-12.");
    command.action([arguments] { run_bench_solvers(*arguments); });
}

}  // namespace taffeta::app
