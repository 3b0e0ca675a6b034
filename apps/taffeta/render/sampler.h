#pragma once

#include <cstdint>

#include "taffeta/base/types.h"

namespace taffeta::render {

/// Low-discrepancy points for one pixel: the two-dimensional Sobol sequence, Owen-scrambled by a
/// hash and shuffled anew for every pair of dimensions.                              [Burley20]
///
/// The points depend on the pixel, the sample and the pair only, so a picture has the same bits
/// whatever thread draws which tile. The first 2^k samples of a pair are a (0, 2)-net: that is
/// what makes soft shadows smooth at 16 samples, where independent random numbers would not be.
class PixelSampler {
  public:
    PixelSampler(int x, int y);

    /// Goes to the first pair of dimensions of a sample.
    void start(int sample);
    /// The next pair of dimensions, each in [0, 1).
    Vec2 next();

  private:
    std::uint32_t pixel_seed_;
    std::uint32_t sample_ = 0;
    std::uint32_t pair_ = 0;
};

}  // namespace taffeta::render
