#include "taffeta/scene/schema.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "schema_check.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

namespace taffeta::scene {
namespace {

std::string problem_of(const Settings& scene) {
    const Settings schema = scene_schema();
    return schema_problem(schema, scene, schema);
}

TEST(Schema, AcceptsEveryBuiltinSceneShortAndFull) {
    for (const std::string& name : builtin_names()) {
        EXPECT_EQ(problem_of(builtin_scene(name, {}).settings), "") << name;
        EXPECT_EQ(problem_of(write_scene(load_scene(name).description)), "") << name;
    }
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
    const char* base = R"({"bodies": [{"mesh": {"grid": {}}}], )";
    for (const char* wrong :
         {R"("integratr": "backward_euler"})", R"("integrator": "backward_eular"})",
          R"("solver": {"type": "prefiltered_pcg", "tolerence": 1}})",
          R"("solver": {"preconditioner": "block_jacoby"}})", R"("time": {"frames": 0}})",
          R"("time": {"frames": 1.5}})", R"("gravity": [0, 1]})", R"("up_axis": "X"})",
          R"("obstacles": [{"shape": {"radius": 1}}]})",
          R"("materials": {"m": {"density": -1}}})"}) {
        const Settings scene = parse_json(base + std::string(wrong), "a");

        EXPECT_NE(problem_of(scene), "") << wrong;
        EXPECT_THROW(read_scene(scene), Error) << wrong;
    }
}

TEST(Schema, AnIndependentValidatorAgrees) {
    if (std::system("python3 -W ignore -c 'import jsonschema' 2>/dev/null") != 0)
        GTEST_SKIP() << "python3 has no module jsonschema";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("taffeta_schema_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "schema.json") << write_json(scene_schema());
    std::string files;
    for (const std::string& name : builtin_names()) {
        std::ofstream(folder / (name + ".json"))
            << write_json(write_scene(load_scene(name).description));
        files += " '" + (folder / (name + ".json")).string() + "'";
    }
    const std::string script =
        "import json, sys, jsonschema\n"
        "schema = json.load(open(sys.argv[1]))\n"
        "jsonschema.Draft202012Validator.check_schema(schema)\n"
        "for name in sys.argv[2:]:\n"
        "    jsonschema.validate(json.load(open(name)), schema)\n";
    std::ofstream(folder / "validate.py") << script;

    const int status = std::system(("python3 -W ignore '" + (folder / "validate.py").string() +
                                    "' '" + (folder / "schema.json").string() + "'" + files)
                                       .c_str());

    EXPECT_EQ(status, 0);
    std::filesystem::remove_all(folder);
}

TEST(Schema, TheDocumentIsUpToDate) {
    std::ifstream file(std::filesystem::path(TAFFETA_SOURCE_DIR) / "docs/scene_format.md");
    std::stringstream text;
    text << file.rdbuf();

    EXPECT_TRUE(text.str() == scene_format_markdown())
        << "run `taffeta schema --markdown > docs/scene_format.md`";
}

}  // namespace
}  // namespace taffeta::scene
