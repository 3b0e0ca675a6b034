#include "taffeta/scene/mesh_description.h"

namespace taffeta::scene {

namespace {

const Range tessellations = one_of({"regular", "alternating", "irregular"});
constexpr double most_cells = 5000;

}  // namespace

Fields<GridMesh> GridMesh::fields() {
    return {
        {"columns", &GridMesh::columns, "cells along x (u, warp)", between(1, most_cells)},
        {"rows", &GridMesh::rows, "cells along y (v, weft)", between(1, most_cells)},
        {"width", &GridMesh::width, "size along x, m", positive()},
        {"height", &GridMesh::height, "size along y, m", positive()},
        {"tessellation", &GridMesh::tessellation,
         "diagonals: all alike, in turn, or a jittered Delaunay mesh", tessellations},
        {"seed", &GridMesh::seed, "of the irregular tessellation", at_least(0)},
        {"straight_columns", &GridMesh::straight_columns,
         "of vertices at the left that the irregular tessellation does not move, for a straight "
         "clamp",
         at_least(0)},
    };
}

Fields<LShapeMesh> LShapeMesh::fields() {
    return {
        {"columns", &LShapeMesh::columns, "cells of the whole square along x",
         between(2, most_cells)},
        {"rows", &LShapeMesh::rows, "cells of the whole square along y", between(2, most_cells)},
        {"cut_columns", &LShapeMesh::cut_columns, "cells cut away along x, fewer than `columns`",
         between(1, most_cells)},
        {"cut_rows", &LShapeMesh::cut_rows, "cells cut away along y, fewer than `rows`",
         between(1, most_cells)},
        {"tessellation", &LShapeMesh::tessellation,
         "diagonals: all alike, in turn, or a jittered Delaunay mesh", tessellations},
        {"seed", &LShapeMesh::seed, "of the irregular tessellation", at_least(0)},
    };
}

Fields<DiscMesh> DiscMesh::fields() {
    return {
        {"radius", &DiscMesh::radius, "m", positive()},
        {"rings", &DiscMesh::rings, "rings of vertices; ring k has 6 k", between(1, 2000)},
        {"tessellation", &DiscMesh::tessellation, "triangles in rings, or a jittered Delaunay mesh",
         one_of({"regular", "irregular"})},
        {"seed", &DiscMesh::seed, "of the irregular tessellation", at_least(0)},
        {"still_rings", &DiscMesh::still_rings,
         "of vertices around the centre that the irregular tessellation does not move, for a clamp "
         "along a circle",
         at_least(0)},
    };
}

Fields<TubeMesh> TubeMesh::fields() {
    return {
        {"radius", &TubeMesh::radius, "m", positive()},
        {"length", &TubeMesh::length, "along x, m", positive()},
        {"around", &TubeMesh::around, "cells around", between(3, most_cells)},
        {"along", &TubeMesh::along, "cells along", between(1, most_cells)},
    };
}

Fields<BightMesh> BightMesh::fields() {
    return {
        {"width", &BightMesh::width, "of the ribbon, m", between(1e-3, 0.016)},
        {"across", &BightMesh::across, "cells across it", between(1, 400)},
    };
}

Fields<GarmentMesh> GarmentMesh::fields() {
    return {
        {"piece", &GarmentMesh::piece, "which one; the skirt has the group `waist`",
         one_of({"tunic", "skirt"})},
        {"height", &GarmentMesh::height, "of the person who wears it, m", positive()},
        {"edge", &GarmentMesh::edge, "about the length of the edges, m", positive()},
    };
}

Fields<BoxMesh> BoxMesh::fields() {
    constexpr double most_solid_cells = 500;
    return {
        {"columns", &BoxMesh::columns, "cells along x", between(1, most_solid_cells)},
        {"rows", &BoxMesh::rows, "cells along y", between(1, most_solid_cells)},
        {"layers", &BoxMesh::layers, "cells along z", between(1, most_solid_cells)},
        {"size", &BoxMesh::size, "along x, y and z, m", positive()},
    };
}

Fields<MeshDescription> MeshDescription::fields() {
    return {
        {"file", &MeshDescription::file,
         "mesh file, relative to the scene (`taffeta list format`; of tets, for a soft body: "
         "`taffeta list tets`)"},
        {"grid", &MeshDescription::grid, "a rectangle"},
        {"l_shape", &MeshDescription::l_shape, "the unit square without one corner"},
        {"disc", &MeshDescription::disc, "a disc of rings about the origin"},
        {"tube", &MeshDescription::tube, "a tube of cloth along x, with groups `start` and `end`"},
        {"bight", &MeshDescription::bight,
         "one ribbon of a reef knot, with the group `ends`; the other is turned by 180 degrees "
         "about "
         "y"},
        {"garment", &MeshDescription::garment,
         "clothes for a person who stands on y = 0, looks along +z and spreads the arms, as a "
         "walker at its start"},
        {"box", &MeshDescription::box, "a solid of tets, for a soft body"},
    };
}

mesh::Tessellation tessellation_named(const std::string& name) {
    if (name == "alternating") return mesh::Tessellation::alternating;
    if (name == "irregular") return mesh::Tessellation::irregular;
    return mesh::Tessellation::regular;
}

}  // namespace taffeta::scene
