#pragma once

#include <optional>

#include "taffeta/base/fields.h"
#include "taffeta/ode/step_control.h"

namespace taffeta::sim {

/// How an equilibrium is looked for.
struct QuasistaticOptions {
    double tolerance = 1e-8;  ///< |f| of the free vertices over |M g|
    int max_iterations = 500;
    double first_step = 0.05;  ///< s
    int load_steps = 0;        ///< doublings of the weight before the whole one acts

    static Fields<QuasistaticOptions> fields();
};

/// The clock of a run.
struct TimeOptions {
    double frame_rate = 24;  ///< frames per second
    int frames = 48;         ///< frames to make after the initial state
    int substeps = 8;        ///< steps per frame when `step` is not given
    double step = 0;         ///< s; > 0: a fixed step that need not divide the frame time
    int retries = 6;         ///< halvings of a step that failed before the run stops
    /// Steps of the size that the motion needs, the last of a frame at its time.
    std::optional<ode::AdaptiveOptions> adaptive;
    /// Each frame is an equilibrium under the pins of its time, without inertia.
    std::optional<QuasistaticOptions> quasistatic;

    static Fields<TimeOptions> fields();

    /// The fixed step, or the longest there can be, s.
    double h() const {
        if (quasistatic || adaptive) return 1 / frame_rate;
        return step > 0 ? step : 1.0 / (frame_rate * substeps);
    }
    /// Of the frames, s: what tolerances `per_run` are for.
    double length() const { return frames / frame_rate; }
    /// Steps taken when frame `frame` (0 = initial state) is written: the last step at or before
    /// its time. Steps that adapt are not known before: there it is the frame's number.
    long steps_until(int frame) const;
};

}  // namespace taffeta::sim
