#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "taffeta/io/format.h"
#include "taffeta/io/obj_reader.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

mesh::TriMesh read_text(const std::string& text) {
    Diagnostics ignored;
    return read_obj(text, "test.obj", ignored);
}

std::string error_of(const std::string& text) {
    try {
        read_text(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjReader, NumbersAreThoseOfTheirText) {
    const mesh::TriMesh mesh =
        read_text("v +1.5 .5 -5.\nv 1e5 1E-3 0.1\nv 1e-999 -0 1.892435e-002\n");

    EXPECT_EQ(mesh.position[0], Vec3(1.5, .5, -5));
    EXPECT_EQ(mesh.position[1], Vec3(1e5, 1e-3, .1));
    EXPECT_EQ(mesh.position[2], Vec3(0, 0, 1.892435e-2));
    EXPECT_EQ(mesh.position_line, (std::vector<int>{1, 2, 3}));
}

TEST(ObjReader, ALocaleWithCommasChangesNothing) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"})
        std::setlocale(LC_ALL, name);

    const mesh::TriMesh mesh = read_text("v 0.5 1.25 2\n");
    std::setlocale(LC_ALL, before.c_str());

    EXPECT_EQ(mesh.position[0], Vec3(.5, 1.25, 2));
}

TEST(ObjReader, CornersMayLeaveOutUvAndNormals) {
    const mesh::TriMesh mesh = read_text(
        square +
        "vt .1 .2\nvt .3 .4\nvt .5\nvn 0 0 1\nf 1/1/1 2/2/1 3/3/1\nf 1 3//1 4/2\nf 1/ 2// 3\n");

    EXPECT_EQ(mesh.uv, (std::vector<Vec2>{{.1, .2}, {.3, .4}, {.5, 0}}));
    EXPECT_EQ(mesh.face_uv, (std::vector<Triangle>{{0, 1, 2}, {-1, -1, 1}, {-1, -1, -1}}));
    EXPECT_EQ(mesh.face, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
    EXPECT_EQ(mesh.face_line, (std::vector<int>{9, 10, 11}));
}

TEST(ObjReader, UvThatNoFaceUsesAreDropped) {
    const mesh::TriMesh mesh = read_text(square + "vt 0 0\nvt 1 0\nf 1 2 3\n");

    EXPECT_TRUE(mesh.uv.empty());
    EXPECT_TRUE(mesh.face_uv.empty());
}

TEST(ObjReader, NegativeIndicesCountFromTheirLine) {
    const mesh::TriMesh mesh = read_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf -3/-1 -2/-1 -1/-1\n"
        "v 5 0 0\nvt 1 1\nf -4/-1 -3/-2 -1/-1\n");

    EXPECT_EQ(mesh.face, (std::vector<Triangle>{{0, 1, 2}, {0, 1, 3}}));
    EXPECT_EQ(mesh.face_uv, (std::vector<Triangle>{{0, 0, 0}, {1, 0, 1}}));
}

TEST(ObjReader, FacesMayStandBeforeTheirVertices) {
    EXPECT_EQ(read_text("f 1 2 3\n" + square).face, (std::vector<Triangle>{{0, 1, 2}}));
    EXPECT_NE(error_of("f 1 2 5\n" + square).find("test.obj:1"), std::string::npos);
}

TEST(ObjReader, LineEndsAreAllTheSame) {
    const std::string unix_text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n#end\\\nf 1 2 3";
    const auto with = [&](const char* end) {
        std::string text;
        for (const char c : unix_text)
            text += c == '\n' ? end : std::string(1, c);
        return read_text(text);
    };

    for (const char* end : {"\n", "\r\n", "\r"}) {
        const mesh::TriMesh mesh = with(end);
        EXPECT_EQ(mesh.vertex_count(), 3);
        EXPECT_EQ(mesh.face_line, (std::vector<int>{4, 7}));
    }
    EXPECT_EQ(read_text("\xef\xbb\xbfv 0 0 0").vertex_count(), 1);
}

///  3 --- 2     group front: the lower face, 0 1 2; both: 0 2 3; loose edge 1 - 3
///  |  /  |
///  0 --- 1
TEST(ObjReader, GroupsBecomeVertexSetsAndLinesLooseEdges) {
    const mesh::TriMesh mesh = read_text(square +
                                         "o My Shirt \ng front left\nf 1 2 3\ng front\n"
                                         "f 1 3 4\ng\nf 2 3 4\nl 2/1 4 1\nvt 0 0\n");

    EXPECT_EQ(mesh.group.size(), 2u);
    EXPECT_EQ(mesh.group.at("left"), (std::vector<Index>{0, 1, 2}));
    EXPECT_EQ(mesh.group.at("front"), (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(mesh.loose_edge, (std::vector<Edge>{{1, 3}, {3, 0}}));
    EXPECT_EQ(read_text(square + "o My Shirt \nf 1 2 3").group.count("My Shirt"), 1u);
}

TEST(ObjReader, QuadsAreFansAndConcavePolygonsAreCutAtTheirEars) {
    const mesh::TriMesh quad = read_text(square + "f 2 3 4 1\n");
    const mesh::TriMesh arrow = read_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 .5 0\nf 1 2 3 4\n");

    EXPECT_EQ(quad.face, (std::vector<Triangle>{{1, 2, 3}, {1, 3, 0}}));
    ASSERT_EQ(arrow.face_count(), 2);
    for (const auto& [a, b, c] : arrow.face) {
        const Vec3 p = arrow.position[std::size_t(b)] - arrow.position[std::size_t(a)];
        const Vec3 q = arrow.position[std::size_t(c)] - arrow.position[std::size_t(a)];
        EXPECT_GT(p.x() * q.y() - p.y() * q.x(), 0);
    }
}

TEST(ObjReader, StitchesCountFromZero) {
    const mesh::TriMesh mesh =
        read_text(square + "f 1 2 3\nseam 2\nstitch 0 1 3 0.25\nstitch 3 2 1 1\n");

    EXPECT_EQ(mesh.stitch, (std::vector<mesh::Stitch>{{0, 1, 3, 0.25}, {3, 2, 1, 1}}));
    EXPECT_NE(
        error_of(square + "stitch 0 1 4 0.5\n").find("test.obj:5: a stitch names vertex 4 of 4"),
        std::string::npos);
    EXPECT_NE(error_of(square + "stitch 0 1 2 1.5\n").find("the part w of a stitch is 1.5"),
              std::string::npos);
    EXPECT_NE(error_of(square + "stitch 0 1.5 2 1\n").find("names vertex 1.5"), std::string::npos);
}

TEST(ObjReader, MessagesNameTheLine) {
    EXPECT_EQ(error_of("v 0 0 0\n\nv 1 x 0\n"), "test.obj:3: 'x' is not a number (y)");
    EXPECT_EQ(error_of("v 0 0 0\nf 1 1 0\n"),
              "test.obj:2: vertex index 0 (OBJ files count from 1)");
    EXPECT_NE(error_of(square + "l 1 9\n").find("test.obj:5: vertex index 9 of 4"),
              std::string::npos);
}

TEST(ObjWriter, RoundTripKeepsEveryBitAndGroup) {
    mesh::TriMesh mesh = mesh::grid(7, 5, 1, 1, mesh::Tessellation::irregular);
    for (Vec3& x : mesh.position)
        x.z() = std::sin(31 * x.x()) / 3e5;
    for (Index f = 0; f < 20; ++f)
        for (const Index vertex : mesh.face[std::size_t(f)])
            mesh.group["front"].push_back(vertex);
    for (const Index vertex : mesh.face[3])
        mesh.group["seam"].push_back(vertex);
    for (auto& [name, vertices] : mesh.group) {
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    }
    mesh.loose_edge = {{3, 17}};
    mesh.stitch = {{0, 5, 6, 1.0 / 3}};
    mesh.face_uv[2] = {-1, -1, -1};
    const fs::path file = fs::path(testing::TempDir()) / "taffeta_round_trip.obj";

    write_mesh(file, mesh);
    Diagnostics found;
    const mesh::TriMesh again = read_mesh(file, found);
    fs::remove(file);

    EXPECT_TRUE(found.empty());
    EXPECT_EQ(again.position, mesh.position);
    EXPECT_EQ(again.uv, mesh.uv);
    EXPECT_EQ(again.face, mesh.face);
    EXPECT_EQ(again.face_uv, mesh.face_uv);
    EXPECT_EQ(again.group, mesh.group);
    EXPECT_EQ(again.loose_edge, mesh.loose_edge);
    EXPECT_EQ(again.stitch, mesh.stitch);
}

/// Processor time, so that a busy machine does not fail it: a free core of 2020 does 100 MB/s.
TEST(ObjReader, ReadsTensOfMegabytesASecond) {
    const mesh::TriMesh mesh = mesh::grid(400, 400, 1, 1, mesh::Tessellation::irregular);
    const fs::path file = fs::path(testing::TempDir()) / "taffeta_speed.obj";
    write_mesh(file, mesh);
    const double megabytes = double(fs::file_size(file)) / 1e6;
    Diagnostics found;
    double best = 1e9;

    for (int repeat = 0; repeat < 3; ++repeat) {
        const std::clock_t start = std::clock();
        EXPECT_EQ(read_mesh(file, found).vertex_count(), mesh.vertex_count());
        best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
    }
    fs::remove(file);

    RecordProperty("megabytes_per_second", std::to_string(megabytes / best));
    EXPECT_GT(megabytes / best, 20);
}

}  // namespace
}  // namespace taffeta::io
