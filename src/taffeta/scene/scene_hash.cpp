#include <fmt/format.h>

#include "taffeta/base/hash.h"
#include "taffeta/scene/files.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/mesh_source.h"
#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

namespace {

constexpr std::size_t largest_mesh_file = std::size_t(4) << 30;

}  // namespace

std::uint64_t scene_hash(const Scene& scene) {
    Settings canonical = write_scene(scene.description);
    for (const char* words : {"$schema", "name", "description", "output"})
        canonical.erase(words);
    canonical["time"].erase("frames");

    Hash hash;
    hash.add(write_json(canonical, 0));
    for (const auto& [path, name] : referenced_files(scene.description)) {
        const auto file =
            resolve_reference(name, {scene.folder, scene.allow_outside}, scene.where(path), path);
        hash.add(path).add(read_regular_file(file, largest_mesh_file));
    }
    for (std::size_t i = 0; i < scene.description.obstacles.size(); ++i) {
        const Settings& shape = scene.description.obstacles[i].shape.value;
        const auto obstacle =
            find_entry(contact::obstacles(), "obstacle", shape.find("type")->string()).make(shape);
        if (!obstacle->animated()) continue;
        const std::string path = fmt::format("obstacles[{}].shape", i);
        for (const auto& file : scene_frame_files(scene, path, *obstacle))
            hash.add(path).add(read_regular_file(file, largest_mesh_file));
    }
    return hash.value();
}

}  // namespace taffeta::scene
