#pragma once

#include <optional>
#include <string>

#include "taffeta/base/fields.h"
#include "taffeta/mesh/generators.h"

/// Where a mesh of a scene comes from: a file, or one of the generators.
namespace taffeta::scene {

/// A rectangle of cloth in the plane z = 0, uv = (x, y) in m.
struct GridMesh {
    int columns = 30;  ///< cells along x
    int rows = 30;     ///< cells along y
    double width = 1;  ///< m, along x
    double height = 1;
    std::string tessellation = "regular";
    int seed = 1;  ///< of the irregular tessellation
    int straight_columns = 0;

    static Fields<GridMesh> fields();
};

/// The unit square without the `cut_columns` x `cut_rows` cells at its (1, 1) corner.
struct LShapeMesh {
    int columns = 33;
    int rows = 33;
    int cut_columns = 13;
    int cut_rows = 15;
    std::string tessellation = "regular";
    int seed = 1;

    static Fields<LShapeMesh> fields();
};

struct DiscMesh {
    double radius = 0.5;
    int rings = 20;
    std::string tessellation = "regular";
    int seed = 1;
    int still_rings = 0;

    static Fields<DiscMesh> fields();
};

/// A solid box of tets with one corner at the origin, six to a cell; its sides are the groups x_min,
/// x_max, ... z_max.
struct BoxMesh {
    int columns = 8;            ///< cells along x
    int rows = 8;               ///< along y
    int layers = 8;             ///< along z
    Vec3 size = Vec3(1, 1, 1);  ///< m

    static Fields<BoxMesh> fields();
};

/// A tube of cloth along +x; its rims are the groups start and end.
struct TubeMesh {
    double radius = 0.15;  ///< m
    double length = 0.6;   ///< m
    int around = 120;      ///< cells
    int along = 76;

    static Fields<TubeMesh> fields();
};

/// A ribbon bent into one half of a reef knot (mesh/generators.h).
struct BightMesh {
    double width = 0.01;  ///< m
    int across = 4;       ///< cells

    static Fields<BightMesh> fields();
};

/// A piece of clothes sewn from panels, put on a person as tall as `height` (mesh/garment.h).
struct GarmentMesh {
    std::string piece = "tunic";
    double height = 1.75;  ///< of the person, m
    double edge = 0.0095;  ///< m

    static Fields<GarmentMesh> fields();
};

/// A shape given by a mesh: exactly one member is set.
struct MeshDescription {
    std::string file;  ///< relative to the scene
    std::optional<GridMesh> grid;
    std::optional<LShapeMesh> l_shape;
    std::optional<DiscMesh> disc;
    std::optional<TubeMesh> tube;
    std::optional<BightMesh> bight;
    std::optional<GarmentMesh> garment;
    std::optional<BoxMesh> box;  ///< for soft bodies

    static Fields<MeshDescription> fields();
};

mesh::Tessellation tessellation_named(const std::string& name);

}  // namespace taffeta::scene
