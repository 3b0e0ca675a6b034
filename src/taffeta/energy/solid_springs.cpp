#include "taffeta/energy/spring_set.h"
#include "taffeta/energy/springs.h"

namespace taffeta::energy {

namespace {

struct SpringSolidOptions {
    double young = 5e4;
    double tau = 0;
    std::string psd = "automatic";

    static Fields<SpringSolidOptions> fields() {
        using O = SpringSolidOptions;
        return {
            {"young", &O::young, "Young's modulus, Pa; Poisson's ratio of springs is 1/4",
             positive()},
            {"tau", &O::tau, "damping along the springs as a time, d = tau k, s", at_least(0)},
            {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
        };
    }
};

/// Springs along the edges of tets, k = E sum V/l^2 over the tets of an edge: where edges lie in all
/// directions alike the mean of k l^2 n n n n over a volume is that of an isotropic solid with lambda = mu =
/// 2 E/5, whose modulus is E.                                             after [VanGelder98]
class SpringSolid final : public SpringSet {
  public:
    explicit SpringSolid(const SpringSolidOptions& options)
        : SpringSet(options.tau, options.psd), young_(options.young) {}

  protected:
    void collect(const BodyView& body, Diagnostics&,
                 std::vector<ModelSpring>& springs) const override {
        const mesh::TetMesh& solid = *body.tets;
        if (solid.quadratic())
            fail_input("springs", "are between the corners of tets, not between middles of edges",
                       "`\"elements\": \"linear\"`");
        std::vector<EnergySpring> found;
        for (Index t = 0; t < solid.tet_count(); ++t)
            for (const auto& edge : mesh::tet_edge) {
                const mesh::Tet& tet = solid.tet[std::size_t(t)];
                const Index i = tet[std::size_t(edge[0])], j = tet[std::size_t(edge[1])];
                const double length =
                    (solid.position[std::size_t(i)] - solid.position[std::size_t(j)]).norm();
                found.push_back({body.first_vertex + i, body.first_vertex + j, length,
                                 young_ * mesh::tet_volume(solid, t) / (length * length), 0});
            }
        merge_springs(found);
        for (const EnergySpring& s : found)
            springs.push_back({s.i, s.j, s.length, s.stiffness, false});
    }

  private:
    double young_;
};

}  // namespace

extern const EnergyEntry entry_solid_springs;
constinit const EnergyEntry entry_solid_springs{
    "springs", "masses and springs along the edges of the tets",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SpringSolidOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        return std::make_unique<SpringSolid>(read_options<SpringSolidOptions>(settings));
    }};

}  // namespace taffeta::energy
