#pragma once

#include "taffeta/contact/contact_model.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/sim/cloth_system.h"

namespace taffeta::sim {

/// What happened in one step of the run (which may have been cut into smaller ones).
struct StepRecord {
    long step = 0;        ///< number of the step, from 1
    double t = 0, h = 0;  ///< end time and size, s
    int pieces = 1;       ///< > 1: the step failed at first and was retried in pieces
    int rejected = 0;     ///< tries before it that were taken back because of their error
    int failed = 0;       ///< tries before it that did not succeed, where steps adapt
    double error = 0;     ///< estimated, over the tolerance, where steps adapt by it
    ode::StepReport integration;
    energy::ProjectionReport strain;  ///< the most of all bodies with bounds of strain
    contact::ContactReport contact;
    PhaseTimes times;

    bool ok() const { return integration.ok(); }
};

/// The machinery of a step, made once for a world.
struct StepMachine {
    World& world;
    ClothSystem& system;
    ode::Integrator& integrator;
    contact::ContactModel& contact;
    std::vector<char> pinned;           ///< per vertex, for the contact model
    std::vector<double> shortest_edge;  ///< per vertex, rest length, m
    std::vector<Triangle> faces;        ///< of all bodies, over the world's vertices
    std::vector<Edge> edges;
    ode::State trial;  ///< the state being made
    VecX constraint_force;
};

/// One time step of size h: all or nothing. On failure the world, the integrator's history and
/// the contact memory are as before. `last_try`: contact may then do what it does rather not than fail.
StepRecord take_step(StepMachine& machine, double h, bool last_try = true);

}  // namespace taffeta::sim
