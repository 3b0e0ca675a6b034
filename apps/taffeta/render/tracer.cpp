#include "render/tracer.h"

#include <embree3/rtcore.h>
#include <oneapi/tbb/task_arena.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "taffeta/base/error.h"

namespace taffeta::render {
namespace {

using Vec3f = Eigen::Vector3f;

RTCRay make_ray(const Vec3f& origin, const Vec3& direction) {
    RTCRay ray{};
    ray.org_x = origin.x();
    ray.org_y = origin.y();
    ray.org_z = origin.z();
    ray.dir_x = float(direction.x());
    ray.dir_y = float(direction.y());
    ray.dir_z = float(direction.z());
    ray.tfar = INFINITY;
    ray.mask = 0xffffffffu;
    return ray;
}

/// The point on the triangle moved towards the surface that its normals describe: shadow rays that
/// start there do not darken facets that face away from the light only because they are flat.
/// [Hanika21]
Vec3 rounded_position(const std::array<Vec3, 3>& p, const std::array<Vec3, 3>& n, const Vec3& at,
                      const Vec3& weight, double side) {
    Vec3 moved = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
        const double below = std::min(0.0, side * (at - p[k]).dot(n[k]));
        moved += weight[Eigen::Index(k)] * (at - side * below * n[k]);
    }
    return moved;
}

}  // namespace

struct Tracer::Scene {
    struct ReleaseDevice {
        void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
    };
    struct ReleaseScene {
        void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
    };
    std::unique_ptr<RTCDeviceTy, ReleaseDevice> device;
    std::unique_ptr<RTCSceneTy, ReleaseScene> embree;
    const std::vector<RenderMesh>* meshes = nullptr;
    std::vector<std::vector<std::array<Vec3, 3>>> normals;  ///< per mesh, per corner
    Vec3 center = Vec3::Zero();  ///< Embree works in floats: keep them near the origin
    double offset = 1e-6;

    Vec3f local(const Vec3& p) const { return (p - center).cast<float>(); }
    void attach(const RenderMesh& mesh);
};

void Tracer::Scene::attach(const RenderMesh& mesh) {
    RTCGeometry geometry = rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertices = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                3 * sizeof(float), mesh.position.size()));
    auto* faces = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(unsigned), mesh.face.size()));
    if (!vertices || !faces) fail_io("render", "not enough memory for the ray tracer");
    for (std::size_t v = 0; v < mesh.position.size(); ++v) {
        const Vec3f p = local(mesh.position[v]);
        std::copy_n(p.data(), 3, vertices + 3 * v);
    }
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            faces[3 * f + k] = unsigned(mesh.face[f][k]);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(embree.get(), geometry);
    rtcReleaseGeometry(geometry);
}

Tracer::Tracer(const std::vector<RenderMesh>& meshes) : scene_(std::make_unique<Scene>()) {
    scene_->meshes = &meshes;
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    for (const RenderMesh& mesh : meshes)
        for (const Vec3& position : mesh.position) {
            low = low.cwiseMin(position);
            high = high.cwiseMax(position);
        }
    if ((low.array() <= high.array()).all()) {
        scene_->center = (low + high) / 2;
        scene_->offset = std::max(1e-9, 5e-5 * (high - low).norm());
    }

    scene_->device.reset(rtcNewDevice(nullptr));
    if (!scene_->device) fail_io("render", "the ray tracer does not start");
    scene_->embree.reset(rtcNewScene(scene_->device.get()));
    rtcSetSceneFlags(scene_->embree.get(), RTC_SCENE_FLAG_ROBUST);
    for (const RenderMesh& mesh : meshes) {
        scene_->normals.push_back(corner_normals(mesh));
        scene_->attach(mesh);
    }
    // One thread builds the tree: where two triangles tie, the order of the tree decides, and the
    // picture must not depend on the number of threads.
    oneapi::tbb::task_arena alone(1);
    alone.execute([&] { rtcJoinCommitScene(scene_->embree.get()); });
    if (rtcGetDeviceError(scene_->device.get()) != RTC_ERROR_NONE)
        fail_io("render", "the ray tracer cannot take these meshes");
}

Tracer::~Tracer() = default;

double Tracer::offset() const {
    return scene_->offset;
}

bool Tracer::blocked(const Vec3& origin, const Vec3& direction) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay ray = make_ray(scene_->local(origin), direction);
    rtcOccluded1(scene_->embree.get(), &context, &ray);
    return ray.tfar < 0;
}

std::optional<Hit> Tracer::nearest(const Vec3& origin, const Vec3& direction) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit query{};
    query.ray = make_ray(scene_->local(origin), direction);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene_->embree.get(), &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;

    const RenderMesh& mesh = (*scene_->meshes)[query.hit.geomID];
    const std::size_t face = query.hit.primID;
    const Triangle& corners = mesh.face[face];
    const std::array<Vec3, 3>& normals = scene_->normals[query.hit.geomID][face];
    const Vec3 weight(1 - double(query.hit.u) - double(query.hit.v), query.hit.u, query.hit.v);
    std::array<Vec3, 3> p;
    for (std::size_t k = 0; k < 3; ++k)
        p[k] = mesh.position[std::size_t(corners[k])];

    Hit hit;
    hit.mesh = &mesh;
    hit.distance = query.ray.tfar;
    hit.position = weight[0] * p[0] + weight[1] * p[1] + weight[2] * p[2];
    hit.flat_normal = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
    hit.back = hit.flat_normal.dot(direction) > 0;
    const double side = hit.back ? -1 : 1;
    hit.flat_normal *= side;
    const Vec3 smooth =
        side * (weight[0] * normals[0] + weight[1] * normals[1] + weight[2] * normals[2]);
    hit.normal = smooth.norm() > 1e-9 ? Vec3(smooth.normalized()) : hit.flat_normal;
    // At a silhouette the smooth normal may look away from the eye: bend it back to the horizon.
    const double away = hit.normal.dot(direction);
    if (away > -0.02) hit.normal = (hit.normal - (away + 0.02) * direction).normalized();
    hit.shading_origin = rounded_position(p, normals, hit.position, weight, side);

    hit.warp = Vec3::Zero();
    const std::vector<Triangle>& uv_faces = mesh.face_uv.empty() ? mesh.face : mesh.face_uv;
    if (mesh.uv.empty() || (mesh.face_uv.empty() && mesh.uv.size() != mesh.position.size()))
        return hit;
    std::array<Vec2, 3> uv;
    for (std::size_t k = 0; k < 3; ++k)
        uv[k] = mesh.uv[std::size_t(uv_faces[face][k])];
    hit.uv = weight[0] * uv[0] + weight[1] * uv[1] + weight[2] * uv[2];
    // dp/du of the affine map from uv to space.
    const Vec2 d1 = uv[1] - uv[0], d2 = uv[2] - uv[0];
    const double determinant = d1.x() * d2.y() - d2.x() * d1.y();
    const Vec3 along =
        (d2.y() * (p[1] - p[0]) - d1.y() * (p[2] - p[0])) * (determinant < 0 ? -1 : 1);
    const Vec3 tangent = along - along.dot(hit.normal) * hit.normal;
    if (determinant != 0 && tangent.norm() > 0) hit.warp = tangent.normalized();
    return hit;
}

}  // namespace taffeta::render
