#include "taffeta/contact/obstacle_mesh.h"

#include "taffeta/contact/mesh_distance.h"
#include "taffeta/contact/rigid_obstacle.h"

namespace taffeta::contact {
namespace {

struct MeshOptions {
    std::string file;
    Motion motion;

    static Fields<MeshOptions> fields() {
        return {{"file", &MeshOptions::file, "a closed triangle mesh, m", required()},
                {"motion", &MeshOptions::motion, "rigid motion"}};
    }
};

/// Made in two steps, because this layer reads no files: whoever asks for it by name hands it the
/// mesh of `file()` afterwards.
class MeshObstacle final : public RigidObstacle {
  public:
    explicit MeshObstacle(const MeshOptions& options)
        : RigidObstacle(options.motion), file_(options.file) {}

    std::string file() const override { return file_; }
    bool has_exact_surface() const override { return true; }
    void set_surface(const mesh::TriMesh& mesh, Diagnostics& diagnostics) override {
        surface_ = closed_outward_surface(mesh, diagnostics);
        distance_ = std::make_unique<MeshDistance>(surface_);
    }

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        TAFFETA_ASSERT(distance_);  // set_surface was called
        const MeshDistance::Result result = distance_->at(p);
        return {result.distance, result.normal};
    }
    bool near_at_rest(const Vec3& p, double distance) const override {
        TAFFETA_ASSERT(distance_);
        return distance_->near(p, distance);
    }
    mesh::TriMesh surface_at_rest() const override { return surface_; }

    std::string file_;
    mesh::TriMesh surface_;
    std::unique_ptr<MeshDistance> distance_;
};

}  // namespace

std::unique_ptr<Obstacle> make_mesh_obstacle(const mesh::TriMesh& closed, const Motion& motion,
                                             Diagnostics& diagnostics) {
    auto obstacle = std::make_unique<MeshObstacle>(MeshOptions{closed.source, motion});
    obstacle->set_surface(closed, diagnostics);
    return obstacle;
}

extern const ObstacleEntry entry_mesh;
constinit const ObstacleEntry entry_mesh{"mesh",
                                         "solid bounded by a closed triangle mesh",
                                         {},
                                         [] { return field_table<MeshOptions>(); },
                                         [](const Settings& settings) -> std::unique_ptr<Obstacle> {
                                             const auto options =
                                                 read_options<MeshOptions>(settings);
                                             options.motion.check(settings);
                                             return std::make_unique<MeshObstacle>(options);
                                         }};

}  // namespace taffeta::contact
