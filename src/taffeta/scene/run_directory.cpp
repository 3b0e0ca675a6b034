#include "taffeta/scene/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "taffeta/io/atomic_file.h"
#include "taffeta/sim/checkpoint.h"

namespace taffeta::scene {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t checkpoints_kept = 2;
constexpr const char* made_by_a_run[] = {"scene.json",  "origin.json", "frames",     "frames.jsonl",
                                         "stats.jsonl", "report.json", "checkpoint", "log.txt",
                                         "render.png",  "sheet.png"};

void make_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error || !fs::is_directory(path))
        fail_io(path.string(), fmt::format("cannot make the folder: {}",
                                           error ? error.message() : "it is a file"));
}

std::vector<char> read_bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return {};
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& path, const std::string& scene_json,
                                  bool overwrite) {
    RunDirectory run(path);
    const bool used = fs::exists(path) && (!fs::is_directory(path) || !fs::is_empty(path));
    if (used && !fs::exists(run.scene()))
        fail_input(path.string(), "exists and holds no run", "choose another -o");
    if (used && !overwrite)
        fail_input(path.string(), "holds a run already",
                   "go on with --resume, replace it with --overwrite, or choose another -o");
    if (used)
        for (const char* name : made_by_a_run) {
            std::error_code error;
            fs::remove_all(path / name, error);
            if (error) fail_io((path / name).string(), "cannot remove: " + error.message());
        }
    make_folder(path);
    make_folder(run.frames());
    make_folder(path / "checkpoint");
    io::AtomicFile file(run.scene());
    file.write(scene_json);
    file.commit();
    return run;
}

RunDirectory RunDirectory::open(const fs::path& path) {
    RunDirectory run(path);
    if (!fs::exists(run.scene()))
        fail_input(path.string(), "holds no run to resume (no scene.json)",
                   "start one without --resume");
    make_folder(run.frames());
    make_folder(path / "checkpoint");
    return run;
}

std::vector<fs::path> RunDirectory::checkpoints() const {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path_ / "checkpoint", error))
        if (entry.path().extension() == ".ckpt") files.push_back(entry.path());
    std::sort(files.rbegin(), files.rend());
    return files;
}

void RunDirectory::save_checkpoint(long step, std::uint64_t scene_hash,
                                   std::span<const char> state) const {
    const std::vector<char> bytes = sim::encode_checkpoint(scene_hash, state);
    io::AtomicFile file(path_ / "checkpoint" / fmt::format("step-{:010}.ckpt", step));
    file.write(bytes.data(), bytes.size());
    file.commit();
    const std::vector<fs::path> files = checkpoints();
    for (std::size_t i = checkpoints_kept; i < files.size(); ++i) {
        std::error_code error;
        fs::remove(files[i], error);  // an old one too many does no harm
    }
}

std::optional<RunDirectory::Loaded> RunDirectory::load_checkpoint(std::uint64_t scene_hash,
                                                                  Diagnostics& diagnostics) const {
    for (const fs::path& file : checkpoints()) {
        sim::DecodedCheckpoint decoded = sim::decode_checkpoint(read_bytes(file), scene_hash);
        if (decoded.ok()) return Loaded{std::move(decoded.payload), file};
        diagnostics.push_back({Severity::warning, file.string(),
                               "checkpoint passed over: " + decoded.problem,
                               "the previous one is used"});
    }
    return std::nullopt;
}

}  // namespace taffeta::scene
