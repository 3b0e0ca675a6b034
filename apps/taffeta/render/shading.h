#pragma once

#include "render/tracer.h"

namespace taffeta::render {

/// A light far away that fills a cone of directions: a small cone casts sharp shadows.
struct ConeLight {
    Vec3 direction;     ///< unit, towards the middle of the light
    double cos_radius;  ///< cosine of the cone's half-angle
    Color power;        ///< radiance of a white matte surface that faces the light
};

/// The studio: a warm key light, a cool sky, a rim light from behind that lines the folds.
struct Lights {
    ConeLight key, rim;
    Color zenith, horizon;  ///< radiance of the sky overhead and at the horizon
    Vec3 up;

    Color sky(const Vec3& direction) const;
    /// Radiance of a white matte floor under the sky alone.
    Color sky_on_floor() const;
};

/// Lights for a camera: they stand still with respect to the picture.
Lights studio_lights(const Vec3& camera_forward, const Vec3& up);

/// A direction in the cone of the light, uniform in solid angle.
Vec3 sample_cone(const ConeLight& light, const Vec2& random);
/// A direction over the half-space of the normal, with the density cos/pi.
Vec3 sample_cosine(const Vec3& normal, const Vec2& random);

/// What a surface does with light, at one hit.
class Surface {
  public:
    Surface(const Hit& hit, const Vec3& towards_eye);

    /// Reflected radiance per unit of light power from direction `light`, the cosine included; also
    /// the light that comes through from behind (cos < 0).
    Color respond(const Vec3& light) const;
    /// Part of the light over the half-space (cosine-distributed) that leaves towards the eye.
    const Color& albedo() const { return albedo_; }
    /// The same with the sheen, for light that comes from all around.
    const Color& ambient() const { return ambient_; }

  private:
    double lustre(const Vec3& light) const;

    const Hit& hit_;
    Vec3 eye_;
    Color albedo_, ambient_, sheen_;
    bool cloth_;
};

}  // namespace taffeta::render
