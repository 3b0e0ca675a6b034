#include "peer_modules.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace taffeta::app {

namespace {

/// The address of a module's one name, or nullptr and why.
void* open_module(const std::string& key, const std::string& packages, const char* name,
                  std::string& lack) {
    std::error_code fault;
    const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", fault);
    const std::filesystem::path file = command.parent_path() / "peers" / (key + ".so");
    if (fault || !std::filesystem::exists(file, fault)) {
        lack = fmt::format(
            "this build is without it: install {} and configure again, in a "
            "build folder",
            packages);
        return nullptr;
    }
    // Never closed: MPI cannot be begun twice.
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const entry = module ? dlsym(module, name) : nullptr;
    if (!entry) {
        const char* const reason = dlerror();
        lack = reason ? reason : "it does not open";
    }
    return entry;
}

LoadedPeer load_peer(const std::string& key, const std::string& name, const std::string& packages) {
    LoadedPeer peer{key, name, nullptr, {}};
    void* const entry = open_module(key, packages, "taffeta_peer", peer.lack);
    if (entry) peer.module = &reinterpret_cast<const PeerModule& (*)()>(entry)();
    return peer;
}

}  // namespace

std::vector<LoadedPeer> load_peers() {
    return {
#define TAFFETA_PEER_ENTRY(key, name, packages) load_peer(#key, name, packages),
#include "peers/peers.inc"
#undef TAFFETA_PEER_ENTRY
    };
}

LoadedOdePeer load_sundials() {
    LoadedOdePeer peer;
    void* const entry = open_module("sundials", "libsundials-dev", "taffeta_ode_peer", peer.lack);
    if (entry) peer.module = &reinterpret_cast<const OdePeerModule& (*)()>(entry)();
    return peer;
}

}  // namespace taffeta::app
