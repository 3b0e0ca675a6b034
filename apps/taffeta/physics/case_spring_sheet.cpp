#include "physics/findings.h"
#include "physics/statics.h"

namespace taffeta::app::physics {

namespace {

void measure_spring_sheet(const Effort&, Findings& findings) {
    const scene::BuiltScene built = built_scene(R"({"up_axis": "Z", "gravity": [0, 0, 0],
      "bodies": [{"mesh": {"grid": {"columns": 8, "rows": 8, "width": 0.4, "height": 0.4}},
                  "material": "springs"}],
      "materials": {"springs": {"density": 0.15,
        "membrane": {"type": "springs", "structural": 30, "diagonal": 12, "psd": "exact"},
        "bending": {"type": "hinge", "stiffness": 0}}}})");
    const MatX K = dense_stiffness(built.world);
    // Energies of uniform strains e_uu, e_vv, 2 e_uv of the flat sheet, per area.
    const auto field = [&](const Vec3& strain) {
        VecX u = VecX::Zero(built.world.state.x.size());
        for (Index i = 0; i < built.world.vertex_count(); ++i) {
            const Vec3 p = vec3(built.world.state.x, i);
            vec3(u, i) = Vec3(strain[0] * p.x() + strain[2] / 2 * p.y(),
                              strain[2] / 2 * p.x() + strain[1] * p.y(), 0);
        }
        return u;
    };
    const auto constant = [&](const Vec3& a, const Vec3& b) {
        return field(a).dot(K * field(b)) / (0.4 * 0.4);
    };
    const Vec3 u = Vec3::UnitX(), v = Vec3::UnitY(), s = Vec3::UnitZ();
    const char* setup = "8 x 8 cells, k_s = 30, k_d = 12 N/m";
    findings.within("c11, N/m", setup, 42, constant(u, u), 1e-6);
    findings.within("c22, N/m", setup, 42, constant(v, v), 1e-6);
    findings.within("c12, N/m", setup, 12, constant(u, v), 1e-6);
    findings.within("c33, N/m", setup, 12, constant(s, s), 1e-6);
}

}  // namespace

extern const CaseEntry case_spring_sheet;
constinit const CaseEntry case_spring_sheet{
    "spring_sheet", "Tangent of a mass-spring sheet",
    "Structural springs k_s, half of that on the boundary, and diagonal springs k_d on a grid have "
    "the "
    "small-strain tangent c11 = c22 = k_s + k_d, c12 = c33 = k_d. From the stiffness matrix.",
    measure_spring_sheet};

}  // namespace taffeta::app::physics
