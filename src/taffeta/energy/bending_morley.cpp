#include "taffeta/energy/hinge.h"
#include "taffeta/energy/lane_matrix.h"
#include "taffeta/energy/morley.h"
#include "taffeta/energy/plate_options.h"
#include "taffeta/energy/scatter.h"
#include "taffeta/energy/spatial_order.h"

namespace taffeta::energy {

namespace {

using Mat36 = Eigen::Matrix<double, 36, 36>;

struct MorleyOptions : PlateConstants {
    static Fields<MorleyOptions> fields() { return plate_fields<MorleyOptions>({}); }
};

constexpr int morley_vertices = 12, morley_hinges = 9;

/// The hinges of an element and their vertices in its stencil: the corners 0, 1, 2, the tips 3 + k
/// across edge k (opposite corner k), and the two vertices 6 + 2k and 7 + 2k beyond that neighbour,
/// across its edges at the second and at the first end of edge k as the element goes around.
///
///           7+2k--- 3+k ---6+2k     hinges: k on edge k, 3 + 2k on the edge from
///              \   /   \   /        a to the tip, 4 + 2k on that from the tip to b
///               \ /  k  \ /
///                b-------a          a = k + 1, b = k + 2 (modulo 3)
///                 \     /
constexpr std::array<std::array<int, 4>, morley_hinges> hinge_vertices = [] {
    std::array<std::array<int, 4>, morley_hinges> table{};
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3, tip = 3 + k;
        table[std::size_t(k)] = {a, b, k, tip};
        table[std::size_t(3 + 2 * k)] = {a, tip, b, 6 + 2 * k};
        table[std::size_t(4 + 2 * k)] = {tip, b, a, 7 + 2 * k};
    }
    return table;
}();

/// Triangles of Morley (morley.h): E = |W dtheta|^2/2 with the nine hinge angles of the triangle and of its
/// three neighbours, W = sqrt(A D) kappa(theta), a constant of the rest shape.
class MorleyBending final : public Energy {
  public:
    explicit MorleyBending(const MorleyOptions& options)
        : options_(options), rule_(psd_rule(options.psd)) {}

    std::string_view name() const override { return "bend"; }
    sparse::StencilSet stencils() const override { return {morley_vertices, vertex_}; }
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
    using Angles = std::array<Pack, morley_hinges>;
    using Moments = std::array<Pack, 3>;
    struct Rest {
        std::array<std::array<Pack, morley_hinges>, 3> factor;  ///< W, sqrt(N m)
        Angles angle;                                           ///< theta0, rad
    };

    Vector3<Pack> corner(const VecX& field, Index element, int k) const {
        return gather(field.data(), read_vertex_.data() + morley_vertices * std::size_t(element),
                      morley_vertices, k);
    }
    static Moments apply(const Rest& rest, const Angles& turn);
    void add_pack(const EvaluationPoint& at, const Targets& targets, const ScatterPlan& plan,
                  Index element, Index active) const;
    Mat36 hessian(const VecX& x, Index element) const;

    MorleyOptions options_;
    PsdRule rule_;
    Index count_ = 0;
    std::vector<Rest> rest_;          ///< one a pack
    std::vector<Index> vertex_;       ///< of the world, twelve an element, -1 where absent
    std::vector<Index> read_vertex_;  ///< the same in whole packs, a stand-in where absent
};

/// A face with its neighbour across one of its edges.
struct Neighbor {
    Index face, hinge;
    int edge;       ///< of the neighbour
    Index vertex;   ///< its corner across
    bool is_first;  ///< whether the face (not the neighbour) is side 0 of the hinge
};

std::optional<Neighbor> neighbor_of(const BodyView& body, Index face, int edge) {
    const Index h = body.topology.face_hinge[std::size_t(face)][std::size_t(edge)];
    if (h < 0 || !(body.rest.hinge_length[std::size_t(h)] > 0)) return std::nullopt;
    const mesh::Hinge& hinge = body.topology.hinge[std::size_t(h)];
    const bool first = hinge.face[0] == face;
    return Neighbor{hinge.face[first], h, hinge.local_edge[first], hinge.vertex[first ? 3 : 2],
                    first};
}

/// The corner across an edge of a face whose corners are laid out at `corner`.
std::optional<Vec2> corner_across(const BodyView& body, Index face,
                                  const std::array<Vec2, 3>& corner, int edge) {
    const auto other = neighbor_of(body, face, edge);
    if (!other) return std::nullopt;
    return unfold(corner, edge, body.rest.face_uv[std::size_t(other->face)], other->edge);
}

SlopeShares shares_of(const BodyView& body, const mesh::Hinge& hinge) {
    const std::array<Vec2, 3>& first = body.rest.face_uv[std::size_t(hinge.face[0])];
    const int k = hinge.local_edge[0], m = hinge.local_edge[1];
    HingePatch patch;
    patch.from = first[std::size_t((k + 1) % 3)];
    patch.to = first[std::size_t((k + 2) % 3)];
    patch.tip = {first[std::size_t(k)],
                 unfold(first, k, body.rest.face_uv[std::size_t(hinge.face[1])], m)};
    std::array<Vec2, 3> second;
    second[std::size_t(m)] = patch.tip[1];
    second[std::size_t((m + 1) % 3)] = patch.to;
    second[std::size_t((m + 2) % 3)] = patch.from;
    for (int i = 0; i < 2; ++i) {
        patch.beyond[0][std::size_t(i)] =
            corner_across(body, hinge.face[0], first, (k + 1 + i) % 3);
        patch.beyond[1][std::size_t(i)] =
            corner_across(body, hinge.face[1], second, (m + 1 + i) % 3);
    }
    return slope_shares(patch);
}

/// W of a face, and theta0 and the vertices of its hinges (-1 where there is none, or no use of it).
struct Element {
    Eigen::Matrix<double, 3, morley_hinges> factor;
    std::array<double, morley_hinges> angle{};
    std::array<Index, morley_vertices> vertex;
};

Element make_element(const BodyView& body, const std::vector<SlopeShares>& shares,
                     const PlateStiffness& D, Index face) {
    const std::array<Vec2, 3>& corner = body.rest.face_uv[std::size_t(face)];
    const double area = body.rest.area[std::size_t(face)];
    Element element;
    element.vertex.fill(-1);
    Eigen::Matrix<double, 3, morley_hinges> Z;  // angles to (k11, k22, 2 k12)
    Z.setZero();
    std::vector<Vec2> free_normals;
    for (int k = 0; k < 3; ++k) {
        const auto ku = std::size_t(k);
        element.vertex[ku] = body.mesh.face[std::size_t(face)][ku];
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const Vec2 along = corner[std::size_t(b)] - corner[std::size_t(a)];
        const Vec2 n = Vec2(along.y(), -along.x()) / along.norm();
        const auto other = neighbor_of(body, face, k);
        if (!other) {
            free_normals.push_back(n);
            continue;
        }
        SlopeShares own = shares[std::size_t(other->hinge)];
        if (!other->is_first)
            own = {1 - own[0], -own[3], -own[4], -own[1], -own[2]};  // seen from side 1
        const Vec3 column =
            along.norm() / area * Vec3(n.x() * n.x(), n.y() * n.y(), 2 * n.x() * n.y());
        const int hinge[5] = {k, a, b, 3 + 2 * k, 4 + 2 * k};
        for (std::size_t i = 0; i < 5; ++i)
            Z.col(hinge[i]) += own[i] * column;
        element.vertex[3 + ku] = other->vertex;
        element.angle[ku] = body.rest.hinge_angle[std::size_t(other->hinge)];
        for (int i = 0; i < 2; ++i) {
            const auto beyond = neighbor_of(body, other->face, (other->edge + 1 + i) % 3);
            if (!beyond || own[std::size_t(3 + i)] == 0) continue;
            element.vertex[std::size_t(6 + 2 * k + i)] = beyond->vertex;
            element.angle[std::size_t(3 + 2 * k + i)] =
                body.rest.hinge_angle[std::size_t(beyond->hinge)];
        }
    }
    element.factor = std::sqrt(area) * square_root(free_across(D, free_normals)) * Z;
    return element;
}

void MorleyBending::bind(const BodyView& body, Diagnostics&) {
    std::vector<SlopeShares> shares;
    for (const mesh::Hinge& hinge : body.topology.hinge)
        shares.push_back(shares_of(body, hinge));
    const std::vector<Triangle>& faces = body.mesh.face;
    const std::vector<Index> order = face_order(body.mesh);
    const PlateStiffness D = options_.plate();
    count_ = Index(faces.size());
    const std::size_t packs = (faces.size() + lanes - 1) / lanes;
    rest_.resize(packs);
    vertex_.resize(morley_vertices * faces.size());
    read_vertex_.resize(morley_vertices * lanes * packs);
    for (std::size_t e = 0; e < lanes * packs; ++e) {
        const Element element = make_element(body, shares, D, order[std::min(e, faces.size() - 1)]);
        Rest& rest = rest_[e / lanes];
        for (std::size_t h = 0; h < morley_hinges; ++h) {
            for (std::size_t r = 0; r < 3; ++r)
                rest.factor[r][h][e % lanes] = element.factor(Eigen::Index(r), Eigen::Index(h));
            rest.angle[h][e % lanes] = element.angle[h];
        }
        // An absent vertex reads as one on the other side of its hinge: any point off the edge will
        // do, for its column of W is zero.
        Index* read = read_vertex_.data() + morley_vertices * e;
        for (std::size_t i = 0; i < morley_vertices; ++i) {
            const Index vertex = element.vertex[i];
            if (e < faces.size())
                vertex_[morley_vertices * e + i] = vertex < 0 ? -1 : body.first_vertex + vertex;
            const std::size_t k = i < 6 ? i - 3 : (i - 6) / 2;
            const std::size_t stand_in = i < 6 ? k : (i % 2 == 0 ? (k + 2) % 3 : (k + 1) % 3);
            read[i] = vertex < 0 ? read[stand_in] : body.first_vertex + vertex;
        }
    }
}

MorleyBending::Moments MorleyBending::apply(const Rest& rest, const Angles& turn) {
    Moments moment{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t h = 0; h < morley_hinges; ++h)
            moment[r] += rest.factor[r][h] * turn[h];
    return moment;
}

double MorleyBending::value(const VecX& x) const {
    return parallel_sum(count_, sum_grain, [&](Index begin, Index end) {
        double sum = 0;
        for (Index e = begin; e < end; e += lanes) {
            const Rest& rest = rest_[std::size_t(e / lanes)];
            std::array<Vector3<Pack>, morley_vertices> p;
            for (int i = 0; i < morley_vertices; ++i)
                p[std::size_t(i)] = corner(x, e, i);
            Angles turn;
            for (std::size_t h = 0; h < morley_hinges; ++h) {
                const auto& v = hinge_vertices[h];
                turn[h] = dihedral_angle(p[std::size_t(v[0])], p[std::size_t(v[1])],
                                         p[std::size_t(v[2])], p[std::size_t(v[3])]) -
                          rest.angle[h];
            }
            const Moments moment = apply(rest, turn);
            const Pack energy =
                0.5 * (moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2]);
            sum += sum_of_lanes(energy, std::min(lanes, end - e));
        }
        return sum;
    });
}

/// Rows of W J, by the vertices of the stencil.
using FactorRows = std::array<std::array<Vector3<Pack>, morley_vertices>, 3>;

/// Adds scale (W J)' (W J); blocks below the diagonal are those above it, transposed.
void add_squares(sparse::Matrix3& target, const Index* slot, Index active, double scale,
                 const FactorRows& WJ) {
    constexpr std::size_t stride = morley_vertices * morley_vertices;
    for (std::size_t i = 0; i < morley_vertices; ++i)
        for (std::size_t j = i; j < morley_vertices; ++j) {
            const Index* upper = slot + morley_vertices * i + j;
            bool present = false;
            for (Index lane = 0; lane < active; ++lane)
                present = present || upper[std::size_t(lane) * stride] >= 0;
            if (!present) continue;
            Matrix33<Pack> block = outer(WJ[0][i], WJ[0][j]);
            block = block + outer(WJ[1][i], WJ[1][j]) + outer(WJ[2][i], WJ[2][j]);
            block = scale * block;
            add_block<true>(target, upper, stride, active, block);
            if (i != j)
                add_block<true>(target, slot + morley_vertices * j + i, stride, active,
                                transpose(block));
        }
}

void MorleyBending::add_pack(const EvaluationPoint& at, const Targets& targets,
                             const ScatterPlan& plan, Index element, Index active) const {
    const Rest& rest = rest_[std::size_t(element / lanes)];
    std::array<Vector3<Pack>, morley_vertices> p;
    for (int i = 0; i < morley_vertices; ++i)
        p[std::size_t(i)] = corner(at.x, element, i);
    Angles turn;
    FactorRows WJ{};
    for (std::size_t h = 0; h < morley_hinges; ++h) {
        const auto& v = hinge_vertices[h];
        const Dihedral<Pack> hinge = dihedral(p[std::size_t(v[0])], p[std::size_t(v[1])],
                                              p[std::size_t(v[2])], p[std::size_t(v[3])]);
        turn[h] = hinge.angle - rest.angle[h];
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t i = 0; i < 4; ++i)
                WJ[r][std::size_t(v[i])] += rest.factor[r][h] * hinge.gradient[i];
    }
    if (targets.force) {
        // f = -J' W' W (dtheta + tau dtheta/dt)
        Moments moment = apply(rest, turn);
        if (options_.tau > 0)
            for (int i = 0; i < morley_vertices; ++i) {
                const Vector3<Pack> v = corner(at.v, element, i);
                for (std::size_t r = 0; r < 3; ++r)
                    moment[r] += options_.tau * dot(WJ[r][std::size_t(i)], v);
            }
        const Index* stencil = read_vertex_.data() + morley_vertices * std::size_t(element);
        for (std::size_t i = 0; i < morley_vertices; ++i)
            add_vector(*targets.force, stencil + i, morley_vertices, active,
                       -(moment[0] * WJ[0][i] + moment[1] * WJ[1][i] + moment[2] * WJ[2][i]));
    }
    const Index* slot = plan.slot.data() + morley_vertices * morley_vertices * std::size_t(element);
    const bool gauss_newton = rule_ == PsdRule::automatic || rule_ == PsdRule::gauss_newton;
    if (targets.stiffness && gauss_newton) add_squares(*targets.stiffness, slot, active, 1, WJ);
    if (targets.stiffness && !gauss_newton)
        for (Index lane = 0; lane < active; ++lane)
            add_dense<morley_vertices>(*targets.stiffness,
                                       slot + morley_vertices * morley_vertices * std::size_t(lane),
                                       hessian(at.x, element + lane));
    if (targets.damping && options_.tau > 0)
        add_squares(*targets.damping, slot, active, options_.tau, WJ);
}

/// (W J)' W J + sum_h (W' W dtheta)_h D2theta_h; when clamped, the positive part of each summand.
Mat36 MorleyBending::hessian(const VecX& x, Index element) const {
    const Rest& rest = rest_[std::size_t(element / lanes)];
    const std::size_t lane = std::size_t(element % lanes);
    const Index* read = read_vertex_.data() + morley_vertices * std::size_t(element);
    Eigen::Matrix<double, 3, morley_hinges> W;
    Eigen::Matrix<double, morley_hinges, 36> J = Eigen::Matrix<double, morley_hinges, 36>::Zero();
    Eigen::Matrix<double, morley_hinges, 1> turn;
    std::array<std::array<Vec3, 4>, morley_hinges> p;
    for (int h = 0; h < morley_hinges; ++h) {
        const auto hu = std::size_t(h);
        for (std::size_t i = 0; i < 4; ++i)
            p[hu][i] = vec3(x, read[hinge_vertices[hu][i]]);
        const Dihedral<double> hinge = dihedral(lane_vector(p[hu][0]), lane_vector(p[hu][1]),
                                                lane_vector(p[hu][2]), lane_vector(p[hu][3]));
        for (int r = 0; r < 3; ++r)
            W(r, h) = rest.factor[std::size_t(r)][hu][lane];
        turn[h] = hinge.angle - rest.angle[hu][lane];
        for (std::size_t i = 0; i < 4; ++i)
            J.block<1, 3>(h, 3 * hinge_vertices[hu][i]) =
                eigen_vector(hinge.gradient[i]).transpose();
    }
    const Eigen::Matrix<double, 3, 36> WJ = W * J;
    Mat36 H = WJ.transpose() * WJ;
    const Eigen::Matrix<double, morley_hinges, 1> moment = W.transpose() * (W * turn);
    for (int h = 0; h < morley_hinges; ++h) {
        const auto hu = std::size_t(h);
        if (W.col(h).isZero(0)) continue;
        Mat12 second = moment[h] * dihedral_hessian(p[hu][0], p[hu][1], p[hu][2], p[hu][3]);
        if (rule_ == PsdRule::clamp) second = spectral_positive_part(second);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                H.block<3, 3>(3 * hinge_vertices[hu][std::size_t(i)],
                              3 * hinge_vertices[hu][std::size_t(j)]) +=
                    second.block<3, 3>(3 * i, 3 * j);
    }
    return H;
}

void MorleyBending::inspect(const VecX& x, Diagnostics& diagnostics) const {
    Index folded = 0, vertex_a = -1, vertex_b = -1;
    for (Index e = 0; e < count_; ++e)
        for (std::size_t k = 0; k < 3; ++k) {
            // Each hinge belongs to two faces: count it in the one whose corner is the smaller.
            const Index* v = vertex_.data() + morley_vertices * std::size_t(e);
            if (v[3 + k] < v[k]) continue;
            const Index a = v[(k + 1) % 3], b = v[(k + 2) % 3];
            const double angle =
                dihedral_angle(lane_vector(vec3(x, a)), lane_vector(vec3(x, b)),
                               lane_vector(vec3(x, v[k])), lane_vector(vec3(x, v[3 + k])));
            if (std::abs(angle) > folded_angle && folded++ == 0) vertex_a = a, vertex_b = b;
        }
    if (folded > 0) diagnostics.push_back(folded_hinges(folded, vertex_a, vertex_b));
}

}  // namespace

extern const EnergyEntry entry_morley;
constinit const EnergyEntry entry_morley{
    "morley",
    "bending by triangles of Morley: converges on every mesh, the choice where bending must be "
    "right",
    EnergyProperties{.conservative = true, .internal = true}, field_table<MorleyOptions>,
    [](const Settings& settings) -> std::unique_ptr<Energy> {
        const auto options = read_options<MorleyOptions>(settings);
        options.check(settings);
        return std::make_unique<MorleyBending>(options);
    }};

}  // namespace taffeta::energy
