#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "taffeta/io/bytes.h"
#include "taffeta/io/format.h"
#include "taffeta/io/ply_reader.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

mesh::TriMesh read_bytes(const std::string& bytes) {
    Diagnostics ignored;
    return read_ply(bytes, "test.ply", ignored);
}

std::string error_of(const std::string& bytes) {
    try {
        read_bytes(bytes);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "no error";
}

mesh::TriMesh round_trip(const mesh::TriMesh& mesh) {
    const fs::path file = fs::path(testing::TempDir()) / "taffeta_round_trip.ply";
    write_mesh(file, mesh);
    Diagnostics found;
    mesh::TriMesh again = read_mesh(file, found);
    fs::remove(file);
    EXPECT_TRUE(found.empty());
    return again;
}

TEST(PlyReader, AsciiWithExtrasInAnyOrder) {
    const mesh::TriMesh mesh = read_bytes(
        "ply\nformat ascii 1.0\ncomment made by hand\nobj_info nothing\n"
        "element face 2\nproperty uchar red\nproperty list uchar int vertex_index\n"
        "element camera 1\nproperty list int float view\nproperty float focus\n"
        "element vertex 4\nproperty float nx\nproperty float z\nproperty double x\n"
        "property double y\nproperty float s\nproperty float t\nend_header\n"
        "255 3 0 1 2\n\n0 3 0 2 3\n2 1.5 2.5 35\n"
        "9 0.5 0 0 0 0\n9 0 1 0 1 0\n9 0 1 1 1 1\n9 0 .1 1 0 1\n");

    EXPECT_EQ(mesh.position[0], Vec3(0, 0, .5));
    EXPECT_EQ(mesh.position[3], Vec3(.1, 1, 0));
    EXPECT_EQ(mesh.face, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(mesh.uv[2], Vec2(1, 1));
    EXPECT_EQ(mesh.face_uv, mesh.face);
    EXPECT_EQ(mesh.face_line, (std::vector<int>{19, 21}));
    EXPECT_EQ(mesh.position_line[0], 23);
}

/// All eight types, both byte orders: x short, y int8, z uint32; u uint8, v int32.
template <bool big>
std::string binary_file() {
    std::string bytes = big ? "ply\nformat binary_big" : "ply\nformat binary_little";
    bytes +=
        "_endian 1.0\nelement vertex 3\nproperty short x\nproperty int8 y\n"
        "property uint z\nproperty uchar u\nproperty int v\nproperty ushort skipped\n"
        "element face 1\nproperty list ushort uint vertex_indices\n"
        "property list uchar float texcoord\nproperty double skipped\nend_header\n";
    const auto put = [&](auto value) {
        if (big)
            append_big(bytes, value);
        else
            append_little(bytes, value);
    };
    for (int i = 0; i < 3; ++i) {
        put(std::int16_t(-300 * i));
        put(std::int8_t(-i * i));
        put(std::uint32_t(70000 * i));
        put(std::uint8_t(200));
        put(std::int32_t(-5));
        put(std::uint16_t(i));
    }
    put(std::uint16_t(3));
    for (const std::uint32_t vertex : {2u, 1u, 0u})
        put(vertex);
    put(std::uint8_t(6));
    for (const float uv : {0.f, .25f, 1.f, .5f, 2.f, .75f})
        put(uv);
    put(1.0);
    return bytes;
}

void expect_the_binary_mesh(const mesh::TriMesh& mesh) {
    EXPECT_EQ(mesh.position, (std::vector<Vec3>{{0, 0, 0}, {-300, -1, 70000}, {-600, -4, 140000}}));
    EXPECT_EQ(mesh.face, (std::vector<Triangle>{{2, 1, 0}}));
    EXPECT_EQ(mesh.uv, (std::vector<Vec2>{{0, .25}, {1, .5}, {2, .75}}));
    EXPECT_EQ(mesh.face_uv, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(PlyReader, BinaryOfBothByteOrders) {
    expect_the_binary_mesh(read_bytes(binary_file<false>()));
    expect_the_binary_mesh(read_bytes(binary_file<true>()));
}

TEST(PlyReader, ABinaryBodyStartsBehindTheWholeLineEnd) {
    std::string bytes = binary_file<false>();
    const std::size_t body = bytes.find("end_header\n") + 11;
    std::string windows;
    for (const char c : bytes.substr(0, body))
        windows += c == '\n' ? "\r\n" : std::string(1, c);

    expect_the_binary_mesh(read_bytes(windows + bytes.substr(body)));
}

/// However short the file is cut, it is an error and no crash.
TEST(PlyReader, EveryCutIsAnError) {
    const std::string bytes = binary_file<false>();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_NE(error_of(bytes.substr(0, size)), "no error") << size;
}

TEST(PlyReader, CountsAreCheckedBeforeMemoryIsTaken) {
    const std::string header =
        "ply\nformat binary_little_endian 1.0\nelement vertex 9223372036854775807\n"
        "property double x\nproperty double y\nproperty double z\nend_header\n";

    EXPECT_NE(error_of(header).find("do not fit"), std::string::npos);
    EXPECT_NE(error_of("ply\nformat ascii 1.0\nelement vertex 99999999999999999999\n"
                       "property float x\nend_header\n")
                  .find("no number of elements"),
              std::string::npos);
    EXPECT_EQ(error_of("ply\nformat binary_little_endian 1.0\nelement nothing 9000000000000000000\n"
                       "end_header\n"),
              "no error");
}

TEST(PlyWriter, RoundTripKeepsEveryBit) {
    mesh::TriMesh mesh = mesh::grid(7, 5, 1, 1, mesh::Tessellation::irregular);
    for (Vec3& x : mesh.position)
        x.z() = std::sin(31 * x.x()) / 3e5;

    const mesh::TriMesh again = round_trip(mesh);

    EXPECT_EQ(again.position, mesh.position);
    EXPECT_EQ(again.face, mesh.face);
    EXPECT_EQ(again.uv, mesh.uv);
    EXPECT_EQ(again.face_uv, mesh.face_uv);
}

/// Two triangles with a seam in uv between them; one more without uv.
TEST(PlyWriter, SeamsKeepTheUvOfEveryCorner) {
    mesh::TriMesh mesh;
    mesh.position = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh.face = {{0, 1, 2}, {0, 2, 3}, {1, 3, 2}};
    mesh.uv = {{0, 0}, {1, 0}, {1, 1}, {1.0 / 3, 5}, {6, 6}};
    mesh.face_uv = {{0, 1, 2}, {3, 4, 0}, {-1, -1, -1}};

    const mesh::TriMesh again = round_trip(mesh);

    for (std::size_t f = 0; f < 2; ++f)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(again.uv[std::size_t(again.face_uv[f][k])],
                      mesh.uv[std::size_t(mesh.face_uv[f][k])]);
    EXPECT_EQ(again.face_uv[2], (Triangle{-1, -1, -1}));
}

}  // namespace
}  // namespace taffeta::io
