#pragma once

#include <span>
#include <vector>

#include "taffeta/base/registry.h"
#include "taffeta/base/report.h"
#include "taffeta/solve/inner_iteration.h"
#include "taffeta/solve/stiff_terms.h"
#include "taffeta/sparse/block_diagonal.h"
#include "taffeta/sparse/constraint_basis.h"

namespace taffeta::solve {

/// Vectors that A nearly maps to zero: for a deformable body its rigid motions, given by the
/// current vertex coordinates. A solver that does not need them ignores them.
struct NearKernel {
    const VecX* coordinates = nullptr;  ///< 3 n, or nullptr: translations only
    /// The vectors are projected by it: near kernel of the matrix that these constraints prefilter.
    const sparse::ConstraintBasis* constraints = nullptr;
};

/// What the set-ups since the first had to make: for people, and for tests of what is kept.
struct SetupCounts {
    int built = 0;      ///< everything: numbering, aggregates, patterns, values
    int refreshed = 0;  ///< new values on all levels, old patterns
    int kept = 0;       ///< new values on the finest level only
};

/// z = M^-1 r for the prefiltered matrix B = S A S + sigma (I - S).
///
/// `setup` gets A unfiltered together with the filter: a diagonal preconditioner filters its
/// blocks, multigrid filters while it copies the finest level, and nobody pays for a filtered copy
/// of A in double. `apply` maps range(S) to itself.
class Preconditioner {
  public:
    virtual ~Preconditioner() = default;

    virtual SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                              const NearKernel& near_kernel) = 0;
    /// Of the A of the next `setup`.
    virtual void set_stiff_terms(const StiffTerms&) {}
    virtual void apply(const VecX& r, VecX& z) const = 0;
    /// z = M^-1 r and, where a preconditioner gets it almost for nothing, image = A z in the
    /// precision of the preconditioner. False when there is no image.
    virtual bool apply_and_multiply(const VecX& r, VecX& z, VecX& image) const {
        (void)image;
        apply(r, z);
        return false;
    }

    /// Conjugate gradients with itself on A y = r, in its own numbering and precision. False, and nothing
    /// done, where it does not iterate.
    virtual bool iterate(const VecX& r, const InnerLimits& limits, OuterSystem& outer,
                         InnerReport& report) const {
        (void)r, (void)limits, (void)outer, (void)report;
        return false;
    }

    /// Told after each solve what it took: a preconditioner that keeps parts of itself from solve to
    /// solve decides by this when to make them anew.
    virtual void learn(const SolveReport& report) { (void)report; }
    /// What the last set-up and so many iterations after it cost, in iterations of block Jacobi: by counted
    /// work, not by the clock.
    virtual double cost(int iterations) const { return iterations; }
    /// Forgets what was kept: the next `setup` is as the first.
    virtual void reset() {}
    /// As those of LinearSolver.
    virtual void settle() { reset(); }
    virtual std::vector<char> save() const { return {}; }
    virtual void load(std::span<const char>) { reset(); }
    /// For people: the hierarchy as a table; empty when there is nothing to say.
    virtual std::string description() const { return {}; }
    /// All zero where nothing is ever kept.
    virtual SetupCounts setup_counts() const { return {}; }

    virtual std::size_t bytes() const { return 0; }  ///< memory that it holds

    /// M^-1 itself when it is block diagonal, else nullptr: a Krylov method then applies it in the
    /// pass that updates its vectors.
    virtual const sparse::BlockDiagonal* block_diagonal() const { return nullptr; }
};

struct PreconditionerProperties {
    bool spd = true;
    bool single_precision = false;  ///< symmetric and linear up to rounding in single precision
};

using PreconditionerEntry = Entry<Preconditioner, PreconditionerProperties>;
Registry<PreconditionerEntry> preconditioners();

}  // namespace taffeta::solve
