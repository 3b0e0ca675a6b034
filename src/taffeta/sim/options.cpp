#include "taffeta/sim/options.h"

#include <cmath>

namespace taffeta::sim {

Fields<TimeOptions> TimeOptions::fields() {
    return {
        {"frame_rate", &TimeOptions::frame_rate, "frames per second", positive()},
        {"frames", &TimeOptions::frames, "frames to make after the initial state", at_least(1)},
        {"substeps", &TimeOptions::substeps, "steps per frame, when `step` is 0", at_least(1)},
        {"step", &TimeOptions::step,
         "fixed step in s, 0 to use `substeps`; it need not divide the frame time: a frame is the "
         "last step at or before its time",
         between(0, 0.1)},
        {"retries", &TimeOptions::retries, "how often a failed step is halved before the run stops",
         between(0, 20)},
    };
}

long TimeOptions::steps_until(int frame) const {
    if (step <= 0) return long(frame) * substeps;
    return long(std::floor(frame / (frame_rate * step) + 1e-9));
}

}  // namespace taffeta::sim
