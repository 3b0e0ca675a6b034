#pragma once

#include <vector>

#include "taffeta/ode/springs.h"

/// Springs by colour: those of one colour share no particle, so that they may be projected at the
/// same time and the result does not depend on the number of threads.
namespace taffeta::ode {

struct SpringColours {
    std::vector<Spring> spring;   ///< of the first colour, then of the second ...
    std::vector<Index> begin{0};  ///< #colours + 1: springs [begin[c], begin[c + 1])

    Index count() const { return Index(begin.size()) - 1; }
};

/// Greedy, in the order given: every spring gets the first colour that its particles have not yet,
/// which is at most twice the number of springs that meet in a particle. Springs without stiffness
/// and from a particle to itself are left out.
SpringColours colour_springs(std::span<const Spring> springs, Index particles);

}  // namespace taffeta::ode
