#include "taffeta/solve/direct/simplicial_factors.h"

#include <fmt/format.h>

#include <limits>

#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

SolveReport SimplicialFactors::analyse(const Triangle& B) {
    const std::int64_t entries = B.order().factor_entries;
    if (entries > std::numeric_limits<int>::max())
        return failure(
            SolveStatus::bad_size,
            fmt::format("the factors would hold {} numbers, more than ldlt can count", entries));
    factors_.analyzePattern(B.matrix());
    return {};
}

SolveReport SimplicialFactors::factorize(const Triangle& B) {
    factors_.factorize(B.matrix());
    return {};  // the pivots tell the rest
}

SolveReport SimplicialFactors::solve(const VecX& r, VecX& y) {
    y = r;
    factors_.matrixL().solveInPlace(y);
    y.array() /= factors_.vectorD().array();
    factors_.matrixU().solveInPlace(y);
    return {};
}

std::size_t SimplicialFactors::bytes() const {
    if (factors_.rows() == 0) return 0;
    const std::size_t size = std::size_t(factors_.rows());
    const std::size_t entries = std::size_t(factors_.matrixL().nestedExpression().nonZeros());
    // L with its indices, D, the elimination tree and the counts of the columns
    return entries * (sizeof(double) + sizeof(int)) + size * (sizeof(double) + 3 * sizeof(int));
}

}  // namespace taffeta::solve
