#include <fmt/format.h>

#include <cmath>

#include "taffeta/ode/spring_laplacian.h"

/// Projective dynamics on springs.                                        [BMLSP14] section 3, [LBOK13]
///
///     local:   p = l d/|d| for each spring, in parallel
///     global:  A x = M/h^2 s + sum k (e_i - e_j) p,     s = x + h v + h^2 M^-1 f_ext
///
/// with the constant A of spring_laplacian.h, factored once. In the form used here,
/// x += A^-1 r with r = -M/h^2 (x - s) - sum k (e_i - e_j)(d - p), the same iterates show how far they
/// are: r is the residual of backward Euler with constant f_ext, which they converge to. They never
/// overshoot, as k is the most that a spring resists in any direction; how fast they are depends on
/// h^2 k/m and on the number of particles between held ones. Damping c n.d' enters r as it is and A
/// as c/h.
///
/// Held particles are no unknowns. Where contact holds a particle in one direction only, coordinates
/// couple, and the global step takes conjugate gradients with S A S, preconditioned by the same factor.
namespace taffeta::ode {

namespace {

struct ProjectiveOptions {
    int iterations = 10;
    double tolerance = 0;

    static Fields<ProjectiveOptions> fields() {
        return {
            {"iterations", &ProjectiveOptions::iterations,
             "local and global steps, at most; the step fails where a `tolerance` is not met",
             at_least(1)},
            {"tolerance", &ProjectiveOptions::tolerance,
             "stop at this residual of backward Euler over the size of forces; 0: never",
             at_least(0)},
        };
    }
};

class ProjectiveDynamics final : public SpringMethod {
  public:
    explicit ProjectiveDynamics(const ProjectiveOptions& options) : options_(options) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        SpringSystem* springs = begin(system, state, h, report);
        if (!springs) return report;
        report.solve = laplacian_.prepare(springs->springs(), mobility_, h);
        if (!report.ok()) return report;
        predict(system, *springs, state.t + h, h, 1, 1, report);
        target_ = next_.x;
        if (!iterate(system, report)) return report;
        next_.v = (next_.x - start_) / h;
        f_ += forces_;
        report = finish(system, state, h, report);
        if (report.ok()) end_step(*springs, state, h);
        return report;
    }

  private:
    bool iterate(SecondOrderSystem& system, StepReport& report) {
        double reference = system.force_scale();
        for (int i = 0;; ++i) {
            laplacian_.residual(target_, start_, next_.x, r_, forces_);
            system.project(r_);
            const double norm = r_.norm();
            if (!std::isfinite(norm)) {
                report.solve.status = SolveStatus::not_finite;
                report.solve.message = fmt::format(
                    "the residual of iteration {} of projective dynamics is not finite", i);
                return false;
            }
            if (!(reference > 0)) reference = norm;
            report.newton_residual = reference > 0 ? norm / reference : 0;
            if (norm <= options_.tolerance * reference) return true;
            if (i == options_.iterations) break;
            if (!global_step(system, report)) return false;
            next_.x += change_;
            report.newton_iterations = i + 1;
        }
        if (options_.tolerance == 0) return true;
        report.solve.status = SolveStatus::max_iterations;
        report.solve.message = fmt::format(
            "projective dynamics is at a residual of {:.3g} after {} iterations, wanted {:.3g}; "
            "allow more `iterations` or a smaller step",
            report.newton_residual, options_.iterations, options_.tolerance);
        return false;
    }

    /// `change_` = (S A S)^-1 r.
    bool global_step(SecondOrderSystem& system, StepReport& report) {
        ++report.linear_solves;
        if (!mobility_.partial()) {
            laplacian_.solve(r_, change_);
            ++report.linear_iterations;
            return true;
        }
        const SolveReport solved = laplacian_.solve_filtered(system, r_, change_);
        report.linear_iterations += solved.iterations;
        if (!solved.ok()) report.solve = solved;
        return solved.ok();
    }

    const ProjectiveOptions options_;
    SpringLaplacian laplacian_;
    VecX target_, r_, forces_, change_;
};

}  // namespace

extern const IntegratorEntry entry_projective_dynamics;
constinit const IntegratorEntry entry_projective_dynamics{
    .key = "projective_dynamics",
    .doc = "Projective dynamics on springs, one factor for all steps. [BMLSP14], [LBOK13]",
    .properties = {.order = 1, .needs_springs = true},
    .fields = &field_table<ProjectiveOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<ProjectiveDynamics>(read_options<ProjectiveOptions>(settings));
    },
};

}  // namespace taffeta::ode
