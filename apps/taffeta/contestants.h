#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench_systems.h"
#include "peer_modules.h"

namespace taffeta::app {

/// One system, ready for ours and for peers, with the answer.
struct Contest {
    BenchSystem system;
    PeerSystem peer;
    VecX exact;
};

/// Makes the peers' form of a system, and its solution to 1e-12.
Contest make_contest(BenchSystem system);

struct ContestRun {
    VecX x;
    int iterations = 0;
    double setup_seconds = 0, solve_seconds = 0;
    std::string failure;
};

/// A solver with one choice of its settings, ours or a peer's.
class Contestant {
  public:
    virtual ~Contestant() = default;
    /// From nothing unless `keep`: then with what earlier runs left, where it can use that.
    virtual ContestRun run(const Contest& contest, double tolerance, bool keep) = 0;

    std::string solver, settings;  ///< for the table
};

/// Ours by a name of `solver_by_name`; throws bad input for one that is unknown or unavailable.
std::unique_ptr<Contestant> our_contestant(const std::string& name);
/// Every setting of a peer.
std::vector<std::unique_ptr<Contestant>> peer_contestants(const LoadedPeer& peer);

/// |x - exact| / |exact| in the norm of A.
double energy_error(const Contest& contest, const VecX& x);

}  // namespace taffeta::app
