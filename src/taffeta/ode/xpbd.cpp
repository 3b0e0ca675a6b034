#include "taffeta/ode/spring_method.h"

/// Extended position-based dynamics on springs, in small steps.    [MMC16] algorithm 1, [MSLTCJM19]
///
/// A step of h is `substeps` steps of h/n, each: forecast x + h v + h^2 M^-1 f_ext, then
/// `iterations` sweeps of nonlinear Gauss-Seidel over the springs with compliance 1/k (the equation
/// is beside `SpringProjection::sweep_compliant`), then v = (x - x_start)/h.
///
/// For one spring, a sweep is backward Euler solved exactly. For springs that meet, sweeps converge,
/// but elsewhere: the method drops the change of the springs' directions from its equation, and is
/// some way from backward Euler however many the iterations. More substeps, not more iterations, are
/// what its error goes down with: of first order in h/n.
namespace taffeta::ode {

namespace {

struct XpbdOptions {
    int substeps = 10;
    int iterations = 1;
    double damping = 0;

    static Fields<XpbdOptions> fields() {
        return {
            {"substeps", &XpbdOptions::substeps, "small steps of one step", at_least(1)},
            {"iterations", &XpbdOptions::iterations, "sweeps over the springs in a small step",
             at_least(1)},
            {"damping", &XpbdOptions::damping,
             "damping along the springs as a time, c = damping k, on top of their own, s",
             at_least(0)},
        };
    }
};

class Xpbd final : public SpringMethod {
  public:
    explicit Xpbd(const XpbdOptions& options) : options_(options) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        SpringSystem* springs = begin(system, state, h, report);
        if (!springs) return report;
        projection_.prepare(springs->springs(), Index(springs->inverse_mass().size()));
        const double part = 1.0 / options_.substeps, small = h * part;
        for (int k = 1; k <= options_.substeps; ++k) {
            const double end = k == options_.substeps ? 1 : k * part;
            predict(system, *springs, state.t + end * h, small, part, end, report);
            projection_.begin();
            for (int i = 0; i < options_.iterations; ++i)
                projection_.sweep_compliant(mobility_, start_, small, options_.damping, next_.x);
            next_.v = (next_.x - start_) / small;
            motion_.impose_velocity(system, end, next_.v);
        }
        projection_.add_force(small, next_.x, f_);
        report = finish(system, state, h, report);
        if (!report.ok()) return report;
        end_step(*springs, state, h);
        return report;
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.force_evaluations = options_.substeps;
        p.other_motion = options_.damping != 0;
        return p;
    }

  private:
    const XpbdOptions options_;
    SpringProjection projection_;
};

}  // namespace

extern const IntegratorEntry entry_xpbd;
constinit const IntegratorEntry entry_xpbd{
    .key = "xpbd",
    .doc = "Extended position-based dynamics on springs, small steps. [MMC16], [MSLTCJM19]",
    .properties = {.order = 1, .needs_springs = true, .force_evaluations = 10},
    .fields = &field_table<XpbdOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<Xpbd>(read_options<XpbdOptions>(settings));
    },
};

}  // namespace taffeta::ode
