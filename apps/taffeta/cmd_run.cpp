#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "commands.h"
#include "progress_line.h"
#include "taffeta/base/parallel.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/scene/run.h"

namespace taffeta::app {

namespace {

constexpr int exit_interrupted = 130;

std::atomic<bool> interrupted = false;

void on_interrupt(int) {
    interrupted = true;
}

struct RunArguments {
    std::string scene;
    std::string directory;
    int frames = 0;
    std::vector<std::string> overrides;
    int threads = 0;
    bool resume = false, overwrite = false, dry_run = false, quiet = false, allow_outside = false;
};

/// Notes are for log.txt: a person who runs a scene wants to hear of what may be wrong.
void print_diagnostic(const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::note) return;
    fmt::print(stderr, "{}\n", escaped(diagnostic.text()));
}

/// What would be run, for --dry-run and as a heading.
void print_summary(const scene::Scene& scene, const scene::BuiltScene& built) {
    const sim::TimeOptions& time = scene.description.time;
    Index faces = 0, tets = 0;
    for (const sim::Body& body : built.world.bodies)
        (body.soft() ? tets : faces) +=
            body.soft() ? body.tets.tet_count() : body.mesh.face_count();
    const std::string elements = tets == 0    ? fmt::format("{} faces", faces)
                                 : faces == 0 ? fmt::format("{} tets", tets)
                                              : fmt::format("{} faces, {} tets", faces, tets);
    fmt::print("scene     {}\n", escaped(scene.description.name));
    fmt::print("bodies    {}: {} vertices, {}; {} obstacles\n", built.world.bodies.size(),
               built.world.vertex_count(), elements, built.world.obstacles.size());
    fmt::print("mass      {:.6g} kg\n", built.world.mass.sum());
    const std::string steps =
        time.adaptive
            ? "steps that adapt"
            : fmt::format("{} steps of {:.4g} ms", time.steps_until(time.frames), 1e3 * time.h());
    fmt::print("time      {} frames at {} fps, {}\n", time.frames, time.frame_rate, steps);
}

void run_scene(const RunArguments& arguments, int& exit_status) {
    set_thread_count(arguments.threads);
    std::vector<std::string> overrides = arguments.overrides;
    if (arguments.frames > 0) overrides.push_back(fmt::format("time.frames={}", arguments.frames));
    const scene::Scene scene =
        scene::load_scene(arguments.scene, overrides, arguments.allow_outside);

    if (arguments.dry_run) {
        const scene::BuiltScene built = scene::build(scene);
        for (const Diagnostic& diagnostic : built.diagnostics)
            print_diagnostic(diagnostic);
        print_summary(scene, built);
        return;
    }

    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    ProgressLine progress(stderr, arguments.quiet);
    scene::RunOptions options;
    options.directory =
        arguments.directory.empty() ? "out/" + scene.description.name : arguments.directory;
    options.resume = arguments.resume;
    options.overwrite = arguments.overwrite;
    options.stop = [] { return interrupted.load(); };
    options.on_progress = [&](const scene::RunProgress& now) { progress.show(now); };
    options.on_diagnostic = [&](const Diagnostic& diagnostic) {
        progress.clear();
        print_diagnostic(diagnostic);
    };
    const scene::RunOutcome outcome = scene::run(scene, options);
    progress.finish();

    const std::string directory = options.directory.string();
    switch (outcome.status) {
        case sim::RunStatus::done:
            if (!arguments.quiet)
                fmt::print("{} frames, {} steps in {:.1f} s; state {}\n{}\n", outcome.frames,
                           outcome.steps, outcome.seconds, outcome.state_hash, directory);
            return;
        case sim::RunStatus::failed:
            fmt::print(stderr, "error: the numerics failed: {}\n", outcome.message);
            fmt::print(stderr, "  the last good state is kept in {}/checkpoint\n", directory);
            exit_status = exit_numerics;
            return;
        case sim::RunStatus::interrupted:
            fmt::print(stderr, "interrupted at step {}; --resume goes on from frame {}\n",
                       outcome.steps, outcome.frames);
            exit_status = exit_interrupted;
            return;
    }
}

}  // namespace

void add_run_command(Command app, int& exit_status) {
    auto arguments = std::make_shared<RunArguments>();
    Command command = app.subcommand("run", "Simulate a scene");
    command.option("scene", arguments->scene, "a scene file, or the name of a built-in scene")
        .required();
    command.option("-o,--output", arguments->directory,
                   "folder of the run; out/NAME when not given");
    command.option("--frames", arguments->frames, "frames to make instead of the scene's")
        .positive();
    command.option("--set", arguments->overrides, "key=value, e.g. solver.tolerance=1e-8")
        .repeatable();
    command.option("--threads", arguments->threads, "threads; all cores when not given")
        .within(1, 1024);
    command.flag("--resume", arguments->resume, "go on from the newest checkpoint");
    command.flag("--overwrite", arguments->overwrite, "replace a former run in the folder");
    command.flag("--dry-run", arguments->dry_run, "check everything, simulate nothing");
    command.flag("--quiet", arguments->quiet, "no progress, no summary");
    command.flag("--allow-outside", arguments->allow_outside,
                 "let the scene read files outside its folder");
    command.footer(
        "Example:  taffeta run drooping -o out/drooping --frames 24 --set solver.tolerance=1e-8");
    command.action([arguments, &exit_status] { run_scene(*arguments, exit_status); });
}

}  // namespace taffeta::app
