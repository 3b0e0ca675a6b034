#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

#include "taffeta/base/error.h"
#include "taffeta/contact/moving_mesh.h"
#include "taffeta/contact/obstacle.h"

namespace taffeta::contact {
namespace {

struct AnimationOptions {
    std::string file;
    std::string mesh;
    int stride = 1;
    double frame_rate = 0;
    double start = 0;
    double teleport = 100;

    static Fields<AnimationOptions> fields() {
        return {
            {"file", &AnimationOptions::file,
             "the first file of a sequence of meshes, or a point cache (PC2, MDD), m", required()},
            {"mesh", &AnimationOptions::mesh, "a mesh file with the faces of a point cache"},
            {"stride", &AnimationOptions::stride,
             "from one number in the names of a sequence to the next", at_least(1)},
            {"frame_rate", &AnimationOptions::frame_rate,
             "frames a second; 0: what the file says, or else 24", at_least(0)},
            {"start", &AnimationOptions::start, "time of the first frame, s"},
            {"teleport", &AnimationOptions::teleport,
             "how far a vertex may move from frame to frame, in mean edges; farther is an error; "
             "0: "
             "any way",
             at_least(0)}};
    }
};

std::atomic<std::uint64_t> animations_made{0};

/// A surface whose vertices move straight and evenly from frame to frame; still before the first and
/// after the last. It may be open and intersect itself: what lies behind the nearest sheet is inside.
class Animation final : public Obstacle {
  public:
    explicit Animation(const AnimationOptions& options)
        : options_(options), number_(++animations_made) {}

    std::string file() const override { return options_.file; }
    bool animated() const override { return true; }
    bool has_exact_surface() const override { return true; }
    std::string topology_file() const override { return options_.mesh; }
    int file_stride() const override { return options_.stride; }

    void set_surface(const mesh::TriMesh& mesh, Diagnostics& diagnostics) override {
        VecX x(3 * Eigen::Index(mesh.vertex_count()));
        for (Index i = 0; i < mesh.vertex_count(); ++i)
            vec3(x, i) = mesh.position[std::size_t(i)];
        set_frames({mesh, {x}, 0, {}}, diagnostics);
    }

    void set_frames(SurfaceFrames frames, Diagnostics& diagnostics) override {
        if (frames.mesh.face.empty())
            fail_input(options_.file, "the animated obstacle has no faces",
                       "a point cache needs `mesh`: a file with its faces");
        rate_ = options_.frame_rate > 0 ? options_.frame_rate
                : frames.frame_rate > 0 ? frames.frame_rate
                                        : 24;
        for (Index i = 0; i < frames.mesh.vertex_count(); ++i)
            frames.mesh.position[std::size_t(i)] = vec3(frames.frame[0], i);
        frames_ = std::move(frames);
        check_ways();
        mesh_ = MovingMesh(frames_.mesh);
        if (mesh_.boundary_edges() > 0)
            diagnostics.push_back(
                {Severity::note, options_.file,
                 fmt::format("the surface is open: {} edges with one face", mesh_.boundary_edges()),
                 "what is behind the nearest face counts as inside"});
    }

    Sample sample(const Vec3& p, double t) const override {
        const MovingMesh::Pose& pose = *at(t);
        const Found found = find(pose, p);
        return {found.distance, found.normal, velocity(pose, found.hit, t)};
    }

    /// Glued to the face below it: the foot keeps its place in the face, the offset turns with it.
    Vec3 carried(const Vec3& p, double from, double to) const override {
        const std::shared_ptr<const MovingMesh::Pose> before = at(from), after = at(to);
        const MovingMesh::Hit hit = find(*before, p).hit;
        const Vec3 weight = mesh_.barycentric(*before, hit);
        const Triangle& face = mesh_.faces()[std::size_t(hit.face)];
        Vec3 foot = Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k)
            foot += weight[Eigen::Index(k)] * vec3(after->x, face[k]);
        return foot + frame_of(*after, face) * frame_of(*before, face).transpose() *
                          (p - hit.closest.point);
    }

    bool near(const Vec3& p, double distance, double t) const override {
        const MovingMesh::Pose& pose = *at(t);
        if (distance > 0 && pose.box[0].distance_sq(p) >= distance * distance) return false;
        return find(pose, p).distance < distance;
    }

    mesh::TriMesh surface(double t) const override {
        mesh::TriMesh mesh;
        mesh.face = frames_.mesh.face;
        const MovingMesh::Pose& pose = *at(t);
        for (Index i = 0; i < frames_.mesh.vertex_count(); ++i)
            mesh.position.push_back(vec3(pose.x, i));
        return mesh;
    }

  private:
    struct Found {
        MovingMesh::Hit hit;
        double distance;
        Vec3 normal;
    };
    Found find(const MovingMesh::Pose& pose, const Vec3& p) const {
        const MovingMesh::Hit hit = mesh_.closest(pose, p, std::numeric_limits<double>::infinity());
        if (hit.face < 0)  // every face has shrunk to nothing
            return {{0, {vec3(pose.x, 0), TriangleFeature::face}, 0}, 1e300, Vec3::UnitY()};
        const Vec3 normal = mesh_.pseudonormal(pose, hit), offset = p - hit.closest.point;
        const double length = std::sqrt(hit.distance_sq);
        const double sign = offset.dot(normal) < 0 ? -1 : 1;
        if (length <= tiny_) return {hit, sign * length, normal};
        return {hit, sign * length, sign / length * offset};
    }

    /// Segment that t lies in, and how far; frame + 1 is valid wherever the rate is not zero.
    struct Moment {
        std::size_t frame;
        double part, rate;
    };
    Moment moment(double t) const {
        const double along = (t - options_.start) * rate_;
        const double last = double(frames_.frame.size() - 1);
        if (!(along >= 0)) return {0, 0, 0};
        if (along >= last) return {frames_.frame.size() - 1, 0, 0};
        const double frame = std::floor(along);
        return {std::size_t(frame), along - frame, rate_};
    }

    Vec3 velocity(const MovingMesh::Pose& pose, const MovingMesh::Hit& hit, double t) const {
        const auto [frame, part, rate] = moment(t);
        Vec3 sum = Vec3::Zero();
        if (rate == 0) return sum;
        const Vec3 weight = mesh_.barycentric(pose, hit);
        for (std::size_t k = 0; k < 3; ++k) {
            const Index vertex = mesh_.faces()[std::size_t(hit.face)][k];
            sum += rate * weight[Eigen::Index(k)] *
                   (vec3(frames_.frame[frame + 1], vertex) - vec3(frames_.frame[frame], vertex));
        }
        return sum;
    }

    static Mat3 frame_of(const MovingMesh::Pose& pose, const Triangle& face) {
        const Vec3 a = vec3(pose.x, face[0]), u = Vec3(vec3(pose.x, face[1])) - a;
        const Vec3 normal = u.cross(Vec3(vec3(pose.x, face[2])) - a).normalized();
        Mat3 axes;
        axes.col(0) = u.normalized();
        axes.col(1) = normal.cross(axes.col(0));
        axes.col(2) = normal;
        return axes;
    }

    /// Nothing may jump: the first vertex that moves farther than `teleport` mean edges is named.
    void check_ways() {
        double sum = 0;
        for (const Triangle& face : frames_.mesh.face)
            for (std::size_t k = 0; k < 3; ++k)
                sum += (frames_.mesh.position[std::size_t(face[k])] -
                        frames_.mesh.position[std::size_t(face[(k + 1) % 3])])
                           .norm();
        const double edge = sum / double(3 * frames_.mesh.face.size());
        tiny_ = 1e-9 * edge;
        if (options_.teleport == 0) return;
        for (std::size_t k = 1; k < frames_.frame.size(); ++k)
            for (Index i = 0; i < frames_.mesh.vertex_count(); ++i) {
                const double way =
                    (vec3(frames_.frame[k], i) - vec3(frames_.frame[k - 1], i)).norm();
                if (way > options_.teleport * edge)
                    fail_input(k < frames_.name.size() ? frames_.name[k] : options_.file,
                               fmt::format("vertex {} jumps by {:.3g} m from frame {} to frame {}: "
                                           "{:.3g} mean edges, {:.3g} are allowed",
                                           i, way, k, k + 1, way / edge, options_.teleport),
                               "is a frame missing or scaled? `teleport` allows more");
            }
    }

    /// The pose at t. The last two times are kept, as a step asks for its start and its end; each thread
    /// holds what it used last, so that threads meet at the lock only when the time changes.
    std::shared_ptr<const MovingMesh::Pose> at(double t) const {
        struct Held {
            std::uint64_t animation = 0;
            double time = 0;
            std::shared_ptr<const MovingMesh::Pose> pose;
        };
        static thread_local Held held[2];
        static thread_local int oldest = 0;
        for (int k = 0; k < 2; ++k)
            if (held[k].animation == number_ && held[k].time == t) {
                oldest = 1 - k;
                return held[k].pose;
            }
        held[oldest] = {number_, t, shared_pose(t)};
        oldest = 1 - oldest;
        return held[1 - oldest].pose;
    }

    std::shared_ptr<const MovingMesh::Pose> shared_pose(double t) const {
        const std::lock_guard lock(mutex_);
        for (int k = 0; k < 2; ++k)
            if (kept_[std::size_t(k)].pose && kept_[std::size_t(k)].time == t) {
                oldest_kept_ = 1 - k;
                return kept_[std::size_t(k)].pose;
            }
        TAFFETA_ASSERT(!frames_.frame.empty());  // set_frames was called
        const auto [frame, part, rate] = moment(t);
        VecX x = frames_.frame[frame];
        if (rate > 0) x += part * (frames_.frame[frame + 1] - frames_.frame[frame]);
        Kept& fresh = kept_[std::size_t(oldest_kept_)];
        oldest_kept_ = 1 - oldest_kept_;
        fresh = {t, std::make_shared<const MovingMesh::Pose>(mesh_.pose(std::move(x)))};
        return fresh.pose;
    }

    struct Kept {
        double time = 0;
        std::shared_ptr<const MovingMesh::Pose> pose;
    };

    AnimationOptions options_;
    std::uint64_t number_;  ///< tells animations apart in the threads' memories
    SurfaceFrames frames_;
    MovingMesh mesh_;
    double rate_ = 24;
    double tiny_ = 0;  ///< below, p - closest has no direction, m
    mutable std::mutex mutex_;
    mutable std::array<Kept, 2> kept_;
    mutable int oldest_kept_ = 0;
};

}  // namespace

extern const ObstacleEntry entry_animation;
constinit const ObstacleEntry entry_animation{
    "animation",
    "triangle mesh that moves as a sequence of files says",
    {},
    [] { return field_table<AnimationOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        return std::make_unique<Animation>(read_options<AnimationOptions>(settings));
    }};

}  // namespace taffeta::contact
