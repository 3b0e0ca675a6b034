#pragma once

#include <string>

#include "taffeta/base/registry.h"
#include "taffeta/contact/motion.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::contact {

struct Sample {
    double distance;  ///< signed, m; negative inside
    Vec3 normal;      ///< outward, unit; any unit vector where the nearest point is not unique
    Vec3 velocity;    ///< of the obstacle's material point at the surface, m/s
};

/// An animated surface: one mesh, and the positions of its vertices frame by frame.
struct SurfaceFrames {
    mesh::TriMesh mesh;
    std::vector<VecX> frame;        ///< 3 #V each, at least one
    double frame_rate = 0;          ///< a second; 0: not known
    std::vector<std::string> name;  ///< of each frame, for messages; may be empty
};

/// A solid that cloth rests on and that cloth does not move.
class Obstacle {
  public:
    virtual ~Obstacle() = default;

    /// Signed distance, outward normal and surface velocity nearest to p at time t.
    virtual Sample sample(const Vec3& p, double t) const = 0;
    /// The surface at time t, for pictures and for exports.
    virtual mesh::TriMesh surface(double t) const = 0;

    /// Whether `surface` is the boundary itself, with the same vertices and faces at all times: cloth is
    /// then kept from crossing its edges and faces too. False where it is an approximation for pictures.
    virtual bool has_exact_surface() const { return false; }

    /// Where a point that moves with the obstacle (as if glued on at `from`) is at time `to`.
    virtual Vec3 carried(const Vec3& p, double from, double to) const {
        return p + (to - from) * sample(p, from).velocity;
    }
    /// False only if p is surely `distance` or more away from the solid: a cheap first question,
    /// for the many vertices that touch nothing.
    virtual bool near(const Vec3& p, double distance, double t) const {
        return sample(p, t).distance < distance;
    }

    /// The mesh file that this obstacle is made of, as the scene wrote it; empty when none.
    /// Whoever makes an obstacle with a file reads it and hands the mesh to `set_surface`.
    virtual std::string file() const { return {}; }
    virtual void set_surface(const mesh::TriMesh& mesh, Diagnostics& diagnostics);

    /// Whether `file()` is the first of a sequence of meshes, or a point cache that has its faces in
    /// `topology_file()`: then `set_frames` takes all of it. Numbers in the names of a sequence go up by
    /// `file_stride()`.
    virtual bool animated() const { return false; }
    virtual std::string topology_file() const { return {}; }
    virtual int file_stride() const { return 1; }
    virtual void set_frames(SurfaceFrames frames, Diagnostics& diagnostics);
};

using ObstacleEntry = Entry<Obstacle>;
Registry<ObstacleEntry> obstacles();

}  // namespace taffeta::contact
