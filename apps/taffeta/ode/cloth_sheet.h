#pragma once

#include "taffeta/ode/study/problem.h"

namespace taffeta::app {

/// A small sheet of Baraff-Witkin cloth that hangs from two corners, through `sim::ClothSystem`: the
/// object code that runs a garment, as a problem of the laboratory.
const ode::study::ProblemEntry& cloth_sheet_entry();

}  // namespace taffeta::app
