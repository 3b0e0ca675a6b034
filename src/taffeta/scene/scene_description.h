#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taffeta/ode/integrator.h"
#include "taffeta/scene/body_description.h"
#include "taffeta/scene/choice.h"
#include "taffeta/scene/material_description.h"
#include "taffeta/scene/obstacle_description.h"
#include "taffeta/sim/options.h"

/// A scene as its file states it: data only, SI units, all defaults filled in.
namespace taffeta::scene {

struct OutputDescription {
    std::vector<std::string> formats = {"ply"};
    int every = 1;
    int checkpoint_every = 10;
    bool energies = true;

    static Fields<OutputDescription> fields();
};

struct SceneDescription {
    std::string schema;
    std::string name;
    std::string description;
    std::string up_axis = "Y";
    sim::TimeOptions time;
    std::optional<Vec3> gravity;  ///< set when read: by default 9.81 m/s^2 against `up_axis`
    std::optional<Choice<Family::air>> air;
    Choice<Family::integrator> integrator;
    ode::NewtonOptions newton;
    Choice<Family::solver> solver;
    Choice<Family::contact> contact;
    std::vector<BodyDescription> bodies;
    std::map<std::string, MaterialDescription> materials;
    std::vector<ObstacleDescription> obstacles;
    OutputDescription output;

    static Fields<SceneDescription> fields();

    bool z_up() const { return up_axis == "Z"; }
};

/// A description together with what it was read from, so that a later finding (a pin that names a
/// vertex the mesh has not) still points at its line.
struct Scene {
    SceneDescription description;
    Settings source;               ///< as read, with overrides and presets in
    std::filesystem::path folder;  ///< that file names are relative to; empty: the current one
    bool allow_outside = false;    ///< files outside the folder may be read

    /// Throws bad input at the value under `path`, or at the nearest one around it.
    [[noreturn]] void fail(const std::string& path, const std::string& what,
                           const std::string& hint = {}) const;
    Diagnostic warning(const std::string& path, const std::string& message,
                       const std::string& hint = {}) const;
    std::string where(const std::string& path) const;  ///< `file:line:column`, empty without file
};

/// Reads and checks everything that needs no mesh. Fills in what depends on other keys: gravity,
/// names of bodies and obstacles, the numbers of the fabrics in use.
Scene read_scene(const Settings& settings);

/// Every key with its value, defaults included; absent optional values are left out. Reading it
/// gives the same description.
Settings write_scene(const SceneDescription& description);

/// Fingerprint of what determines the steps of a run: the whole description without its words, its
/// output and the number of frames, and the contents of the files it names.
std::uint64_t scene_hash(const Scene& scene);

}  // namespace taffeta::scene
