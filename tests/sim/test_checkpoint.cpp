#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "taffeta/sim/checkpoint.h"

/// Whatever happens to a checkpoint file is found out and named.
namespace taffeta::sim {
namespace {

constexpr std::uint64_t scene = 0x0123456789abcdefULL;

std::vector<char> payload() {
    std::vector<char> bytes(1000);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = char(i * 7);
    return bytes;
}

TEST(Checkpoint, GivesBackWhatWasPutIn) {
    for (const std::vector<char>& state : {payload(), std::vector<char>{}}) {
        const DecodedCheckpoint decoded = decode_checkpoint(encode_checkpoint(scene, state), scene);

        EXPECT_TRUE(decoded.ok()) << decoded.problem;
        EXPECT_EQ(decoded.payload, state);
    }
}

TEST(Checkpoint, EveryTruncationIsFound) {
    const std::vector<char> file = encode_checkpoint(scene, payload());
    for (std::size_t size = 0; size < file.size(); ++size) {
        const DecodedCheckpoint decoded = decode_checkpoint({file.data(), size}, scene);

        ASSERT_NE(decoded.problem.find("truncated"), std::string::npos) << size;
        ASSERT_TRUE(decoded.payload.empty());
    }
}

TEST(Checkpoint, EveryFlippedBitIsFound) {
    const std::vector<char> file = encode_checkpoint(scene, payload());
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        std::vector<char> damaged = file;
        damaged[bit / 8] = char(damaged[bit / 8] ^ (1 << bit % 8));

        ASSERT_FALSE(decode_checkpoint(damaged, scene).ok()) << "bit " << bit;
    }
}

TEST(Checkpoint, BytesAfterTheEndAreFound) {
    std::vector<char> file = encode_checkpoint(scene, payload());
    file.push_back(0);

    EXPECT_FALSE(decode_checkpoint(file, scene).ok());
}

TEST(Checkpoint, AnotherVersionIsNamed) {
    std::vector<char> file = encode_checkpoint(scene, payload());
    const std::size_t version = std::string("TAFFETA CHECKPOINT\r\n\x1a\n").size();
    ASSERT_EQ(file[version], char(checkpoint_version));
    file[version] = 77;

    const std::string problem = decode_checkpoint(file, scene).problem;

    EXPECT_NE(problem.find("version 77"), std::string::npos) << problem;
}

TEST(Checkpoint, AnotherSceneIsNamed) {
    const std::string problem =
        decode_checkpoint(encode_checkpoint(scene, payload()), scene + 1).problem;

    EXPECT_NE(problem.find("another scene"), std::string::npos) << problem;
}

}  // namespace
}  // namespace taffeta::sim
