#include <cmath>

#include "taffeta/ode/spring_method.h"

/// Position-based dynamics on springs.                                 [MHHR07] sections 3.1 to 3.4
///
/// Forecast x + h v + h^2 M^-1 f_ext, then move the ends of one spring after the other by
///
///     C = |d| - l,   x_i -= s w_i C/(w_i + w_j) n,   x_j += s w_j C/(w_i + w_j) n
///
/// `iterations` times, then v = (x - x_start)/h. With s = 1 - (1 - k)^(1/iterations) what a sweep
/// leaves of a single spring's C is 1 - k in the end, whatever the iterations. That k is not the
/// springs' stiffness: they come out the stiffer the smaller the step, and with k = 1 and many
/// sweeps are rods. Their own stiffness and damping play no part, except that a spring without
/// stiffness is none. Bounded for every step; the energy decays with the first order in h.
namespace taffeta::ode {

namespace {

struct PbdOptions {
    int iterations = 10;
    double stiffness = 1;

    static Fields<PbdOptions> fields() {
        return {
            {"iterations", &PbdOptions::iterations, "sweeps over the springs", at_least(1)},
            {"stiffness", &PbdOptions::stiffness,
             "k, the part of a spring's extension that one step takes away, dimensionless",
             between(0, 1)},
        };
    }
};

class Pbd final : public SpringMethod {
  public:
    explicit Pbd(const PbdOptions& options)
        : iterations_(options.iterations),
          part_(1 - std::pow(1 - options.stiffness, 1.0 / options.iterations)) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        SpringSystem* springs = begin(system, state, h, report);
        if (!springs) return report;
        projection_.prepare(springs->springs(), Index(springs->inverse_mass().size()));
        predict(system, *springs, state.t + h, h, 1, 1, report);
        projection_.begin();
        for (int i = 0; i < iterations_; ++i)
            projection_.sweep_hard(mobility_, part_, next_.x);
        next_.v = (next_.x - start_) / h;
        projection_.add_force(h, next_.x, f_);
        report = finish(system, state, h, report);
        if (report.ok()) end_step(*springs, state, h);
        return report;
    }

  private:
    const int iterations_;
    const double part_;  ///< s
    SpringProjection projection_;
};

}  // namespace

extern const IntegratorEntry entry_pbd;
constinit const IntegratorEntry entry_pbd{
    .key = "pbd",
    .doc = "Position-based dynamics: springs as rods, softened by `stiffness`. [MHHR07]",
    .properties = {.order = 1, .needs_springs = true, .other_motion = true},
    .fields = &field_table<PbdOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<Pbd>(read_options<PbdOptions>(settings));
    },
};

}  // namespace taffeta::ode
