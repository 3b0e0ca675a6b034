#pragma once

#include <string>
#include <vector>

#include "peers/ode_peer.h"
#include "peers/peer.h"

namespace taffeta::app {

/// A solver by others: its module, or why there is none.
struct LoadedPeer {
    std::string key, name;
    const PeerModule* module = nullptr;
    std::string lack;
};

/// Opens the modules beside the command, one for each line of `peers.inc`.
std::vector<LoadedPeer> load_peers();

/// Integrators by others; nullptr and why.
struct LoadedOdePeer {
    const OdePeerModule* module = nullptr;
    std::string lack;
};
LoadedOdePeer load_sundials();

}  // namespace taffeta::app
