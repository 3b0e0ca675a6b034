#pragma once

#include <cstdio>
#include <string>

#include "taffeta/base/timer.h"
#include "taffeta/scene/run.h"

namespace taffeta::app {

/// Progress of a run: on a terminal one line that is rewritten, with a bar, the time left,
/// iterations and residual; otherwise one line a frame.
class ProgressLine {
  public:
    ProgressLine(std::FILE* stream, bool quiet);

    void show(const scene::RunProgress& progress);
    /// Of any other long work; on a terminal only.
    void show_work(const std::string& what, long done, long total);
    void clear();  ///< makes room for another message
    void finish();

  private:
    void show_on_terminal(const scene::RunProgress& progress);
    void show_as_log(const scene::RunProgress& progress);
    void draw(double part, const std::string& after);

    std::FILE* stream_;
    bool quiet_, terminal_;
    bool line_open_ = false;
    int last_frame_ = -1;
    long iterations_in_frame_ = 0, steps_in_frame_ = 0;
    Timer since_drawn_, since_start_;
};

/// `1:02:03`, `2:03` or `3 s`.
std::string duration_text(double seconds);

}  // namespace taffeta::app
