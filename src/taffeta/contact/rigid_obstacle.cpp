#include "taffeta/contact/rigid_obstacle.h"

namespace taffeta::contact {

void Obstacle::set_surface(const mesh::TriMesh&, Diagnostics&) {
    TAFFETA_ASSERT(!"an obstacle without a file takes no mesh");
}

void Obstacle::set_frames(SurfaceFrames, Diagnostics&) {
    TAFFETA_ASSERT(!"an obstacle that is not animated takes no frames");
}

Sample RigidObstacle::sample(const Vec3& p, double t) const {
    if (motion_.at_rest()) {
        const RestSample rest = sample_at_rest(p);
        return {rest.distance, rest.normal, Vec3::Zero()};
    }
    const Motion::Pose pose = motion_.pose(t);
    const RestSample rest = sample_at_rest(pose.to_rest(p));
    const Vec3 normal = pose.rotation * rest.normal;
    return {rest.distance, normal, pose.velocity(p - rest.distance * normal)};
}

mesh::TriMesh RigidObstacle::surface(double t) const {
    mesh::TriMesh mesh = surface_at_rest();
    const Motion::Pose pose = motion_.pose(t);
    for (Vec3& position : mesh.position)
        position = pose.to_world(position);
    return mesh;
}

Vec3 RigidObstacle::carried(const Vec3& p, double from, double to) const {
    if (motion_.at_rest()) return p;
    return motion_.pose(to).to_world(motion_.pose(from).to_rest(p));
}

bool RigidObstacle::near(const Vec3& p, double distance, double t) const {
    if (motion_.at_rest()) return near_at_rest(p, distance);
    return near_at_rest(motion_.pose(t).to_rest(p), distance);
}

}  // namespace taffeta::contact
