#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taffeta::sim {

/// A checkpoint file: magic, format version, hash of the scene, payload size, payload, checksum.
/// Files are for the machine and build that wrote them: the promise is the same bits, and that
/// holds within a build only.
constexpr std::uint32_t checkpoint_version = 5;

std::vector<char> encode_checkpoint(std::uint64_t scene_hash, std::span<const char> payload);

struct DecodedCheckpoint {
    std::vector<char> payload;
    std::string problem;  ///< why the file cannot be used; empty when it can

    bool ok() const { return problem.empty(); }
};

/// Never throws on damage: truncation, flipped bits, another version or another scene become
/// `problem`, a sentence.
DecodedCheckpoint decode_checkpoint(std::span<const char> file, std::uint64_t scene_hash);

}  // namespace taffeta::sim
