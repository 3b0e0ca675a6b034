#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "render/camera.h"
#include "render/mesh.h"
#include "taffeta/io/frame_reader.h"
#include "taffeta/scene/build.h"

namespace taffeta::app {

/// The recorded frames of a run directory as meshes to draw: scene.json says which bodies and
/// obstacles there are, `frames/` where the cloth is. Frames count from 1, the initial state.
class RunFrames {
  public:
    /// `scene_folder`: where the files that the scene names are now, when they have moved since the
    /// run. Throws bad input where there is no run, or none of its frames is in a format that can
    /// be read.
    RunFrames(const std::filesystem::path& directory, const std::filesystem::path& scene_folder);

    const std::string& name() const { return scene_.description.name; }
    int frames() const { return frames_; }
    double frame_rate() const { return frame_rate_; }
    double time(int frame) const { return (frame - 1) / frame_rate_; }  ///< s
    Vec3 up() const { return scene_.description.z_up() ? Vec3::UnitZ() : Vec3::UnitY(); }
    const Diagnostics& diagnostics() const { return built_.diagnostics; }

    /// Cloth and obstacles at a frame, but for the floor.
    std::vector<render::RenderMesh> meshes(int frame);
    /// What a picture of the frame must hold: the cloth, and obstacles of about its size.
    render::Outline outline(int frame);
    /// Height of the floor along `up`, m: that of a level plane of the scene, otherwise just below
    /// everything in the outline.
    double floor_height(const render::Outline& outline) const;

  private:
    struct Series {
        const sim::Body* body;
        std::unique_ptr<io::FrameReader> reader;
        mesh::TriMesh mesh;  ///< of its frames
    };

    void open_series(const std::filesystem::path& folder);
    void find_floor();
    render::RenderMesh cloth_mesh(const Series& series, int frame);

    scene::Scene scene_;
    scene::BuiltScene built_;
    std::vector<Series> series_;
    std::vector<bool> is_floor_;  ///< per obstacle: drawn as the studio's floor
    std::optional<double> floor_;
    int frames_ = 0;
    double frame_rate_ = 24;
    VecX x_;
};

}  // namespace taffeta::app
