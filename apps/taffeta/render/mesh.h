#pragma once

#include <array>
#include <vector>

#include "render/image.h"

namespace taffeta::render {

/// How a surface takes light.
enum class Finish {
    cloth,  ///< woven: sheen, lustre along the threads, a little light through it, faint checks
    matte,  ///< an obstacle: plain diffuse, does not compete with the cloth
};

struct RenderMesh {
    std::vector<Vec3> position;     ///< #V, m
    std::vector<Triangle> face;     ///< #F
    std::vector<Vec2> uv;           ///< material coordinates; may be empty: no threads, no checks
    std::vector<Triangle> face_uv;  ///< #F indices into uv; empty with uv of size #V: as the faces
    Finish finish = Finish::cloth;
    Color color = Color(0.55, 0.62, 0.75);  ///< display values
    double crease_angle = 180;              ///< degrees; edges that bend more stay sharp
    double check_size = 0;                  ///< side of the woven checks in units of uv; 0: none
};

/// One unit normal a corner (#F x 3): the angle-weighted mean of the faces around the vertex whose
/// normals are within the crease angle. Degenerate faces get zero normals.
std::vector<std::array<Vec3, 3>> corner_normals(const RenderMesh& mesh);

/// Checks that fit the mesh: about `count` of them along the longer side of its uv.
double fitting_check_size(const RenderMesh& mesh, int count);

}  // namespace taffeta::render
