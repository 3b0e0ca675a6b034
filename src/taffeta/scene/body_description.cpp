#include "taffeta/scene/body_description.h"

#include <Eigen/Geometry>
#include <numbers>

namespace taffeta::scene {

Fields<Transform> Transform::fields() {
    return {
        {"translate", &Transform::translate, "m, applied last"},
        {"rotate", &Transform::rotate, "rotation vector: axis times angle, degrees"},
        {"scale", &Transform::scale, "factor on the size, of the rest shape too; applied first",
         positive()},
    };
}

Vec3 Transform::apply(const Vec3& point) const {
    const double angle = rotate.norm() * std::numbers::pi / 180;
    const Vec3 scaled = scale * point;
    if (angle == 0) return scaled + translate;
    return Eigen::AngleAxisd(angle, rotate.normalized()) * scaled + translate;
}

Fields<RestDescription> RestDescription::fields() {
    return {
        {"from", &RestDescription::from,
         "what the cloth is at rest: its uv panels, its own mesh, or another mesh `file`",
         one_of({"uv", "mesh", "file"})},
        {"file", &RestDescription::file, "rest mesh of the same topology, relative to the scene"},
        {"uv_scale", &RestDescription::uv_scale, "metres per unit of uv", positive()},
        {"warp", &RestDescription::warp, "direction of the warp, for a rest mesh in 3D"},
        {"keep_angles", &RestDescription::keep_angles,
         "whether the creases of a rest mesh in 3D are at rest"},
    };
}

Fields<BoxSelector> BoxSelector::fields() {
    return {
        {"min", &BoxSelector::min, "lower corner in the world at t = 0, m"},
        {"max", &BoxSelector::max, "upper corner in the world at t = 0, m"},
    };
}

Fields<SphereSelector> SphereSelector::fields() {
    return {
        {"center", &SphereSelector::center, "in the world at t = 0, m"},
        {"radius", &SphereSelector::radius, "radius, m", required(positive())},
    };
}

Fields<PinDescription> PinDescription::fields() {
    return {
        {"vertices", &PinDescription::vertices, "vertex numbers of the mesh, from 0", at_least(0)},
        {"group", &PinDescription::group, "a named group of the mesh (OBJ `g` or `o`)"},
        {"region", &PinDescription::region,
         "all vertices, the boundary, or an end of the cloth in material coordinates",
         one_of({"", "all", "boundary", "u_min", "u_max", "v_min", "v_max"})},
        {"box", &PinDescription::box, "vertices inside an axis-aligned box"},
        {"sphere", &PinDescription::sphere, "vertices inside a sphere"},
        {"motion", &PinDescription::motion, "how the held vertices move, rigidly"},
        {"release_time", &PinDescription::release_time, "when they are let go, s; absent: never",
         at_least(0)},
    };
}

Fields<DisplacementDescription> DisplacementDescription::fields() {
    return {
        {"amplitude", &DisplacementDescription::amplitude, "m"},
        {"frequency", &DisplacementDescription::frequency,
         "p, q of sin(p u) sin(q v) over the material coordinates, rad/m"},
    };
}

Fields<JitterDescription> JitterDescription::fields() {
    return {
        {"amplitude", &JitterDescription::amplitude, "largest change of a coordinate, m",
         at_least(0)},
        {"seed", &JitterDescription::seed, "another one, other numbers", at_least(0)},
    };
}

Fields<InitialDescription> InitialDescription::fields() {
    return {
        {"velocity", &InitialDescription::velocity, "m/s"},
        {"displacement", &InitialDescription::displacement,
         "a small pattern that lets a symmetric state buckle"},
        {"jitter", &InitialDescription::jitter,
         "random displacement of every vertex, to see whether a result depends on luck"},
    };
}

Fields<StitchDescription> StitchDescription::fields() {
    return {
        {"stiffness", &StitchDescription::stiffness, "of each stitch, N/m", at_least(0)},
        {"closing_time", &StitchDescription::closing_time,
         "in which the threads are pulled shut, s; 0: at once", at_least(0)},
    };
}

Fields<BodyDescription> BodyDescription::fields() {
    return {
        {"name", &BodyDescription::name,
         "of the files with its frames; body0, body1, ... if empty"},
        {"type", &BodyDescription::type, "a surface of triangles or a solid of tets",
         one_of({"cloth", "soft"})},
        {"mesh", &BodyDescription::mesh, "its shape: a file or a generator", required()},
        {"elements", &BodyDescription::elements,
         "tets of a soft body: linear ones (four vertices) are cheap and too stiff in bending, "
         "quadratic ones (ten) are not",
         one_of({"linear", "quadratic"})},
        {"rest", &BodyDescription::rest,
         "the undeformed shape of cloth; a soft body starts at rest"},
        {"material", &BodyDescription::material,
         "a name of `materials` or of a built-in fabric (`taffeta list material`)"},
        {"transform", &BodyDescription::transform, "places the mesh in the world"},
        {"pins", &BodyDescription::pins, "vertices that are held"},
        {"initial", &BodyDescription::initial, "velocity and displacement at the start"},
        {"mass", &BodyDescription::mass,
         "how mass is spread: lumped (a third of each triangle, a quarter of each tet), voronoi "
         "(by nearest "
         "vertex, of cloth), or the consistent matrix of linear elements",
         one_of({"lumped", "voronoi", "consistent"})},
        {"pressure", &BodyDescription::pressure,
         "on all faces along their normals, Pa; of a closed surface from inside"},
        {"stitches", &BodyDescription::stitches,
         "how the stitches of the mesh file are pulled (`stitch a b c w` in OBJ)"},
        {"color", &BodyDescription::color, "red, green, blue for pictures", between(0, 1)},
        {"repair", &BodyDescription::repair,
         "let the mesh doctor mend the mesh; it then says what it did"},
    };
}

}  // namespace taffeta::scene
