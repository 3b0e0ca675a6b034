#include "bench_systems.h"

#include <fmt/format.h>

#include <memory>

#include "taffeta/base/error.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/load.h"
#include "taffeta/solve/linear_solver.h"

namespace taffeta::app {

namespace {

/// Solves, and keeps what it was asked from a step on.
class RecordingSolver final : public solve::LinearSolver {
  public:
    RecordingSolver() : solver_(solve::make_linear_solver(Settings())) {}

    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override {
        if (recording) {
            BenchSystem& system = systems.emplace_back(BenchSystem{
                A, filter, b, near_kernel_.coordinates ? *near_kernel_.coordinates : VecX()});
            if (stiff_.rest) system.rest = *stiff_.rest;
            system.terms.assign(stiff_.terms.begin(), stiff_.terms.end());
            system.only_terms = stiff_.exact;
        }
        return solver_->solve(A, filter, b, x);
    }
    void set_tolerance(double tolerance) override { solver_->set_tolerance(tolerance); }
    void set_near_kernel(const solve::NearKernel& near_kernel) override {
        near_kernel_ = near_kernel;
        solver_->set_near_kernel(near_kernel);
    }
    void set_stiff_terms(const solve::StiffTerms& terms) override {
        stiff_ = terms;
        solver_->set_stiff_terms(terms);
    }

    bool recording = false;
    std::vector<BenchSystem> systems;

  private:
    std::unique_ptr<solve::LinearSolver> solver_;
    solve::NearKernel near_kernel_;
    solve::StiffTerms stiff_;
};

/// Gram-Schmidt, twice over; a column of which nothing is left is dropped.
void append_orthonormal(VecX column, std::vector<VecX>& basis) {
    const double size = column.norm();
    for (int pass = 0; pass < 2; ++pass)
        for (const VecX& other : basis)
            column -= other.dot(column) * other;
    if (column.norm() > 1e-8 * size) basis.push_back(column.normalized());
}

void add_near_kernel(const BenchSystem& system, PeerSystem& peer) {
    const Index vertices = system.A.rows();
    const auto motion = [&](const auto& velocity) {
        VecX u(system.b.size());
        for (Index i = 0; i < vertices; ++i)
            vec3(u, i) = velocity(i);
        system.filter.project(u);
        return u;
    };
    std::vector<VecX> basis;
    for (int k = 0; k < 3; ++k)
        append_orthonormal(motion([&](Index) -> Vec3 { return Vec3::Unit(k); }), basis);
    peer.translations = int(basis.size());
    if (system.coordinates.size() > 0) {
        Vec3 centre = Vec3::Zero();
        for (Index i = 0; i < vertices; ++i)
            centre += vec3(system.coordinates, i) / vertices;
        for (int k = 0; k < 3; ++k)
            append_orthonormal(motion([&](Index i) -> Vec3 {
                                   return Vec3::Unit(k).cross(vec3(system.coordinates, i) - centre);
                               }),
                               basis);
    }
    peer.modes = int(basis.size());
    for (const VecX& column : basis)
        peer.near_kernel.insert(peer.near_kernel.end(), column.begin(), column.end());
}

}  // namespace

std::vector<BenchSystem> record_systems(const SystemSource& source) {
    const scene::BuiltinScene builtin =
        scene::builtin_scene(source.scene, {source.vertices, source.tessellation});
    scene::BuiltScene built =
        scene::build(scene::load_settings(builtin.settings, source.overrides));
    auto recorder = std::make_unique<RecordingSolver>();
    RecordingSolver& recorded = *recorder;
    built.tools.solver = std::move(recorder);
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    for (int k = 0; k < source.skipped + source.steps; ++k) {
        recorded.recording = k >= source.skipped;
        if (!simulation.step().ok())
            fail_input(source.scene, "the simulation stopped: " + simulation.message());
    }
    return std::move(recorded.systems);
}

PeerSystem peer_system(const BenchSystem& system) {
    sparse::Matrix3 B = system.A;
    sparse::prefilter(B, system.filter);
    const sparse::BlockPattern& pattern = B.pattern();
    PeerSystem peer;
    peer.rows = 3 * B.rows();
    peer.row_begin.push_back(0);
    for (Index i = 0; i < B.rows(); ++i)
        for (int r = 0; r < 3; ++r) {
            for (Index s = pattern.row_begin[std::size_t(i)];
                 s < pattern.row_begin[std::size_t(i) + 1]; ++s) {
                const auto block = B.block(s);
                if (block.isZero(0)) continue;
                for (int c = 0; c < 3; ++c) {
                    peer.column.push_back(3 * pattern.column[std::size_t(s)] + c);
                    peer.value.push_back(block(r, c));
                }
            }
            peer.row_begin.push_back(int(peer.column.size()));
        }
    VecX z, right_side;
    system.filter.targets(z);
    sparse::multiply(system.A, z, right_side);
    right_side = system.b - right_side;
    system.filter.project(right_side);
    peer.right_side.assign(right_side.begin(), right_side.end());
    add_near_kernel(system, peer);
    return peer;
}

VecX constrained_solution(const BenchSystem& system, const std::vector<double>& y) {
    VecX x = Eigen::Map<const VecX>(y.data(), Eigen::Index(y.size()));
    system.filter.project(x);
    system.filter.add_targets(x);
    return x;
}

}  // namespace taffeta::app
