#include "progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace taffeta::app {

namespace {

constexpr double seconds_between_draws = 0.1;
constexpr int bar_width = 24;

double seconds_left(const scene::RunProgress& progress) {
    const long done = progress.step - progress.steps_before;
    return done > 0 ? progress.seconds / double(done) * double(progress.steps - progress.step) : 0;
}

int terminal_width(std::FILE* stream) {
    winsize size{};
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string duration_text(double seconds) {
    const long whole = long(seconds + 0.5);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressLine::ProgressLine(std::FILE* stream, bool quiet)
    : stream_(stream), quiet_(quiet), terminal_(isatty(fileno(stream)) != 0) {}

void ProgressLine::show(const scene::RunProgress& progress) {
    if (quiet_) return;
    iterations_in_frame_ += progress.record->integration.linear_iterations;
    ++steps_in_frame_;
    if (terminal_) {
        show_on_terminal(progress);
    } else {
        show_as_log(progress);
    }
}

void ProgressLine::show_on_terminal(const scene::RunProgress& progress) {
    const bool last = progress.step == progress.steps;
    if (line_open_ && !last && since_drawn_.seconds() < seconds_between_draws) return;
    const double part = double(progress.step) / double(std::max(1L, progress.steps));
    const ode::StepReport& step = progress.record->integration;
    std::string text = fmt::format(
        "frame {}/{}  left {}  {} iterations, residual {:.1e}", progress.frame, progress.frames,
        duration_text(seconds_left(progress)), step.linear_iterations, step.solve.residual);
    if (progress.record->contact.contacts > 0)
        text += fmt::format(", {} contacts", progress.record->contact.contacts);
    draw(part, text);
}

void ProgressLine::show_work(const std::string& what, long done, long total) {
    if (quiet_ || !terminal_) return;
    if (line_open_ && done < total && since_drawn_.seconds() < seconds_between_draws) return;
    const double part = double(done) / double(std::max(1L, total));
    const double left = part > 0 ? since_start_.seconds() * (1 - part) / part : 0;
    draw(part, fmt::format("{}  {}/{}  left {}", what, done, total, duration_text(left)));
}

void ProgressLine::draw(double part, const std::string& after) {
    const int full = std::clamp(int(part * bar_width), 0, bar_width);
    std::string text = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {}", "", full, "", bar_width - full,
                                   100 * part, after);
    text.resize(std::min(text.size(), std::size_t(terminal_width(stream_) - 1)));
    fmt::print(stream_, "\r\x1b[K{}", text);
    std::fflush(stream_);
    line_open_ = true;
    since_drawn_.restart();
}

void ProgressLine::show_as_log(const scene::RunProgress& progress) {
    // The step that completes a frame is reported before the frame counts as done.
    const bool last = progress.step == progress.steps;
    if (progress.frame == last_frame_ && !last) return;
    last_frame_ = progress.frame;
    fmt::print(stream_,
               "step {}/{}  frame {}/{}  {:.1f} iterations a step  residual {:.1e}  left {}\n",
               progress.step, progress.steps, progress.frame, progress.frames,
               double(iterations_in_frame_) / double(std::max(1L, steps_in_frame_)),
               progress.record->integration.solve.residual, duration_text(seconds_left(progress)));
    iterations_in_frame_ = steps_in_frame_ = 0;
}

void ProgressLine::clear() {
    if (line_open_) fmt::print(stream_, "\r\x1b[K");
    line_open_ = false;
}

void ProgressLine::finish() {
    if (line_open_) fmt::print(stream_, "\n");
    line_open_ = false;
}

}  // namespace taffeta::app
