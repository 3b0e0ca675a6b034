// Constraints across vertices: what preconditioners see of them, in iterations and milliseconds.
//
//   build/release/bin/bench_constraints --size 61
//
// A sheet of the benchmark cotton, folded in half around a roll without stretch; vertices of the
// upper half keep their distance from the faces of the lower half below them:
//
//    ________o___o___o___      n . (x_vertex - w0 x_a - w1 x_b - w2 x_c) = 0
//   (____________________
//        a---b  ...
//
// spread evenly over the upper half, or drawn at random over the whole sheet (rows that couple far
// parts in long cycles). One solve from zero to 1e-5 in the M^-1 norm of M + h^2 K; the right side is
// a counted random field. Medians of 5, one thread.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/sparse/constrained_matrix.h"

namespace {

using namespace taffeta;
using Rows = std::vector<sparse::ConstraintRow>;

constexpr double roll = 0.02;  ///< radius of the fold, m; the sheet is 1 m wide

double uniform(std::mt19937_64& engine) {
    return double(engine() >> 11) * 0x1p-53;
}

/// The place of a point of the flat sheet in the folded one.
Vec3 folded(const Vec3& flat) {
    const double bend = std::acos(-1.0) * roll, start = (1 - bend) / 2;
    const double s = flat.x() - start;
    if (s <= 0) return {flat.x(), flat.y(), 0};
    if (s >= bend) return {start - (s - bend), flat.y(), 2 * roll};
    return {start + roll * std::sin(s / roll), flat.y(), roll * (1 - std::cos(s / roll))};
}

struct System {
    sparse::Matrix3 A;
    VecX x, b;
};

System make_system(const mesh::TriMesh& mesh, double h) {
    const mesh::Topology topology = mesh::make_topology(mesh);
    const mesh::RestShape rest = mesh::rest_from_uv(mesh, topology, 1);
    const std::vector<double> mass = mesh::lumped_mass(mesh, rest, 0.15);
    std::vector<std::unique_ptr<energy::Energy>> energies;
    energies.push_back(make_entry(energy::membrane_laws(), "law", {}, "baraff_witkin"));
    energies.push_back(make_entry(energy::bending_terms(), "bending", {}, "hinge"));
    Diagnostics diagnostics;
    for (auto& energy : energies)
        energy->bind({mesh, topology, rest, mass, 0}, diagnostics);
    const energy::Assembler assembler(mesh.vertex_count(), energies);

    System system{sparse::Matrix3(assembler.pattern()), VecX(3 * mesh.vertex_count()), {}};
    system.b = VecX::Zero(system.x.size());
    std::mt19937_64 engine(1);
    for (Index i = 0; i < mesh.vertex_count(); ++i) {
        vec3(system.x, i) = folded(mesh.position[std::size_t(i)]);
        for (int k = 0; k < 3; ++k)
            system.b[3 * i + k] = mass[std::size_t(i)] * (2 * uniform(engine) - 1);
    }
    VecX f(system.x.size());
    const VecX v = VecX::Zero(system.x.size());
    assembler.evaluate({0, system.x, v}, {.force = &f, .stiffness = &system.A});
    for (Index s = 0; s < system.A.pattern().blocks(); ++s)
        system.A.block(s) *= h * h;
    for (Index i = 0; i < mesh.vertex_count(); ++i)
        system.A.block(system.A.pattern().diagonal[std::size_t(i)]).diagonal().array() +=
            mass[std::size_t(i)];
    return system;
}

/// The face of the cell with corner (i, j) and weights for the middle of its diagonal's lower side.
sparse::ConstraintRow vertex_on_cell(Index size, Index vertex, Index i, Index j) {
    const Index corner = j * size + i;
    return sparse::vertex_face_row(vertex, {corner, corner + 1, corner + size + 1},
                                   {0.3, 0.45, 0.25}, Vec3::UnitZ(), 0);
}

/// Every vertex of the upper layer that is `stride` after the last one, in row-major order, against
/// the cell below it.
Rows layered_rows(const System& system, Index size, Index count) {
    Rows rows;
    std::vector<Index> upper;
    for (Index v = 0; v < size * size; ++v)
        if (vec3(system.x, v).z() > 1.99 * roll) upper.push_back(v);
    count = std::min(count, Index(upper.size()));
    for (Index k = 0; k < count; ++k) {
        const Index v = upper[std::size_t(k) * upper.size() / std::size_t(count)];
        const Vec3 at = vec3(system.x, v);
        const auto cell = [&](double u) {
            return std::clamp(Index(u * (size - 1)), Index(0), size - 2);
        };
        rows.push_back(vertex_on_cell(size, v, cell(at.x()), cell(at.y())));
    }
    return rows;
}

Rows random_rows(Index size, Index count) {
    std::mt19937_64 engine(2);
    Rows rows;
    while (Index(rows.size()) < count) {
        const Index v = Index(uniform(engine) * size * size);
        const Index i = Index(uniform(engine) * (size - 1));
        const Index j = Index(uniform(engine) * (size - 1));
        const Index corner = j * size + i;
        if (v != corner && v != corner + 1 && v != corner + size + 1)
            rows.push_back(vertex_on_cell(size, v, i, j));
    }
    return rows;
}

struct Cost {
    int iterations = 0;
    double setup_ms = 0, solve_ms = 0;
};

Cost solve(const System& system, const sparse::NodeFilter& filter, const char* preconditioner,
           const solve::GeneralConstraints& constraints) {
    Settings settings = Settings::object();
    settings["preconditioner"] = Settings::of(std::string(preconditioner));
    const auto solver = solve::make_linear_solver(settings);
    solver->set_near_kernel({&system.x});
    solver->set_constraints(constraints);
    std::vector<Cost> runs;
    for (int repeat = 0; repeat < 5; ++repeat) {
        solver->reset();
        VecX x = VecX::Zero(system.b.size());
        const SolveReport report = solver->solve(system.A, filter, system.b, x);
        if (!report.ok()) fmt::print("{}\n", report.message);
        runs.push_back({report.iterations, 1e3 * report.setup_seconds, 1e3 * report.solve_seconds});
    }
    std::sort(runs.begin(), runs.end(), [](const Cost& a, const Cost& b) {
        return a.setup_ms + a.solve_ms < b.setup_ms + b.solve_ms;
    });
    return runs[runs.size() / 2];
}

void measure(const System& system, const char* name, const Rows& rows) {
    const sparse::NodeFilter filter(system.A.rows());
    const Timer timer;
    const sparse::ConstraintBasis basis(filter, rows);
    fmt::print("{} {}: rank {}, {} terms of Q, made in {:.1f} ms\n", name, rows.size(),
               basis.rank(), basis.q().vertex.size(), 1e3 * timer.seconds());
    constexpr sparse::FillLimits limits[] = {{0, 0}, {0.02, 8}, {0.1, 8}, {0.2, 8}, {0.3, 8}};
    for (const sparse::FillLimits& limit : limits) {
        sparse::ConstrainedMatrix formed;
        if (limit.max_fill > 0 && !formed.update(system.A, basis, limit)) continue;
        const double fill = formed.matrix().empty() ? 1
                                                    : double(formed.matrix().pattern().blocks()) /
                                                          double(system.A.pattern().blocks());
        fmt::print("  {:>11} {:>5} {:>6.2f}", limit.max_fill > 0 ? "prefiltered" : "A", limit.drop,
                   fill);
        for (const char* preconditioner : {"block_jacobi", "sa"}) {
            const Cost cost = solve(system, filter, preconditioner, {&basis, limit});
            fmt::print(" {:>11} {:>8.1f} {:>8.1f}", cost.iterations, cost.setup_ms, cost.solve_ms);
        }
        fmt::print("\n");
        std::fflush(stdout);
        if (rows.empty()) break;
    }
}

}  // namespace

int main(int count, char** words) {
    Index size = 61;
    double h = 0.002;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = words[i], value = words[i + 1];
        const char* const end = value.data() + value.size();
        if (name == "--size") std::from_chars(value.data(), end, size);
        if (name == "--step") std::from_chars(value.data(), end, h);
    }
    set_thread_count(1);
    const System system =
        make_system(mesh::grid(size - 1, size - 1, 1, 1, mesh::Tessellation::regular), h);
    fmt::print("{} x {} vertices, {} blocks, step {} s\n", size, size, system.A.pattern().blocks(),
               h);
    fmt::print("  {:>11} {:>5} {:>6} {:>11} {:>8} {:>8} {:>11} {:>8} {:>8}\n", "made for", "drop",
               "fill", "bj: iterat.", "setup ms", "solve ms", "sa: iterat.", "setup ms",
               "solve ms");
    measure(system, "none", {});
    for (const Index rows : {10, 100, 1000})
        measure(system, "layers", layered_rows(system, size, rows));
    for (const Index rows : {10, 100, 300})
        measure(system, "random", random_rows(size, rows));
}
