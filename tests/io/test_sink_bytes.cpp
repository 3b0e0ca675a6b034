#include <gtest/gtest.h>

#include <array>

#include "../helpers/sink_frames.h"
#include "taffeta/base/error.h"
#include "taffeta/io/frame_files.h"

// Every format against bytes written down by hand for one triangle in two frames:
//
//    2
//    | \      frame 1: (0,0,0) (1,0,0) (0,0.5,0), velocity 0
//    0--1     frame 2: the same moved by (0,0,-2),  velocity (0,0,-4)
//
// at 2 frames a second. float32: 1 = 3f800000, 0.5 = 3f000000, -2 = c0000000, -4 = c0800000.
namespace taffeta::io {
namespace {

class SinkBytes : public testing::Test {
  protected:
    SinkBytes() {
        series_.name = "tri";
        series_.directory = folder_.path();
        series_.frame_rate = 2;
        series_.mesh.position = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0.5, 0)};
        series_.mesh.face = {{0, 1, 2}};
        series_.mesh.uv = {Vec2(0, 0), Vec2(1, 0), Vec2(0, 0.1)};
        series_.mesh.face_uv = {{0, 1, 2}};
    }

    void run(std::string_view key) {
        VecX x(9), v = VecX::Zero(9);
        x << 0, 0, 0, 1, 0, 0, 0, 0.5, 0;
        const std::unique_ptr<FrameSink> sink = make_sink(key);
        sink->open(series_, 0);
        sink->write(1, x, v);
        for (Index i = 0; i < 3; ++i) {
            vec3(x, i).z() = -2;
            vec3(v, i).z() = -4;
        }
        sink->write(2, x, v);
        sink->close();
    }

    std::string file(const std::string& name) const { return content(folder_ / name); }

    ScratchFolder folder_;
    FrameSeries series_;
};

/// Hexadecimal digits to bytes; spaces are for the reader.
std::string bytes(const std::string& digits) {
    std::string made, pair;
    for (const char c : digits) {
        if (c == ' ') continue;
        pair += c;
        if (pair.size() < 2) continue;
        made += char(std::stoi(pair, nullptr, 16));
        pair.clear();
    }
    return made;
}

const std::string big_0 = "00000000", big_1 = "3f800000", big_half = "3f000000",
                  big_minus_2 = "c0000000";
const std::string little_0 = "00000000", little_1 = "0000803f", little_half = "0000003f",
                  little_minus_2 = "000000c0", little_minus_4 = "000080c0";

/// The three points, in the given spelling of their numbers.
std::string points(const std::string& zero, const std::string& one, const std::string& half,
                   const std::string& z) {
    return bytes(zero + zero + z + one + zero + z + zero + half + z);
}

TEST_F(SinkBytes, MddIsBigEndianWithAllTimesInFront) {
    run("mdd");

    EXPECT_EQ(file("tri.mdd"), bytes("00000002 00000003 00000000 3f000000") +
                                   points(big_0, big_1, big_half, big_0) +
                                   points(big_0, big_1, big_half, big_minus_2));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "tri.mdd.part"));
}

TEST_F(SinkBytes, Pc2IsLittleEndianBehindAHeaderOf32Bytes) {
    run("pc2");

    EXPECT_EQ(file("tri.pc2"), std::string("POINTCACHE2\0", 12) +
                                   bytes("01000000 03000000 0000803f 0000803f 02000000") +
                                   points(little_0, little_1, little_half, little_0) +
                                   points(little_0, little_1, little_half, little_minus_2));
}

TEST_F(SinkBytes, Pc2IsValidBeforeItIsClosed) {
    const std::unique_ptr<FrameSink> sink = make_sink("pc2");
    VecX x(9);
    x << 0, 0, 0, 1, 0, 0, 0, 0.5, 0;

    sink->open(series_, 0);
    sink->write(1, x, VecX());

    EXPECT_EQ(file("tri.pc2").substr(28, 4), bytes("01000000"));
    EXPECT_EQ(file("tri.pc2").size(), 32u + 36u);
}

TEST_F(SinkBytes, ObjListsPointsUvAndFaces) {
    run("obj");

    EXPECT_EQ(file("tri.0002.obj"),
              "# frame 2, 0.5 s\n"
              "v 0 0 -2\nv 1 0 -2\nv 0 0.5 -2\n"
              "vt 0 0\nvt 1 0\nvt 0 0.1\n"
              "f 1/1 2/2 3/3\n");
}

TEST_F(SinkBytes, ObjPrintsTheShortestDigitsOfSinglePrecision) {
    const std::unique_ptr<FrameSink> sink = make_sink("obj");
    VecX x = VecX::Zero(9);
    x[0] = 1.0 / 3;
    x[1] = 1e-30;
    x[2] = 123456789;

    sink->open(series_, 0);
    sink->write(1, x, VecX());

    // The float32 neighbours of 1/3 are 3e-8 apart: eight digits; 123456789 is stored as
    // 123456792, and no notation of it is shorter.
    EXPECT_NE(file("tri.0001.obj").find("v 0.33333334 1e-30 123456792\n"), std::string::npos)
        << file("tri.0001.obj");
}

TEST_F(SinkBytes, PlyInterleavesPositionAndVelocity) {
    run("ply");

    const std::string header =
        "ply\nformat binary_little_endian 1.0\ncomment frame 2, 0.5 s\nelement vertex 3\n"
        "property float x\nproperty float y\nproperty float z\n"
        "property float vx\nproperty float vy\nproperty float vz\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    const std::string z_and_v = little_minus_2 + little_0 + little_0 + little_minus_4;
    EXPECT_EQ(file("tri.0002.ply"), header +
                                        bytes(little_0 + little_0 + z_and_v +  //
                                              little_1 + little_0 + z_and_v +  //
                                              little_0 + little_half + z_and_v) +
                                        bytes("03 00000000 01000000 02000000"));
}

TEST_F(SinkBytes, VtuAppendsRawArraysAtTheOffsetsOfItsHeader) {
    run("vtu");

    const std::string text = file("tri.0002.vtu");
    const std::size_t data = text.find("<AppendedData encoding=\"raw\">\n_");
    ASSERT_NE(data, std::string::npos);
    const std::string appended = text.substr(data + 31);
    const std::string z_and_v = little_0 + little_0 + little_minus_4;
    EXPECT_EQ(appended, bytes("2400000000000000") +
                            points(little_0, little_1, little_half, little_minus_2) +
                            bytes("2400000000000000") + bytes(z_and_v + z_and_v + z_and_v) +
                            bytes("0c00000000000000 00000000 01000000 02000000") +
                            bytes("0400000000000000 03000000") + bytes("0100000000000000 05") +
                            "\n  </AppendedData>\n</VTKFile>\n");
    // 8 + 36, twice; then 8 + 12 and 8 + 4.
    for (const char* offset :
         {"offset=\"0\"", "offset=\"44\"", "offset=\"88\"", "offset=\"108\"", "offset=\"120\""})
        EXPECT_NE(text.find(offset), std::string::npos) << offset;
    EXPECT_NE(text.find("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.5<"),
              std::string::npos);
}

TEST_F(SinkBytes, PvdNamesTheFilesAndTheirTimes) {
    run("vtu");

    EXPECT_EQ(file("tri.pvd"),
              "<?xml version=\"1.0\"?>\n"
              "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
              "  <Collection>\n"
              "    <DataSet timestep=\"0\" part=\"0\" file=\"tri.0001.vtu\"/>\n"
              "    <DataSet timestep=\"0.5\" part=\"0\" file=\"tri.0002.vtu\"/>\n"
              "  </Collection>\n"
              "</VTKFile>\n");
}

TEST_F(SinkBytes, UsdaHoldsTimeSamplesOfPointsExtentAndVelocities) {
    series_.color = Vec3(1, 0.5, 0);
    run("usda");

    EXPECT_EQ(file("tri.usda"), R"(#usda 1.0
(
    defaultPrim = "World"
    startTimeCode = 1
    endTimeCode = 2
    timeCodesPerSecond = 2
    framesPerSecond = 2
    metersPerUnit = 1
    upAxis = "Y"
)

def Xform "World"
{
    def Mesh "tri"
    {
        uniform token subdivisionScheme = "none"
        uniform bool doubleSided = 1
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0.5, 0)]
        float3[] extent = [(0, 0, 0), (1, 0.5, 0)]
        point3f[] points.timeSamples = {
            1: [(0, 0, 0), (1, 0, 0), (0, 0.5, 0)],
            2: [(0, 0, -2), (1, 0, -2), (0, 0.5, -2)],
        }
        float3[] extent.timeSamples = {
            1: [(0, 0, 0), (1, 0.5, 0)],
            2: [(0, 0, -2), (1, 0.5, -2)],
        }
        vector3f[] velocities.timeSamples = {
            1: [(0, 0, 0), (0, 0, 0), (0, 0, 0)],
            2: [(0, 0, -4), (0, 0, -4), (0, 0, -4)],
        }
        texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 0.1)] (
            interpolation = "faceVarying"
        )
        int[] primvars:st:indices = [0, 1, 2]
        color3f[] primvars:displayColor = [(1, 0.5, 0)] (
            interpolation = "constant"
        )
    }
}
)");
}

TEST_F(SinkBytes, UsdaNamesArePrimNamesAndTheUpAxisIsKept) {
    series_.name = "2 coats";
    series_.z_up = true;
    run("usda");

    EXPECT_NE(file("2 coats.usda").find("def Mesh \"_2_coats\""), std::string::npos);
    EXPECT_NE(file("2 coats.usda").find("upAxis = \"Z\""), std::string::npos);
}

TEST(FrameFiles, FrameNumbersHaveFourDigitsOrMore) {
    FrameSeries series;
    series.name = "tri";
    series.directory = "frames";

    EXPECT_EQ(numbered_frame(series, 7, ".obj"), "frames/tri.0007.obj");
    EXPECT_EQ(numbered_frame(series, 12345, ".obj"), "frames/tri.12345.obj");
    EXPECT_EQ(numbered_name("frames/tri.12345.obj").frame, 12345);
    EXPECT_EQ(numbered_name("frames/tri.12345.obj").prefix, "tri.");
    EXPECT_EQ(numbered_name("frames/0012.obj").frame, 12);
    EXPECT_EQ(numbered_name("frames/square4.obj").frame, -1);
    EXPECT_EQ(numbered_name("frames/tri.99999999999.obj").frame, -1);
}

}  // namespace
}  // namespace taffeta::io
