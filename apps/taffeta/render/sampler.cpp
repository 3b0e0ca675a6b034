#include "render/sampler.h"

namespace taffeta::render {
namespace {

std::uint32_t reversed(std::uint32_t bits) {
    bits = (bits << 16) | (bits >> 16);
    bits = ((bits & 0x00ff00ffu) << 8) | ((bits & 0xff00ff00u) >> 8);
    bits = ((bits & 0x0f0f0f0fu) << 4) | ((bits & 0xf0f0f0f0u) >> 4);
    bits = ((bits & 0x33333333u) << 2) | ((bits & 0xccccccccu) >> 2);
    return ((bits & 0x55555555u) << 1) | ((bits & 0xaaaaaaaau) >> 1);
}

/// Mixes two words; any good avalanche will do.
std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    std::uint32_t h = a * 0x9e3779b9u + b;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/// Owen scrambling: every bit is flipped or not as a hash of the bits above it decides. The hash
/// works on reversed bits, where "above" is "below" and carries travel the right way. [Burley20]
std::uint32_t scrambled(std::uint32_t bits, std::uint32_t seed) {
    bits = reversed(bits) + seed;
    bits ^= bits * 0x6c50b47cu;
    bits ^= bits * 0xb82f1e52u;
    bits ^= bits * 0xc7afe638u;
    bits ^= bits * 0x8d22f6e6u;
    return reversed(bits);
}

/// The second Sobol dimension; the first is the reversed index.
std::uint32_t sobol_second(std::uint32_t index) {
    std::uint32_t bits = 0;
    for (std::uint32_t direction = 0x80000000u; index; index >>= 1, direction ^= direction >> 1)
        if (index & 1) bits ^= direction;
    return bits;
}

double unit(std::uint32_t bits) {
    return bits * 0x1p-32;
}

}  // namespace

PixelSampler::PixelSampler(int x, int y)
    : pixel_seed_(mixed(std::uint32_t(x), mixed(std::uint32_t(y), 0x74616666u))) {}

void PixelSampler::start(int sample) {
    sample_ = std::uint32_t(sample);
    pair_ = 0;
}

Vec2 PixelSampler::next() {
    const std::uint32_t seed = mixed(pixel_seed_, pair_++);
    const std::uint32_t index = scrambled(sample_, seed);
    return {unit(scrambled(reversed(index), mixed(seed, 1))),
            unit(scrambled(sobol_second(index), mixed(seed, 2)))};
}

}  // namespace taffeta::render
