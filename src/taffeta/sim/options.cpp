#include "taffeta/sim/options.h"

#include <cmath>

namespace taffeta::sim {

Fields<QuasistaticOptions> QuasistaticOptions::fields() {
    using O = QuasistaticOptions;
    return {
        {"tolerance", &O::tolerance, "force left on the free vertices over the weight",
         between(1e-14, 1)},
        {"max_iterations", &O::max_iterations,
         "of Newton's method, for a frame; with `load_steps`, for each weight",
         between(1, 1000000)},
        {"first_step", &O::first_step,
         "of the damping, as the time step that would damp as much, s; it adapts",
         between(1e-6, 1e6)},
        {"load_steps", &O::load_steps,
         "doublings of the weight that lead to the whole one in the first frame, as when a sheet "
         "is let "
         "down slowly; 0: the whole weight at once",
         between(0, 30)},
    };
}

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
        {"adaptive", &TimeOptions::adaptive,
         "steps of the size that the motion needs, instead of `substeps` or `step`; a frame is "
         "made "
         "exactly at its time"},
        {"quasistatic", &TimeOptions::quasistatic,
         "each frame is an equilibrium under the pins and obstacles of its time: no inertia, no "
         "steps, "
         "no friction; in contact with the contact model `barrier` only"},
    };
}

long TimeOptions::steps_until(int frame) const {
    if (quasistatic || adaptive) return frame;
    if (step <= 0) return long(frame) * substeps;
    return long(std::floor(frame / (frame_rate * step) + 1e-9));
}

}  // namespace taffeta::sim
