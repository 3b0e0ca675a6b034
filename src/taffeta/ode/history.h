#pragma once

#include <vector>

#include "taffeta/ode/system.h"

/// What methods carry from step to step, and its way through checkpoints.
namespace taffeta::ode {

/// Numbers and vectors as bytes, in this machine's byte order.
class HistoryWriter {
  public:
    HistoryWriter& put(double value);
    HistoryWriter& put(const VecX& values);
    HistoryWriter& put(const State& state);
    std::vector<char> take() { return std::move(bytes_); }

  private:
    std::vector<char> bytes_;
};

/// Reads back in the same order; throws bad input where the bytes end too early.
class HistoryReader {
  public:
    explicit HistoryReader(std::span<const char> bytes) : bytes_(bytes) {}
    HistoryReader& get(double& value);
    HistoryReader& get(VecX& values);
    HistoryReader& get(State& state);
    /// What has not been read.
    std::span<const char> rest() const { return bytes_; }

  private:
    std::span<const char> take(std::size_t count);

    std::span<const char> bytes_;
};

/// Whether two states are the same place: the same bits in x and v, and t up to the rounding that
/// a clock makes of it. Contact, a retry or a user may have moved the state since the last step,
/// and then a history is not its past.
bool same_state(const State& a, const State& b);

/// A force or acceleration found at the end of a step, for the start of the next.
class Carried {
  public:
    /// The value, if it belongs to that state; else nullptr.
    const VecX* at(const State& state) const { return same_state(state, end_) ? &value_ : nullptr; }
    void keep(const State& end, const VecX& value);
    void forget();

    /// Nothing carried is no bytes.
    std::vector<char> save() const;
    void load(std::span<const char> bytes);

  private:
    State end_;
    VecX value_;
};

}  // namespace taffeta::ode
