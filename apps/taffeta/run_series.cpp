#include "run_series.h"

#include <fmt/format.h>

#include "taffeta/io/frame_files.h"
#include "taffeta/scene/run_origin.h"

namespace taffeta::app {

namespace {

namespace fs = std::filesystem;

/// Null when there are none.
std::unique_ptr<io::FrameReader> find_frames(const fs::path& folder, const std::string& body) {
    io::FrameSeries series;
    series.name = body;
    series.directory = folder;
    for (const char* extension : {".pc2", ".mdd"})
        if (const fs::path file = io::series_file(series, extension); fs::exists(file))
            return io::FrameReader::open(file);
    for (const char* extension : {".ply", ".obj"})
        if (const fs::path file = io::numbered_frame(series, 1, extension); fs::exists(file))
            return io::FrameReader::open(file);
    return nullptr;
}

}  // namespace

std::unique_ptr<io::FrameReader> open_body_frames(const fs::path& folder, const sim::Body& body) {
    std::unique_ptr<io::FrameReader> reader = find_frames(folder, body.name);
    if (!reader)
        fail_input(folder.string(),
                   fmt::format("no frames of body '{}' that can be read", escaped(body.name)),
                   "pc2, mdd, ply and obj can: name one of them in `output.formats`");
    if (reader->vertices() != body.shown_count())
        fail_input(folder.string(),
                   fmt::format("the frames of body '{}' have {} vertices, the scene's has {}",
                               escaped(body.name), reader->vertices(), body.shown_count()));
    return reader;
}

RunScene build_run_scene(const scene::RunDirectory& run, const fs::path& scene_folder) {
    RunScene result;
    result.scene = scene::load_run_scene(run, scene_folder);
    try {
        result.built = scene::build(result.scene);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input || !scene_folder.empty()) throw;
        fail_input(error.where(), error.message(),
                   "if the scene and its files have moved, --scene-folder says where they are");
    }
    return result;
}

}  // namespace taffeta::app
