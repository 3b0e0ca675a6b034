#pragma once

#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::sparse {

/// Sparse rows over the vertices, a 3-vector each: row k is sum over s of value[s] . u_vertex[s].
struct VertexRows {
    std::vector<Index> begin{0};  ///< #rows + 1
    std::vector<Index> vertex;    ///< ascending within a row
    std::vector<Vec3> value;

    Index rows() const { return Index(begin.size()) - 1; }
    void clear();
    /// Closes the row to which `vertex` and `value` have been appended.
    void end_row() { begin.push_back(Index(vertex.size())); }
    /// The component of u along row k.
    double dot(Index k, const VecX& u) const;
};

/// The columns of `VertexRows`: for each vertex the rows that touch it, ascending.
struct VertexColumns {
    std::vector<Index> begin;    ///< #vertices + 1
    std::vector<Index> row;      ///< which row
    std::vector<Index> slot;     ///< where in that row's storage
    std::vector<Index> touched;  ///< the vertices with any row, ascending
};

VertexColumns columns_of(const VertexRows& rows, Index vertices);

/// A term of a row under construction.
struct VertexTerm {
    Index vertex;
    Vec3 value;
};

/// Sorts the terms by vertex and adds up those of one vertex, in the order in which they came.
void merge(std::vector<VertexTerm>& terms);

}  // namespace taffeta::sparse
