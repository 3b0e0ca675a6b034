#pragma once

#include <chrono>

namespace taffeta {

/// Wall-clock seconds since construction or the last `restart`.
class Timer {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    double restart() {
        const double elapsed = seconds();
        start_ = std::chrono::steady_clock::now();
        return elapsed;
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds the seconds of its scope to an account.
class ScopedTimer {
  public:
    explicit ScopedTimer(double& account) : account_(account) {}
    ~ScopedTimer() { account_ += timer_.seconds(); }
    ScopedTimer(const ScopedTimer&) = delete;
    ScopedTimer& operator=(const ScopedTimer&) = delete;

  private:
    double& account_;
    Timer timer_;
};

}  // namespace taffeta
