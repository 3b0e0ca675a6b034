#include "render/shading.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::render {
namespace {

constexpr double pi = std::numbers::pi;

/// A matrix whose third column is `axis`.
Mat3 frame_about(const Vec3& axis) {
    Mat3 frame;
    frame.col(0) = axis.unitOrthogonal();
    frame.col(1) = axis.cross(frame.col(0));
    frame.col(2) = axis;
    return frame;
}

/// 1 on a line of the checks, 0 between: lines along both threads, each a tenth of a check wide.
double on_check_line(const Vec2& uv, double check_size) {
    double on = 0;
    for (int axis = 0; axis < 2; ++axis) {
        const double phase = uv[axis] / check_size;
        const double from_line = std::abs(phase - std::round(phase));
        if (from_line < 0.05) on += 0.5;
    }
    return on;
}

/// Fibre ends that stand off the cloth scatter light at grazing angles: the "Charlie" distribution
/// with Neubelt's visibility. [Estevez17]
double sheen_lobe(double cos_light, double cos_eye, double cos_half) {
    const double inverse_roughness = 1 / 0.4;
    const double sine = std::sqrt(std::max(0.0, 1 - cos_half * cos_half));
    const double distribution =
        (2 + inverse_roughness) * std::pow(sine, inverse_roughness) / (2 * pi);
    return distribution / (4 * (cos_light + cos_eye - cos_light * cos_eye));
}

/// Anisotropic GGX, the highlight of one family of threads. [Burley12]
double thread_lobe(const Vec3& half, double along, double across) {
    const double d =
        std::pow(half.x() / along, 2) + std::pow(half.y() / across, 2) + half.z() * half.z();
    return 1 / (pi * along * across * d * d);
}

}  // namespace

Color Lights::sky(const Vec3& direction) const {
    const double height = std::clamp(direction.dot(up), 0.0, 1.0);
    return horizon + height * (zenith - horizon);
}

// The cosine-weighted mean of h + (z - h) cos over the half-space is h + 2/3 (z - h).
Color Lights::sky_on_floor() const {
    return horizon + 2.0 / 3 * (zenith - horizon);
}

Lights studio_lights(const Vec3& camera_forward, const Vec3& up) {
    Vec3 ahead = camera_forward - camera_forward.dot(up) * up;
    // Looking straight down or up: any horizontal direction will do.
    ahead = ahead.norm() > 1e-6 ? Vec3(ahead.normalized()) : up.unitOrthogonal();
    const Vec3 right = ahead.cross(up);

    Lights lights;
    lights.up = up;
    lights.key = {(-0.95 * right + 1.05 * up - 0.35 * ahead).normalized(), std::cos(9 * pi / 180),
                  Color(1.12, 1.04, 0.925)};
    lights.rim = {(0.9 * right + 0.62 * up + 0.75 * ahead).normalized(), std::cos(14 * pi / 180),
                  Color(0.60, 0.62, 0.67)};
    lights.zenith = Color(0.29, 0.32, 0.37);
    lights.horizon = Color(0.20, 0.205, 0.215);
    return lights;
}

Vec3 sample_cone(const ConeLight& light, const Vec2& random) {
    const double cosine = 1 - random.x() * (1 - light.cos_radius);
    const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
    const double turn = 2 * pi * random.y();
    return frame_about(light.direction) *
           Vec3(sine * std::cos(turn), sine * std::sin(turn), cosine);
}

Vec3 sample_cosine(const Vec3& normal, const Vec2& random) {
    const double sine = std::sqrt(random.x());
    const double turn = 2 * pi * random.y();
    return frame_about(normal) *
           Vec3(sine * std::cos(turn), sine * std::sin(turn), std::sqrt(1 - random.x()));
}

Surface::Surface(const Hit& hit, const Vec3& towards_eye)
    : hit_(hit), eye_(towards_eye), cloth_(hit.mesh->finish == Finish::cloth) {
    albedo_ = to_linear(hit.mesh->color);
    sheen_ = Color::Zero();
    ambient_ = albedo_;
    if (!cloth_) return;

    if (hit.mesh->check_size > 0) albedo_ *= 1 - 0.30 * on_check_line(hit.uv, hit.mesh->check_size);
    if (hit.back) albedo_ *= 0.80;
    sheen_ = 0.5 * Color::Ones() + 0.5 * albedo_ / std::max(0.05, albedo_.maxCoeff());
    const double grazing = std::pow(1 - std::max(0.0, hit.normal.dot(towards_eye)), 4);
    ambient_ = albedo_ + 0.25 * grazing * sheen_;
}

double Surface::lustre(const Vec3& light) const {
    if (hit_.warp.isZero()) return 0;
    const Vec3 half = (light + eye_).normalized();
    const Vec3 weft = hit_.normal.cross(hit_.warp);
    const Vec3 local(half.dot(hit_.warp), half.dot(weft), half.dot(hit_.normal));
    // A thread shines wide along itself, where it rides over and under, and narrow across.
    const double narrow = 0.34, wide = 0.62;
    return thread_lobe(local, wide, narrow) + thread_lobe(local, narrow, wide);
}

Color Surface::respond(const Vec3& light) const {
    const double cos_light = hit_.normal.dot(light);
    if (cos_light <= 0) return cloth_ ? Color(-0.14 * cos_light * albedo_) : Color::Zero();
    Color response = cos_light * albedo_;
    if (!cloth_) return response;

    const double cos_eye = std::max(0.02, hit_.normal.dot(eye_));
    const Vec3 half = (light + eye_).normalized();
    response +=
        0.30 * pi * cos_light * sheen_lobe(cos_light, cos_eye, half.dot(hit_.normal)) * sheen_;
    const double fresnel = 0.045 + 0.955 * std::pow(1 - std::max(0.0, half.dot(eye_)), 5);
    const double spread = 4 * (cos_light + cos_eye - cos_light * cos_eye);
    response += 1.0 * pi * cos_light * fresnel * lustre(light) / spread * Color::Ones();
    return response;
}

}  // namespace taffeta::render
