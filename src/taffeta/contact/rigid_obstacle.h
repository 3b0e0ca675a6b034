#pragma once

#include "taffeta/contact/obstacle.h"

namespace taffeta::contact {

/// An obstacle of fixed shape that moves rigidly: a shape says its distance at rest, in its own
/// coordinates, and gets the motion from here.
class RigidObstacle : public Obstacle {
  public:
    explicit RigidObstacle(Motion motion) : motion_(std::move(motion)) {}

    Sample sample(const Vec3& p, double t) const final;
    mesh::TriMesh surface(double t) const final;
    Vec3 carried(const Vec3& p, double from, double to) const final;
    bool near(const Vec3& p, double distance, double t) const final;

  protected:
    struct RestSample {
        double distance;
        Vec3 normal;
    };
    virtual RestSample sample_at_rest(const Vec3& p) const = 0;
    virtual mesh::TriMesh surface_at_rest() const = 0;
    virtual bool near_at_rest(const Vec3& p, double distance) const {
        return sample_at_rest(p).distance < distance;
    }

  private:
    Motion motion_;
};

}  // namespace taffeta::contact
