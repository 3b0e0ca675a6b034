#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "taffeta/base/registry.h"
#include "taffeta/mesh/rest_shape.h"
#include "taffeta/mesh/tet_mesh.h"
#include "taffeta/sparse/block_matrix.h"

namespace taffeta::energy {

/// How the indefinite part of a Hessian is treated.
enum class PsdRule {
    exact,         ///< nothing: for tests of derivatives only, never handed to a solver
    clamp,         ///< the positive part: closed form where there is one, else an eigen clamp
    gauss_newton,  ///< the part from first derivatives of the conditions
    automatic,     ///< clamp where closed, Gauss-Newton for the hinge: the benchmark's choice
};

struct EvaluationPoint {
    double time;    ///< s
    const VecX& x;  ///< positions, m
    const VecX& v;  ///< velocities, m/s
};

/// What to add to; null means not wanted. One pass computes all that is wanted.
struct Targets {
    VecX* force = nullptr;                 ///< f += -dE/dx + dissipative forces, N
    sparse::Matrix3* stiffness = nullptr;  ///< K += -df/dx, N/m, PSD by the rule
    sparse::Matrix3* damping = nullptr;    ///< D += -df/dv, N s/m, PSD
};

/// What an energy is bound to: one body of the world. The energy copies what it needs.
struct BodyView {
    const mesh::TriMesh& mesh;
    const mesh::Topology& topology;
    const mesh::RestShape& rest;
    std::span<const double> vertex_mass;  ///< of this body's vertices, kg
    Index first_vertex = 0;               ///< of this body in the world's vectors
    /// Of a soft body its solid at rest; `mesh` is then its boundary, with the same vertices.
    const mesh::TetMesh* tets = nullptr;
};

/// A spring between two vertices of the world: E = k/2 (|x_i - x_j| - length)^2, damped along itself.
struct EnergySpring {
    Index i, j;
    double length;     ///< at rest, m
    double stiffness;  ///< k, N/m
    double damping;    ///< N s/m
};

/// Clusters of elements that may be processed at the same time without touching the same vertex,
/// and the element-to-slot plan (see assembler.h).
struct ScatterPlan;

/// An energy or a load over all its elements: one virtual call a batch, the element loop inside.
///
/// Forces are f = -dE/dx; K = d2E/dx2 = -df/dx. Scatter order depends on the mesh only, so results
/// have the same bits for any number of threads.
class Energy {
  public:
    virtual ~Energy() = default;

    virtual std::string_view name() const = 0;
    /// Builds the elements over a body. Called once, before everything below. Elements that cannot
    /// be built (a folded hinge of zero length) are left out and reported.
    virtual void bind(const BodyView& body, Diagnostics& diagnostics) = 0;
    /// Vertices (of the world) of each element; empty when there are none.
    virtual sparse::StencilSet stencils() const = 0;
    virtual bool has_stiffness() const { return true; }
    virtual bool has_damping() const { return false; }

    /// E(x) in J; 0 for a load without a potential.
    virtual double value(const VecX& x) const = 0;
    /// The value split by its named parts ("stretch", "shear"), in a fixed order.
    virtual std::vector<std::pair<std::string_view, double>> parts(const VecX& x) const {
        return {{name(), value(x)}};
    }
    virtual void add(const EvaluationPoint& at, const Targets& targets,
                     const ScatterPlan& plan) const = 0;
    /// Adds springs that stand for this energy over the body that it is bound to (springs.h), for
    /// integrators that step springs alone; false: there are none, it acts as a force.
    virtual bool add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const {
        (void)body, (void)springs;
        return false;
    }
    /// Reports elements that are at the limits of their formula: folded hinges, collapsed shear.
    virtual void inspect(const VecX& x, Diagnostics& diagnostics) const {
        (void)x, (void)diagnostics;
    }
};

struct EnergyProperties {
    bool conservative = true;  ///< f = -dE/dx for v = 0
    bool internal = true;      ///< forces and torques sum to zero
};

/// A registry entry makes an unbound energy from its options.
using EnergyEntry = Entry<Energy, EnergyProperties>;

Registry<EnergyEntry> membrane_laws();  ///< in-plane laws: laws.inc
Registry<EnergyEntry> bending_terms();  ///< bending.inc
Registry<EnergyEntry> solid_laws();     ///< laws of tets: solids.inc
Registry<EnergyEntry> strain_limits();  ///< limits.inc
Registry<EnergyEntry> load_terms();     ///< gravity, air, pressure: loads.inc

}  // namespace taffeta::energy
