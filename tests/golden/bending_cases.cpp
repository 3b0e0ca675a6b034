#include "bending_cases.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <limits>
#include <numbers>

#include "taffeta/base/error.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/sim/cloth_system.h"
#include "taffeta/sim/quasistatic.h"

namespace taffeta::bending_cases {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// A flat body with the areas of its vertices.
struct Flat {
    mesh::TriMesh mesh;
    mesh::Topology topology;
    mesh::RestShape rest;
    std::vector<double> area;

    explicit Flat(mesh::TriMesh from) : mesh(std::move(from)) {
        topology = mesh::make_topology(mesh);
        rest = mesh::rest_from_uv(mesh, topology, 1);
        area = mesh::lumped_mass(mesh, rest, 1);
    }
    energy::BodyView view() const { return {mesh, topology, rest, area}; }
    VecX positions() const {
        VecX x(3 * mesh.vertex_count());
        for (Index i = 0; i < mesh.vertex_count(); ++i)
            vec3(x, i) = mesh.position[std::size_t(i)];
        return x;
    }
};

std::unique_ptr<energy::Energy> bending(const Term& term, double stiffness, double poisson) {
    const energy::EnergyEntry& entry = find_entry(energy::bending_terms(), "bending", term.key);
    Settings options = term.options;
    options["stiffness"] = Settings::of(stiffness);
    for (const FieldInfo& field : entry.fields())
        if (field.key == "poisson") options["poisson"] = Settings::of(poisson);
    return entry.make(options);
}

/// An isotropic membrane of stiffness k = E t, N/m.
std::unique_ptr<energy::Energy> film(double k, double poisson, const char* psd) {
    Settings options = Settings::object();
    options["young"] = Settings::of(k);
    options["thickness"] = Settings::of(1.0);
    options["poisson"] = Settings::of(poisson);
    options["psd"] = Settings::of(std::string(psd));
    return find_entry(energy::membrane_laws(), "membrane", "stvk").make(options);
}

/// K of one energy at x by the axes of forces and displacements.
Sparse stiffness_of(std::unique_ptr<energy::Energy> energy, const Flat& flat, const VecX& x,
                    const std::vector<int>& axes) {
    Diagnostics diagnostics;
    energy->bind(flat.view(), diagnostics);
    const energy::Assembler assembler(flat.mesh.vertex_count(), std::span(&energy, 1));
    sparse::Matrix3 K(assembler.pattern());
    const VecX v = VecX::Zero(x.size());
    assembler.evaluate({0, x, v}, {nullptr, &K, nullptr});
    std::vector<Eigen::Triplet<double>> entries;
    const sparse::BlockPattern& pattern = K.pattern();
    const Index n = Index(axes.size());
    for (Index row = 0; row < K.rows(); ++row)
        for (Index s = pattern.row_begin[std::size_t(row)];
             s < pattern.row_begin[std::size_t(row) + 1]; ++s)
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < n; ++j)
                    entries.emplace_back(n * row + i, n * pattern.column[std::size_t(s)] + j,
                                         K.block(s)(axes[std::size_t(i)], axes[std::size_t(j)]));
    Sparse A(n * K.rows(), n * K.rows());
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
}

/// The part of a matrix that belongs to numbers that are not held; `number` maps to it, -1 for held ones.
struct Free {
    std::vector<Index> number, listed;

    Free(const std::vector<bool>& held, Index each) {
        for (std::size_t i = 0; i < held.size(); ++i)
            for (Index k = 0; k < each; ++k) {
                number.push_back(held[i] ? -1 : Index(listed.size()));
                if (!held[i]) listed.push_back(Index(number.size()) - 1);
            }
    }
    Sparse part(const Sparse& A) const {
        std::vector<Eigen::Triplet<double>> entries;
        for (Index c = 0; c < A.outerSize(); ++c)
            for (Sparse::InnerIterator it(A, c); it; ++it)
                if (number[std::size_t(it.row())] >= 0 && number[std::size_t(c)] >= 0)
                    entries.emplace_back(number[std::size_t(it.row())], number[std::size_t(c)],
                                         it.value());
        Sparse B(Index(listed.size()), Index(listed.size()));
        B.setFromTriplets(entries.begin(), entries.end());
        return B;
    }
    VecX part(const VecX& full) const {
        VecX y(Index(listed.size()));
        for (std::size_t i = 0; i < listed.size(); ++i)
            y[Index(i)] = full[listed[i]];
        return y;
    }
    void put(const VecX& y, VecX& full) const {
        for (std::size_t i = 0; i < listed.size(); ++i)
            full[listed[i]] = y[Index(i)];
    }
};

/// w with K w = load where w is not held.
void solve_held(const Sparse& K, const VecX& load, const std::vector<bool>& held, Index each,
                VecX& w) {
    const Free free(held, each);
    for (const Index i : free.listed)
        w[i] = 0;
    const Eigen::SimplicialLDLT<Sparse> factor(free.part(K));
    free.put(factor.solve(free.part(VecX(load - K * w))), w);
}

/// Height and bi-Laplacian of a surface.
Vec2 surface_at(Surface surface, const Vec3& p) {
    const double u = p.x(), v = p.y();
    switch (surface) {
        case Surface::cylinder: {
            const double w = std::cos(2 * u + 0.3 * v), k_sq = 4 + 0.09;
            return Vec2(w, k_sq * k_sq * w);
        }
        case Surface::cap: {
            const double s = (u - 0.4) * (u - 0.4) + (v - 0.6) * (v - 0.6), w = std::exp(-s / 2);
            return Vec2(w, (s * s - 8 * s + 8) * w);
        }
        case Surface::twist: {
            const double w = std::sin(1.5 * u) * std::sin(1.5 * v);
            return Vec2(w, 4.5 * 4.5 * w);
        }
    }
    return Vec2::Zero();
}

/// Vertices at the edge, and those within a number of edges from it.
std::vector<bool> rim(const Flat& flat, int rows) {
    std::vector<bool> inside(flat.mesh.position.size(), false);
    for (const Index v : flat.topology.boundary_vertex)
        inside[std::size_t(v)] = true;
    for (int row = 1; row < rows; ++row) {
        std::vector<bool> more = inside;
        for (const Edge& e : flat.topology.edge)
            if (inside[std::size_t(e[0])] || inside[std::size_t(e[1])])
                more[std::size_t(e[0])] = more[std::size_t(e[1])] = true;
        inside = more;
    }
    return inside;
}

/// A strip of length 1 from its clamp at x = 0.
struct ClampedStrip {
    Flat flat;
    std::vector<bool> held;
    std::vector<Index> tip;

    ClampedStrip(const Strip& strip, Index ny, double width) : flat(mesh_of(strip, ny, width)) {
        const double dx = 1 / (strip.nx + 0.5);
        for (Index i = 0; i < flat.mesh.vertex_count(); ++i) {
            const double x = flat.mesh.position[std::size_t(i)].x();
            held.push_back(x < 0.51 * dx);
            if (x > 1 - 1e-9) tip.push_back(i);
        }
    }
    static mesh::TriMesh mesh_of(const Strip& strip, Index ny, double width) {
        const double dx = 1 / (strip.nx + 0.5);
        mesh::TriMesh mesh =
            sheet(strip.family, strip.nx + 1, ny, 1 + dx / 2, width, 2, strip.seed);
        for (Vec3& p : mesh.position)
            p.x() -= dx / 2;
        return mesh;
    }
    explicit ClampedStrip(const Strip& strip) : ClampedStrip(strip, strip.nx / 5, 0.2) {}

    Vec3 tip_mean(const VecX& x) const {
        Vec3 mean = Vec3::Zero();
        for (const Index i : tip)
            mean += vec3(x, i) / double(tip.size());
        return mean;
    }
};

/// Constant forces on vertices.
class DeadLoad final : public energy::Energy {
  public:
    explicit DeadLoad(VecX force) : force_(std::move(force)) {}

    std::string_view name() const override { return "load"; }
    void bind(const energy::BodyView&, Diagnostics&) override {}
    sparse::StencilSet stencils() const override { return {}; }
    bool has_stiffness() const override { return false; }
    double value(const VecX& x) const override { return -force_.dot(x); }
    void add(const energy::EvaluationPoint&, const energy::Targets& targets,
             const energy::ScatterPlan&) const override {
        if (targets.force) *targets.force += force_;
    }

  private:
    VecX force_;
};

/// The equilibrium of a strip of unit length, unit bending stiffness and membrane stiffness k under
/// dead loads, found in a few stages of growing load. Not finite where the search fails.
VecX equilibrium(const ClampedStrip& strip, const Term& term, double k, const VecX& load,
                 int stages) {
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    const auto solver =
        find_entry(solve::linear_solvers(), "solver", "ldlt").make(Settings::object());
    VecX x = strip.flat.positions();
    for (int stage = 1; stage <= stages; ++stage) {
        sim::World world;
        sim::Body body;
        body.mesh = strip.flat.mesh;
        body.topology = strip.flat.topology;
        body.rest = strip.flat.rest;
        world.bodies.push_back(body);
        world.mass = Eigen::Map<const VecX>(strip.flat.area.data(), Index(strip.flat.area.size()));
        world.initial_x = world.state.x = x;
        world.state.v = VecX::Zero(x.size());
        // The tolerance is relative to the weight: that of the load.
        world.gravity = Vec3(0, 0, load.sum() * stage / stages / world.mass.sum());
        world.energies.push_back(film(k, 0, "automatic"));
        world.energies.push_back(bending(term, 1, 0));
        Diagnostics diagnostics;
        for (const auto& energy : world.energies)
            energy->bind(world.view(world.bodies[0]), diagnostics);
        world.energies.push_back(std::make_unique<DeadLoad>(load * stage / stages));

        sim::ClothSystem system(world, *solver);
        system.clear_constraints();
        for (std::size_t i = 0; i < strip.held.size(); ++i)
            if (strip.held[i]) system.filter().fix(Index(i));
        system.begin_step(1);
        const sim::QuasistaticOptions options{
            .tolerance = stage == stages ? 1e-6 : 1e-3, .max_iterations = 3000, .first_step = 0.05};
        const sim::EquilibriumReport report = sim::find_equilibrium(world, system, 0, options, x);
        if (!report.ok()) return VecX::Constant(x.size(), not_a_number);
    }
    return x;
}

}  // namespace

double surface_error(const Term& term, Family family, Index n, Surface surface,
                     std::uint64_t seed) {
    const Flat flat(sheet(family, n, n, 1, 1, 0, seed));
    const Index vertices = flat.mesh.vertex_count();
    const Sparse K = stiffness_of(bending(term, 1, 0), flat, flat.positions(), {2});
    VecX exact(vertices), load(vertices);
    double mean = 0;
    for (Index i = 0; i < vertices; ++i) {
        const double area = flat.area[std::size_t(i)];
        const Vec2 at = surface_at(surface, flat.mesh.position[std::size_t(i)]);
        exact[i] = at[0];
        load[i] = area * at[1];
        mean += area * at[0];
    }
    VecX w = exact;

    solve_held(K, load, rim(flat, 3), 1, w);

    double error = 0, scale = 0;
    for (Index i = 0; i < vertices; ++i) {
        error += flat.area[std::size_t(i)] * (w[i] - exact[i]) * (w[i] - exact[i]);
        scale += flat.area[std::size_t(i)] * (exact[i] - mean) * (exact[i] - mean);
    }
    return std::sqrt(error / scale);
}

double small_deflection(const Term& term, const Strip& of) {
    const ClampedStrip strip(of);
    const Sparse K = stiffness_of(bending(term, 1, 0), strip.flat, strip.flat.positions(), {2});
    const VecX load = Eigen::Map<const VecX>(strip.flat.area.data(), Index(strip.flat.area.size()));
    VecX w = VecX::Zero(load.size());
    solve_held(K, load, strip.held, 1, w);
    double mean = 0;
    for (const Index i : strip.tip)
        mean += w[i] / double(strip.tip.size());
    return 8 * mean;
}

std::array<double, 3> strip_frequencies(const Term& term, const Strip& of) {
    const ClampedStrip strip(of);
    const Free free(strip.held, 1);
    const Eigen::MatrixXd K =
        free.part(stiffness_of(bending(term, 1, 0), strip.flat, strip.flat.positions(), {2}));
    const VecX mass = free.part(
        VecX(Eigen::Map<const VecX>(strip.flat.area.data(), Index(strip.flat.area.size()))));
    const VecX root = mass.cwiseSqrt();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(
        root.cwiseInverse().asDiagonal() * K * root.cwiseInverse().asDiagonal());

    // Torsion lies between: the mode most like that of the beam.
    constexpr double beta[3] = {1.8751040687, 4.6940911330, 7.8547574382};
    std::array<double, 3> ratio{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double b = beta[i];
        const double s = (std::cosh(b) + std::cos(b)) / (std::sinh(b) + std::sin(b));
        VecX shape(mass.size());
        for (Index k = 0; k < shape.size(); ++k) {
            const double z =
                b * strip.flat.mesh.position[std::size_t(free.listed[std::size_t(k)])].x();
            shape[k] = root[k] * (std::cosh(z) - std::cos(z) - s * (std::sinh(z) - std::sin(z)));
        }
        const VecX likeness = (modes.eigenvectors().transpose() * shape).cwiseAbs();
        Eigen::Index best = 0;
        likeness.maxCoeff(&best);
        ratio[i] = std::sqrt(modes.eigenvalues()[best]) / (b * b);
    }
    return ratio;
}

Vec2 heavy_cantilever(const Term& term, const Strip& of, double gamma, double stretch) {
    const ClampedStrip strip(of);
    VecX load = VecX::Zero(3 * strip.flat.mesh.vertex_count());
    for (std::size_t i = 0; i < strip.flat.area.size(); ++i)
        load[3 * Index(i) + 2] = -gamma * strip.flat.area[i];
    // Above Gamma = 20 in stages: the whole load would fold the strip before it turns down.
    const int stages = gamma > 20 ? 4 : 1;
    const Vec3 tip = strip.tip_mean(equilibrium(strip, term, gamma / stretch, load, stages));
    return Vec2(tip.x(), -tip.z());
}

Vec2 tip_loaded_cantilever(const Term& term, const Strip& of, double alpha) {
    const ClampedStrip strip(of, std::max<Index>(2, of.nx / 10), 0.1);
    VecX load = VecX::Zero(3 * strip.flat.mesh.vertex_count());
    // The force over the width: by the trapezoid rule on the vertices of the tip, which are straight.
    for (std::size_t k = 0; k < strip.tip.size(); ++k)
        load[3 * strip.tip[k] + 2] = -alpha * 0.1 / double(strip.tip.size() - 1) *
                                     (k == 0 || k + 1 == strip.tip.size() ? 0.5 : 1);
    // E t L^2 over E t^3/12
    const Vec3 tip = strip.tip_mean(equilibrium(strip, term, 12 * 100 * 100, load, 1));
    return Vec2(1 - tip.x(), -tip.z());
}

double lateral_buckling(const Term& term, const Strip& of, double poisson, double slenderness) {
    const ClampedStrip strip(of, std::max<Index>(4, Index(of.nx * slenderness)), slenderness);
    const VecX rest = strip.flat.positions();
    // In its plane the strip hangs as a film under a weight far too small to turn it.
    const double k = 1, weight = 1e-8;
    const Sparse in_plane = stiffness_of(film(k, poisson, "exact"), strip.flat, rest, {0, 1});
    VecX load = VecX::Zero(in_plane.rows()), sag = load;
    for (std::size_t i = 0; i < strip.flat.area.size(); ++i)
        load[2 * Index(i) + 1] = -weight * strip.flat.area[i];
    solve_held(in_plane, load, strip.held, 2, sag);
    VecX down = rest, up = rest;
    for (Index i = 0; i < Index(strip.held.size()); ++i) {
        vec3(down, i).head<2>() += sag.segment<2>(2 * i);
        vec3(up, i).head<2>() -= sag.segment<2>(2 * i);
    }

    // (K_bend + Gamma K_stress) w = 0, the smallest |Gamma|: Gamma and -Gamma both are solutions, so the
    // square of K_bend^-1 K_stress is iterated. Bending stiffness D = 1, k = E t.
    const Free free(strip.held, 1);
    const Sparse K_bend = free.part(stiffness_of(bending(term, 1, poisson), strip.flat, rest, {2}));
    // Half the difference is free of what turning does to strains, the square of the angle.
    const Sparse K_stress =
        free.part(Sparse((stiffness_of(film(k, poisson, "exact"), strip.flat, down, {2}) -
                          stiffness_of(film(k, poisson, "exact"), strip.flat, up, {2})) /
                         (2 * weight)));
    const Eigen::SimplicialLDLT<Sparse> factor(K_bend);
    VecX w(K_bend.rows());
    for (Index i = 0; i < w.size(); ++i)
        w[i] = std::sin(1.0 + double(i));  // anything but a symmetric shape
    double growth = 0;
    for (int pass = 0; pass < 300; ++pass) {
        w.normalize();
        for (int half = 0; half < 2; ++half)
            w = factor.solve(K_stress * w);
        const double before = growth;
        growth = w.norm();
        if (std::abs(growth - before) < 1e-10 * growth) break;
    }
    return 1 / std::sqrt(growth);
}

}  // namespace taffeta::bending_cases
