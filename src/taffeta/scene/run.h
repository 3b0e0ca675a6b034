#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "taffeta/scene/scene_description.h"
#include "taffeta/sim/simulation.h"

/// A scene from beginning to end, on disk: frames, statistics, checkpoints and a report.
namespace taffeta::scene {

/// Where a run stands; given to the listener after every step.
struct RunProgress {
    int frame = 0, frames = 0;  ///< completed, planned
    long step = 0, steps = 0;
    double seconds = 0;     ///< of this process
    long steps_before = 0;  ///< taken before this process resumed
    const sim::StepRecord* record = nullptr;
};

struct RunOptions {
    std::filesystem::path directory;
    bool resume = false;         ///< continue from the newest good checkpoint
    bool overwrite = false;      ///< replace a former run in the folder
    std::function<bool()> stop;  ///< asked between steps: true writes a checkpoint and returns
    std::function<void(const RunProgress&)> on_progress;
    std::function<void(const Diagnostic&)> on_diagnostic;
};

struct RunOutcome {
    sim::RunStatus status = sim::RunStatus::done;
    std::string message;  ///< why a run failed, a sentence
    int frames = 0;       ///< completed
    long steps = 0;
    double seconds = 0;
    std::string state_hash;
};

/// Builds the scene and runs it in `options.directory`. Throws `Error` for bad input before any
/// step; numerical failure is an outcome, with the last good state in a checkpoint. A resumed run
/// leaves the same bytes as an unbroken one, but for measured seconds.
RunOutcome run(const Scene& scene, const RunOptions& options);

}  // namespace taffeta::scene
