#include "taffeta/scene/overrides.h"

#include <gtest/gtest.h>

#include "taffeta/scene/json.h"
#include "taffeta/scene/key_path.h"
#include "taffeta/scene/load.h"

namespace taffeta::scene {
namespace {

const char* minimal = R"({"bodies": [{"mesh": {"grid": {"columns": 2, "rows": 2}}}]})";

Scene with(const std::vector<std::string>& overrides) {
    return load_settings(parse_json(minimal, "a.json"), overrides);
}

std::string error_of(const std::vector<std::string>& overrides) {
    try {
        with(overrides);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Overrides, ReplaceNumbersNamesAndListItems) {
    const SceneDescription scene =
        with({"time.frames=7", "bodies[0].material=paper", "gravity=[0,0,1]", "up_axis=Z"})
            .description;

    EXPECT_EQ(scene.time.frames, 7);
    EXPECT_EQ(scene.bodies[0].material, "paper");
    EXPECT_EQ(*scene.gravity, Vec3(0, 0, 1));
    EXPECT_TRUE(scene.z_up());
}

TEST(Overrides, MakeWhatIsMissingOnTheWay) {
    const SceneDescription scene =
        with({"solver.tolerance=1e-8", "bodies[0].pins[0].region=boundary",
              "obstacles=[{\"shape\": \"sphere\"}]", "materials.mine.preset=paper"})
            .description;

    EXPECT_EQ(scene.solver.value.find("tolerance")->number(), 1e-8);
    EXPECT_EQ(scene.solver.value.find("type")->string(), "prefiltered_pcg");
    EXPECT_EQ(scene.bodies[0].pins.at(0).region, "boundary");
    EXPECT_EQ(scene.obstacles.size(), 1u);
    EXPECT_EQ(scene.materials.at("mine").density, 0.1);
}

TEST(Overrides, OfABuiltInFabricKeepTheRestOfIt) {
    const MaterialDescription paper =
        with({"bodies[0].material=paper", "materials.paper.membrane.shear=7"})
            .description.materials.at("paper");

    EXPECT_EQ(paper.membrane.value.find("shear")->number(), 7);
    EXPECT_EQ(paper.membrane.value.find("stretch_warp")->number(), 1e6);
    EXPECT_EQ(paper.bending.value.find("warp")->number(), 1e-4);
    EXPECT_EQ(paper.density, 0.1);
}

TEST(Overrides, OfAnUnknownFabricSayWhatIsMissing) {
    const std::string error = error_of({"materials.papper.membrane.shear=7"});

    EXPECT_NE(error.find("missing key 'density'"), std::string::npos) << error;
}

TEST(Overrides, OfAFabricsNameGiveASoftBodyNothingOfTheFabric) {
    const std::string error = error_of({"materials.paper.solid=linear"});

    EXPECT_NE(error.find("missing key 'density'"), std::string::npos) << error;
}

TEST(Overrides, TurnAChoiceByNameIntoAnObject) {
    const SceneDescription scene = with({"solver=pcg", "solver.tolerance=1e-4"}).description;

    EXPECT_EQ(scene.solver.value.find("type")->string(), "pcg");
    EXPECT_EQ(scene.solver.value.find("tolerance")->number(), 1e-4);
}

TEST(Overrides, LaterOnesWin) {
    EXPECT_EQ(with({"time.frames=7", "time.frames=9"}).description.time.frames, 9);
}

TEST(Overrides, MistakesPointAtTheOverrideAndNameTheNearestKey) {
    EXPECT_EQ(error_of({"solvr.tolerance=1"}),
              "--set solvr.tolerance=1: unknown key 'solvr' (did you mean 'solver'?)");
    EXPECT_EQ(error_of({"time.frame=1"}),
              "--set time.frame=1: time: unknown key 'frame' (did you mean 'frames'?)");
    EXPECT_EQ(error_of({"time.frames=x"}),
              "--set time.frames=x: time.frames: expected a number, found a string");
    EXPECT_EQ(error_of({"bodies[0].material=papr"}),
              "--set bodies[0].material=papr: bodies[0].material: unknown material 'papr' "
              "(did you mean 'paper'?)");
}

TEST(Overrides, BadFormsAreRefused) {
    EXPECT_NE(error_of({"time.frames"}).find("not of the form key=value"), std::string::npos);
    EXPECT_NE(error_of({"=1"}).find("not of the form key=value"), std::string::npos);
    EXPECT_NE(error_of({"bodies[3].name=a"}).find("there is no element 3"), std::string::npos);
    EXPECT_NE(error_of({"bodies[x].name=a"}).find("an index must be a whole number"),
              std::string::npos);
    EXPECT_NE(error_of({"time..frames=1"}).find("a key is missing"), std::string::npos);
    EXPECT_NE(error_of({"gravity=[0,"}).find("--set gravity=[0,"), std::string::npos);
}

TEST(KeyPath, StepsOfAPath) {
    const std::vector<PathStep> steps = parse_path("bodies[0].pins[12].box");

    ASSERT_EQ(steps.size(), 5u);
    EXPECT_EQ(steps[0].key, "bodies");
    EXPECT_EQ(steps[1].index, 0);
    EXPECT_EQ(steps[3].index, 12);
    EXPECT_EQ(steps[4].key, "box");
    for (const char* bad : {"", ".", "a.", ".a", "[0]", "a[", "a[-1]", "a]b", "a[0]b", "a[1e3]"})
        EXPECT_THROW(parse_path(bad), Error) << bad;
}

}  // namespace
}  // namespace taffeta::scene
