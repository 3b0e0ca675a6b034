#include "taffeta/solve/system_check.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace taffeta::solve {

namespace {

std::string find_not_finite(const char* name, const VecX& vector) {
    for (Eigen::Index i = 0; i < vector.size(); ++i)
        if (!std::isfinite(vector[i]))
            return fmt::format("{}[{}] = {} (vertex {}, {})", name, i, vector[i], i / 3,
                               "xyz"[i % 3]);
    return {};
}

}  // namespace

SolveReport failure(SolveStatus status, std::string message) {
    SolveReport report;
    report.status = status;
    report.message = std::move(message);
    return report;
}

SolveReport SystemCheck::run(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                             const VecX& b, const VecX& x) {
    const Eigen::Index size = 3 * Eigen::Index(A.rows());
    if (filter.vertices() != A.rows())
        return failure(SolveStatus::bad_size,
                       fmt::format("A has {} block rows, but the filter is for {} vertices",
                                   A.rows(), filter.vertices()));
    if (b.size() != size || x.size() != size)
        return failure(
            SolveStatus::bad_size,
            fmt::format("A has {} rows, but b has {} and x has {}", size, b.size(), x.size()));
    if (!A.empty() && A.shared_pattern() != checked_) {
        const std::string fault = sparse::find_fault(A.pattern());
        if (!fault.empty()) return failure(SolveStatus::bad_size, fault);
        checked_ = A.shared_pattern();
    }
    const std::string fault = sparse::find_fault(filter);
    if (!fault.empty()) return failure(SolveStatus::bad_filter, fault);
    return {};
}

SolveReport check_constraints(const sparse::ConstraintBasis& basis,
                              const sparse::NodeFilter& filter) {
    if (!basis.made_with(filter))
        return failure(SolveStatus::bad_filter,
                       "the constraints across vertices were made with another node filter");
    if (!basis.conflict().empty()) return failure(SolveStatus::bad_filter, basis.conflict());
    return {};
}

SolveReport not_finite(const sparse::Matrix3& A, const VecX& b, const VecX& x) {
    std::string found = find_not_finite("b", b);
    if (found.empty()) found = find_not_finite("the guess x", x);
    if (found.empty()) found = sparse::find_not_finite(A);
    if (!found.empty()) return failure(SolveStatus::not_finite, found);
    // All was finite at the start, so the iteration diverged.
    const std::string asymmetry = sparse::find_asymmetry(A);
    if (!asymmetry.empty()) return failure(SolveStatus::indefinite, asymmetry);
    return failure(SolveStatus::not_finite,
                   "numbers overflow although A, b and x are finite: check their units");
}

Vec3 eigenvalues_of(const Mat3& block) {
    return Eigen::SelfAdjointEigenSolver<Mat3>(block, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace taffeta::solve
