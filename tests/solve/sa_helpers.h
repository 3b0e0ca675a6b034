#pragma once

#include <gtest/gtest.h>

#include <numeric>

#include "solve/solve_helpers.h"
#include "taffeta/solve/sa/galerkin.h"
#include "taffeta/solve/sa/half_rows.h"

/// Systems and vectors as smoothed aggregation holds them.
namespace taffeta::testing {

namespace sa = solve::sa;

/// A in rows of floats, as the finest level holds it.
inline sa::SquareRows<3> rows_of(const sparse::Matrix3& A) {
    sa::SquareRows<3> rows;
    rows.row_begin = A.pattern().row_begin;
    rows.column = A.pattern().column;
    rows.diagonal = A.pattern().diagonal;
    rows.value.resize(rows.column.size() * 9);
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        for (int k = 0; k < 9; ++k)
            rows.block(s)[k] = float(A.slot(s)[k]);
    EXPECT_EQ(sa::invert_diagonal(rows), -1);
    return rows;
}

/// The same as Gauss-Seidel reads it.
inline sa::HalfRows<3> half_of(const sa::SquareRows<3>& rows, const sa::Strips& strips) {
    sa::HalfRows<3> half;
    half.set_pattern(rows, strips);
    half.load(rows);
    return half;
}

/// In as many strips as its bandwidth allows, or in one.
inline sa::Strips strips_of(const sa::SquareRows<3>& rows, bool many) {
    const Index n = rows.rows();
    std::vector<Index> position(static_cast<std::size_t>(n));
    std::iota(position.begin(), position.end(), 0);
    return sa::make_strips(n, sa::bandwidth({rows.row_begin, rows.column}, position), many ? 1 : n);
}

inline sa::FloatArray padded(const VecX& x) {
    sa::FloatArray result;
    result.resize(std::size_t(x.size() / 3) * 4);
    result.set_zero();
    for (Eigen::Index i = 0; i < x.size(); ++i)
        result.data()[i / 3 * 4 + i % 3] = float(x[i]);
    return result;
}

inline VecX unpadded(const sa::FloatArray& x) {
    VecX result(Eigen::Index(x.size() / 4 * 3));
    for (Eigen::Index i = 0; i < result.size(); ++i)
        result[i] = x.data()[i / 3 * 4 + i % 3];
    return result;
}

/// A flat sheet of columns x rows vertices, 1 cm apart, moved by `offset`.
inline VecX sheet(Index columns, Index rows, const Vec3& offset = Vec3::Zero()) {
    VecX x(3 * Eigen::Index(columns) * rows);
    for (Index v = 0; v < columns * rows; ++v)
        vec3(x, v) = offset + Vec3(0.01 * (v % columns), 0.01 * (v / columns), 0);
    return x;
}

/// A += springs along the edges of its pattern, for vertices at x, which resist turning by a share
/// of their stiffness.
inline void add_springs(const VecX& x, double stiffness, double turning, sparse::Matrix3& A) {
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.pattern().column[std::size_t(s)];
            if (i == j) continue;
            const Vec3 d = (vec3(x, j) - vec3(x, i)).normalized();
            const Mat3 outer = d * d.transpose();
            const Mat3 block = stiffness * (outer + turning * Mat3::Identity());
            A.block(s) = -block;
            A.block(A.pattern().diagonal[std::size_t(i)]) += block;
        }
}

/// A sheet of springs along the mesh that also resist turning: rigid motions cost little.
inline sparse::Matrix3 elastic_matrix(Index columns, Index rows, double stiffness) {
    sparse::Matrix3 A = grid_matrix(columns, rows, 0, 0, 1);
    add_springs(sheet(columns, rows), stiffness, 0.05, A);
    return A;
}

}  // namespace taffeta::testing
