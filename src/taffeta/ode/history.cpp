#include "taffeta/ode/history.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "taffeta/base/error.h"

namespace taffeta::ode {

HistoryWriter& HistoryWriter::put(double value) {
    const auto* first = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof value);
    return *this;
}

HistoryWriter& HistoryWriter::put(const VecX& values) {
    put(double(values.size()));
    const auto* first = reinterpret_cast<const char*>(values.data());
    bytes_.insert(bytes_.end(), first, first + std::size_t(values.size()) * sizeof(double));
    return *this;
}

HistoryWriter& HistoryWriter::put(const State& state) {
    return put(state.t).put(state.x).put(state.v);
}

HistoryReader& HistoryReader::get(double& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return *this;
}

HistoryReader& HistoryReader::get(VecX& values) {
    double size = 0;
    get(size);
    if (!(size >= 0 && size * sizeof(double) <= double(bytes_.size())))
        fail_input("checkpoint", "the integrator's history is damaged");
    const std::span<const char> data = take(std::size_t(size) * sizeof(double));
    values.resize(Eigen::Index(size));
    if (!data.empty()) std::memcpy(values.data(), data.data(), data.size());
    return *this;
}

HistoryReader& HistoryReader::get(State& state) {
    return get(state.t).get(state.x).get(state.v);
}

std::span<const char> HistoryReader::take(std::size_t count) {
    if (count > bytes_.size())
        fail_input("checkpoint", "the integrator's history ends too early",
                   "it may be of another integrator");
    const std::span<const char> taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
}

bool same_state(const State& a, const State& b) {
    return a.x.size() == b.x.size() && a.v.size() == b.v.size() &&
           std::abs(a.t - b.t) <= 1e-9 * std::max(1.0, std::abs(b.t)) && a.x == b.x && a.v == b.v;
}

void Carried::keep(const State& end, const VecX& value) {
    end_ = end;
    value_ = value;
}

void Carried::forget() {
    *this = {};
}

std::vector<char> Carried::save() const {
    if (value_.size() == 0) return {};
    return HistoryWriter().put(end_).put(value_).take();
}

void Carried::load(std::span<const char> bytes) {
    forget();
    if (!bytes.empty()) HistoryReader(bytes).get(end_).get(value_);
}

}  // namespace taffeta::ode
