#pragma once

#include "taffeta/base/registry.h"
#include "taffeta/contact/motion.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::contact {

struct Sample {
    double distance;  ///< signed, m; negative inside
    Vec3 normal;      ///< outward, unit
    Vec3 velocity;    ///< of the obstacle's material point at the surface, m/s
};

/// A solid that cloth rests on and that cloth does not move.
class Obstacle {
  public:
    virtual ~Obstacle() = default;

    /// Signed distance, outward normal and surface velocity nearest to p at time t.
    virtual Sample sample(const Vec3& p, double t) const = 0;
    /// The surface at time t, for pictures and for exports.
    virtual mesh::TriMesh surface(double t) const = 0;
};

using ObstacleEntry = Entry<Obstacle>;
Registry<ObstacleEntry> obstacles();

}  // namespace taffeta::contact
