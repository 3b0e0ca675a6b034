#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "render/mesh.h"

namespace taffeta::render {

/// Where a ray meets a surface, all the shading needs.
struct Hit {
    double distance = 0;
    const RenderMesh* mesh = nullptr;
    Vec3 position;        ///< on the flat triangle
    Vec3 shading_origin;  ///< `position` moved to the rounded surface: shadow rays start here
    Vec3 flat_normal;     ///< unit, towards the eye
    Vec3 normal;          ///< smooth, unit, on the eye's side
    Vec3 warp;            ///< unit tangent along u; zero where there are no uv
    Vec2 uv = Vec2::Zero();
    bool back = false;  ///< the eye sees the back of the face
};

/// Finds what rays meet among the triangles of a few meshes (Embree). Keeps references to the
/// meshes: they must outlive it. Safe to use from many threads.
class Tracer {
  public:
    explicit Tracer(const std::vector<RenderMesh>& meshes);
    ~Tracer();
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// The nearest surface along a unit direction, nothing when there is none.
    std::optional<Hit> nearest(const Vec3& origin, const Vec3& direction) const;
    /// Whether anything lies along the direction.
    bool blocked(const Vec3& origin, const Vec3& direction) const;
    /// A distance that takes a ray's start safely off the surface it starts from, m.
    double offset() const;

  private:
    struct Scene;
    std::unique_ptr<Scene> scene_;
};

}  // namespace taffeta::render
