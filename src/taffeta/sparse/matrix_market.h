#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taffeta/sparse/block_matrix.h"

/// Matrix Market files ("coordinate real general|symmetric", "array real general"), so that a
/// system can leave a simulation and come back to any other program.
/// [Boisvert, Pozo, Remington 1996: The Matrix Market Exchange Formats]
namespace taffeta::sparse {

/// A matrix as its file lists it: entry k is value[k] at (row[k], column[k]), from 0.
struct Triplets {
    Index rows = 0, columns = 0;
    std::vector<Index> row, column;
    std::vector<double> value;
    /// Only one of (i, j) and (j, i) is listed, and stands for both.
    bool symmetric = false;
    std::string where;  ///< for messages: the file
};

/// Throws bad input with file:line at whatever is wrong: header, sizes, an index out of range, a
/// number that is not finite, an entry twice, too few or too many entries. Real and integer fields.
Triplets read_matrix(const std::filesystem::path& file);

/// A vector: an array of one column, or a coordinate matrix of one column.
VecX read_vector(const std::filesystem::path& file);

/// The block matrix of a square matrix whose dimension is a multiple of three; throws bad input
/// otherwise. Every diagonal block is in the pattern, also where the file has none.
Matrix3 to_blocks(const Triplets& matrix);

/// The matrix with `count` more rows and columns, 1 on their diagonals: makes any dimension a
/// multiple of three without touching the solution.
Triplets padded(Triplets matrix, Index count);

/// Writes numbers so that reading gives the same bits. `symmetric` writes the lower triangle only.
/// Throws an I/O error.
void write_matrix(const std::filesystem::path& file, const Matrix3& A, bool symmetric = true);
void write_vector(const std::filesystem::path& file, const VecX& x);

}  // namespace taffeta::sparse
