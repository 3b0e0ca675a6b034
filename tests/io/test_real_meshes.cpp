#include <gtest/gtest.h>

#include <filesystem>

#include "taffeta/io/format.h"
#include "taffeta/mesh/rest_shape.h"
#include "taffeta/mesh/validate.h"

/// Meshes of other projects, as their programs wrote them. They are not part of this one: without
/// the data folder the tests skip.
namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

struct RealMesh {
    const char* file;
    Index vertices, faces, uv;
};

class RealMeshes : public testing::TestWithParam<RealMesh> {};

/// Counts are those of the lines `v`, `f` and `vt` of each file; all faces are triangles. The uv
/// of a file whose faces name none are dropped.
TEST_P(RealMeshes, AreReadWithoutAnError) {
    const auto [name, vertices, faces, uv] = GetParam();
    const fs::path file = fs::path(TAFFETA_DATA_DIR) / "data" / name;
    if (!fs::exists(file)) GTEST_SKIP() << "optional data is absent: " << file;
    Diagnostics found;

    const mesh::TriMesh mesh = read_mesh(file, found);

    EXPECT_EQ(mesh.vertex_count(), vertices);
    EXPECT_EQ(mesh.face_count(), faces);
    EXPECT_EQ(Index(mesh.uv.size()), uv);
    for (const Diagnostic& one : mesh::validate(mesh)) {
        EXPECT_NE(one.severity, Severity::error) << one.text();
        RecordProperty("finding", one.text());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Files, RealMeshes,
    testing::Values(RealMesh{"diffcloth/skirt3448.obj", 1809, 3448, 1},
                    RealMesh{"diffcloth/dress-v7k-f14k.obj", 7742, 14524, 0},
                    RealMesh{"arcsim/meshes/tshirt.obj", 330, 604, 426},
                    RealMesh{"codim-ipc/dress_knife/stage.obj", 15656, 29456, 15656},
                    RealMesh{"garmentcode/mean_all.obj", 23752, 47500, 0}),
    [](const testing::TestParamInfo<RealMesh>& mesh) { return std::to_string(mesh.index); });

/// A garment sewn of panels: every face has a rest shape from its own uv.
TEST(RealGarment, TheShirtHasARestShape) {
    const fs::path file = fs::path(TAFFETA_DATA_DIR) / "data/arcsim/meshes/tshirt.obj";
    if (!fs::exists(file)) GTEST_SKIP() << "optional data is absent: " << file;
    Diagnostics found;
    const mesh::TriMesh mesh = read_mesh(file, found);

    const mesh::RestShape rest = mesh::rest_from_uv(mesh, mesh::make_topology(mesh), 1);

    for (const double area : rest.area)
        EXPECT_GT(area, 0);
}

}  // namespace
}  // namespace taffeta::io
