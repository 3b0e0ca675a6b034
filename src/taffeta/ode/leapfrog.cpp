#include "taffeta/ode/history.h"
#include "taffeta/ode/method.h"

/// Two forms of Stoermer's method that carry the past instead of the velocity:
///
///     leapfrog           u_{n+1/2} = u_{n-1/2} + h a_n          x_{n+1} = x_n + h u_{n+1/2}
///     Stoermer-Verlet    x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n
///
/// with a_n = a(x_n, u_{n-1/2}), started by u_{-1/2} = v_0 - h/2 a(x_0, v_0) or, in positions, by
/// x_1 = x_0 + h v_0 + h^2/2 a(x_0, v_0) (without either: first order) and reporting the mean of the
/// velocities on both sides, v_n = u_{n-1/2} + h/2 a_n. In exact arithmetic both are velocity
/// Verlet where f does not depend on v; the form in positions loses digits as 1/h^2. Where the step
/// changes, from h' to h, the kick lasts (h' + h)/2. Second order and symplectic where f does not
/// depend on v; where it does, the velocity lags by half a step, the order is one, and the starts
/// differ: leapfrog, which takes a_0 at u_{-1/2} for its first kick, evaluates one force more there.
/// [Hauth03] eq. 41-43, [Marschner23]
namespace taffeta::ode {

namespace {

enum class Form { velocities, positions };

template <Form form>
class Staggered final : public ExplicitMethod {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate_start(system, state, end_force_, report)) return report;

        if (!same_state(state, end_)) {
            if constexpr (form == Form::velocities) {
                u_ = state.v - 0.5 * h * a_;
                if (!evaluate(system, state.t, state.x, u_, a_, report)) return report;
                u_ += h * a_;
            } else {
                u_ = state.v + 0.5 * h * a_;
            }
        } else if constexpr (form == Form::velocities) {
            u_ = past_ + 0.5 * (h_ + h) * a_;
        } else {
            u_ = (state.x - past_) / h_ + 0.5 * (h_ + h) * a_;
        }
        motion_.impose_velocity(system, 1, u_);  // the forbidden part drifts at v1
        next_.x = state.x + h * u_;
        motion_.alter(1, next_.x);
        if (!evaluate(system, state.t + h, next_.x, u_, a_, report)) return report;
        next_.v = u_ + 0.5 * h * a_;

        const StepReport finished = finish_explicit(system, state, h, report);
        if (!finished.ok()) return finished;
        end_ = state;
        h_ = h;
        if constexpr (form == Form::velocities) {
            past_ = u_;
        } else {
            past_ = next_.x;
            motion_.alter(1, past_);  // the alteration is no velocity
        }
        if (system.force_persists()) {
            end_force_.keep(state, f_);
        } else {
            end_force_.forget();
        }
        return finished;
    }

    std::vector<char> save() const override {
        if (past_.size() == 0) return {};
        const std::vector<char> force = end_force_.save();
        std::vector<char> bytes = HistoryWriter().put(h_).put(past_).put(end_).take();
        bytes.insert(bytes.end(), force.begin(), force.end());
        return bytes;
    }

    void load(std::span<const char> bytes) override {
        end_ = {};
        past_.resize(0);
        if (!bytes.empty()) bytes = HistoryReader(bytes).get(h_).get(past_).get(end_).rest();
        end_force_.load(bytes);
    }

  private:
    Carried end_force_;
    State end_;     ///< of the last step
    double h_ = 0;  ///< of the last step
    VecX past_;     ///< u_{n-1/2}, or x_{n-1}
    VecX u_;
};

}  // namespace

extern const IntegratorEntry entry_leapfrog, entry_stoermer_verlet;

constinit const IntegratorEntry entry_leapfrog{
    .key = "leapfrog",
    .doc = "Leapfrog with velocities at half steps, v+1/2 = v-1/2 + h a. [Hauth03] eq. 41-42",
    .properties = {.order = 2, .damped_order = 1, .symplectic = true, .carries_force = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Staggered<Form::velocities>>,
};

constinit const IntegratorEntry entry_stoermer_verlet{
    .key = "stoermer_verlet",
    .doc = "Stoermer-Verlet in positions, x+ = 2 x - x- + h^2 a. [Hauth03] eq. 43",
    .properties = {.order = 2, .damped_order = 1, .symplectic = true, .carries_force = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Staggered<Form::positions>>,
};

}  // namespace taffeta::ode
