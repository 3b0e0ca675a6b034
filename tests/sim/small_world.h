#pragma once

#include "taffeta/base/registry.h"
#include "taffeta/sim/simulation.h"

namespace taffeta::sim::testing {

/// Particles without energies: what the clock, the pins and the retries do is exact by hand.
inline World particles(const std::vector<Vec3>& position) {
    World world;
    const auto n = Eigen::Index(position.size());
    world.mass = VecX::Constant(n, 0.01);
    world.state.x.resize(3 * n);
    world.state.v = VecX::Zero(3 * n);
    for (Index i = 0; i < Index(n); ++i)
        vec3(world.state.x, i) = position[std::size_t(i)];
    world.initial_x = world.state.x;
    return world;
}

/// x' = v, v' = 1 in z, exactly; refuses steps as told.
class ScriptedIntegrator final : public ode::Integrator {
  public:
    /// Steps longer than this fail.
    double longest = 1e9;
    /// The step that begins here or later fails, whatever its size.
    double wall = 1e9;
    /// The estimated error of a step is that times h^3 in every component; < 0: there is none.
    double error_rate = -1;
    int newton_iterations = 0;
    std::vector<double> taken, refused;

    ode::StepReport step(ode::SecondOrderSystem&, ode::State& state, double h) override {
        ode::StepReport report;
        report.linear_solves = report.force_evaluations = 1;
        report.newton_iterations = newton_iterations;
        if (h > longest || state.t >= wall) {
            refused.push_back(h);
            report.solve.status = SolveStatus::indefinite;
            report.solve.message = "as the script says";
            return report;
        }
        taken.push_back(h);
        ++history_;
        state.x += h * state.v;
        for (Eigen::Index i = 2; i < state.v.size(); i += 3) {
            state.x[i] += h * h / 2;
            state.v[i] += h;
        }
        state.t += h;
        acceleration_ = VecX::Zero(state.x.size());
        error_.x = error_.v = VecX::Constant(state.x.size(), error_rate * h * h * h);
        error_.power = 3;
        return report;
    }
    const ode::ErrorEstimate* local_error() const override {
        return error_rate < 0 ? nullptr : &error_;
    }
    const VecX& acceleration() const override { return acceleration_; }
    std::vector<char> save() const override { return {char(history_)}; }
    void load(std::span<const char> bytes) override { history_ = bytes[0]; }
    int history() const { return history_; }

  private:
    VecX acceleration_;
    ode::ErrorEstimate error_;
    int history_ = 0;
};

struct Scripted {
    ScriptedIntegrator* integrator = nullptr;
    std::unique_ptr<Simulation> simulation;
};

inline Scripted scripted(World world, const TimeOptions& time) {
    auto integrator = std::make_unique<ScriptedIntegrator>();
    Scripted result;
    result.integrator = integrator.get();
    Tools tools;
    tools.integrator = std::move(integrator);
    tools.solver = solve::make_linear_solver({});
    tools.contact =
        find_entry(contact::contact_models(), "contact model", "none").make(Settings::object());
    result.simulation = std::make_unique<Simulation>(std::move(world), std::move(tools), time);
    return result;
}

}  // namespace taffeta::sim::testing
