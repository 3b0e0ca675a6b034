#pragma once

#include <span>
#include <vector>

#include "taffeta/contact/element_pair.h"
#include "taffeta/sparse/block_matrix.h"

namespace taffeta::contact {

/// A spring that keeps two near elements of the cloth apart during one step.
///
///     E = k/2 (rest - g)^2,  g = sum_j w_j n . x_j,     R = d/2 (n . v)^2 + phi/2 |T v|^2,
///     v = sum_j w_j v_j - u,  T = I - n n'
///
/// w and n are fixed for the step, so E is quadratic and its stiffness k w_j w_l n n' has rank one and
/// is positive semidefinite; what turns n is left out. phi is Coulomb friction as drag, no stronger
/// than what stops the slip. What is not made of cloth has no vertices: it is in `rest` and u.
struct PairSpring {
    std::array<Index, 4> vertex;
    Weights weight;
    Vec3 normal;
    double rest;                  ///< m
    double stiffness;             ///< k, N/m
    double damping;               ///< d, N s/m
    double drag;                  ///< phi, N s/m
    Vec3 against = Vec3::Zero();  ///< u, velocity of what is not made of cloth, m/s
};

/// The springs of a step as part of its linear system: all sums run over the springs of a vertex in
/// the springs' order, whatever the threads.
class Repulsion {
  public:
    void clear();
    /// Takes what `springs()` holds for the coming step.
    void prepare(Index vertices);
    std::vector<PairSpring>& springs() { return springs_; }
    const std::vector<PairSpring>& springs() const { return springs_; }
    bool empty() const { return springs_.empty(); }

    sparse::StencilSet stencils() const;
    double value(const VecX& x) const;  ///< E, J
    void add_force(const VecX& x, const VecX& v, VecX& f) const;
    /// out += (k K + d D) u
    void add_product(double k, double d, const VecX& u, VecX& out) const;
    /// A += k K + d D, whose pattern must have the stencils.
    void add_blocks(double k, double d, sparse::Matrix3& A) const;

  private:
    struct Corner {
        Index spring;
        Index place;  ///< of the vertex in it
    };
    template <class Body>
    void for_each_vertex(const Body& body) const;

    std::vector<PairSpring> springs_;
    std::vector<Index> stencil_;  ///< four a spring
    std::vector<Index> vertex_;   ///< with springs, ascending
    std::vector<Index> begin_;    ///< of each of these in `corner_`
    std::vector<Corner> corner_;
    mutable std::vector<Vec3> force_;  ///< of each spring on its first vertex, per unit of weight
};

}  // namespace taffeta::contact
