#include "taffeta/contact/box_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taffeta::contact {

namespace {

/// More than the rounding of a double to a float, relative and absolute.
constexpr float outward = 2.4e-7F, outward_least = 1e-37F;
/// Where floats end; what lies beyond still meets what lies beyond.
constexpr double float_limit = 1e37;

float rounded(double value, float direction) {
    const float nearest = float(std::clamp(value, -float_limit, float_limit));
    return nearest + direction * (std::abs(nearest) * outward + outward_least);
}

}  // namespace

FloatBox FloatBox::around(const Vec3& low, const Vec3& high, double distance) {
    FloatBox box;
    for (int axis = 0; axis < 3; ++axis) {
        box.low[std::size_t(axis)] = rounded(low[axis] - distance, -1);
        box.high[std::size_t(axis)] = rounded(high[axis] + distance, 1);
    }
    return box;
}

BoxTree::Node::Node() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis].fill(std::numeric_limits<float>::infinity());
        high[axis].fill(-std::numeric_limits<float>::infinity());
    }
}

FloatBox BoxTree::Node::all() const {
    FloatBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = *std::min_element(low[axis].begin(), low[axis].end());
        box.high[axis] = *std::max_element(high[axis].begin(), high[axis].end());
    }
    return box;
}

void BoxTree::build(const std::vector<Vec3>& centers) {
    order_.resize(centers.size());
    std::iota(order_.begin(), order_.end(), Index(0));
    split(0, size(), centers);
    level_.clear();
    for (Index nodes = size(); nodes > 1 || (nodes == 1 && level_.empty());) {
        nodes = (nodes + width - 1) / width;
        level_.emplace_back(std::size_t(nodes));
    }
}

/// Halves a range at a multiple of the largest power of eight that is less than its length, so that the
/// nodes of every level are parts of it.
void BoxTree::split(Index begin, Index end, const std::vector<Vec3>& centers) {
    const Index count = end - begin;
    if (count <= width) return;
    Index block = width;
    while (Index(8) * block < count)
        block *= width;
    const Index middle = begin + (count + block - 1) / block / 2 * block;
    Vec3 low = centers[std::size_t(order_[std::size_t(begin)])], high = low;
    for (Index k = begin; k < end; ++k) {
        const Vec3& c = centers[std::size_t(order_[std::size_t(k)])];
        low = low.cwiseMin(c);
        high = high.cwiseMax(c);
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const auto at = order_.begin();
    std::nth_element(at + begin, at + middle, at + end, [&](Index a, Index b) {
        const double p = centers[std::size_t(a)][axis], q = centers[std::size_t(b)][axis];
        return p != q ? p < q : a < b;
    });
    // What nth_element leaves within the parts is not specified: the order of the indices is.
    std::sort(at + begin, at + middle);
    std::sort(at + middle, at + end);
    split(begin, middle, centers);
    split(middle, end, centers);
}

void BoxTree::refit_upwards() {
    for (std::size_t l = 1; l < level_.size(); ++l) {
        const std::vector<Node>& below = level_[l - 1];
        parallel_for(Index(level_[l].size()), 64, [&](Index j) {
            Node& node = level_[l][std::size_t(j)];
            node.active = 0;
            for (Index k = 0; k < width && width * j + k < Index(below.size()); ++k) {
                const Node& child = below[std::size_t(width * j + k)];
                node.set(k, child.all());
                node.active |= std::uint8_t(child.active != 0 ? 1u << k : 0);
            }
        });
    }
}

}  // namespace taffeta::contact
