#pragma once

#include <array>
#include <cstddef>
#include <span>

/// Weights of formulas through given points, by the Lagrange polynomials l_j of their nodes.
namespace taffeta::ode {

/// Most points that a formula here goes through.
constexpr std::size_t most_points = 8;
using Nodes = std::span<const double>;
using NodeWeights = std::array<double, most_points>;

/// w_j = int_0^end l_j. To 1: with the nodes 0, -1, -2, .. the Adams-Bashforth, with 1, 0, -1, .. the
/// Adams-Moulton coefficients of equal steps. [HNW93] section III.1 and III.5
NodeWeights integration_weights(Nodes nodes, double end);
/// w_j = l_j'(1): with the nodes 1, 0, -1, .. the coefficients of the BDF methods.
NodeWeights derivative_weights(Nodes nodes);
/// w_j = l_j(1): with the nodes 0, -1, -2, .. where the polynomial through them goes next.
NodeWeights continuation_weights(Nodes nodes);

}  // namespace taffeta::ode
