#pragma once

#include "sparse/systems.h"
#include "taffeta/sparse/constraint_basis.h"

/// Constraints across vertices to test on, and their dense twins.
namespace taffeta::testing {

/// C as a matrix.
inline Eigen::MatrixXd dense(const std::vector<sparse::ConstraintRow>& rows, Index vertices) {
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(Eigen::Index(rows.size()), 3 * vertices);
    for (std::size_t k = 0; k < rows.size(); ++k)
        for (std::size_t i = 0; i < rows[k].vertices.size(); ++i)
            C.block<1, 3>(Eigen::Index(k), 3 * rows[k].vertices[i]) =
                rows[k].coefficients[i].transpose();
    return C;
}

inline VecX values(const std::vector<sparse::ConstraintRow>& rows) {
    VecX d(Eigen::Index(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k)
        d[Eigen::Index(k)] = rows[k].value;
    return d;
}

inline Eigen::MatrixXd dense(const sparse::VertexRows& rows, Index vertices) {
    Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(rows.rows(), 3 * vertices);
    for (Index k = 0; k < rows.rows(); ++k)
        for (Index s = rows.begin[std::size_t(k)]; s < rows.begin[std::size_t(k) + 1]; ++s)
            Q.block<1, 3>(k, 3 * rows.vertex[std::size_t(s)]) =
                rows.value[std::size_t(s)].transpose();
    return Q;
}

/// S, column by column through `project`.
inline Eigen::MatrixXd dense_projector(const sparse::ConstraintBasis& basis) {
    const Eigen::Index n = 3 * Eigen::Index(basis.vertices());
    Eigen::MatrixXd S(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        VecX column = VecX::Unit(n, j);
        basis.project(column);
        S.col(j) = column;
    }
    return S;
}

/// `count` vertex-face and edge-edge rows in turn, over a grid of columns x rows vertices:
///
///   o---o---o
///   | \ | \ |    a face is (v, v+1, v+columns+1), an edge (v, v+columns); which vertex meets which
///   o---o---o    face is random, so rows share vertices and groups are large.
inline std::vector<sparse::ConstraintRow> contact_rows(Index columns, Index rows, Index count,
                                                       std::uint64_t seed) {
    Random random(seed);
    std::vector<sparse::ConstraintRow> found;
    while (Index(found.size()) < count) {
        const auto corner = [&] {
            return random.index(rows - 1) * columns + random.index(columns - 1);
        };
        const Index a = corner(), b = corner();
        const Vec3 direction = 3 * random.direction();
        const double value = random.uniform();
        const Edge first{a, a + columns}, second{b, b + columns};
        const Triangle face{b, b + 1, b + columns + 1};
        if (found.size() % 2 == 0) {
            if (a == face[0] || a == face[1] || a == face[2]) continue;
            const double w = random.uniform(0.1, 0.4);
            found.push_back(sparse::vertex_face_row(a, face, {w, 0.5, 0.5 - w}, direction, value));
        } else {
            if (a == b || a == b + columns || b == a + columns) continue;
            found.push_back(sparse::edge_edge_row(first, second, random.uniform(0.1, 0.9),
                                                  random.uniform(0.1, 0.9), direction, value));
        }
    }
    return found;
}

}  // namespace taffeta::testing
