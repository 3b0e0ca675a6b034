#pragma once

#include <string>
#include <vector>

#include "taffeta/sparse/block_matrix.h"

namespace taffeta::sparse {

/// Per-vertex linear constraints (S, z) of Baraff and Witkin 1998, section 5.1.
///
/// S_i projects onto the directions in which vertex i is free: I, I - pp', I - pp' - qq' or 0;
/// z_i, always in range(I - S_i), is the prescribed value in the others. Only constrained vertices
/// are stored, so an unconstrained mesh costs nothing.
class NodeFilter {
  public:
    explicit NodeFilter(Index vertices = 0);

    Index vertices() const { return Index(entry_of_.size()); }
    void clear();

    /// Takes all freedom from a vertex: S_i = 0.
    void fix(Index vertex);
    /// Forbids one more direction (any length, not zero). It is orthonormalised against those
    /// already forbidden; one that is within ~1e-3 rad of their span adds nothing.
    void forbid(Index vertex, const Vec3& direction);
    /// The same, and prescribes the component of x_i along the unit `direction`; what was
    /// prescribed before in other directions stays so. Without effect when nothing is added.
    void forbid(Index vertex, const Vec3& direction, double component);
    /// Makes z_i = (I - S_i) value, the part of `value` in the forbidden directions.
    void set_target(Index vertex, const Vec3& value);

    struct Entry {
        Index vertex;
        int forbidden = 0;                  ///< 1, 2 or 3 directions
        Mat3 projector = Mat3::Identity();  ///< S_i
        Vec3 target = Vec3::Zero();         ///< z_i
    };
    /// Takes an entry as it is, such as one read from a file. Solvers check it (`find_fault`).
    void insert(const Entry& entry);

    /// The constrained vertices, in the order in which they were first constrained.
    const std::vector<Entry>& entries() const { return entries_; }
    /// The entry of a vertex or nullptr when it is free.
    const Entry* find(Index vertex) const {
        const Index e = entry_of_[std::size_t(vertex)];
        return e < 0 ? nullptr : &entries_[std::size_t(e)];
    }
    int free_directions(Index vertex) const;
    bool has_targets() const;  ///< some z_i is not zero

    void project(VecX& u) const;             ///< u <- S u
    void project_complement(VecX& u) const;  ///< u <- (I - S) u
    void targets(VecX& z) const;             ///< z, zero where free
    void add_targets(VecX& u) const;         ///< u <- u + z
    void zero_targets();

  private:
    Entry& touch(Index vertex);

    std::vector<Index> entry_of_;  ///< per vertex, -1 when free
    std::vector<Entry> entries_;
};

/// A sentence about the first entry with S_i not a symmetric projector (S_i S_i = S_i) or z_i not
/// in range(I - S_i), to 1e-8; empty when there is none.
std::string find_fault(const NodeFilter& filter);

/// sigma_i of `prefilter` for a diagonal block: trace/3, or 1 when that is not positive.
double filter_scale(const Mat3& diagonal_block);

/// A <- S A S + sigma (I - S), block by block, with sigma_i = trace(A_ii)/3 so that the added
/// number lies in the field of values of A. [TJM15] eq. 7 and the remark on scaling below it.
void prefilter(Matrix3& A, const NodeFilter& filter);

}  // namespace taffeta::sparse
