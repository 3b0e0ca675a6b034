#pragma once

#include "taffeta/contact/position_contact.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/sim/cloth_system.h"

namespace taffeta::sim {

/// Backward Euler as a minimum in positions that is reached without crossing anything.    [Li2020]
///
///     E(x) = |x - x^|^2_M / (2 h^2) + Psi(x) + B(x) + D(x),     x^ = x(t) + h v(t)
///
/// Newton's method with the positive semidefinite stiffness of all terms goes from x(t) on. Every step of
/// it is cut to the part on which exact detection finds no contact, for the doubles that are stored, and
/// then halved while the slope along it has turned by more than the greater part, so that E falls. Pins
/// and obstacles go as far along with each iteration as the cloth does: one that finds no way ends with
/// a failure that names the pair. Forces without a potential take part as forces do.
ode::StepReport take_barrier_step(const World& world, ClothSystem& system,
                                  contact::PositionContact& contact, double h, ode::State& state);

}  // namespace taffeta::sim
