#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "bench_ccd.h"
#include "bench_physics.h"
#include "bench_solvers.h"
#include "commands.h"
#include "comparison.h"
#include "solver_names.h"
#include "table_plot.h"
#include "taffeta/base/parallel.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

namespace taffeta::app {

namespace {

struct TableArguments {
    std::vector<std::string> scenes = {"pinned", "drooping", "re-entrant"};
    std::vector<int> vertices = {961, 3721, 10201};
    std::vector<std::string> tessellations = {"regular"};
    std::string solvers = "diag,sa";
    std::vector<int> threads;
    std::vector<std::string> overrides;
    int frames = 1;
    long steps = 0;
    int every = 1;
    std::string json, csv, plot;
    bool describe = false;
};

/// One cell of the table: an animation of one scene, solved by all solvers.
struct Cell {
    std::string scene, tessellation;
    int vertices = 0, threads = 1;
};

/// What ratios refer to: block Jacobi, or the first solver.
struct Baseline {
    double total = 0, equal_error = 0;  ///< mean seconds of a system
};

double ratio(double baseline, double seconds) {
    return seconds > 0 ? baseline / seconds : 0;
}

void print_cell(const Cell& cell, const SolverTotals& totals, const Baseline& baseline,
                double bytes) {
    const double n = std::max(1, totals.solves);
    fmt::print(
        "{:<11} {:>8} {:<10} {} {:<12} {:>7.1f} {:>5} {:>6.3f} {:>9.2f} {:>9.2f} {:>9.2f} "
        "{:>8.1f} {:>8.1e} {:>7.2f} {:>7.2f}{}\n",
        cell.scene, cell.vertices, cell.tessellation, cell.threads, totals.name,
        double(totals.iterations) / n, totals.most_iterations, totals.rates / n,
        1e3 * totals.setup_seconds / n, 1e3 * totals.solve_seconds / n, 1e3 * totals.seconds() / n,
        bytes / 1e6, totals.error, ratio(baseline.total, totals.mean_seconds()),
        ratio(baseline.equal_error, totals.equal_error_seconds),
        totals.failed ? "  failed: " + totals.message : "");
    std::fflush(stdout);
}

Settings record(const Cell& cell, const SolverTotals& totals, const Baseline& baseline,
                double bytes) {
    const double n = std::max(1, totals.solves);
    Settings row = Settings::object();
    row["scene"] = Settings::of(cell.scene);
    row["vertices"] = Settings::of(double(cell.vertices));
    row["tessellation"] = Settings::of(cell.tessellation);
    row["solver"] = Settings::of(totals.name);
    row["threads"] = Settings::of(double(cell.threads));
    row["solves"] = Settings::of(double(totals.solves));
    row["iterations"] = Settings::of(double(totals.iterations) / n);
    row["most_iterations"] = Settings::of(double(totals.most_iterations));
    row["rate"] = Settings::of(totals.rates / n);
    row["setup_s"] = Settings::of(totals.setup_seconds / n);
    row["prefilter_s"] = Settings::of(totals.prefilter_seconds / n);
    row["solve_s"] = Settings::of(totals.solve_seconds / n);
    row["total_s"] = Settings::of(totals.seconds() / n);
    row["memory_bytes"] = Settings::of(bytes);
    row["a_norm_error"] = Settings::of(totals.error);
    row["equal_error_s"] = Settings::of(totals.equal_error_seconds);
    row["equal_error_speedup"] =
        Settings::of(ratio(baseline.equal_error, totals.equal_error_seconds));
    row["speedup_over_diag"] = Settings::of(ratio(baseline.total, totals.mean_seconds()));
    row["converged"] = Settings::of(!totals.failed);
    return row;
}

/// Simulates the cell's animation; the records of its solvers.
std::vector<Settings> measure(Cell cell, const TableArguments& arguments) {
    const scene::BuiltinScene source =
        scene::builtin_scene(cell.scene, {cell.vertices, cell.tessellation});
    cell.vertices = source.vertices;
    scene::BuiltScene built =
        scene::build(scene::load_settings(source.settings, arguments.overrides));
    auto comparison = std::make_unique<Comparison>();
    Comparison& all = *comparison;
    for (const std::string& name : split_names(arguments.solvers))
        all.add(name, solver_by_name(name), name == "diag" ? arguments.every : 1);
    built.tools.solver = std::move(comparison);
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);

    const long planned = built.time.steps_until(arguments.frames);
    const long steps = arguments.steps > 0 ? std::min(arguments.steps, planned) : planned;
    if (arguments.every > steps)
        fail_input("--every", fmt::format("{} of {} steps", arguments.every, steps),
                   "diag would solve nothing");
    for (long k = 0; k < steps; ++k)
        if (!simulation.step().ok()) {
            fmt::print(stderr, "{} stopped: {}\n", cell.scene, simulation.message());
            break;
        }
    all.measure_errors();

    Baseline baseline;
    for (const SolverTotals& totals : all.totals())
        if (totals.name == "diag" || baseline.total == 0)
            baseline = {totals.mean_seconds(), totals.equal_error_seconds};
    std::vector<Settings> records;
    for (const SolverTotals& totals : all.totals()) {
        const double bytes = double(all.matrix_bytes() + totals.solver->bytes());
        print_cell(cell, totals, baseline, bytes);
        if (arguments.describe) fmt::print("{}", totals.solver->description());
        records.push_back(record(cell, totals, baseline, bytes));
    }
    return records;
}

/// After every cell: an interrupt loses one, not all.
void write_records(const std::string& name, const Settings& records) {
    std::ofstream file(name);
    file << scene::write_json(records) << "\n";
    if (!file.flush()) fail_io(name, "cannot write");
}

/// A heading and a line for each record.
void write_lines(const std::string& name, const Settings& records) {
    std::ofstream file(name);
    for (std::size_t k = 0; k < records.items().size(); ++k) {
        const auto line = [&](const auto& cell) {
            const char* separator = "";
            for (const auto& [key, value] : records.items()[k].members()) {
                file << std::exchange(separator, ",") << cell(key, value);
            }
            file << "\n";
        };
        if (k == 0) line([](const std::string& key, const Settings&) { return key; });
        line([](const std::string&, const Settings& value) { return scene::write_json(value); });
    }
    if (!file.flush()) fail_io(name, "cannot write");
}

/// `--every` leaves out systems for diag, and for no other solver.
void check_every(const std::vector<std::string>& names) {
    const auto diags = std::count(names.begin(), names.end(), "diag");
    if (diags == 0)
        fail_input("--every", "diag is not there, and the others solve every system",
                   "name it, e.g. --solvers diag,sa");
    if (std::size_t(diags) == names.size())
        fail_input("--every", "only diag is there, which would leave out systems",
                   "name a solver that goes on, e.g. --solvers diag,sa");
}

void run_table(const TableArguments& arguments) {
    if (!arguments.plot.empty()) plot::check(arguments.plot);  // before hours of work
    const std::vector<std::string> names = split_names(arguments.solvers);
    if (arguments.every > 1) check_every(names);
    std::vector<int> threads = arguments.threads;
    if (threads.empty()) threads = {thread_count()};
    fmt::print(
        "{:<11} {:>8} {:<10} t {:<12} {:>7} {:>5} {:>6} {:>9} {:>9} {:>9} {:>8} {:>8} {:>7} "
        "{:>7}\n",
        "scene", "vertices", "mesh", "solver", "iter", "most", "rate", "setup ms", "solve ms",
        "total ms", "MB", "A-error", "x diag", "x equal");
    Settings records = Settings::array();
    for (const std::string& scene : arguments.scenes)
        for (const std::string& tessellation : arguments.tessellations)
            for (const int vertices : arguments.vertices)
                for (const int count : threads) {
                    set_thread_count(count);
                    for (Settings& row : measure({scene, tessellation, vertices, count}, arguments))
                        records.items().push_back(std::move(row));
                    if (!arguments.json.empty()) write_records(arguments.json, records);
                    if (!arguments.csv.empty()) write_lines(arguments.csv, records);
                }
    if (!arguments.plot.empty()) plot::write(table_figure(records), arguments.plot);
}

}  // namespace

void add_bench_command(Command app, int& exit_status) {
    Command bench =
        app.subcommand("bench", "measure the solvers and the contact detection on this machine");
    bench.require_subcommand();
    const auto arguments = std::make_shared<TableArguments>();
    Command table =
        bench.subcommand("table1", "solvers on the systems of an animation, as table 1 of [TJM15]");
    table.option("--scenes", arguments->scenes, "built-in scenes").comma_separated().show_default();
    table.option("--vertices", arguments->vertices, "sizes").comma_separated().show_default();
    table.option("--tessellation", arguments->tessellations, "regular, irregular")
        .comma_separated()
        .show_default();
    table
        .option(
            "--solvers", arguments->solvers,
            "diag (block Jacobi), paper2015 or a preconditioner's key, each with :unfiltered for "
            "one that ignores constraints; a direct solver (ldlt, cholmod, pardiso, with an "
            "ordering as in ldlt:amd); or JSON objects separated by ;")
        .show_default();
    table.option("--threads", arguments->threads, "thread counts").comma_separated();
    table.option("--frames", arguments->frames, "frames of the animation")
        .show_default()
        .positive();
    table.option("--steps", arguments->steps, "steps at most, for large sizes");
    table
        .option("--every", arguments->every,
                "diag solves each such system only, the others all; means are compared")
        .show_default()
        .positive();
    table.option("--set", arguments->overrides, "key=value for the scenes").repeatable();
    table.option("--json", arguments->json, "file for the records");
    table.option("--csv", arguments->csv, "file for the records, a line each");
    table.option("--plot", arguments->plot, "picture of the records, .svg or .png");
    table.flag("--describe", arguments->describe, "print the hierarchies");
    table.footer(
        "Example:  taffeta bench table1 --scenes pinned --vertices 961,10201 --solvers diag,sa");
    table.action([arguments] { run_table(*arguments); });
    add_bench_solvers(bench);
    add_bench_ccd(bench);
    add_bench_physics(bench, exit_status);
}

}  // namespace taffeta::app
