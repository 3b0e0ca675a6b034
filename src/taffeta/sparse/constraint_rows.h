#pragma once

#include <span>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::sparse {

/// One equality constraint across vertices: sum over i of coefficients[i] . x_vertices[i] = value.
///
/// Its length and sign do not matter to the solution, only to the multiplier.
struct ConstraintRow {
    std::vector<Index> vertices;
    std::vector<Vec3> coefficients;  ///< one a vertex; some may be zero, not all
    double value = 0;
};

/// direction . (x_vertex - sum of w_i x_face[i]) = value: a vertex keeps its distance from the point
/// of a face with these weights (barycentric, their sum is 1).
ConstraintRow vertex_face_row(Index vertex, const Triangle& face, const Vec3& weights,
                              const Vec3& direction, double value);

/// direction . ((1-s) x_a0 + s x_a1 - (1-t) x_b0 - t x_b1) = value: the points of two edges.
ConstraintRow edge_edge_row(const Edge& a, const Edge& b, double s, double t, const Vec3& direction,
                            double value);

/// Throws bad input that names the first row without vertices, with a vertex twice or out of
/// range, with another number of coefficients than vertices, with numbers that are not finite, or
/// with no coefficient but zeros.
void check_rows(std::span<const ConstraintRow> rows, Index vertices);

}  // namespace taffeta::sparse
