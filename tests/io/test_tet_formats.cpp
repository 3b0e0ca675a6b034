#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "taffeta/io/tet_format.h"

namespace taffeta::io::test {
namespace {

class TetFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(::testing::TempDir()) / "taffeta_tets";
        std::filesystem::create_directories(folder_);
    }
    std::filesystem::path written(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    std::string failure(const std::filesystem::path& file) {
        try {
            Diagnostics diagnostics;
            read_tets(file, diagnostics);
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

    std::filesystem::path folder_;
};

// Two tets on the triangle (10, 20, 30), node 99 unused, a named side.
const std::string gmsh_2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "left side"
3 8 "all"
$EndPhysicalNames
$Comments
anything at all
$EndComments
$Nodes
6
99 9 9 9
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
50 0 0 -1
$EndNodes
$Elements
3
1 2 2 7 1 10 20 30
2 4 2 8 1 10 20 30 40
3 4 2 8 1 10 30 20 50
$EndElements
)";

const std::string gmsh_4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "left side"
3 8 "all"
$EndPhysicalNames
$Entities
1 0 1 1
1 0 0 0 0
5 0 0 0 1 1 0 1 7 0
6 0 0 -1 1 1 1 1 8 1 5
$EndEntities
$Nodes
2 6 10 99
0 1 0 1
99
9 9 9
3 6 0 5
10
20
30
40
50
0 0 0
1 0 0
0 1 0
0 0 1
0 0 -1
$EndNodes
$Elements
2 3 1 3
2 5 2 1
1 10 20 30
3 6 4 2
2 10 20 30 40
3 10 30 20 50
$EndElements
)";

TEST_F(TetFiles, GmshOfBothVersionsGiveTheSameSolid) {
    for (const std::string& text : {gmsh_2, gmsh_4}) {
        Diagnostics diagnostics;

        const mesh::TetMesh mesh = read_tets(written("two.msh", text), diagnostics);

        ASSERT_EQ(mesh.vertex_count(), 5);
        ASSERT_EQ(mesh.tet_count(), 2);
        EXPECT_EQ(mesh.tet[0], (mesh::Tet{0, 1, 2, 3}));
        EXPECT_EQ(mesh.tet[1], (mesh::Tet{0, 2, 1, 4}));
        EXPECT_EQ(mesh.position[4], Vec3(0, 0, -1));
        EXPECT_EQ(mesh.group.at("left side"), (std::vector<Index>{0, 1, 2}));
        EXPECT_EQ(mesh.group.at("all").size(), 5u);
        EXPECT_TRUE(mesh::check_tets(mesh).empty());
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_NE(diagnostics[0].message.find("1 nodes and 1 elements"), std::string::npos);
    }
}

const std::string vtk_head = R"(# vtk DataFile Version 3.0
a title with BINARY in it
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 5 double
0 0 0 1 0 0 0 1 0
0 0 1 0 0 -1
)";

TEST_F(TetFiles, VtkOfListsAndOfOffsetsGiveTheSameSolid) {
    const std::string lists = "CELLS 3 14\n3 0 1 2\n4 0 1 2 3\n4 0 2 1 4\nCELL_TYPES 3\n5 10 10\n";
    const std::string offsets =
        "METADATA\nINFORMATION 0\n\nCELLS 4 11\nOFFSETS vtktypeint64\n0 3 7 11\nCONNECTIVITY "
        "vtktypeint64\n0 1 2 0 1 2 3\n0 2 1 4\nCELL_TYPES 3\n5\n10\n10\n";
    for (const std::string& cells : {lists, offsets}) {
        Diagnostics diagnostics;

        const mesh::TetMesh mesh = read_tets(written("two.vtk", vtk_head + cells), diagnostics);

        ASSERT_EQ(mesh.tet_count(), 2);
        EXPECT_EQ(mesh.tet[1], (mesh::Tet{0, 2, 1, 4}));
        EXPECT_EQ(mesh.position[3], Vec3(0, 0, 1));
        EXPECT_TRUE(mesh::check_tets(mesh).empty());
    }
}

TEST_F(TetFiles, QuadraticTetsAreReadByTheirCornersAndThatIsSaid) {
    std::string text = gmsh_2;
    text.replace(text.find("2 4 2 8 1 10 20 30 40"), 21, "2 11 2 8 1 10 20 30 40 1 2 3 4 5 6");
    Diagnostics diagnostics;

    const mesh::TetMesh mesh = read_tets(written("quadratic.msh", text), diagnostics);

    EXPECT_EQ(mesh.tet_count(), 2);
    ASSERT_EQ(diagnostics.size(), 2u);
    EXPECT_NE(diagnostics[1].message.find("1 quadratic tets"), std::string::npos);
}

TEST_F(TetFiles, FaultsNameTheirLine) {
    const auto with = [](const std::string& old, const std::string& fresh) {
        std::string text = gmsh_2;
        text.replace(text.find(old), old.size(), fresh);
        return text;
    };
    const struct {
        std::string name, text, place, word;
    } cases[] = {
        {"a.msh", with("30 0 1 0", "30 0 nought 0"), "a.msh:17", "nought"},
        {"b.msh", with("30 0 1 0", "20 0 1 0"), "b.msh:17", "node 20 comes twice"},
        {"c.msh", with("10 30 20 50", "10 30 20 77"), "c.msh:25", "node 77"},
        {"d.msh", with("2.2 0 8", "4.0 0 8"), "d.msh:2", "version 4"},
        {"e.msh", with("2.2 0 8", "2.2 1 8"), "e.msh:2", "binary"},
        {"f.msh", with("2 4 2 8 1", "2 5 2 8 1"), "f.msh:24", "type 5"},
        {"g.msh", gmsh_2.substr(0, 250), "g.msh", "ends"},
        {"h.msh", "solid cube", "h.msh:1", "section"},
        {"i.vtk", vtk_head + "CELLS 1 5\n4 0 1 2 9\nCELL_TYPES 1\n10\n", "i.vtk:9", "node 9"},
        {"j.vtk", vtk_head + "CELLS 1 9\n8 0 1 2 3 0 1 2 3\nCELL_TYPES 1\n12\n", "j.vtk:11",
         "type 12"},
        {"k.stl", "solid", "k.stl", ".msh"},
    };
    for (const auto& one : cases) {
        const std::string what = failure(written(one.name, one.text));

        EXPECT_NE(what.find(one.place), std::string::npos) << what;
        EXPECT_NE(what.find(one.word), std::string::npos) << what;
    }
}

}  // namespace
}  // namespace taffeta::io::test
