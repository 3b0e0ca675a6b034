#include "physics/statics.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/counted_random.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/cloth_system.h"

namespace taffeta::app::physics {

namespace {

/// Constant forces, E = - sum f.x.
class DeadLoad final : public energy::Energy {
  public:
    explicit DeadLoad(VecX force) : force_(std::move(force)) {
        for (Index i = 0; i < Index(force_.size() / 3); ++i)
            vertex_.push_back(i);
    }
    std::string_view name() const override { return "load"; }
    void bind(const energy::BodyView&, Diagnostics&) override {}
    sparse::StencilSet stencils() const override { return {1, vertex_}; }
    bool has_stiffness() const override { return false; }
    double value(const VecX& x) const override { return -force_.dot(x); }
    void add(const energy::EvaluationPoint&, const energy::Targets& targets,
             const energy::ScatterPlan&) const override {
        if (targets.force) *targets.force += force_;
    }

  private:
    VecX force_;
    std::vector<Index> vertex_;
};

}  // namespace

scene::BuiltScene built_scene(const std::string& json, const std::vector<std::string>& overrides) {
    return scene::build(scene::load_settings(scene::parse_json(json, "physics case"), overrides));
}

scene::BuiltScene built_builtin(const std::string& name, int vertices,
                                const std::vector<std::string>& overrides) {
    return scene::build(
        scene::load_settings(scene::builtin_scene(name, {vertices, ""}).settings, overrides));
}

sim::Simulation simulation_of(scene::BuiltScene built) {
    return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
}

Statics::Statics(scene::BuiltScene built) : built_(std::move(built)) {
    if (built_.time.quasistatic) options_ = *built_.time.quasistatic;
}

void Statics::load(const VecX& force) {
    built_.world.energies.push_back(std::make_unique<DeadLoad>(force));
}

sim::EquilibriumReport Statics::solve() {
    sim::ClothSystem system(built_.world, *built_.tools.solver);
    system.clear_constraints();
    for (const sim::Pin& pin : built_.world.pins)
        for (const Index vertex : pin.vertex)
            system.filter().fix(vertex);
    system.begin_step(1);
    return sim::find_equilibrium(built_.world, system, 0, options_, built_.world.state.x);
}

MatX dense_stiffness(const sim::World& world) {
    const energy::Assembler assembler(world.vertex_count(), world.energies);
    sparse::Matrix3 K(assembler.pattern());
    assembler.evaluate({0, world.state.x, world.state.v}, {.stiffness = &K});
    MatX full = MatX::Zero(3 * K.rows(), 3 * K.rows());
    const sparse::BlockPattern& pattern = K.pattern();
    for (Index row = 0; row < K.rows(); ++row)
        for (Index s = pattern.row_begin[std::size_t(row)];
             s < pattern.row_begin[std::size_t(row) + 1]; ++s)
            full.block<3, 3>(3 * row, 3 * pattern.column[std::size_t(s)]) = K.block(s);
    return full;
}

std::vector<Eigen::Index> free_coordinates(const sim::World& world, int axis) {
    std::vector<char> held(std::size_t(world.vertex_count()), 0);
    for (const sim::Pin& pin : world.pins)
        for (const Index vertex : pin.vertex)
            held[std::size_t(vertex)] = 1;
    std::vector<Eigen::Index> found;
    for (Index i = 0; i < world.vertex_count(); ++i)
        for (int k = 0; k < 3; ++k)
            if (!held[std::size_t(i)] && (axis < 0 || axis == k)) found.push_back(3 * i + k);
    return found;
}

MatX part_of(const MatX& A, const std::vector<Eigen::Index>& rows) {
    return A(rows, rows);
}

std::vector<double> frequencies(const sim::World& world, int axis, int count) {
    const std::vector<Eigen::Index> rows = free_coordinates(world, axis);
    MatX K = part_of(dense_stiffness(world), rows);
    // M^-1/2 K M^-1/2
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows.size(); ++j)
            K(Eigen::Index(i), Eigen::Index(j)) /=
                std::sqrt(world.mass[rows[i] / 3] * world.mass[rows[j] / 3]);
    const Eigen::SelfAdjointEigenSolver<MatX> modes(K, Eigen::EigenvaluesOnly);
    std::vector<double> found;
    for (int k = 0; k < count; ++k)
        found.push_back(std::sqrt(std::max(0.0, modes.eigenvalues()[k])) / (2 * std::numbers::pi));
    return found;
}

double random_number(std::uint64_t k, std::uint64_t seed) {
    return 2 * mesh::counted_random(k, 0, seed) - 1;
}

}  // namespace taffeta::app::physics
