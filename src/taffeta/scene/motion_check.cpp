#include "taffeta/scene/motion_check.h"

#include <algorithm>

namespace taffeta::scene {

double largest_step(const std::function<Vec3(double)>& position, const sim::TimeOptions& time) {
    const long steps = time.steps_until(time.frames);
    const long stride = std::max(1L, steps / 20000);
    const double h = time.h();
    double largest = 0;
    for (long k = 0; k < steps; k += stride)
        largest = std::max(largest, (position(double(k + 1) * h) - position(double(k) * h)).norm());
    return largest;
}

}  // namespace taffeta::scene
