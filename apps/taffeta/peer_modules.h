#pragma once

#include <string>
#include <vector>

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

}  // namespace taffeta::app
