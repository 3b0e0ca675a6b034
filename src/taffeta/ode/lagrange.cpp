#include "taffeta/ode/lagrange.h"

#include "taffeta/base/error.h"

namespace taffeta::ode {

namespace {

/// In long double, so that the weights are right to the last bit where it has more digits.
using LagrangePolynomial = std::array<long double, most_points>;

/// Of l_j, lowest power first.
LagrangePolynomial lagrange_polynomial(Nodes nodes, std::size_t j) {
    LagrangePolynomial polynomial{};
    polynomial[0] = 1;
    std::size_t degree = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (k == j) continue;
        // times (t - t_k)/(t_j - t_k)
        ++degree;
        for (std::size_t power = degree + 1; power-- > 0;) {
            const long double below = power > 0 ? polynomial[power - 1] : 0;
            polynomial[power] = (below - nodes[k] * polynomial[power]) /
                                (static_cast<long double>(nodes[j]) - nodes[k]);
        }
    }
    return polynomial;
}

}  // namespace

NodeWeights integration_weights(Nodes nodes, double end) {
    TAFFETA_ASSERT(nodes.size() <= most_points);
    NodeWeights weights{};
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        const LagrangePolynomial polynomial = lagrange_polynomial(nodes, j);
        long double sum = 0;
        for (std::size_t power = nodes.size(); power-- > 0;)
            sum = (sum + polynomial[power] / static_cast<long double>(power + 1)) * end;
        weights[j] = double(sum);
    }
    return weights;
}

NodeWeights derivative_weights(Nodes nodes) {
    TAFFETA_ASSERT(nodes.size() <= most_points);
    NodeWeights weights{};
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        const LagrangePolynomial polynomial = lagrange_polynomial(nodes, j);
        long double sum = 0;
        for (std::size_t power = nodes.size(); power-- > 1;)
            sum += static_cast<long double>(power) * polynomial[power];
        weights[j] = double(sum);
    }
    return weights;
}

NodeWeights continuation_weights(Nodes nodes) {
    TAFFETA_ASSERT(nodes.size() <= most_points);
    NodeWeights weights{};
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        long double product = 1;
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (k != j)
                product *= (1 - static_cast<long double>(nodes[k])) /
                           (static_cast<long double>(nodes[j]) - nodes[k]);
        weights[j] = double(product);
    }
    return weights;
}

}  // namespace taffeta::ode
