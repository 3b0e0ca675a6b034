#pragma once

#include <filesystem>

#include "taffeta/io/growing_file.h"
#include "taffeta/sim/simulation.h"

namespace taffeta::scene {

/// Writes stats.jsonl: one JSON object a line and step, with times by phase, iterations, residuals,
/// contacts and energies. A resumed run drops the lines of steps after its checkpoint.
class StatsWriter final : public sim::Observer {
  public:
    /// Keeps the lines of the first `steps_kept` steps. `adaptive`: says what the step control did.
    StatsWriter(const std::filesystem::path& file, long steps_kept, bool energies,
                bool adaptive = false);

    void on_step(const sim::World& world, const sim::StepRecord& record) override;

  private:
    io::GrowingFile file_;
    bool energies_, adaptive_;
};

}  // namespace taffeta::scene
