#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "taffeta/io/format.h"
#include "taffeta/mesh/generators.h"

/// What holds for every registered mesh format, and what each declares about itself.
namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

class EveryFormat : public testing::TestWithParam<const FormatEntry*> {
  protected:
    fs::path path() const {
        return fs::path(testing::TempDir()) / ("taffeta_contract_" + std::to_string(::getpid()) +
                                               std::string(GetParam()->properties.extension));
    }
    void TearDown() override { fs::remove(path()); }

    mesh::TriMesh round_trip(const mesh::TriMesh& mesh) const {
        write_mesh(path(), mesh);
        Diagnostics found;
        mesh::TriMesh again = read_mesh(path(), found);
        for (const Diagnostic& one : found)
            ADD_FAILURE() << one.text();
        return again;
    }
};

mesh::TriMesh bent_sheet() {
    mesh::TriMesh mesh = mesh::grid(13, 9, .7, 1.1, mesh::Tessellation::irregular, 3);
    for (Vec3& x : mesh.position)
        x.z() = std::sin(5 * x.x()) / 3;
    return mesh;
}

TEST_P(EveryFormat, RoundTripHasTheDeclaredPrecision) {
    const mesh::TriMesh mesh = bent_sheet();

    const mesh::TriMesh again = round_trip(mesh);

    EXPECT_EQ(again.face, mesh.face);
    ASSERT_EQ(again.vertex_count(), mesh.vertex_count());
    const double precision = GetParam()->properties.precision;
    for (std::size_t v = 0; v < mesh.position.size(); ++v)
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_LE(std::abs(again.position[v][axis] - mesh.position[v][axis]),
                      precision * std::abs(mesh.position[v][axis]));
}

TEST_P(EveryFormat, UvAreKeptWhereDeclared) {
    const mesh::TriMesh mesh = bent_sheet();

    const mesh::TriMesh again = round_trip(mesh);

    if (!GetParam()->properties.keeps_uv) return;
    ASSERT_EQ(again.face_uv.size(), mesh.face.size());
    const double precision = GetParam()->properties.precision;
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec2& before = mesh.uv[std::size_t(mesh.face_uv[f][k])];
            const Vec2& after = again.uv[std::size_t(again.face_uv[f][k])];
            EXPECT_LE((after - before).norm(), precision * before.norm());
        }
}

TEST_P(EveryFormat, MeshesWithoutUvStayWithout) {
    const mesh::TriMesh mesh = mesh::icosphere(.3, 2);

    const mesh::TriMesh again = round_trip(mesh);

    EXPECT_EQ(again.face, mesh.face);
    EXPECT_TRUE(again.uv.empty());
    EXPECT_TRUE(again.face_uv.empty());
}

TEST_P(EveryFormat, AFailedWriteLeavesNothing) {
    const fs::path missing = fs::path(testing::TempDir()) / "taffeta_no_such_folder" /
                             ("mesh" + std::string(GetParam()->properties.extension));

    try {
        write_mesh(missing, mesh::icosphere(1, 0));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
    }
    EXPECT_FALSE(fs::exists(missing));
}

/// Whatever bytes are lost or changed, reading ends with a mesh or with bad input.
TEST_P(EveryFormat, DamagedFilesAreBadInputOrAMesh) {
    const mesh::TriMesh mesh = mesh::grid(2, 2, 1, 1, mesh::Tessellation::irregular);
    write_mesh(path(), mesh);
    std::string bytes;
    {
        std::FILE* file = std::fopen(path().c_str(), "rb");
        ASSERT_NE(file, nullptr);
        bytes.resize(fs::file_size(path()));
        ASSERT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
        std::fclose(file);
    }
    const auto try_read = [&](const std::string& damaged) {
        std::FILE* file = std::fopen(path().c_str(), "wb");
        ASSERT_NE(file, nullptr);
        std::fwrite(damaged.data(), 1, damaged.size(), file);
        std::fclose(file);
        try {
            Diagnostics found;
            const mesh::TriMesh again = read_mesh(path(), found);
            for (const Triangle& face : again.face)
                for (const Index vertex : face)
                    ASSERT_TRUE(vertex >= 0 && vertex < again.vertex_count());
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        }
    };

    std::uint64_t state = 1;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        state = state * 6364136223846793005u + 1442695040888963407u;
        damaged[i] = char(state >> 56);
        try_read(damaged);
        try_read(bytes.substr(0, i));
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         testing::ValuesIn(mesh_formats().begin(), mesh_formats().end()),
                         [](const testing::TestParamInfo<const FormatEntry*>& format) {
                             return std::string(format.param->key);
                         });

}  // namespace
}  // namespace taffeta::io
