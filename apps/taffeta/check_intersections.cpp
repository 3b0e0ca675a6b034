#include "check_intersections.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "run_series.h"
#include "taffeta/contact/intersections.h"
#include "taffeta/io/format.h"
#include "taffeta/scene/json.h"

namespace taffeta::app {

namespace {

constexpr int shown_pairs = 10;  ///< of a frame or a motion; --json has all

/// The parts that are tested, with the names that people know.
struct AuditedParts {
    contact::Surfaces surfaces;
    std::vector<std::string> name;
    std::vector<Index> first_vertex, first_face;

    void add(const std::string& part, Index vertices, const std::vector<Triangle>& faces,
             bool fixed) {
        name.push_back(part);
        first_vertex.push_back(Index(surfaces.part.size()));
        first_face.push_back(Index(surfaces.face.size()));
        surfaces.add(vertices, faces, fixed);
    }

    std::size_t part_of(Index vertex) const {
        return std::size_t(surfaces.part[std::size_t(vertex)]);
    }
    Index local(Index vertex) const { return vertex - first_vertex[part_of(vertex)]; }

    std::string vertex_text(Index v) const {
        return fmt::format("vertex {} of '{}'", local(v), escaped(name[part_of(v)]));
    }
    std::string edge_text(Index e) const {
        const Edge& edge = surfaces.edge[std::size_t(e)];
        return fmt::format("edge {}-{} of '{}'", local(edge[0]), local(edge[1]),
                           escaped(name[part_of(edge[0])]));
    }
    std::string face_text(Index f) const {
        const Triangle& face = surfaces.face[std::size_t(f)];
        const std::size_t part = part_of(face[0]);
        return fmt::format("face {} ({} {} {}) of '{}'", f - first_face[part], local(face[0]),
                           local(face[1]), local(face[2]), escaped(name[part]));
    }
    std::string text(const contact::EdgeFace& pair) const {
        return edge_text(pair.edge) + " and " + face_text(pair.face);
    }
    std::string text(const contact::Crossing& pair) const {
        const bool faces = pair.kind == contact::CcdKind::vertex_face;
        return fmt::format("{} and {} after {:.4f} of the way",
                           faces ? vertex_text(pair.first) : edge_text(pair.first),
                           faces ? face_text(pair.second) : edge_text(pair.second), pair.time);
    }
};

/// What was found, to be printed and to be written.
class AuditReport {
  public:
    explicit AuditReport(const AuditedParts& parts) : parts_(parts) {
        list_["intersections"] = Settings::array();
        list_["crossings"] = Settings::array();
    }

    template <class Pair>
    void add(const char* kind, int frame, const std::vector<Pair>& pairs) {
        if (pairs.empty()) return;
        const bool motion = std::string_view(kind) == "crossings";
        fmt::print("{}: {} {}\n",
                   motion ? fmt::format("frame {} to {}", frame, frame + 1)
                          : fmt::format("frame {}", frame),
                   pairs.size(), kind);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const std::string text = parts_.text(pairs[k]);
            if (k < shown_pairs) fmt::print("  {}\n", text);
            Settings one = Settings::object();
            one["frame"] = Settings::of(double(frame));
            one["pair"] = Settings::of(text);
            list_[kind].items().push_back(std::move(one));
        }
        if (pairs.size() > shown_pairs) fmt::print("  and {} more\n", pairs.size() - shown_pairs);
        (motion ? motions_ : frames_) += 1;
        (motion ? crossings_ : intersections_) += long(pairs.size());
    }

    /// Prints the last line and writes the list; `tested` says what was looked at.
    void finish(const std::string& tested, int frames, const std::string& json) {
        if (frames > 1)
            fmt::print("{}: {} intersections in {} frames, {} crossings in {} motions\n", tested,
                       intersections_, frames_, crossings_, motions_);
        else
            fmt::print("{}: {} intersections\n", tested, intersections_);
        if (json.empty()) return;
        Settings record = Settings::object();
        record["frames"] = Settings::of(double(frames));
        record["vertices"] = Settings::of(double(parts_.surfaces.part.size()));
        record["faces"] = Settings::of(double(parts_.surfaces.face.size()));
        for (const char* kind : {"intersections", "crossings"})
            record[kind] = list_[kind];
        std::ofstream file(json);
        file << scene::write_json(record) << "\n";
        if (!file.flush()) fail_io(json, "cannot write");
    }

    long intersections() const { return intersections_; }
    long crossings() const { return crossings_; }

  private:
    const AuditedParts& parts_;
    Settings list_ = Settings::object();
    long intersections_ = 0, crossings_ = 0;
    int frames_ = 0, motions_ = 0;
};

/// The frames of a run, bodies first and then the obstacles that are meshes.
class AuditedRun {
  public:
    AuditedRun(const std::string& directory, const std::string& scene_folder)
        : run_(scene::RunDirectory::open(directory)), scene_(build_run_scene(run_, scene_folder)) {
        for (const sim::Body& body : scene_.built.world.bodies) {
            readers_.push_back(open_body_frames(run_.frames(), body));
            const int frames = int(readers_.back()->frames());
            frames_ = readers_.size() == 1 ? frames : std::min(frames_, frames);
            const mesh::TriMesh shown = sim::shown_mesh(body);
            parts.add(body.name, shown.vertex_count(), shown.face, false);
        }
        if (frames_ < 1) fail_input(run_.frames().string(), "there are no frames");
        for (std::size_t o = 0; o < scene_.built.world.obstacles.size(); ++o) {
            const contact::Obstacle& obstacle = *scene_.built.world.obstacles[o].shape;
            if (obstacle.file().empty()) continue;
            const mesh::TriMesh surface = obstacle.surface(0);
            parts.add(fmt::format("obstacles[{}]", o), surface.vertex_count(), surface.face, true);
            obstacles_.push_back(&obstacle);
        }
    }

    int frames() const { return frames_; }
    /// Of the motion from one frame to the next.
    long steps_after(int frame) const { return steps_at(frame + 1) - steps_at(frame); }

    void read(int frame, VecX& x) {
        x.resize(3 * Eigen::Index(parts.surfaces.part.size()));
        Eigen::Index at = 0;
        VecX body;
        for (const auto& reader : readers_) {
            reader->read(Index(frame), body);
            x.segment(at, body.size()) = body;
            at += body.size();
        }
        // A frame shows the last step at or before its time.
        const double time = double(steps_at(frame)) * scene_.built.time.h();
        for (const contact::Obstacle* obstacle : obstacles_)
            for (const Vec3& p : obstacle->surface(time).position) {
                x.segment<3>(at) = p;
                at += 3;
            }
    }

    AuditedParts parts;

  private:
    long steps_at(int frame) const {
        return scene_.built.time.steps_until((frame - 1) * scene_.scene.description.output.every);
    }

    scene::RunDirectory run_;
    RunScene scene_;
    std::vector<std::unique_ptr<io::FrameReader>> readers_;
    std::vector<const contact::Obstacle*> obstacles_;
    int frames_ = 0;
};

}  // namespace

bool run_intersects(const std::string& directory, const IntersectionOptions& options) {
    AuditedRun run(directory, options.scene_folder);
    const contact::Surfaces& surfaces = run.parts.surfaces;
    AuditReport report(run.parts);
    bool bent = false, counts = false;
    VecX x0, x1;
    for (int frame = 1; frame <= run.frames(); ++frame) {
        run.read(frame, x1);
        if (frame > 1) {
            const std::vector<contact::Crossing> crossings =
                contact::find_crossings(surfaces, x0, x1);
            report.add("crossings", frame - 1, crossings);
            const bool several = run.steps_after(frame - 1) > 1;
            bent = bent || (several && !crossings.empty());
            counts = counts || (!several && !crossings.empty());
        }
        report.add("intersections", frame, contact::find_intersections(surfaces, x1));
        std::swap(x0, x1);
    }
    if (bent)
        fmt::print(
            "warning: the run took several steps a frame, so that its vertices need not have gone "
            "straight: crossings show where to look (--strict counts them)\n");
    report.finish(fmt::format("{}: {} frames, {} vertices, {} faces", escaped(directory),
                              run.frames(), surfaces.part.size(), surfaces.face.size()),
                  run.frames(), options.json);
    return report.intersections() > 0 || counts || (options.strict && report.crossings() > 0);
}

bool mesh_intersects(const std::string& file, const IntersectionOptions& options) {
    Diagnostics findings;
    const mesh::TriMesh mesh = io::read_mesh(file, findings);
    for (const Diagnostic& finding : findings)
        fmt::print("{}\n", escaped(finding.text()));
    AuditedParts parts;
    parts.add(std::filesystem::path(file).filename().string(), mesh.vertex_count(), mesh.face,
              false);
    VecX x(3 * Eigen::Index(mesh.vertex_count()));
    for (Index v = 0; v < mesh.vertex_count(); ++v)
        vec3(x, v) = mesh.position[std::size_t(v)];
    AuditReport report(parts);
    report.add("intersections", 1, contact::find_intersections(parts.surfaces, x));
    report.finish(fmt::format("{}: {} vertices, {} faces", escaped(file), mesh.vertex_count(),
                              mesh.face_count()),
                  1, options.json);
    return report.intersections() > 0;
}

}  // namespace taffeta::app
