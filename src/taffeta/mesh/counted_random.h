#pragma once

#include <cstdint>

namespace taffeta::mesh {

/// A counted random number in [0, 1): a pure function of vertex, axis and seed, so that nothing
/// depends on the order of calls. The mixing is that of SplitMix64 [Steele14].
inline double counted_random(std::uint64_t vertex, std::uint64_t axis, std::uint64_t seed) {
    std::uint64_t z = (2 * vertex + axis + 1) * 0x9E3779B97F4A7C15u + seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return double(z >> 11) * 0x1p-53;
}

}  // namespace taffeta::mesh
