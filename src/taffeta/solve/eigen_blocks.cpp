#include "taffeta/solve/eigen_blocks.h"

#include <fmt/format.h>

#include "taffeta/base/error.h"

namespace taffeta::solve {

namespace {

/// Both halves of a matrix that has entries on one side of the diagonal only.
EigenRows both_halves(EigenRows A) {
    bool below = false, above = false;
    for (Eigen::Index i = 0; i < A.rows() && !(below && above); ++i)
        for (EigenRows::InnerIterator entry(A, i); entry; ++entry) {
            below = below || entry.col() < i;
            above = above || entry.col() > i;
        }
    if (below == above) return A;
    if (below) return A.selfadjointView<Eigen::Lower>();
    return A.selfadjointView<Eigen::Upper>();
}

}  // namespace

void EigenBlocks::fail(Eigen::ComputationInfo what, std::string sentence) {
    info = what;
    message = std::move(sentence);
}

void EigenBlocks::assign(EigenRows A) {
    if (A.rows() != A.cols()) {
        fail(Eigen::InvalidInput,
             fmt::format("the matrix is {} x {}, not square", A.rows(), A.cols()));
        return;
    }
    EigenRows rows = both_halves(std::move(A));
    rows.makeCompressed();
    const Index size = Index(rows.rows());
    if (matrix_.empty() ||
        !gather_.same_pattern(size, rows.outerIndexPtr(), rows.innerIndexPtr())) {
        try {
            gather_ = sparse::BlockGather(size, rows.outerIndexPtr(), rows.innerIndexPtr());
        } catch (const Error& error) {
            fail(Eigen::InvalidInput, error.what());
            return;
        }
        matrix_ = sparse::Matrix3(gather_.pattern());
    }
    gather_.fill(rows.valuePtr(), matrix_);
    const std::string fault = sparse::find_not_finite(matrix_);
    if (fault.empty())
        fail(Eigen::Success, {});
    else
        fail(Eigen::NumericalIssue, fault);
}

VecX EigenBlocks::padded(const VecX& values, const char* name) const {
    if (values.size() != rows())
        fail_input(name,
                   fmt::format("{} numbers, but the matrix has {} rows", values.size(), rows()));
    return sparse::padded(values, sparse::padding(Index(rows())));
}

std::string EigenBlocks::find_fault(const VecX& coordinates) const {
    if (coordinates.size() == 0) return {};
    if (rows() % 3 != 0)
        return fmt::format("coordinates, but the {} rows are not 3 for each vertex", rows());
    if (coordinates.size() != rows())
        return fmt::format("{} coordinates, but the matrix has {} rows", coordinates.size(),
                           rows());
    return coordinates.allFinite() ? "" : "a coordinate is not finite";
}

}  // namespace taffeta::solve
