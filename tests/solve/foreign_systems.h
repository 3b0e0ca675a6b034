#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

#include "sparse/systems.h"

/// One system in the layouts of other programs.
namespace taffeta::testing {

/// The vertices of a columns x rows sheet, slightly bent, 0.1 apart.
inline VecX sheet_coordinates(Index columns, Index rows) {
    VecX x(3 * Eigen::Index(columns) * rows);
    for (Index j = 0; j < rows; ++j)
        for (Index i = 0; i < columns; ++i)
            vec3(x, j * columns + i) = Vec3(0.1 * i, 0.1 * j, 0.02 * ((i + j) % 3));
    return x;
}

/// Mass 1 and springs of the given stiffness along the edges of the sheet that resist turning a
/// little: rigid motions cost least.
inline sparse::Matrix3 elastic_sheet(Index columns, Index rows, double stiffness) {
    sparse::Matrix3 A = grid_matrix(columns, rows, 0, 0, 1);  // the identity, on the pattern
    const VecX x = sheet_coordinates(columns, rows);
    const sparse::BlockPattern& pattern = A.pattern();
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = pattern.row_begin[std::size_t(i)]; s < pattern.row_begin[std::size_t(i) + 1];
             ++s) {
            const Index j = pattern.column[std::size_t(s)];
            if (i == j) continue;
            const Vec3 d = (vec3(x, j) - vec3(x, i)).normalized();
            const Mat3 outer = d * d.transpose();
            const Mat3 block = stiffness * (outer + 0.05 * Mat3::Identity());
            A.block(s) = -block;
            A.block(pattern.diagonal[std::size_t(i)]) += block;
        }
    return A;
}

/// Compressed rows as a C program has them: blocks or scalars.
struct CompressedArrays {
    std::vector<int32_t> row_begin, column;
    std::vector<double> value;
};

inline CompressedArrays block_arrays(const sparse::Matrix3& A, bool row_major) {
    CompressedArrays arrays{A.pattern().row_begin, A.pattern().column, {}};
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        for (int k = 0; k < 9; ++k)
            arrays.value.push_back(row_major ? A.block(s)(k / 3, k % 3) : A.block(s)(k % 3, k / 3));
    return arrays;
}

/// Without the numbers that are zero.
inline CompressedArrays scalar_arrays(const sparse::Matrix3& A) {
    CompressedArrays arrays{{0}, {}, {}};
    for (Index i = 0; i < 3 * A.rows(); ++i) {
        for (Index s = A.pattern().row_begin[std::size_t(i / 3)];
             s < A.pattern().row_begin[std::size_t(i / 3) + 1]; ++s)
            for (int k = 0; k < 3; ++k) {
                const double number = A.block(s)(i % 3, k);
                if (number == 0) continue;
                arrays.column.push_back(3 * A.pattern().column[std::size_t(s)] + k);
                arrays.value.push_back(number);
            }
        arrays.row_begin.push_back(int32_t(arrays.column.size()));
    }
    return arrays;
}

inline Eigen::SparseMatrix<double> eigen_matrix(const sparse::Matrix3& A) {
    const CompressedArrays arrays = scalar_arrays(A);
    const Eigen::Index rows = 3 * Eigen::Index(A.rows());
    return Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>>(
        rows, rows, Eigen::Index(arrays.value.size()), arrays.row_begin.data(),
        arrays.column.data(), arrays.value.data());
}

}  // namespace taffeta::testing
