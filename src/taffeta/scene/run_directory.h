#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "taffeta/base/error.h"

namespace taffeta::scene {

/// The folder of one run: scene.json, origin.json, frames/, stats.jsonl, report.json, checkpoint/,
/// log.txt.
///
/// It belongs to one scene (by hash). Opening it anew refuses a folder that holds anything else;
/// resuming refuses one of another scene. Nothing outside the folder is ever written.
class RunDirectory {
  public:
    /// A fresh run. With `overwrite`, a former run is removed first, but only what a run makes.
    static RunDirectory create(const std::filesystem::path& path, const std::string& scene_json,
                               bool overwrite);
    /// An existing one; throws bad input when there is none.
    static RunDirectory open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path frames() const { return path_ / "frames"; }
    std::filesystem::path stats() const { return path_ / "stats.jsonl"; }
    std::filesystem::path report() const { return path_ / "report.json"; }
    std::filesystem::path scene() const { return path_ / "scene.json"; }
    std::filesystem::path origin() const { return path_ / "origin.json"; }
    std::filesystem::path frame_index() const { return path_ / "frames.jsonl"; }
    std::filesystem::path log() const { return path_ / "log.txt"; }

    /// Writes a checkpoint atomically and keeps the two newest.
    void save_checkpoint(long step, std::uint64_t scene_hash, std::span<const char> state) const;

    struct Loaded {
        std::vector<char> state;
        std::filesystem::path file;
    };
    /// The newest checkpoint that is whole and of this scene. Those passed over are named, with the
    /// reason, in `diagnostics`. Empty when there is none: start from the beginning.
    std::optional<Loaded> load_checkpoint(std::uint64_t scene_hash, Diagnostics& diagnostics) const;

  private:
    explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

    std::vector<std::filesystem::path> checkpoints() const;  ///< newest first

    std::filesystem::path path_;
};

}  // namespace taffeta::scene
