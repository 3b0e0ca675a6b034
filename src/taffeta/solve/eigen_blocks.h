#pragma once

#include <string>

#include "taffeta/solve/eigen_adapter.h"
#include "taffeta/sparse/compressed_rows.h"

namespace taffeta::solve {

/// The 3x3 blocks of an Eigen matrix. What is wrong with it is a state, not an exception, as in
/// Eigen.
class EigenBlocks {
  public:
    /// Takes the numbers, and the pattern when it is another one than before. InvalidInput: not
    /// square, or no symmetric pattern; NumericalIssue: NaN or infinity.
    void assign(EigenRows A);

    bool ok() const { return info == Eigen::Success; }
    Eigen::Index rows() const { return gather_.rows(); }  ///< of the Eigen matrix
    const sparse::Matrix3& matrix() const { return matrix_; }

    /// With zeros for the rows that pad the last vertex. Throws when the size is not `rows()`.
    VecX padded(const VecX& values, const char* name) const;
    /// A sentence when these cannot be the coordinates of the vertices of the matrix.
    std::string find_fault(const VecX& coordinates) const;

    Eigen::ComputationInfo info = Eigen::InvalidInput;
    std::string message = "there is no matrix yet: call compute() first";

  private:
    void fail(Eigen::ComputationInfo what, std::string sentence);

    sparse::BlockGather gather_;
    sparse::Matrix3 matrix_;
};

}  // namespace taffeta::solve
