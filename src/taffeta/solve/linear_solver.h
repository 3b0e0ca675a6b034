#pragma once

#include <functional>

#include "taffeta/solve/preconditioner.h"
#include "taffeta/sparse/constrained_matrix.h"

namespace taffeta::solve {

/// Called after each iteration with its number and the relative residual; false asks to stop.
using Progress = std::function<bool(int iteration, double residual)>;

/// Equality constraints across vertices, which no node filter can hold.
struct GeneralConstraints {
    const sparse::ConstraintBasis* basis = nullptr;  ///< nullptr: none
    /// Preconditioners are made for the prefiltered matrix within these limits, beyond them for A;
    /// either way they are projected. Direct solvers take all of it.
    sparse::FillLimits limits{};
};

/// Solves A x = b under (S, z): x = z in the forbidden directions, S (A x - b) = 0 in the others.
///
/// A is unfiltered, SPD. x holds the initial guess on entry (its free part is used; zero it for a
/// cold start) and the best iterate on return, also when the report is not `converged`; when the
/// input is refused before the first iteration it is left as it was.
class LinearSolver {
  public:
    virtual ~LinearSolver() = default;

    virtual SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                              const VecX& b, VecX& x) = 0;

    /// Overrides the stop of the options until called again; <= 0 returns to the options.
    virtual void set_tolerance(double tolerance) = 0;
    virtual void set_near_kernel(const NearKernel&) {}
    /// Of the A of all solves until called again.
    virtual void set_stiff_terms(const StiffTerms&) {}
    virtual void set_progress(Progress) {}
    /// More constraints, for all solves until called again; their basis must be made with the filter
    /// of the solve, and outlive it. Throws bad input where the solver takes none.
    virtual void set_constraints(const GeneralConstraints& constraints);
    /// Forgets what was kept from earlier solves, so that the next one depends on its arguments only.
    virtual void reset() {}
    /// Puts down what `save` does not hold: from here on this solver, and one that loads what this
    /// one saves now, give the same bits. What does not depend on values may stay.
    virtual void settle() { reset(); }
    virtual std::vector<char> save() const { return {}; }
    virtual void load(std::span<const char>) { reset(); }
    /// For people: what the preconditioner looks like after the last solve.
    virtual std::string description() const { return {}; }
    virtual SetupCounts setup_counts() const { return {}; }  ///< of the preconditioner
    virtual std::size_t bytes() const { return 0; }  ///< memory that it holds, A not counted
};

/// What a solver lacks on this machine; both empty when nothing.
struct Unavailable {
    std::string why, remedy;

    explicit operator bool() const { return !why.empty(); }
};

struct SolverProperties {
    bool direct = false;  ///< no iterations, no tolerance
    bool preconditioned = true;
    bool constrained = true;  ///< takes filters with entries
    bool coupled = false;     ///< takes constraints across vertices
    /// For solvers that need a library which a build or a machine may be without. nullptr: none.
    Unavailable (*unavailable)() = nullptr;
};

using SolverEntry = Entry<LinearSolver, SolverProperties>;
Registry<SolverEntry> linear_solvers();

Unavailable unavailable(const SolverEntry& entry);
/// Throws bad input at `settings` when the solver cannot be made here.
void require_available(const SolverEntry& entry, const Settings& settings);

/// From a scene's `solver` value, e.g. {"type": "prefiltered_pcg", "preconditioner":
/// "block_jacobi", "tolerance": 1e-5}. Null gives prefiltered PCG with `auto`.
std::unique_ptr<LinearSolver> make_linear_solver(const Settings& settings);

}  // namespace taffeta::solve
