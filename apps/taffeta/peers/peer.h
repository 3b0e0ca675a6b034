#pragma once

#include <string>
#include <vector>

/// What `taffeta bench solvers` knows of solvers by others. Each is a module, a library that the
/// command opens when it is asked to compare: the command itself never depends on them. A module is one file
/// here that ends in TAFFETA_PEER, and one line in `peers.inc`. Nothing of Taffeta's libraries is
/// linked to it.
namespace taffeta::app {

/// B y = c with the prefiltered matrix B = S A S + sigma (I - S) of [TJM15] eq. 7, as peers take it:
/// scalar compressed rows, both triangles, columns ascending, no block that is all zero.
struct PeerSystem {
    int rows = 0;  ///< 3 #V: rows 3 i, 3 i + 1 and 3 i + 2 belong to vertex i
    std::vector<int> row_begin, column;
    std::vector<double> value;
    std::vector<double> right_side;  ///< S (b - A z)
    /// Orthonormal columns of `rows` numbers, one behind the other: rigid motions, filtered by S.
    std::vector<double> near_kernel;
    int modes = 0;         ///< of `near_kernel`
    int translations = 0;  ///< that come first among them, each in one coordinate
};

struct PeerAnswer {
    std::vector<double> y;
    int iterations = 0;
    /// The matrix in the peer's own format is made before both.
    double setup_seconds = 0, solve_seconds = 0;
    std::string failure;  ///< empty when it says that it has solved the system
};

/// One solver with one choice of its settings.
class Peer {
  public:
    virtual ~Peer() = default;
    /// From nothing, guess zero. Conjugate gradients stop where the residual in the norm of the
    /// preconditioner, sqrt(r'M^-1 r), has fallen by `tolerance`, as ours do.
    virtual PeerAnswer solve(const PeerSystem& system, double tolerance) = 0;
};

struct PeerSetting {
    std::string name;   ///< for the table
    std::string words;  ///< the peer's own names of the options, and their values
};

struct PeerModule {
    std::string version;
    std::vector<PeerSetting> settings;
    Peer* (*make)(const PeerSetting& setting);
};

/// The one name that a module exports.
#define TAFFETA_PEER extern "C" const taffeta::app::PeerModule& taffeta_peer()

/// Number `key` of "name value name value ...", or `fallback`.
inline double peer_option(const PeerSetting& setting, const std::string& key, double fallback) {
    const std::string words = " " + setting.words + " ";
    const std::size_t at = words.find(" " + key + " ");
    return at == std::string::npos ? fallback : std::stod(words.substr(at + key.size() + 2));
}

}  // namespace taffeta::app
