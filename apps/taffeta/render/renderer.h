#pragma once

#include <vector>

#include "render/camera.h"
#include "render/mesh.h"

/// A small path tracer that makes one kind of picture well: cloth and its obstacles on a studio
/// floor, under a key light, a sky and a rim light, with one bounce of light between surfaces.
///
/// The floor is a shadow catcher: it has the colour of the backdrop times the part of the light
/// that still reaches it, so that picture and backdrop merge without a horizon.
namespace taffeta::render {

struct Stage {
    std::vector<RenderMesh> meshes;
    Camera camera;
    Vec3 up = Vec3::UnitY();  ///< a unit coordinate axis
    bool floor = true;
    double floor_height = 0;  ///< along `up`, m
};

struct RenderOptions {
    int width = 1280, height = 720;
    int samples = 32;  ///< paths per pixel; the noise of the soft shadows halves for 4x
    double exposure = 1;
};

/// The picture has the same bits for any number of threads. Throws bad input where a size or a
/// number of samples makes no sense, or a mesh's indices are out of range.
Image render(const Stage& stage, const RenderOptions& options);

}  // namespace taffeta::render
