#pragma once

#include <functional>
#include <memory>

#include "taffeta/sim/options.h"
#include "taffeta/sim/step.h"

namespace taffeta {
class ByteReader;
class ByteWriter;
}  // namespace taffeta

namespace taffeta::sim {

/// Told about every step and every frame; must not change the world.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void on_step(const World&, const StepRecord&) {}
    /// Frame 0 is the initial state.
    virtual void on_frame(const World&, int frame) { (void)frame; }
};

enum class RunStatus { done, failed, interrupted };

/// Where a run stands: everything besides the world that the next step depends on.
struct Progress {
    long step = 0;  ///< steps taken
    int frame = 0;  ///< frames completed, the initial state not counted
};

/// A world, the tools that advance it and the clock.
///
///     sim::Simulation simulation(std::move(world), tools, time);
///     simulation.advance();                       // all frames
///
/// The tools are owned by the simulation.
struct Tools {
    std::unique_ptr<ode::Integrator> integrator;
    std::unique_ptr<solve::LinearSolver> solver;
    std::unique_ptr<contact::ContactModel> contact;
    ode::RayleighOptions rayleigh{};  ///< of the integrator, if it has such damping
};

class Simulation {
  public:
    Simulation(World world, Tools tools, TimeOptions time);
    ~Simulation();

    /// Runs to frame `last_frame` (<= 0: the one of the options). Returns early with `failed` when
    /// a step fails beyond all retries (the world keeps its last good state, `message()` says why)
    /// and with `interrupted` when `stop` returns true between two steps.
    RunStatus advance(int last_frame = 0, const std::function<bool()>& stop = {});

    /// One step of the clock, retried in pieces of h/2, h/4, ... when it fails; where steps adapt, the
    /// next that stands.
    StepRecord step();

    void add_observer(Observer& observer) { observers_.push_back(&observer); }

    const World& world() const { return world_; }
    const Progress& progress() const { return progress_; }
    const TimeOptions& time() const { return time_; }
    const std::string& message() const { return message_; }
    ClothSystem& system() { return *system_; }

    /// All that the next step depends on at the end of a frame, as bytes, and back. Sizes are checked.
    std::vector<char> save() const;
    void load(std::span<const char> bytes);

  private:
    void write_state(ByteWriter& bytes) const;  ///< all but what the solver keeps
    void read_state(ByteReader& bytes);
    bool begin_contact(double h, contact::PositionContact& contact, StepRecord& record);
    StepRecord equilibrium_step();
    StepRecord adaptive_step();
    StepRecord commit(StepRecord record, double t);

    World world_;
    Tools tools_;
    TimeOptions time_;
    std::optional<ode::StepControl> control_;  ///< where steps adapt
    std::unique_ptr<ClothSystem> system_;
    std::unique_ptr<StepMachine> machine_;
    std::vector<Observer*> observers_;
    Progress progress_;
    long tries_ = 0;  ///< for the present frame, where steps adapt
    std::string message_;
};

}  // namespace taffeta::sim
