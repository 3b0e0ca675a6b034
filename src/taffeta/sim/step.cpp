#include "taffeta/sim/step.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/base/timer.h"
#include "taffeta/sim/barrier_step.h"
#include "taffeta/sim/pins.h"

/// One step of a simulation, the file to read first:
///
///   1. targets of pins and obstacles at t + h        pins, contact.before -> S, z, y, impulses
///   2. the integrator: force, K, D, A = M + beta D + alpha K, filtered solve; or, for contact whose
///      forces follow positions, the minimisation of sim/barrier_step.h
///   3. bounds of strain; contact.after: forces of the constraints decide what is released and what
///      slides; what would cross is resolved
///   4. the new state is committed, or nothing is
///
/// Contact touches the step in 1 and 3 only; the state is written in 4 only.
namespace taffeta::sim {

namespace {

/// m and m/s: beyond, motion has diverged, and soon its energies, of fourth order, are no numbers.
constexpr double farthest = 1e30;

/// A vertex with a component that is not finite or beyond `farthest`, or -1.
Index lost_vertex(const VecX& field) {
    if (field.allFinite() && field.cwiseAbs().maxCoeff() <= farthest) return -1;
    for (Index i = 0; i < Index(field.size() / 3); ++i)
        if (!(vec3(field, i).cwiseAbs().maxCoeff() <= farthest)) return i;
    return -1;
}

/// Ends the record of a step that led nowhere.
void check_motion(const ode::State& state, SolveReport& report) {
    const Index far = lost_vertex(state.x);
    const Index lost = far >= 0 ? far : lost_vertex(state.v);
    if (lost < 0) return;
    const Vec3 x = vec3(state.x, lost), v = vec3(state.v, lost);
    report.status = SolveStatus::not_finite;
    report.message =
        x.allFinite() && v.allFinite()
            ? fmt::format("vertex {} is {:.1e} m away and {:.1e} m/s fast after the step", lost,
                          x.norm(), v.norm())
            : fmt::format("vertex {} has no finite position after the step", lost);
}

}  // namespace

StepRecord take_step(StepMachine& machine, double h, bool last_try) {
    World& world = machine.world;
    ClothSystem& system = machine.system;
    StepRecord record;
    record.h = h;
    Timer whole;
    system.times() = {};
    const std::vector<char> contact_memory = machine.contact.save();

    // 1. S, z, y
    Timer phase;
    system.clear_constraints();
    apply_pins(world, h, system.filter(), machine.pinned);
    const contact::Problem problem{world.state.x,
                                   world.state.v,
                                   world.mass,
                                   world.state.t,
                                   h,
                                   world.obstacles,
                                   machine.pinned,
                                   machine.shortest_edge,
                                   machine.faces,
                                   machine.edges,
                                   last_try};
    record.contact = machine.contact.before(
        problem, {system.filter(), system.alteration(), system.impulse(), system.repulsion()});
    system.begin_step(h);
    double contact_seconds = phase.seconds();

    // 2. M a = f(t+h, ...)
    machine.trial = world.state;
    contact::PositionContact* const within = machine.contact.within_step();
    record.integration = within ? take_barrier_step(world, system, *within, h, machine.trial)
                                : machine.integrator.step(system, machine.trial, h);
    if (record.ok()) check_motion(machine.trial, record.integration.solve);
    if (!record.ok()) {
        machine.contact.load(contact_memory);
        return record;
    }

    // 3. bounds of strain; release, stick or slip; nothing crosses
    phase.restart();
    if (record.contact.contacts > 0) {
        system.constraint_force(machine.integrator.acceleration(), machine.trial.x, machine.trial.v,
                                machine.constraint_force);
        machine.constraint_force *= h;
    }
    contact_seconds += phase.seconds();
    for (const auto& projection : world.projections) {
        const energy::ProjectionReport strain =
            projection->project(system.filter(), h, machine.trial.x, machine.trial.v);
        record.strain.sweeps = std::max(record.strain.sweeps, strain.sweeps);
        record.strain.excess = std::max(record.strain.excess, strain.excess);
    }
    phase.restart();
    machine.contact.after(problem, system.filter(), machine.constraint_force, machine.trial.x,
                          machine.trial.v, record.contact);
    contact_seconds += phase.seconds();
    if (!record.contact.failure.empty()) {
        record.integration.solve.status = SolveStatus::breakdown;
        record.integration.solve.message = "contact: " + record.contact.failure;
        machine.contact.load(contact_memory);
        return record;
    }

    // 4. commit
    std::swap(world.state, machine.trial);
    record.t = world.state.t;
    record.times = system.times();
    record.times.contact += contact_seconds;
    record.times.other = std::max(0.0, whole.seconds() - record.times.total());
    return record;
}

}  // namespace taffeta::sim
