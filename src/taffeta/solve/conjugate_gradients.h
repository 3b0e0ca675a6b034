#pragma once

#include "taffeta/base/fields.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::solve {

struct PcgOptions {
    double tolerance = 1e-5;
    int max_iterations = 10000;
    std::string norm = "preconditioned";
    int residual_interval = 50;
    bool prefilter = true;
    Settings preconditioner;

    static Fields<PcgOptions> fields();
};

/// Preconditioned conjugate gradients on the prefiltered system, without a filtered copy of A.
/// [TJM15] eq. 7; stop of its section on results.
///
/// With c = b - A z the unknown is y in range(S) of B y = S c, B = S A S + sigma (I - S), and then
/// x = y + z. For every p in range(S), B p = S A p: the term in sigma vanishes and S p = p. All
/// vectors of the iteration stay in range(S) as long as the preconditioner maps it to itself, so
/// the product is one with the unfiltered A followed by S on the few constrained vertices. B is
/// never formed, and sigma matters to preconditioners only.
///
/// `prefilter` = false is for comparison ([TJM15] figure 8): the preconditioner is made for A, as if
/// there were no constraints, and S M^-1 S takes the place of M^-1.
///
/// With constraints across vertices S = S0 - Q'Q is not block diagonal, and a preconditioner does
/// not keep to its range: S M^-1 S takes the place of M^-1, at the price of a second projection.
///
/// Stop: sqrt(rho_i / rho_0) < tolerance with rho = r'M^-1 r, free of charge; rho_0 is that of the
/// zero guess, so that a good guess is rewarded. `norm = euclidean` uses r'r instead.
///
/// Which iterate is best? Each one: in exact arithmetic conjugate gradients reduce the A-norm of
/// the error in every iteration (not the residual, which may rise), so the last iterate before a
/// stop of any kind is the best.
///
/// A preconditioner may iterate itself, in its numbering and in single precision, where the stop is by
/// the preconditioned norm: what is left here is the iterate, its true residual, and all of the above
/// where rounding ends that iteration early.
///
/// A preconditioner that knows A M^-1 r in single precision saves the product of each iteration,
/// its largest cost: A p follows the same recurrence as p. The first image is compared with the
/// product, and only when it is near are the next ones trusted; what rounding
/// adds later is found when the true residual is computed, and from then on products are exact.
///
/// The recurrence for r drifts from the true residual by rounding. Every `residual_interval`
/// iterations, and before convergence is claimed, r is computed afresh. When the two agree within
/// a factor of two the search directions are kept, as they are still conjugate to within that
/// error; when they do not, the iteration restarts from the true residual, and when a restart
/// brings no halving either, rounding is the limit and the solve says so.
class ConjugateGradients {
  public:
    /// `preconditioner` is set up. `constraints`, if any, were made with `filter`. x: guess in, best iterate out. Nothing is allocated after the
    /// first call of a size.
    SolveReport run(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                    const Preconditioner& preconditioner, const VecX& b, VecX& x,
                    const PcgOptions& options, double tolerance, const Progress& progress,
                    const sparse::ConstraintBasis* constraints = nullptr);

    /// Memory of its vectors.
    std::size_t bytes() const {
        std::size_t numbers = 0;
        for (const VecX* vector : {&right_side_, &residual_, &preconditioned_, &direction_, &image_,
                                   &preconditioned_image_})
            numbers += std::size_t(vector->size());
        return numbers * sizeof(double);
    }

  private:
    struct System;
    class Around;
    struct Measure {
        double rho = 0;      ///< r'M^-1 r
        double squared = 0;  ///< r'r
    };

    void apply_preconditioner(const System& system);
    bool image_is_good(double tolerance);
    void project(const System& system, VecX& u);
    static bool keeps_range(const System& system);
    void make_right_side(const System& system);
    Measure precondition(const System& system);
    Measure advance(const System& system, double alpha, VecX& y);
    void make_true_residual(const System& system, const VecX& y);
    Measure true_residual(const System& system, const VecX& y);
    SolveReport iterate(const System& system, VecX& y, int iterations);
    bool iterate_inside(System& system, bool guessed, VecX& y, SolveReport& report);

    VecX right_side_;  ///< S c
    VecX residual_, preconditioned_, direction_, image_;
    VecX preconditioned_image_;  ///< A M^-1 r, where the preconditioner gives it
    bool given_images_ = false;  ///< products come from the preconditioner
    VecX along_rows_;            ///< Q u
    sparse::Partials partials_;
};

}  // namespace taffeta::solve
