#pragma once

#include "taffeta/solve/direct/triangle.h"

namespace taffeta::solve {

/// Factors of the symmetric positive definite P B P' of a `Triangle`: all that differs between the
/// direct solvers. Calls come in the order analyse, factorize, then pivots and solve.
class Factors {
  public:
    virtual ~Factors() = default;

    virtual Triangle::Half half() const = 0;  ///< which triangle it takes
    /// What depends on the structure only.
    virtual SolveReport analyse(const Triangle& B) = 0;
    /// `indefinite` without a message where it stopped at a pivot that is not positive: the caller
    /// finds out which one. Other failures have a sentence.
    virtual SolveReport factorize(const Triangle& B) = 0;
    /// D of L D L', in rows of P B P'.
    virtual void pivots(VecX& D) const = 0;
    /// y = (P B P')^-1 r
    virtual SolveReport solve(const VecX& r, VecX& y) = 0;
    virtual std::size_t bytes() const = 0;  ///< memory that it holds
};

}  // namespace taffeta::solve
