#include "taffeta/scene/run_origin.h"

#include "taffeta/base/fields.h"
#include "taffeta/io/atomic_file.h"
#include "taffeta/scene/files.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

namespace taffeta::scene {

namespace {

namespace fs = std::filesystem;

struct Origin {
    std::string scene_folder = ".";
    bool allow_outside = false;

    static Fields<Origin> fields() {
        return {{"scene_folder", &Origin::scene_folder,
                 "what the file names of scene.json are relative to, itself relative to the run"},
                {"allow_outside", &Origin::allow_outside, "files outside that folder may be read"}};
    }
};

}  // namespace

void write_origin(const RunDirectory& run, const Scene& scene) {
    std::error_code ignored;
    const fs::path folder = scene.folder.empty() ? fs::path(".") : scene.folder;
    // Links are resolved on both sides: `..` of a linked folder is not where one would think.
    const fs::path from_run = fs::relative(folder, run.path(), ignored);
    Origin origin;
    origin.scene_folder = (from_run.empty() ? fs::absolute(folder) : from_run).generic_string();
    origin.allow_outside = scene.allow_outside;
    io::AtomicFile file(run.origin());
    file.write(write_json(write_fields(origin)) + "\n");
    file.commit();
}

Scene load_run_scene(const RunDirectory& run, const fs::path& scene_folder) {
    Scene scene = load_scene(run.scene().string());
    std::error_code ignored;
    if (fs::exists(run.origin(), ignored)) {
        const std::string name = run.origin().string();
        Origin origin;
        read_fields(origin, parse_json(read_regular_file(name, JsonLimits().bytes), name));
        scene.folder = run.path() / origin.scene_folder;
        scene.allow_outside = origin.allow_outside;
    }
    if (!scene_folder.empty()) scene.folder = scene_folder;
    return scene;
}

}  // namespace taffeta::scene
