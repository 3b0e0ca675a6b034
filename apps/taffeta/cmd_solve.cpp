#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "system_files.h"
#include "taffeta/base/parallel.h"
#include "taffeta/scene/json.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/solve/residual.h"
#include "taffeta/sparse/matrix_market.h"

namespace taffeta::app {

namespace {

struct SolveArguments {
    SystemFiles files;
    std::string output;
    std::string solver = "prefiltered_pcg", preconditioner;
    double tolerance = 0;
    int max_iterations = 0;
    int threads = 0;
    bool json = false;
};

Settings solver_settings(const SolveArguments& arguments) {
    Settings settings = Settings::object();
    settings["type"] = Settings::of(arguments.solver);
    if (!arguments.preconditioner.empty())
        settings["preconditioner"] = Settings::of(arguments.preconditioner);
    if (arguments.tolerance != 0) settings["tolerance"] = Settings::of(arguments.tolerance);
    if (arguments.max_iterations != 0)
        settings["max_iterations"] = Settings::of(double(arguments.max_iterations));
    return settings;
}

void print_json(const FileSystem& system, const SolveArguments& arguments,
                const SolveReport& report, double residual) {
    Settings all = Settings::object();
    all["status"] = Settings::of(std::string(to_string(report.status)));
    all["message"] = Settings::of(report.message);
    all["solver"] = Settings::of(arguments.solver);
    all["rows"] = Settings::of(double(system.rows));
    all["blocks"] = Settings::of(double(system.A.empty() ? 0 : system.A.pattern().blocks()));
    all["constrained_vertices"] = Settings::of(double(system.filter.entries().size()));
    all["iterations"] = Settings::of(double(report.iterations));
    const auto finite = [](double value) {
        return std::isfinite(value) ? Settings::of(value) : Settings();
    };
    all["residual"] = finite(report.residual);
    all["euclidean_residual"] = finite(residual);
    all["setup_seconds"] = Settings::of(report.setup_seconds);
    all["solve_seconds"] = Settings::of(report.solve_seconds);
    fmt::print("{}\n", scene::write_json(all));
}

void print_report(const FileSystem& system, const SolveArguments& arguments,
                  const SolveReport& report, double residual, const std::string& hierarchy) {
    fmt::print("matrix      {} rows, {} blocks, {} constrained vertices\n", system.rows,
               system.A.empty() ? 0 : system.A.pattern().blocks(), system.filter.entries().size());
    fmt::print("solver      {}{}{}\n", arguments.solver,
               arguments.preconditioner.empty() ? "" : " with ", arguments.preconditioner);
    fmt::print("status      {}\n", to_string(report.status));
    if (!report.message.empty()) fmt::print("            {}\n", report.message);
    fmt::print("iterations  {}\n", report.iterations);
    fmt::print("residual    {:.3e} (the solver's norm), {:.3e} (Euclidean)\n", report.residual,
               residual);
    fmt::print("time        {:.4f} s set-up, {:.4f} s solve, {} threads\n", report.setup_seconds,
               report.solve_seconds, thread_count());
    if (!hierarchy.empty()) fmt::print("\n{}", hierarchy);
}

void solve_files(const SolveArguments& arguments, int& exit_status) {
    set_thread_count(arguments.threads);
    const auto solver = solve::make_linear_solver(solver_settings(arguments));
    const FileSystem system = read_system(arguments.files);
    if (system.nodes.size() > 0) solver->set_near_kernel({&system.nodes});

    VecX x = VecX::Zero(system.b.size());
    const SolveReport report = solver->solve(system.A, system.filter, system.b, x);

    const double residual = solve::relative_residual(system.A, system.filter, system.b, x);
    if (arguments.json)
        print_json(system, arguments, report, residual);
    else
        print_report(system, arguments, report, residual,
                     report.iterations > 0 ? solver->description() : "");
    if (!arguments.output.empty()) sparse::write_vector(arguments.output, x.head(system.rows));
    const bool refused =
        report.status == SolveStatus::bad_size || report.status == SolveStatus::bad_filter;
    exit_status = report.ok() ? 0 : refused ? exit_bad_input : exit_numerics;
}

}  // namespace

void add_solve_command(Command app, int& exit_status) {
    Command command =
        app.subcommand("solve", "solve A x = b from Matrix Market files, with constraints");
    command.footer(
        "Example:  taffeta solve A.mtx b.mtx --filter S.mtx --solver prefiltered_pcg -o x.mtx\n"
        "S is block diagonal, one 3 x 3 projector a vertex; x = z where it forbids, S (A x - b) = "
        "0\n"
        "elsewhere. Solvers and preconditioners: taffeta list");
    const auto arguments = std::make_shared<SolveArguments>();
    command.option("matrix", arguments->files.matrix, "A, symmetric positive definite").required();
    command.option("right_side", arguments->files.right_side, "b").required();
    command.option("--filter", arguments->files.filter, "S, block diagonal projectors");
    command.option("--target", arguments->files.target, "z, the values where S forbids");
    command.option("--nodes", arguments->files.nodes,
                   "vertex coordinates, x0 y0 z0 x1 ..., for preconditioners that use them");
    command.option("--solver", arguments->solver, "its key").show_default();
    command.option("--preconditioner", arguments->preconditioner, "its key");
    command.option("--tolerance", arguments->tolerance, "relative residual to stop at");
    command.option("--max-iterations", arguments->max_iterations, "hard limit");
    command.option("--threads", arguments->threads, "0: all cores");
    command.option("-o,--output", arguments->output, "file for x");
    command.flag("--json", arguments->json, "the report as JSON");
    command.action([arguments, &exit_status] { solve_files(*arguments, exit_status); });
}

}  // namespace taffeta::app
