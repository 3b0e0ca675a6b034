#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taffeta/scene/build.h"
#include "taffeta/sim/energy_audit.h"
#include "taffeta/sim/quasistatic.h"

/// What cases share: scenes from text, dead loads, equilibria, dense matrices and modes.
namespace taffeta::app::physics {

using MatX = Eigen::MatrixXd;

scene::BuiltScene built_scene(const std::string& json,
                              const std::vector<std::string>& overrides = {});
scene::BuiltScene built_builtin(const std::string& name, int vertices,
                                const std::vector<std::string>& overrides = {});
/// Ready to step; throws what is wrong with the scene.
sim::Simulation simulation_of(scene::BuiltScene built);

/// A world whose equilibria are sought under its pins.
class Statics {
  public:
    explicit Statics(scene::BuiltScene built);

    /// Adds constant forces, N, to the vertices of the world. Before the first solve.
    void load(const VecX& force);
    /// From the present positions on, which become those of the equilibrium.
    sim::EquilibriumReport solve();

    sim::World& world() { return built_.world; }
    VecX& x() { return built_.world.state.x; }
    Vec3 position(Index vertex) const { return vec3(built_.world.state.x, vertex); }

  private:
    scene::BuiltScene built_;
    sim::QuasistaticOptions options_;
};

/// K of the world at its positions, in full.
MatX dense_stiffness(const sim::World& world);
/// Coordinates of the vertices that no pin holds; `axis` -1 for all three.
std::vector<Eigen::Index> free_coordinates(const sim::World& world, int axis = -1);
/// The rows and columns of a matrix.
MatX part_of(const MatX& A, const std::vector<Eigen::Index>& rows);

/// The lowest frequencies, Hz, of small vibrations along an axis with lumped masses.
std::vector<double> frequencies(const sim::World& world, int axis, int count);

/// A uniform random number of [-1, 1) for the k-th draw of a seed.
double random_number(std::uint64_t k, std::uint64_t seed);

}  // namespace taffeta::app::physics
