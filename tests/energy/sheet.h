#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <variant>

#include "helpers/dense.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/mesh/tet_mesh.h"

/// Small bodies, dense matrices and finite differences for tests of energies.
namespace taffeta::energy::test {

using MatX = Eigen::MatrixXd;

/// Options of a registry entry, written in place.
inline Settings options(
    std::initializer_list<std::pair<const char*, std::variant<double, const char*>>> members) {
    Settings settings = Settings::object();
    for (const auto& [key, value] : members)
        settings[key] = std::holds_alternative<double>(value)
                            ? Settings::of(std::get<double>(value))
                            : Settings::of(std::string(std::get<const char*>(value)));
    return settings;
}

/// A mesh with its rest shape, its masses and a state.
struct Body {
    mesh::TriMesh mesh;
    mesh::Topology topology;
    mesh::RestShape rest;
    std::vector<double> mass;
    mesh::TetMesh tets;  ///< of a soft body
    VecX x, v;

    explicit Body(mesh::TriMesh from) : mesh(std::move(from)) {
        topology = mesh::make_topology(mesh);
        rest = mesh::rest_from_uv(mesh, topology, 1);
        mass = mesh::lumped_mass(mesh, rest, 0.15);
        start();
    }
    explicit Body(mesh::TetMesh from) : mesh(mesh::boundary_surface(from)), tets(std::move(from)) {
        topology = mesh::make_topology(mesh);
        rest = mesh::rest_from_mesh(mesh, topology, Vec3::UnitX(), true);
        mass = mesh::lumped_mass(tets, 1000);
        start();
    }
    void start() {
        x.resize(3 * mesh.vertex_count());
        for (Index i = 0; i < mesh.vertex_count(); ++i)
            vec3(x, i) = mesh.position[std::size_t(i)];
        v.setZero(x.size());
    }

    BodyView view() const {
        return {mesh, topology, rest, mass, 0, tets.tet.empty() ? nullptr : &tets};
    }
    EvaluationPoint at() const { return {0, x, v}; }

    /// Moves vertices and velocities by uniform random numbers of the given sizes.
    void perturb(double distance, double speed, unsigned seed = 7) {
        std::mt19937_64 generator(seed);
        const auto random = [&] { return double(generator() >> 11) * 0x1p-52 - 1; };
        for (double& value : x)
            value += distance * random();
        for (double& value : v)
            value += speed * random();
    }
};

/// 5 x 4 cells of about 0.05 m: every kind of hinge and boundary, and some threads across.
inline Body small_sheet(mesh::Tessellation tessellation = mesh::Tessellation::irregular,
                        double distance = 0.012, double speed = 0.5) {
    Body body(mesh::grid(5, 4, 0.26, 0.2, tessellation));
    body.mesh.stitch = {{0, 5, 9, 0.25}, {3, 20, 21, 1}, {7, 28, 22, 0.5}, {2, 14, 15, 0}};
    body.perturb(distance, speed);
    return body;
}

/// 3 x 2 x 1 cells of about 0.05 m, tets that are stretched, squeezed and sheared.
inline Body small_solid(bool quadratic = false, double distance = 0.012, double speed = 0.5) {
    mesh::TetMesh box = mesh::tet_box({3, 2, 1}, Vec3(0.16, 0.11, 0.05));
    Body body(quadratic ? mesh::quadratic(box) : box);
    body.perturb(distance, speed);
    return body;
}

/// Triangle meshes given by hand: positions, faces and material coordinates by vertex.
inline Body body_of(std::vector<Vec3> position, std::vector<Triangle> face, std::vector<Vec2> uv) {
    mesh::TriMesh mesh;
    mesh.position = std::move(position);
    mesh.face = face;
    mesh.face_uv = std::move(face);
    mesh.uv = std::move(uv);
    return Body(std::move(mesh));
}

inline std::unique_ptr<Energy> bound(const EnergyEntry& entry, const Settings& settings,
                                     const Body& body) {
    auto energy = entry.make(settings);
    Diagnostics diagnostics;
    energy->bind(body.view(), diagnostics);
    return energy;
}
inline std::unique_ptr<Energy> bound(Registry<EnergyEntry> registry, const char* key,
                                     const Settings& settings, const Body& body) {
    return bound(find_entry(registry, "energy", key), settings, body);
}

inline MatX dense(const sparse::Matrix3& A) {
    MatX full = MatX::Zero(3 * A.rows(), 3 * A.rows());
    const sparse::BlockPattern& pattern = A.pattern();
    for (Index row = 0; row < A.rows(); ++row)
        for (Index s = pattern.row_begin[std::size_t(row)];
             s < pattern.row_begin[std::size_t(row) + 1]; ++s)
            full.block<3, 3>(3 * row, 3 * pattern.column[std::size_t(s)]) = A.block(s);
    return full;
}

struct Evaluated {
    VecX force;
    MatX K, D;
};

/// Force, K and D of one energy or of several.
inline Evaluated evaluate(std::span<const std::unique_ptr<Energy>> energies, Index vertices,
                          const EvaluationPoint& at) {
    const Assembler assembler(vertices, energies);
    sparse::Matrix3 K(assembler.pattern()), D(assembler.pattern());
    Evaluated result;
    assembler.evaluate(at, {&result.force, &K, &D});
    result.K = dense(K);
    result.D = dense(D);
    return result;
}
inline Evaluated evaluate(std::unique_ptr<Energy>& energy, const Body& body) {
    return evaluate(std::span(&energy, 1), body.mesh.vertex_count(), body.at());
}
inline VecX force(std::unique_ptr<Energy>& energy, const VecX& x, const VecX& v) {
    return evaluate(std::span(&energy, 1), Index(x.size() / 3), {0, x, v}).force;
}

inline VecX random_direction(Eigen::Index size, unsigned seed = 3) {
    std::mt19937_64 generator(seed);
    VecX direction(size);
    for (double& value : direction)
        value = double(generator() >> 11) * 0x1p-52 - 1;
    return direction / direction.norm();
}

/// The order at which a residual falls when its step is halved: 2 for a right derivative, 1 for a
/// wrong one.
inline double observed_order(const std::function<double(double)>& residual, double step) {
    return std::log2(residual(step) / residual(step / 2));
}

/// Order of E(x + t d) - E(x) + t f.d.
inline double gradient_order(std::unique_ptr<Energy>& energy, const Body& body, double step) {
    const VecX d = random_direction(body.x.size());
    const VecX zero = VecX::Zero(body.x.size());
    const double initial = energy->value(body.x);
    const double slope = force(energy, body.x, zero).dot(d);
    return observed_order(
        [&](double t) { return std::abs(energy->value(body.x + t * d) - initial + t * slope); },
        step);
}

/// Order of f(x + t d) - f(x) + t K d, without velocities.
inline double hessian_order(std::unique_ptr<Energy>& energy, const Body& body, double step) {
    const VecX d = random_direction(body.x.size());
    const VecX zero = VecX::Zero(body.x.size());
    const Evaluated start =
        evaluate(std::span(&energy, 1), body.mesh.vertex_count(), {0, body.x, zero});
    const VecX slope = start.K * d;
    return observed_order(
        [&](double t) {
            return (force(energy, body.x + t * d, zero) - start.force + t * slope).norm();
        },
        step);
}

inline double smallest_eigenvalue(const MatX& A) {
    return oracle::eigenvalues(A)[0];
}
inline double largest_eigenvalue(const MatX& A) {
    return oracle::eigenvalues(A)[A.rows() - 1];
}

/// |sum f|/sum |f| and |sum x x f|/sum |x||f|.
inline Vec2 unbalance(const VecX& x, const VecX& f) {
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    double scale = 0, torque_scale = 0;
    for (Index i = 0; i < Index(x.size() / 3); ++i) {
        const Vec3 p = vec3(x, i), q = vec3(f, i);
        sum += q;
        torque += p.cross(q);
        scale += q.norm();
        torque_scale += p.norm() * q.norm();
    }
    return Vec2(sum.norm() / scale, torque.norm() / torque_scale);
}

/// The field w x x, the velocity of a rotation about the origin.
inline VecX rotation(const Vec3& w, const VecX& x) {
    VecX field(x.size());
    for (Index i = 0; i < Index(x.size() / 3); ++i)
        vec3(field, i) = w.cross(Vec3(vec3(x, i)));
    return field;
}

inline VecX rotated(const Mat3& R, const VecX& x) {
    VecX field(x.size());
    for (Index i = 0; i < Index(x.size() / 3); ++i)
        vec3(field, i) = R * vec3(x, i);
    return field;
}

inline Mat3 some_rotation() {
    return (Eigen::AngleAxisd(0.7, Vec3::UnitX()) * Eigen::AngleAxisd(-1.2, Vec3::UnitY()) *
            Eigen::AngleAxisd(2.1, Vec3::UnitZ()))
        .toRotationMatrix();
}

}  // namespace taffeta::energy::test
