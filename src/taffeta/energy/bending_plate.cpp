#include "taffeta/energy/hinge.h"
#include "taffeta/energy/plate_options.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"

namespace taffeta::energy {

namespace {

using Mat18 = Eigen::Matrix<double, 18, 18>;

struct PlateOptions : PlateConstants {
    std::string variant = "plate";
    double blend = 0.2;

    static Fields<PlateOptions> fields() {
        using O = PlateOptions;
        return plate_fields<O>({
            {"variant", &O::variant,
             "plate: exact on regular meshes, robust on all; platex: consistent on irregular ones",
             one_of({"plate", "platex"})},
            {"blend", &O::blend,
             "share of the plate in platex, for its stability: 0.2 suits irregular meshes, "
             "alternating diagonals need 1",
             between(0, 1)},
        });
    }
};

/// Plates on all triangles. Stencil: the corners, then the vertices across edges 0, 1, 2 (edge k is
/// opposite corner k), -1 where there is none.
class PlateBending final : public Energy {
  public:
    explicit PlateBending(const PlateOptions& options)
        : options_(options), rule_(psd_rule(options.psd)) {}

    std::string_view name() const override { return "bend"; }
    sparse::StencilSet stencils() const override { return {6, vertex_}; }
    bool has_damping() const override { return options_.tau > 0; }

    void bind(const BodyView& body, Diagnostics& diagnostics) override;
    double value(const VecX& x) const override;
    void add(const EvaluationPoint& at, const Targets& targets,
             const ScatterPlan& plan) const override {
        for_each_cluster(plan, [&](Index begin, Index end) {
            for (Index e = begin; e < end; e += lanes)
                add_pack(at, targets, plan, e, std::min(lanes, end - e));
        });
    }
    bool add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const override {
        options_.add_springs(body, springs);
        return true;
    }
    void inspect(const VecX& x, Diagnostics& diagnostics) const override;

  private:
    struct Rest {
        std::array<std::array<Pack, 3>, 3> form;  ///< Q, N m
        std::array<Pack, 3> angle;                ///< theta0, rad
    };

    /// The four vertices of hinge k in the stencil.
    static std::array<int, 4> hinge_corner(int k) { return {(k + 1) % 3, (k + 2) % 3, k, 3 + k}; }

    Vector3<Pack> corner(const VecX& field, Index element, int k) const {
        return gather(field.data(), read_vertex_.data() + 6 * std::size_t(element), 6, k);
    }
    std::array<Pack, 3> angles(const VecX& x, Index element) const;
    static std::array<Pack, 3> apply(const Rest& rest, const std::array<Pack, 3>& angle);
    void add_pack(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index element, Index active) const;
    Mat18 hessian(const VecX& x, Index element) const;

    PlateOptions options_;
    PsdRule rule_;
    Index count_ = 0;
    std::vector<Rest> rest_;          ///< one a pack
    std::vector<Index> vertex_;       ///< of the world, six an element
    std::vector<Index> read_vertex_;  ///< the same in whole packs, a stand-in where absent
};

PlatePatch make_patch(const BodyView& body, std::size_t face) {
    PlatePatch patch;
    patch.corner = body.rest.face_uv[face];
    for (std::size_t k = 0; k < 3; ++k) {
        const Index h = body.topology.face_hinge[face][k];
        if (h < 0 || !(body.rest.hinge_length[std::size_t(h)] > 0)) continue;
        const mesh::Hinge& hinge = body.topology.hinge[std::size_t(h)];
        const std::size_t other = hinge.face[0] == Index(face) ? 1 : 0;
        patch.across[k] =
            unfold(patch.corner, int(k), body.rest.face_uv[std::size_t(hinge.face[other])],
                   hinge.local_edge[other]);
    }
    return patch;
}

void PlateBending::bind(const BodyView& body, Diagnostics&) {
    const std::vector<Triangle>& faces = body.mesh.face;
    const std::vector<Index> order = face_order(body.mesh);
    const PlateStiffness D = options_.plate();
    count_ = Index(faces.size());
    const std::size_t packs = (faces.size() + lanes - 1) / lanes;
    rest_.resize(packs);
    read_vertex_.resize(6 * lanes * packs);
    for (std::size_t e = 0; e < lanes * packs; ++e) {
        const auto f = std::size_t(order[std::min(e, faces.size() - 1)]);
        const PlatePatch patch = make_patch(body, f);
        const Mat3 Q = options_.variant == "platex"
                           ? consistent_plate_form(patch, D, options_.blend)
                           : plate_form(patch, D);
        Rest& rest = rest_[e / lanes];
        const bool listed = e < faces.size();
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t j = 0; j < 3; ++j)
                rest.form[k][j][e % lanes] = Q(Eigen::Index(k), Eigen::Index(j));
            const Index corner_vertex = body.first_vertex + faces[f][k];
            Index across = corner_vertex;  // any point off the edge: its row of Q is zero
            if (patch.across[k]) {
                const auto h = std::size_t(body.topology.face_hinge[f][k]);
                const mesh::Hinge& hinge = body.topology.hinge[h];
                across = body.first_vertex + hinge.vertex[hinge.face[0] == Index(f) ? 3 : 2];
                rest.angle[k][e % lanes] = body.rest.hinge_angle[h];
            } else {
                rest.angle[k][e % lanes] = 0;
            }
            read_vertex_[6 * e + k] = corner_vertex;
            read_vertex_[6 * e + 3 + k] = across;
        }
        if (!listed) continue;
        for (std::size_t k = 0; k < 3; ++k)
            vertex_.push_back(read_vertex_[6 * e + k]);
        for (std::size_t k = 0; k < 3; ++k)
            vertex_.push_back(patch.across[k] ? read_vertex_[6 * e + 3 + k] : -1);
    }
}

std::array<Pack, 3> PlateBending::angles(const VecX& x, Index element) const {
    const Rest& rest = rest_[std::size_t(element / lanes)];
    std::array<Pack, 3> angle;
    for (int k = 0; k < 3; ++k) {
        const std::array<int, 4> c = hinge_corner(k);
        angle[std::size_t(k)] = dihedral_angle(corner(x, element, c[0]), corner(x, element, c[1]),
                                               corner(x, element, c[2]), corner(x, element, c[3])) -
                                rest.angle[std::size_t(k)];
    }
    return angle;
}

std::array<Pack, 3> PlateBending::apply(const Rest& rest, const std::array<Pack, 3>& angle) {
    std::array<Pack, 3> moment;
    for (std::size_t k = 0; k < 3; ++k)
        moment[k] =
            rest.form[k][0] * angle[0] + rest.form[k][1] * angle[1] + rest.form[k][2] * angle[2];
    return moment;
}

double PlateBending::value(const VecX& x) const {
    return parallel_sum(count_, sum_grain, [&](Index begin, Index end) {
        double sum = 0;
        for (Index e = begin; e < end; e += lanes) {
            const std::array<Pack, 3> turn = angles(x, e);
            const std::array<Pack, 3> moment = apply(rest_[std::size_t(e / lanes)], turn);
            const Pack energy =
                0.5 * (turn[0] * moment[0] + turn[1] * moment[1] + turn[2] * moment[2]);
            sum += sum_of_lanes(energy, std::min(lanes, end - e));
        }
        return sum;
    });
}

/// Blocks of scale J'QJ; row k of J holds the gradient of hinge k, `g[k]`, by its four vertices.
void add_form(sparse::Matrix3& target, const Index* slot, double scale, const Mat3& Q,
              const std::array<std::array<double, 12>, 3>& g) {
    // Place of corner i (0..2) in hinge k, whose vertices are (k+1, k+2, k, across).
    const auto place = [](int k, int i) { return i == k ? 2 : (i == (k + 1) % 3 ? 0 : 1); };
    std::array<std::array<Vec3, 3>, 3> QJ;  // scale (Q J) by hinge and corner
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            Vec3 sum = Vec3::Zero();
            for (int m = 0; m < 3; ++m)
                sum += scale * Q(k, m) *
                       Eigen::Map<const Vec3>(&g[std::size_t(m)][std::size_t(3 * place(m, i))]);
            QJ[std::size_t(k)][std::size_t(i)] = sum;
        }
    for (int k = 0; k < 3; ++k) {
        const double* hinge = g[std::size_t(k)].data();
        for (int j = 0; j < 3; ++j) {
            const double* of_corner = QJ[std::size_t(k)][std::size_t(j)].data();
            for (int i = 0; i < 3; ++i)
                add_outer(target.slot(slot[6 * i + j]), OuterLeft(hinge + 3 * place(k, i)),
                          OuterRight(of_corner));
            if (const Index s = slot[6 * (3 + k) + j]; s >= 0)
                add_outer(target.slot(s), OuterLeft(hinge + 9), OuterRight(of_corner));
            if (const Index s = slot[6 * j + 3 + k]; s >= 0)
                add_outer(target.slot(s), OuterLeft(of_corner), OuterRight(hinge + 9));
        }
        for (int m = 0; m < 3; ++m)
            if (const Index s = slot[6 * (3 + k) + 3 + m]; s >= 0)
                add_outer(target.slot(s), OuterLeft(scale * Q(k, m), hinge + 9),
                          OuterRight(g[std::size_t(m)].data() + 9));
    }
}

void PlateBending::add_pack(const EvaluationPoint& at, const Targets& targets,
                            const ScatterPlan& plan, Index element, Index active) const {
    const Rest& rest = rest_[std::size_t(element / lanes)];
    std::array<Dihedral<Pack>, 3> hinge;
    std::array<Pack, 3> turn;
    for (int k = 0; k < 3; ++k) {
        const std::array<int, 4> c = hinge_corner(k);
        hinge[std::size_t(k)] = dihedral(corner(at.x, element, c[0]), corner(at.x, element, c[1]),
                                         corner(at.x, element, c[2]), corner(at.x, element, c[3]));
        turn[std::size_t(k)] = hinge[std::size_t(k)].angle - rest.angle[std::size_t(k)];
    }
    if (targets.force) {
        // f = -J' Q (dtheta + tau dtheta/dt)
        if (options_.tau > 0)
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 4; ++i)
                    turn[std::size_t(k)] +=
                        options_.tau * dot(hinge[std::size_t(k)].gradient[std::size_t(i)],
                                           corner(at.v, element, hinge_corner(k)[std::size_t(i)]));
        const std::array<Pack, 3> moment = apply(rest, turn);
        const Index* stencil = read_vertex_.data() + 6 * std::size_t(element);
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 4; ++i)
                add_vector(
                    *targets.force, stencil + hinge_corner(k)[std::size_t(i)], 6, active,
                    -moment[std::size_t(k)] * hinge[std::size_t(k)].gradient[std::size_t(i)]);
    }
    const bool viscous = targets.damping && options_.tau > 0;
    const bool gauss_newton = rule_ == PsdRule::automatic || rule_ == PsdRule::gauss_newton;
    if (!viscous && !targets.stiffness) return;
    for (Index lane = 0; lane < active; ++lane) {
        const Index* slot = plan.slot.data() + 36 * std::size_t(element + lane);
        std::array<std::array<double, 12>, 3> g;
        Mat3 Q;
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t i = 0; i < 4; ++i) {
                g[k][3 * i] = hinge[k].gradient[i].x[lane];
                g[k][3 * i + 1] = hinge[k].gradient[i].y[lane];
                g[k][3 * i + 2] = hinge[k].gradient[i].z[lane];
            }
            for (std::size_t m = 0; m < 3; ++m)
                Q(Eigen::Index(k), Eigen::Index(m)) = rest.form[k][m][lane];
        }
        if (targets.stiffness && gauss_newton) add_form(*targets.stiffness, slot, 1, Q, g);
        if (targets.stiffness && !gauss_newton)
            add_dense<6>(*targets.stiffness, slot, hessian(at.x, element + lane));
        if (viscous) add_form(*targets.damping, slot, options_.tau, Q, g);
    }
}

/// J'QJ + sum_k (Q dtheta)_k D2theta_k, or its positive part.
Mat18 PlateBending::hessian(const VecX& x, Index element) const {
    const Rest& rest = rest_[std::size_t(element / lanes)];
    const std::size_t lane = std::size_t(element % lanes);
    const Index* v = read_vertex_.data() + 6 * std::size_t(element);
    const Index* listed = vertex_.data() + 6 * std::size_t(element);
    Eigen::Matrix<double, 3, 18> J = Eigen::Matrix<double, 3, 18>::Zero();
    Vec3 turn = Vec3::Zero();
    Mat3 Q;
    std::array<Mat12, 3> second;
    for (int k = 0; k < 3; ++k) {
        for (int m = 0; m < 3; ++m)
            Q(k, m) = rest.form[std::size_t(k)][std::size_t(m)][lane];
        if (listed[3 + k] < 0) continue;
        const std::array<int, 4> c = hinge_corner(k);
        std::array<Vec3, 4> p;
        for (std::size_t i = 0; i < 4; ++i)
            p[i] = vec3(x, v[c[i]]);
        const Dihedral<double> hinge =
            dihedral(lane_vector(p[0]), lane_vector(p[1]), lane_vector(p[2]), lane_vector(p[3]));
        turn[k] = hinge.angle - rest.angle[std::size_t(k)][lane];
        for (std::size_t i = 0; i < 4; ++i)
            J.block<1, 3>(k, 3 * c[i]) = eigen_vector(hinge.gradient[i]).transpose();
        second[std::size_t(k)] = dihedral_hessian(p[0], p[1], p[2], p[3]);
    }
    Mat18 H = J.transpose() * Q * J;
    const Vec3 moment = Q * turn;
    for (int k = 0; k < 3; ++k) {
        if (listed[3 + k] < 0) continue;
        const std::array<int, 4> c = hinge_corner(k);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                H.block<3, 3>(3 * c[std::size_t(i)], 3 * c[std::size_t(j)]) +=
                    moment[k] * second[std::size_t(k)].block<3, 3>(3 * i, 3 * j);
    }
    if (rule_ == PsdRule::clamp) H = spectral_positive_part(H);
    return H;
}

void PlateBending::inspect(const VecX& x, Diagnostics& diagnostics) const {
    Index folded = 0, vertex_a = -1, vertex_b = -1;
    for (Index e = 0; e < count_; ++e)
        for (int k = 0; k < 3; ++k) {
            // Each hinge belongs to two plates: count it in the one whose corner is the smaller.
            const Index* v = vertex_.data() + 6 * std::size_t(e);
            if (v[3 + k] < v[k]) continue;
            const Rest& rest = rest_[std::size_t(e / lanes)];
            const double angle = angles(x, e / lanes * lanes)[std::size_t(k)][e % lanes] +
                                 rest.angle[std::size_t(k)][e % lanes];
            if (std::abs(angle) > folded_angle && folded++ == 0)
                vertex_a = v[(k + 1) % 3], vertex_b = v[(k + 2) % 3];
        }
    if (folded > 0) diagnostics.push_back(folded_hinges(folded, vertex_a, vertex_b));
}

}  // namespace

extern const EnergyEntry entry_plate;
constinit const EnergyEntry entry_plate{
    "plate", "bending by three-hinge plates: the stiffness of a plate in every direction",
    EnergyProperties{.conservative = true, .internal = true}, field_table<PlateOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        const auto options = read_options<PlateOptions>(settings);
        options.check(settings);
        return std::make_unique<PlateBending>(options);
    }};

}  // namespace taffeta::energy
