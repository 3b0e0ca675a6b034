#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run_frames.h"

namespace taffeta::app {

/// A file of the viewer's page.
struct ViewerPage {
    std::string_view name, text;
};
const std::vector<ViewerPage>& viewer_pages();

/// What the viewer may ask for, by name and number. No request ever becomes a path of a file: there
/// is nothing to traverse.
///
///     /, /NAME          the page and its parts
///     /manifest.json    meshes, frames, up axis, bounds
///     /mesh/ID          faces, uint32 x 3 #F
///     /frame/N          positions of all meshes in order, float32 x 3 #V; N from 1
///     /stats.jsonl      the statistics of the run, a JSON object a line
///
/// Numbers are little-endian. Safe to ask from many threads.
class ViewerContent {
  public:
    ViewerContent(const std::filesystem::path& directory,
                  const std::filesystem::path& scene_folder);

    struct Content {
        std::string type;  ///< MIME
        std::string body;
    };
    /// Nothing when the target names nothing.
    std::optional<Content> find(std::string_view target);

  private:
    std::string manifest() const;
    std::string frame_bytes(int frame);
    std::string stats() const;

    std::filesystem::path directory_;
    std::mutex reading_;
    RunFrames run_;
    std::string name_;
    std::vector<render::RenderMesh> meshes_;  ///< of the first frame
    render::Outline bounds_;                  ///< over all frames
};

}  // namespace taffeta::app
