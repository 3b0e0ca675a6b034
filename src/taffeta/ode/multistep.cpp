#include "taffeta/ode/multistep.h"

#include <algorithm>

#include "taffeta/base/error.h"

namespace taffeta::ode {

bool MultistepPast::belongs_to(SecondOrderSystem& system, const State& state) {
    if (!same_state(state, end_)) return false;
    probe(system);
    return probe_ == constraints_;
}

NodeWeights MultistepPast::places(double h) const {
    NodeWeights places{};
    double place = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        place -= points_[i].h / h;
        places[i] = place;
    }
    return places;
}

void MultistepPast::add(SecondOrderSystem& system, bool continued, const State& begin,
                        const VecX& a, const State& end, double h) {
    count_ = std::min(continued ? count_ + 1 : 1, points_.size());
    std::rotate(points_.begin(), points_.begin() + std::ptrdiff_t(count_ - 1),
                points_.begin() + std::ptrdiff_t(count_));
    PastPoint& newest = points_.front();
    newest.h = h;
    newest.v = begin.v;
    if (of_ == Of::points) {
        newest.x = begin.x;
    } else {
        newest.a = a;
    }
    end_ = end;
    probe(system);
    constraints_ = probe_;
}

void MultistepPast::alter(const ConstrainedMotion& motion) {
    for (std::size_t i = 0; i < count_; ++i)
        motion.alter(1, points_[i].x);
}

std::vector<char> MultistepPast::save() const {
    if (count_ == 0) return {};
    HistoryWriter writer;
    writer.put(double(count_)).put(end_).put(constraints_);
    for (std::size_t i = 0; i < count_; ++i)
        writer.put(points_[i].h).put(points_[i].x).put(points_[i].v).put(points_[i].a);
    return writer.take();
}

void MultistepPast::load(std::span<const char> bytes) {
    count_ = 0;
    end_ = {};
    if (bytes.empty()) return;
    HistoryReader reader(bytes);
    double count = 0;
    reader.get(count);
    if (!(count >= 1 && count <= double(points_.size())))
        fail_input("checkpoint", "the integrator's history has another number of points",
                   "it may be of another integrator");
    reader.get(end_).get(constraints_);
    count_ = std::size_t(count);
    for (std::size_t i = 0; i < count_; ++i)
        reader.get(points_[i].h).get(points_[i].x).get(points_[i].v).get(points_[i].a);
}

void MultistepPast::probe(SecondOrderSystem& system) {
    probe_.resize(system.size());
    double value = 0.5;
    for (double& entry : probe_) {
        entry = 0.5 + value;
        value += 0.6180339887498949;  // the golden ratio: no two alike
        if (value >= 1) value -= 1;
    }
    system.project(probe_);
}

}  // namespace taffeta::ode
