#include "taffeta/scene/arcsim_material.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "taffeta/scene/build.h"
#include "taffeta/scene/load.h"
#include "taffeta/scene/materials.h"

namespace taffeta::scene {
namespace {

namespace fs = std::filesystem;

const std::string fabric = R"({
  "density": 0.2,
  "stretching": [[100, -3, 200, 30], [110, 1, 210, 31], [120, 2, 220, 32],
                 [130, 3, 230, 33], [140, 4, 240, 34], [150, 5, 250, 35]],
  "bending": [[4e-6, 4e-6, 4e-6, 4e-6, 4e-6], [8e-6, 8e-6, 8e-6, 8e-6, 8e-6],
              [4e-6, 8e-6, 12e-6, 16e-6, 20e-6]]
})";

class ArcsimMaterial : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(::testing::TempDir()) / "taffeta_arcsim";
        fs::create_directories(folder_);
        write("fabric.json", fabric);
    }
    void write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
    }
    Scene scene_with(const std::string& material) {
        write("scene.json", R"({"bodies": [{"mesh": {"grid": {"columns": 2, "rows": 2}},
            "material": "mine"}], "materials": {"mine": )" +
                                material + "}}");
        return load_scene((folder_ / "scene.json").string());
    }
    std::string failure(const std::string& material) {
        try {
            scene_with(material);
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

    fs::path folder_;
};

TEST_F(ArcsimMaterial, GivesTheWholeTableAndTheMeanBending) {
    const Scene scene = scene_with(R"({"arcsim": "fabric.json"})");
    const MaterialDescription& material = scene.description.materials.at("mine");
    const Settings membrane = material.membrane.completed(), bending = material.bending.completed();

    EXPECT_EQ(material.density, 0.2);
    EXPECT_EQ(membrane.find("type")->string(), "measured");
    ASSERT_EQ(membrane.find("stretching")->items().size(), 24u);
    EXPECT_EQ(membrane.find("stretching")->items()[7].number(), 31);
    EXPECT_DOUBLE_EQ(bending.find("warp")->number(), 3e-6);
    EXPECT_DOUBLE_EQ(bending.find("weft")->number(), 1e-6);
    EXPECT_DOUBLE_EQ(bending.find("bias")->number(), 2e-6);
    EXPECT_EQ(build(scene).world.energies[0]->name(), "measured");
    // What a run keeps reads back without the file.
    EXPECT_NO_THROW(load_settings(write_scene(scene.description)));
}

TEST_F(ArcsimMaterial, TakesOverridesAndGivesTheTangentToConditions) {
    const Scene scene = scene_with(
        R"({"arcsim": "fabric.json", "density": 0.3, "membrane": {"type": "baraff_witkin",
            "shear": 77}, "bending": {"type": "plate", "variant": "plate"}})");
    const MaterialDescription& material = scene.description.materials.at("mine");
    const Settings membrane = material.membrane.completed(), bending = material.bending.completed();

    EXPECT_EQ(material.density, 0.3);
    EXPECT_EQ(membrane.find("stretch_warp")->number(), 200);
    EXPECT_EQ(membrane.find("stretch_weft")->number(), 400);
    EXPECT_EQ(membrane.find("stretch_coupling")->number(), 0);
    EXPECT_EQ(membrane.find("shear")->number(), 77);
    EXPECT_DOUBLE_EQ(bending.find("warp")->number(), 3e-6);
}

TEST_F(ArcsimMaterial, FaultsArePlacedInTheFileOrTheScene) {
    write("short.json", R"({"density": 0.2,
        "stretching": [[1, 2, 3, 4]], "bending": []})");
    write("empty.json", "{}");

    EXPECT_NE(failure(R"({"arcsim": "short.json"})").find("short.json:2"), std::string::npos);
    EXPECT_NE(failure(R"({"arcsim": "short.json"})").find("1 rows, not 6"), std::string::npos);
    EXPECT_NE(failure(R"({"arcsim": "empty.json"})").find("density"), std::string::npos);
    EXPECT_NE(failure(R"({"arcsim": "none.json"})").find("none.json"), std::string::npos);
    EXPECT_NE(failure(R"({"arcsim": "../fabric.json"})").find("scene.json"), std::string::npos);
    EXPECT_NE(failure(R"({"arcsim": "fabric.json", "preset": "cotton"})").find("preset"),
              std::string::npos);
}

// The reduced presets were computed from the same files by somebody else.
TEST(ArcsimFiles, AgreeWithThePresets) {
    const fs::path folder = fs::path(TAFFETA_DATA_DIR) / "data/arcsim/materials";
    if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not here";
    int compared = 0;
    for (const Preset& preset : presets()) {
        const fs::path file = folder / (preset.name + ".json");
        if (!fs::exists(file)) continue;
        ++compared;
        const Settings read = arcsim_material(file, "baraff_witkin");
        const auto expect = [&](const char* law, const char* key, double rounding) {
            EXPECT_NEAR(read.find(law)->find(key)->number(),
                        preset.settings.find(law)->find(key)->number(), rounding)
                << preset.name << " " << key;
        };
        EXPECT_NEAR(read.find("density")->number(), preset.settings.find("density")->number(),
                    0.0006);
        for (const char* key : {"stretch_warp", "stretch_weft", "stretch_coupling", "shear"})
            expect("membrane", key, 0.51);
        for (const char* key : {"warp", "weft", "bias"})
            expect("bending", key, 0.051e-6);
    }

    EXPECT_EQ(compared, 12);
}

}  // namespace
}  // namespace taffeta::scene
