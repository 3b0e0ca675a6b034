#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taffeta/contact/motion.h"
#include "taffeta/scene/mesh_description.h"

/// One piece of cloth, or a soft body, as a scene states it.
namespace taffeta::scene {

/// x = R (scale X) + translate. The scale applies to the rest shape too.
struct Transform {
    Vec3 translate = Vec3::Zero();
    Vec3 rotate = Vec3::Zero();  ///< rotation vector, degrees
    double scale = 1;

    static Fields<Transform> fields();
    Vec3 apply(const Vec3& point) const;
};

/// The undeformed shape of the cloth.
struct RestDescription {
    std::string from = "uv";  ///< uv | mesh | file
    std::string file;
    double uv_scale = 1;  ///< m per unit of uv
    Vec3 warp = Vec3(1, 0, 0);
    bool keep_angles = true;

    static Fields<RestDescription> fields();
};

struct BoxSelector {
    Vec3 min = Vec3::Constant(-1e30);
    Vec3 max = Vec3::Constant(1e30);

    static Fields<BoxSelector> fields();
};

struct SphereSelector {
    Vec3 center = Vec3::Zero();
    double radius = 0;

    static Fields<SphereSelector> fields();
};

/// Vertices that are held, and how they move. Exactly one selector is given.
struct PinDescription {
    std::vector<int> vertices;
    std::string group;
    std::string region;  ///< all, boundary, u_min, u_max, v_min, v_max
    std::optional<BoxSelector> box;
    std::optional<SphereSelector> sphere;
    contact::Motion motion;
    std::optional<double> release_time;

    static Fields<PinDescription> fields();
};

/// x += amplitude sin(frequency[0] u) sin(frequency[1] v), so that a symmetric state can buckle.
struct DisplacementDescription {
    Vec3 amplitude = Vec3::Zero();
    Vec2 frequency = Vec2(7, 5);

    static Fields<DisplacementDescription> fields();
};

/// Every coordinate of every vertex moves by a random number of [-amplitude, amplitude).
struct JitterDescription {
    double amplitude = 0;
    int seed = 1;

    static Fields<JitterDescription> fields();
};

struct InitialDescription {
    Vec3 velocity = Vec3::Zero();
    std::optional<DisplacementDescription> displacement;
    JitterDescription jitter;

    static Fields<InitialDescription> fields();
};

/// How the stitches of a mesh file are pulled.
struct StitchDescription {
    double stiffness = 1000;    ///< N/m
    double closing_time = 0.5;  ///< s

    static Fields<StitchDescription> fields();
};

struct BodyDescription {
    std::string name;
    std::string type = "cloth";
    MeshDescription mesh;
    std::string elements = "linear";  ///< of a soft body: linear or quadratic tets
    std::string mass = "lumped";      ///< lumped, voronoi or consistent
    RestDescription rest;
    std::string material = "benchmark-cotton";
    Transform transform;
    std::vector<PinDescription> pins;
    InitialDescription initial;
    double pressure = 0;  ///< Pa, along the normals
    StitchDescription stitches;
    Vec3 color = Vec3(0.55, 0.62, 0.75);
    bool repair = false;

    static Fields<BodyDescription> fields();

    bool soft() const { return type == "soft"; }
};

}  // namespace taffeta::scene
