#include "taffeta/scene/run.h"

#include <fmt/format.h>

#include <ctime>
#include <optional>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/io/atomic_file.h"
#include "taffeta/io/growing_file.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/frame_output.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/run_directory.h"
#include "taffeta/scene/run_origin.h"
#include "taffeta/scene/stats_writer.h"
#include "taffeta/sim/energy_audit.h"

namespace taffeta::scene {

namespace {

/// Appends dated lines to log.txt.
class Log {
  public:
    explicit Log(const std::filesystem::path& path) {
        file_.open(path, io::file_size_or_zero(path));
    }
    void line(const std::string& text) {
        const std::time_t now = std::time(nullptr);
        std::tm local{};
        localtime_r(&now, &local);
        char date[32];
        std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
        file_.append(fmt::format("{}  {}\n", date, text));
    }

  private:
    io::GrowingFile file_;
};

/// Sums over the steps of this process, for the report and for the listener.
class Account final : public sim::Observer {
  public:
    Account(const sim::Simulation& simulation, const RunOptions& options)
        : simulation_(simulation),
          options_(options),
          steps_before_(simulation.progress().step),
          frames_before_(simulation.progress().frame) {}

    void on_step(const sim::World&, const sim::StepRecord& record) override {
        times += record.times;
        linear_iterations += record.integration.linear_iterations;
        newton_iterations += record.integration.newton_iterations;
        force_evaluations += record.integration.force_evaluations;
        rejected += record.rejected;
        failed += record.failed;
        shortest = shortest > 0 ? std::min(shortest, record.h) : record.h;
        longest = std::max(longest, record.h);
        retried_steps += record.pieces > 1;
        deepest = std::max(deepest, record.contact.deepest);
        if (!options_.on_progress) return;
        const sim::TimeOptions& time = simulation_.time();
        const int frame = simulation_.progress().frame;
        // Steps that adapt are not known before: their progress is that of time.
        const double t = simulation_.world().state.t;
        const long planned = time.steps_until(time.frames);
        const bool adaptive = time.adaptive.has_value();
        options_.on_progress({frame, time.frames,
                              adaptive ? long(t * time.frame_rate + 1e-9) : record.step, planned,
                              timer.seconds(), adaptive ? frames_before_ : steps_before_, &record});
    }

    long steps() const { return simulation_.progress().step - steps_before_; }

    Timer timer;
    sim::PhaseTimes times;
    long linear_iterations = 0, newton_iterations = 0, force_evaluations = 0;
    long rejected = 0, failed = 0;
    double shortest = 0, longest = 0;  ///< of the steps, s
    long retried_steps = 0;
    double deepest = 0;

  private:
    const sim::Simulation& simulation_;
    const RunOptions& options_;
    long steps_before_, frames_before_;
};

/// Writes a checkpoint after every `every`-th frame, and the one of the last frame when the run is
/// interrupted: only between frames is the solver without history, so only from there does a
/// resumed run take the steps of an unbroken one.
class Checkpointer final : public sim::Observer {
  public:
    Checkpointer(const sim::Simulation& simulation, const RunDirectory& directory,
                 std::uint64_t scene_hash, int every)
        : simulation_(simulation), directory_(directory), scene_hash_(scene_hash), every_(every) {
        remember();
    }

    void on_frame(const sim::World&, int frame) override {
        remember();
        if (frame > 0 && frame % every_ == 0) write();
    }
    /// That of the last frame.
    void write() const { directory_.save_checkpoint(step_, scene_hash_, state_); }
    /// That of the last step.
    void write_now() {
        remember();
        write();
    }

  private:
    void remember() {
        step_ = simulation_.progress().step;
        state_ = simulation_.save();
    }

    const sim::Simulation& simulation_;
    const RunDirectory& directory_;
    std::uint64_t scene_hash_;
    int every_;
    long step_ = 0;
    std::vector<char> state_;
};

const char* to_string(sim::RunStatus status) {
    switch (status) {
        case sim::RunStatus::done:
            return "done";
        case sim::RunStatus::failed:
            return "failed";
        case sim::RunStatus::interrupted:
            return "interrupted";
    }
    return "?";
}

Settings seconds_by_phase(const sim::PhaseTimes& times) {
    Settings phases = Settings::object();
    phases["contact"] = Settings::of(times.contact);
    phases["assembly"] = Settings::of(times.assembly);
    phases["system"] = Settings::of(times.system);
    phases["setup"] = Settings::of(times.setup);
    phases["solve"] = Settings::of(times.solve);
    phases["other"] = Settings::of(times.other);
    return phases;
}

void write_report(const RunDirectory& directory, const Scene& scene,
                  const sim::Simulation& simulation, const Account& account,
                  const RunOutcome& outcome, std::uint64_t hash) {
    Index faces = 0;
    for (const sim::Body& body : simulation.world().bodies)
        faces += body.mesh.face_count();
    const double steps = double(std::max(1L, account.steps()));

    Settings report = Settings::object();
    report["status"] = Settings::of(std::string(to_string(outcome.status)));
    report["message"] = Settings::of(outcome.message);
    report["scene"] = Settings::of(scene.description.name);
    report["scene_hash"] = Settings::of(fmt::format("{:016x}", hash));
    report["state_hash"] = Settings::of(outcome.state_hash);
    report["vertices"] = Settings::of(double(simulation.world().vertex_count()));
    report["faces"] = Settings::of(double(faces));
    report["frames"] = Settings::of(double(outcome.frames));
    report["steps"] = Settings::of(double(outcome.steps));
    report["simulated_seconds"] = Settings::of(simulation.world().state.t);
    report["threads"] = Settings::of(double(thread_count()));

    Settings process = Settings::object();
    process["steps"] = Settings::of(double(account.steps()));
    process["seconds"] = Settings::of(outcome.seconds);
    process["seconds_by_phase"] = seconds_by_phase(account.times);
    process["iterations_per_step"] = Settings::of(double(account.linear_iterations) / steps);
    process["newton_iterations"] = Settings::of(double(account.newton_iterations));
    process["force_evaluations"] = Settings::of(double(account.force_evaluations));
    if (simulation.time().adaptive) {
        process["rejected_steps"] = Settings::of(double(account.rejected));
        process["failed_steps"] = Settings::of(double(account.failed));
        process["shortest_step"] = Settings::of(account.shortest);
        process["longest_step"] = Settings::of(account.longest);
    }
    process["retried_steps"] = Settings::of(double(account.retried_steps));
    process["deepest_penetration"] = Settings::of(account.deepest);
    report["this_process"] = std::move(process);

    io::AtomicFile file(directory.report());
    file.write(write_json(report) + "\n");
    file.commit();
}

}  // namespace

RunOutcome run(const Scene& scene, const RunOptions& options) {
    // Everything that can be wrong with the input is found before anything is written.
    BuiltScene built = build(scene);
    const std::uint64_t hash = scene_hash(scene);
    const auto tell = [&](const Diagnostic& diagnostic) {
        if (options.on_diagnostic) options.on_diagnostic(diagnostic);
    };
    for (const Diagnostic& diagnostic : built.diagnostics)
        tell(diagnostic);

    const RunDirectory directory =
        options.resume ? RunDirectory::open(options.directory)
                       : RunDirectory::create(options.directory,
                                              write_json(write_scene(scene.description)) + "\n",
                                              options.overwrite);
    if (!options.resume) write_origin(directory, scene);
    Log log(directory.log());
    for (const Diagnostic& diagnostic : built.diagnostics)
        log.line(diagnostic.text());

    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    int frames_done = -1;
    if (options.resume) {
        Diagnostics findings;
        const auto loaded = directory.load_checkpoint(hash, findings);
        if (loaded) {
            simulation.load(loaded->state);
            // Before the first step the initial state is written anew.
            if (simulation.progress().step > 0) frames_done = simulation.progress().frame;
        } else {
            findings.push_back({Severity::warning, options.directory.string(),
                                "no usable checkpoint: the run starts from the beginning", ""});
        }
        for (const Diagnostic& diagnostic : findings) {
            tell(diagnostic);
            log.line(diagnostic.text());
        }
        log.line(fmt::format("resumed at step {}", simulation.progress().step));
    }

    const OutputDescription& output = scene.description.output;
    const sim::TimeOptions& time = simulation.time();
    FrameOutput frames(simulation.world(),
                       {directory.frames(), directory.frame_index(), output.formats, output.every,
                        time.frame_rate, time.frames, scene.description.z_up()},
                       frames_done);
    StatsWriter stats(directory.stats(), simulation.progress().step, output.energies,
                      time.adaptive.has_value());
    Account account(simulation, options);
    Checkpointer checkpointer(simulation, directory, hash, output.checkpoint_every);
    // The order matters: a checkpoint must not claim a frame that is not on disk yet.
    simulation.add_observer(frames);
    simulation.add_observer(stats);
    simulation.add_observer(account);
    simulation.add_observer(checkpointer);

    RunOutcome outcome;
    outcome.status = simulation.advance(0, options.stop);
    if (outcome.status == sim::RunStatus::interrupted)
        checkpointer.write();
    else
        checkpointer.write_now();
    frames.close();
    outcome.message = simulation.message();
    outcome.frames = simulation.progress().frame;
    outcome.steps = simulation.progress().step;
    outcome.seconds = account.timer.seconds();
    outcome.state_hash = fmt::format("{:016x}", sim::state_hash(simulation.world()));
    write_report(directory, scene, simulation, account, outcome, hash);
    log.line(fmt::format("{}: {} frames, {} steps, {:.1f} s {}", to_string(outcome.status),
                         outcome.frames, outcome.steps, outcome.seconds, outcome.message));
    return outcome;
}

}  // namespace taffeta::scene
