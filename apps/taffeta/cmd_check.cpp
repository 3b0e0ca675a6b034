#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "check_intersections.h"
#include "commands.h"
#include "taffeta/io/format.h"
#include "taffeta/mesh/validate.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/load.h"

namespace taffeta::app {

namespace {

struct CheckArguments {
    std::string file, repaired;
    std::vector<std::string> overrides;
    double weld = 0;  ///< m
    bool strict = false;
    bool allow_outside = false;
    bool intersections = false;
    std::string json, scene_folder;
};

/// Prints the findings and a last line with their numbers; whether one is an error.
bool print_findings(const Diagnostics& findings, const std::string& subject, bool strict) {
    int errors = 0, warnings = 0;
    for (const Diagnostic& finding : findings) {
        fmt::print("{}\n", escaped(finding.text()));
        errors += finding.severity == Severity::error;
        warnings += finding.severity == Severity::warning;
    }
    fmt::print("{}: {} errors, {} warnings\n", subject, errors, warnings);
    return errors > 0 || (strict && warnings > 0);
}

bool check_mesh(const CheckArguments& arguments) {
    Diagnostics findings;
    const mesh::TriMesh mesh = io::read_mesh(arguments.file, findings);
    mesh::ValidateOptions options;
    options.strict = arguments.strict;
    options.weld_tolerance = arguments.weld;
    const Diagnostics found = mesh::validate(mesh, options);
    findings.insert(findings.end(), found.begin(), found.end());
    const std::string subject = fmt::format("{}: {} vertices, {} faces", escaped(arguments.file),
                                            mesh.vertex_count(), mesh.face_count());
    const bool bad = print_findings(findings, subject, arguments.strict);
    if (arguments.repaired.empty()) return bad;

    const mesh::Repaired repaired = mesh::repair(mesh, options);
    io::write_mesh(arguments.repaired, repaired.mesh);
    for (const Diagnostic& change : repaired.changes)
        fmt::print("{}\n", escaped(change.text()));
    fmt::print("wrote {}: {} vertices, {} faces\n", escaped(arguments.repaired),
               repaired.mesh.vertex_count(), repaired.mesh.face_count());
    const Diagnostics left = mesh::validate(repaired.mesh, options);
    return print_findings(left, escaped(arguments.repaired), arguments.strict);
}

bool check_scene(const CheckArguments& arguments) {
    const scene::Scene scene =
        scene::load_scene(arguments.file, arguments.overrides, arguments.allow_outside);
    const scene::BuiltScene built = scene::build(scene);
    const std::string subject =
        fmt::format("{}: {} vertices, {} steps of {:.4g} ms", escaped(arguments.file),
                    built.world.vertex_count(), built.time.steps_until(built.time.frames),
                    1e3 * built.time.h());
    return print_findings(built.diagnostics, subject, arguments.strict);
}

bool is_mesh(const std::string& file) {
    std::string extension = std::filesystem::path(file).extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    for (const io::FormatEntry* format : io::mesh_formats())
        if (format->properties.extension == extension) return true;
    return false;
}

void check(const CheckArguments& arguments, int& exit_status) {
    const bool mesh = is_mesh(arguments.file);
    if (arguments.intersections) {
        if (!arguments.repaired.empty())
            fail_input("--repair", "intersections are found, not mended",
                       "leave out --repair or --intersections");
        IntersectionOptions options;
        options.json = arguments.json;
        options.scene_folder = arguments.scene_folder;
        options.strict = arguments.strict;
        if (mesh ? mesh_intersects(arguments.file, options)
                 : run_intersects(arguments.file, options))
            exit_status = exit_numerics;
        return;
    }
    if (!arguments.json.empty() || !arguments.scene_folder.empty())
        fail_input(arguments.json.empty() ? "--scene-folder" : "--json",
                   "goes with --intersections only");
    if (!mesh && !arguments.repaired.empty())
        fail_input("--repair", "only a mesh file can be repaired",
                   "in a scene, \"repair\": true mends the mesh of a body");
    if (arguments.weld > 0 && arguments.repaired.empty())
        fail_input("--weld", "nothing is welded without --repair",
                   "name the file for the welded mesh: --repair OUT");
    if (mesh ? check_mesh(arguments) : check_scene(arguments)) exit_status = exit_bad_input;
}

}  // namespace

void add_check_command(Command app, int& exit_status) {
    Command command = app.subcommand(
        "check", "find what is wrong with a scene, a mesh or a run, element by element");
    const auto arguments = std::make_shared<CheckArguments>();
    command
        .option(
            "file", arguments->file,
            "a scene, a built-in scene, or a mesh file; with --intersections the folder of a run")
        .required();
    command.option("--repair", arguments->repaired, "write the repaired mesh to this file");
    command
        .option("--weld", arguments->weld,
                "weld vertices nearer to each other than this, m; with --repair")
        .positive();
    command.option("--set", arguments->overrides, "key=value, as for `taffeta run`").repeatable();
    command.flag("--strict", arguments->strict, "warnings count as errors");
    command.flag("--allow-outside", arguments->allow_outside,
                 "the scene may name files outside its folder");
    command.flag(
        "--intersections", arguments->intersections,
        "list what intersects: in a mesh, or in the frames of a run and between them; exit "
        "status 1 when something does");
    command.option("--json", arguments->json, "with --intersections: file for the whole list");
    command.option("--scene-folder", arguments->scene_folder,
                   "with --intersections: where the files that the run's scene names are now");
    command.footer(
        "Example:  taffeta check shirt.obj --repair shirt_repaired.obj\n"
        "          taffeta check out/drape --intersections");
    command.action([arguments, &exit_status] { check(*arguments, exit_status); });
}

}  // namespace taffeta::app
