#include "taffeta/sim/checkpoint.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "taffeta/base/hash.h"

namespace taffeta::sim {

namespace {

constexpr std::string_view magic = "TAFFETA CHECKPOINT\r\n\x1a\n";

struct Header {
    std::uint32_t version;
    std::uint32_t reserved;
    std::uint64_t scene_hash;
    std::uint64_t payload_size;
};

constexpr std::size_t header_end = magic.size() + sizeof(Header);

std::uint64_t checksum(std::span<const char> bytes) {
    return Hash().add(bytes.data(), bytes.size()).value();
}

DecodedCheckpoint unusable(std::string why) {
    return {{}, std::move(why)};
}

}  // namespace

std::vector<char> encode_checkpoint(std::uint64_t scene_hash, std::span<const char> payload) {
    const Header header{checkpoint_version, 0, scene_hash, payload.size()};
    std::vector<char> file(header_end + payload.size() + sizeof(std::uint64_t));
    std::memcpy(file.data(), magic.data(), magic.size());
    std::memcpy(file.data() + magic.size(), &header, sizeof header);
    if (!payload.empty()) std::memcpy(file.data() + header_end, payload.data(), payload.size());
    const std::uint64_t sum = checksum({file.data(), header_end + payload.size()});
    std::memcpy(file.data() + header_end + payload.size(), &sum, sizeof sum);
    return file;
}

DecodedCheckpoint decode_checkpoint(std::span<const char> file, std::uint64_t scene_hash) {
    if (file.size() < header_end + sizeof(std::uint64_t))
        return unusable(fmt::format("truncated: {} bytes, a header needs {}", file.size(),
                                    header_end + sizeof(std::uint64_t)));
    if (std::memcmp(file.data(), magic.data(), magic.size()) != 0)
        return unusable("not a checkpoint (wrong magic)");
    Header header;
    std::memcpy(&header, file.data() + magic.size(), sizeof header);
    if (header.version != checkpoint_version)
        return unusable(fmt::format("format version {}, this program reads {}", header.version,
                                    checkpoint_version));
    const std::size_t payload_room = file.size() - header_end - sizeof(std::uint64_t);
    if (header.payload_size != payload_room)
        return unusable(fmt::format("truncated: {} bytes of state, the header promises {}",
                                    payload_room, header.payload_size));
    std::uint64_t sum;
    std::memcpy(&sum, file.data() + header_end + payload_room, sizeof sum);
    if (sum != checksum(file.first(header_end + payload_room)))
        return unusable("damaged: the checksum does not match");
    if (header.scene_hash != scene_hash)
        return unusable("made by another scene (or the scene was changed since)");
    const std::span<const char> payload = file.subspan(header_end, payload_room);
    return {{payload.begin(), payload.end()}, {}};
}

}  // namespace taffeta::sim
