#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "faces/command.h"

namespace taffeta::test {

/// Runs a small drape into an empty folder; what went wrong, empty when nothing did.
inline std::string make_small_run(const std::filesystem::path& folder, int frames) {
    std::filesystem::remove_all(folder);
    Command scene({"scene", "sphere", "--vertices", "400"});
    if (scene.wait() != 0) return scene.text();
    const std::filesystem::path file = folder.string() + ".json";
    std::ofstream(file) << scene.text();
    Command run({"run", file.string(), "-o", folder.string(), "--frames", std::to_string(frames),
                 "--quiet", "--set", "output.formats=[\"pc2\"]"});
    const int status = run.wait();
    std::filesystem::remove(file);
    return status == 0 ? "" : run.text();
}

}  // namespace taffeta::test
