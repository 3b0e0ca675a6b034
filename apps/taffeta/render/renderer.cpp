#include "render/renderer.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/sampler.h"
#include "render/shading.h"
#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::render {
namespace {

constexpr int tile_size = 16;
constexpr double floor_albedo = 0.55;

/// Straight in the shadows and the middle, a soft shoulder for highlights; linear to linear.
double toned(double light) {
    constexpr double knee = 0.62;
    if (light <= knee) return std::max(light, 0.0);
    return knee + (1 - knee) * (1 - std::exp(-(light - knee) / (1 - knee)));
}

class PathTracer {
  public:
    PathTracer(const Stage& stage, const RenderOptions& options)
        : stage_(stage),
          options_(options),
          tracer_(stage.meshes),
          frame_(stage.camera.frame()),
          lights_(studio_lights(frame_.forward, stage.up)) {
        tan_half_ = std::tan(stage.camera.vertical_fov * std::numbers::pi / 360);
        const double key = std::max(0.0, lights_.key.direction.dot(stage.up));
        const double rim = std::max(0.0, lights_.rim.direction.dot(stage.up));
        open_floor_ = key * lights_.key.power + rim * lights_.rim.power + lights_.sky_on_floor();
    }

    /// The tone-mapped display value of a pixel.
    Color pixel(int x, int y) const {
        PixelSampler sampler(x, y);
        Color sum = Color::Zero();
        for (int s = 0; s < options_.samples; ++s) {
            sampler.start(s);
            sum += toned_path(x, y, sampler);
        }
        return to_display(sum / options_.samples);
    }

  private:
    /// Tone mapping comes before averaging: a bright edge then stays as smooth as a dark one.
    Color toned_path(int x, int y, PixelSampler& sampler) const {
        const Vec2 jitter = sampler.next();
        // Tent filter of two pixels' width.
        const auto tent = [](double u) {
            return u < 0.5 ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u);
        };
        const Vec2 film((x + 0.5 + tent(jitter.x())) / options_.width * 2 - 1,
                        1 - (y + 0.5 + tent(jitter.y())) / options_.height * 2);
        const double aspect = double(options_.width) / options_.height;
        const Vec3 direction = (frame_.forward + tan_half_ * aspect * film.x() * frame_.right +
                                tan_half_ * film.y() * frame_.up)
                                   .normalized();
        const Color light = seen(stage_.camera.eye, direction, film, sampler);
        return (options_.exposure * light).unaryExpr(&toned);
    }

    /// Radiance that the camera sees.
    Color seen(const Vec3& eye, const Vec3& direction, const Vec2& film,
               PixelSampler& sampler) const {
        const std::optional<Hit> hit = tracer_.nearest(eye, direction);
        const double floor = floor_distance(eye, direction);
        if (hit && hit->distance < floor) return reflected(*hit, direction, sampler, true);
        if (!std::isfinite(floor)) return backdrop(film);
        const Color light = on_floor(eye + floor * direction, sampler, true);
        return backdrop(film).cwiseProduct(light).cwiseQuotient(open_floor_);
    }

    /// Distance to the floor from above it, infinity when it is not met.
    double floor_distance(const Vec3& origin, const Vec3& direction) const {
        const double height = origin.dot(stage_.up) - stage_.floor_height;
        const double fall = -direction.dot(stage_.up);
        return stage_.floor && height > 0 && fall > 1e-9 ? height / fall : INFINITY;
    }

    /// Light of the cone that arrives unhindered: `power` or nothing.
    Color arriving(const ConeLight& light, const Vec3& from, const Vec3& direction) const {
        return tracer_.blocked(from, direction) ? Color::Zero() : light.power;
    }

    /// Radiance of a white floor. `bounce`: follow the light that comes off the meshes.
    Color on_floor(const Vec3& position, PixelSampler& sampler, bool bounce) const {
        const Vec3 from = position + tracer_.offset() * stage_.up;
        Color light = Color::Zero();
        for (const ConeLight* cone : {&lights_.key, &lights_.rim}) {
            const Vec3 direction = sample_cone(*cone, sampler.next());
            const double cosine = std::max(0.0, cone->direction.dot(stage_.up));
            light += cosine * arriving(*cone, from, direction);
        }
        const Vec3 direction = sample_cosine(stage_.up, sampler.next());
        const std::optional<Hit> hit = tracer_.nearest(from, direction);
        // The open sky is its mean, not its value in this direction: an open floor has no noise.
        if (!hit) return light + lights_.sky_on_floor();
        return bounce ? Color(light + reflected(*hit, direction, sampler, false)) : light;
    }

    /// Radiance of a mesh towards the ray that hit it. The last bounce takes the light that would
    /// still come for a part of the sky.
    Color reflected(const Hit& hit, const Vec3& ray, PixelSampler& sampler, bool bounce) const {
        const Surface surface(hit, -ray);
        Color light = Color::Zero();
        for (const ConeLight* cone : {&lights_.key, &lights_.rim}) {
            const Vec3 direction = sample_cone(*cone, sampler.next());
            const Color response = surface.respond(direction);
            if (response.isZero(0)) continue;
            const Vec3 from = leaving(hit, direction);
            light += response.cwiseProduct(arriving(*cone, from, direction));
        }
        if (!bounce) return light + 0.35 * surface.albedo().cwiseProduct(lights_.horizon);
        const Vec3 direction = sample_cosine(hit.normal, sampler.next());
        const Color incoming = around(leaving(hit, direction), direction, sampler);
        return light + surface.ambient().cwiseProduct(incoming);
    }

    /// Radiance that comes to a surface from a direction: another mesh, the floor or the sky.
    Color around(const Vec3& from, const Vec3& direction, PixelSampler& sampler) const {
        const std::optional<Hit> hit = tracer_.nearest(from, direction);
        const double floor = floor_distance(from, direction);
        if (hit && hit->distance < floor) return reflected(*hit, direction, sampler, false);
        if (!std::isfinite(floor)) return lights_.sky(direction);
        return floor_albedo * on_floor(from + floor * direction, sampler, false);
    }

    /// Where a ray that leaves in that direction starts: off the surface, on the right side of it.
    Vec3 leaving(const Hit& hit, const Vec3& direction) const {
        if (direction.dot(hit.flat_normal) < 0)
            return hit.position - tracer_.offset() * hit.flat_normal;
        return hit.shading_origin + tracer_.offset() * hit.flat_normal;
    }

    /// The studio's wall: brightest a little above the middle, darker towards the corners.
    Color backdrop(const Vec2& film) const {
        const double r_sq = 0.55 * film.x() * film.x() + 0.75 * std::pow(film.y() - 0.15, 2);
        const double fall = 1 / std::pow(1 + 0.40 * r_sq, 2);
        return fall * Color(0.80, 0.80, 0.795);
    }

    const Stage& stage_;
    const RenderOptions& options_;
    Tracer tracer_;
    Camera::Frame frame_;
    Lights lights_;
    double tan_half_ = 1;
    Color open_floor_;
};

void check(const Stage& stage, const RenderOptions& options) {
    if (options.width < 1 || options.height < 1 || options.width > 16384 || options.height > 16384)
        fail_input("size", fmt::format("{}x{} pixels", options.width, options.height),
                   "1 to 16384 a side");
    if (options.samples < 1 || options.samples > 65536)
        fail_input("samples", fmt::format("{} a pixel", options.samples), "1 to 65536");
    const double fov = stage.camera.vertical_fov;
    if (!(fov > 0 && fov < 179))
        fail_input("fov", fmt::format("{} degrees", fov), "above 0, below 179");
    for (const RenderMesh& mesh : stage.meshes)
        for (const Triangle& face : mesh.face)
            for (Index vertex : face)
                TAFFETA_ASSERT(vertex >= 0 && std::size_t(vertex) < mesh.position.size());
}

}  // namespace

Image render(const Stage& stage, const RenderOptions& options) {
    check(stage, options);
    const PathTracer path_tracer(stage, options);
    Image image(options.width, options.height);
    const int columns = (options.width + tile_size - 1) / tile_size;
    const int rows = (options.height + tile_size - 1) / tile_size;
    parallel_for(Index(columns * rows), 1, [&](Index tile) {
        const int left = tile_size * (tile % columns), top = tile_size * (tile / columns);
        for (int y = top; y < std::min(options.height, top + tile_size); ++y)
            for (int x = left; x < std::min(options.width, left + tile_size); ++x)
                image.set(x, y, path_tracer.pixel(x, y));
    });
    return image;
}

}  // namespace taffeta::render
