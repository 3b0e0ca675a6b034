#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peers/peer.h"
#include "taffeta/solve/stiff_terms.h"
#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::app {

/// One linear system of a simulation, as solvers get it.
struct BenchSystem {
    sparse::Matrix3 A;
    sparse::NodeFilter filter;
    VecX b;
    VecX coordinates;                                    ///< of the vertices; empty: unknown
    std::optional<sparse::Matrix3> rest = std::nullopt;  ///< A without terms, where it is known
    std::vector<solve::RankOneTerm> terms = {};
    bool only_terms = false;  ///< A is no more than both

    solve::StiffTerms stiff_terms() const {
        return rest ? solve::StiffTerms{&*rest, terms, only_terms} : solve::StiffTerms();
    }
};

/// The systems of `steps` steps of a scene, after `skipped` steps.
struct SystemSource {
    std::string scene, tessellation = "regular";
    int vertices = 0;
    int skipped = 0, steps = 1;
    std::vector<std::string> overrides;  ///< key=value for the scene
};

/// Throws bad input for unknown scenes, and numerical trouble as an error.
std::vector<BenchSystem> record_systems(const SystemSource& source);

/// The same system for solvers that know of no constraints: prefiltered, in scalar rows, with the
/// motions of a rigid body.
PeerSystem peer_system(const BenchSystem& system);

/// x = S y + z.
VecX constrained_solution(const BenchSystem& system, const std::vector<double>& y);

}  // namespace taffeta::app
