#pragma once

#include <cmath>

#include "taffeta/energy/solid_element.h"
#include "taffeta/mesh/tet_mesh.h"

/// Tets of four and of ten vertices by the same formulas.
///
/// With lambda_i the barycentric coordinates, a quadratic tet has the shape functions
/// lambda_i (2 lambda_i - 1) at the corners and 4 lambda_i lambda_j at the middles. Their gradients at a
/// point are sums of the four constant gradients c_i of lambda_i: c_i (4 lambda_i - 1) for a corner,
/// 4 lambda_j c_i + 4 lambda_i c_j for a middle. So at a point the element is a linear tet whose corners are
///     y_i = (4 lambda_i - 1) x_i + sum_j 4 lambda_j x_ij,
/// and its forces and blocks are spread to the ten vertices by the same weights. Four points integrate
/// quadratics exactly: a straight tet of linear elasticity is exact.            [ZienkiewiczTaylor] 6.3
namespace taffeta::energy {

/// A vertex of an element as a sum of the corners that it acts on at a point.
struct NodeWeights {
    int corners;  ///< 1 or 2
    int corner[2];
    double weight[2];
};

template <int Nodes>
struct SolidNodes;

template <>
struct SolidNodes<4> {
    static constexpr int points = 1;
    static NodeWeights weights(int, int node) { return {1, {node, node}, {1, 0}}; }
};

template <>
struct SolidNodes<10> {
    static constexpr int points = 4;
    static NodeWeights weights(int point, int node) {
        // The points lie on the lines from the centroid to the corners.
        constexpr double near = 0.58541019662496845446, far = 0.13819660112501051518;
        const auto lambda = [&](int i) { return i == point ? near : far; };
        if (node < 4) return {1, {node, node}, {4 * lambda(node) - 1, 0}};
        const int a = mesh::tet_edge[node - 4][0], b = mesh::tet_edge[node - 4][1];
        return {2, {a, b}, {4 * lambda(b), 4 * lambda(a)}};
    }
};

/// The weights of all points and nodes, made once.
template <int Nodes>
const std::array<std::array<NodeWeights, Nodes>, SolidNodes<Nodes>::points>& node_weights() {
    static const auto table = [] {
        std::array<std::array<NodeWeights, Nodes>, SolidNodes<Nodes>::points> made;
        for (int p = 0; p < SolidNodes<Nodes>::points; ++p)
            for (int n = 0; n < Nodes; ++n)
                made[std::size_t(p)][std::size_t(n)] = SolidNodes<Nodes>::weights(p, n);
        return made;
    }();
    return table;
}

/// The corners y of the linear tet that the element is at a point.
template <class Real, int Nodes>
std::array<Vector3<Real>, 4> point_corners(const std::array<Vector3<Real>, Nodes>& x, int point) {
    if constexpr (Nodes == 4) {
        return x;
    } else {
        const auto& weights = node_weights<Nodes>()[std::size_t(point)];
        std::array<Vector3<Real>, 4> y;
        for (std::size_t i = 0; i < 4; ++i)
            y[i] = weights[i].weight[0] * x[i];
        for (std::size_t n = 4; n < Nodes; ++n)
            for (std::size_t k = 0; k < 2; ++k)
                y[std::size_t(weights[n].corner[k])] += weights[n].weight[k] * x[n];
        return y;
    }
}

/// Blocks of an element of `Nodes` vertices, as the sum over its points.
template <class Real, int Nodes>
struct NodeBlocks {
    Matrix33<Real> block[Nodes][Nodes];  ///< of the upper triangle

    NodeBlocks() {
        const Real zero = broadcast<Real>(0);
        const Vector3<Real> none{zero, zero, zero};
        for (int n = 0; n < Nodes; ++n)
            for (int m = n; m < Nodes; ++m)
                block[n][m] = {none, none, none};
    }

    void add(int point, const SolidBlocks<Real>& K) {
        const auto& weights = node_weights<Nodes>()[std::size_t(point)];
        const Matrix33<Real> corner[4][4] = {
            {full(K.b00), K.b01, K.b02, K.b03},
            {transpose(K.b01), full(K.b11), K.b12, K.b13},
            {transpose(K.b02), transpose(K.b12), full(K.b22), K.b23},
            {transpose(K.b03), transpose(K.b13), transpose(K.b23), full(K.b33)}};
        for (int n = 0; n < Nodes; ++n)
            for (int m = n; m < Nodes; ++m)
                for (int i = 0; i < weights[std::size_t(n)].corners; ++i)
                    for (int j = 0; j < weights[std::size_t(m)].corners; ++j)
                        block[n][m] = block[n][m] + (weights[std::size_t(n)].weight[i] *
                                                     weights[std::size_t(m)].weight[j]) *
                                                        corner[weights[std::size_t(n)].corner[i]]
                                                              [weights[std::size_t(m)].corner[j]];
    }
};

}  // namespace taffeta::energy
