#include <algorithm>

#include "taffeta/mesh/tet_mesh.h"

namespace taffeta::mesh {

namespace {

constexpr int axis_orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

}  // namespace

TetMesh tet_box(const std::array<Index, 3>& cells, const Vec3& size) {
    TAFFETA_ASSERT(cells[0] > 0 && cells[1] > 0 && cells[2] > 0);
    TetMesh mesh;
    const Index nx = cells[0] + 1, ny = cells[1] + 1, nz = cells[2] + 1;
    const Index stride[3] = {1, nx, nx * ny};
    for (Index k = 0; k < nz; ++k)
        for (Index j = 0; j < ny; ++j)
            for (Index i = 0; i < nx; ++i) {
                const Index vertex = mesh.vertex_count();
                mesh.position.emplace_back(size.x() * i / cells[0], size.y() * j / cells[1],
                                           size.z() * k / cells[2]);
                if (i == 0) mesh.group["x_min"].push_back(vertex);
                if (i + 1 == nx) mesh.group["x_max"].push_back(vertex);
                if (j == 0) mesh.group["y_min"].push_back(vertex);
                if (j + 1 == ny) mesh.group["y_max"].push_back(vertex);
                if (k == 0) mesh.group["z_min"].push_back(vertex);
                if (k + 1 == nz) mesh.group["z_max"].push_back(vertex);
            }
    for (Index k = 0; k < cells[2]; ++k)
        for (Index j = 0; j < cells[1]; ++j)
            for (Index i = 0; i < cells[0]; ++i)
                for (int path = 0; path < 6; ++path) {
                    Tet tet;
                    tet[0] = i * stride[0] + j * stride[1] + k * stride[2];
                    for (std::size_t n = 0; n < 3; ++n)
                        tet[n + 1] = tet[n] + stride[axis_orders[path][n]];
                    // Odd orders of the axes run the other way round.
                    if (path == 1 || path == 2 || path == 5) std::swap(tet[1], tet[2]);
                    mesh.tet.push_back(tet);
                }
    return mesh;
}

}  // namespace taffeta::mesh
