#include <gtest/gtest.h>

#include <filesystem>

#include "taffeta/io/format.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

std::string read_error(const fs::path& file) {
    Diagnostics found;
    try {
        read_mesh(file, found);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "no error";
}

TEST(MeshFormats, AreFoundByExtensionWhateverItsCase) {
    const fs::path file = fs::path(testing::TempDir()) / "taffeta_upper_case.OBJ";
    Diagnostics found;

    write_mesh(file, mesh::box(Vec3(1, 1, 1)));

    EXPECT_EQ(read_mesh(file, found).face_count(), 12);
    fs::remove(file);
}

TEST(MeshFormats, UnknownExtensionsNameTheKnownOnes) {
    EXPECT_EQ(read_error("shirt.fbx"), "shirt.fbx: unknown mesh format '.fbx' (known: .obj, .ply)");
    EXPECT_EQ(read_error("shirt"), "shirt: the file name has no extension (known: .obj, .ply)");
    EXPECT_EQ(read_error("a\x1b.b\x1b"),
              "a\\x1b.b\\x1b: unknown mesh format '.b\\x1b' (known: .obj, .ply)");
}

}  // namespace
}  // namespace taffeta::io
