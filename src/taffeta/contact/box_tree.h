#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "taffeta/base/parallel.h"

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace taffeta::contact {

/// An axis-aligned box in single precision that contains a double one.
struct FloatBox {
    std::array<float, 3> low, high;

    /// From the least and the largest coordinates, and `distance` more on every side.
    static FloatBox around(const Vec3& low, const Vec3& high, double distance);
};

/// A tree of boxes, eight children a node, whose shape is fixed by the number of elements: node j of a
/// level has the nodes 8 j to 8 j + 7 of the level below as children, and the leaves' children are the
/// elements in an order that keeps neighbours together.
///
/// There are no pointers to follow, refitting is one pass over each level, and all eight children are
/// tested by six comparisons of vectors. The order is made once (by median splits of the elements'
/// centres, ties by index): cloth that folds keeps its neighbours, so it need not be made anew. Why not
/// Embree? Measured in bench/broad_phase.cpp: it builds anew each time and finds every pair of
/// neighbours before we can say that they share a vertex.
class BoxTree {
  public:
    static constexpr Index width = 8;

    /// Orders the elements.
    void build(const std::vector<Vec3>& centers);

    /// New boxes: box(i) is that of element i, and active(i) whether it is active.
    template <class BoxOf, class ActiveOf>
    void refit(const BoxOf& box, const ActiveOf& active) {
        if (level_.empty()) return;
        parallel_for(Index(level_[0].size()), 64, [&](Index j) {
            Node& leaf = level_[0][std::size_t(j)];
            leaf.active = 0;
            for (Index k = 0; k < width && width * j + k < size(); ++k) {
                const Index i = order_[std::size_t(width * j + k)];
                leaf.set(k, box(i));
                leaf.active |= std::uint8_t(active(i) ? 1u << k : 0);
            }
        });
        refit_upwards();
    }

    /// Calls emit(i, j) for every element i of this tree's leaves [begin, end) and every element j of
    /// `other` whose boxes meet, when one of them is active. In a fixed order. With itself as the
    /// other, each pair once, in either order, and no element with itself.
    template <class Emit>
    void meet(Index begin, Index end, const BoxTree& other, const Emit& emit) const {
        if (other.level_.empty()) return;
        for (Index leaf = begin; leaf < end; ++leaf)
            meet_leaf(leaf, other, emit);
    }

    Index size() const { return Index(order_.size()); }
    Index leaves() const { return level_.empty() ? 0 : Index(level_[0].size()); }

  private:
    struct alignas(32) Node {
        std::array<std::array<float, 8>, 3> low, high;
        std::uint8_t active = 0;  ///< a bit for each child that is, or holds one

        Node();
        void set(Index k, const FloatBox& box) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis][std::size_t(k)] = box.low[axis];
                high[axis][std::size_t(k)] = box.high[axis];
            }
        }
        FloatBox child(Index k) const {
            FloatBox box;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                box.low[axis] = low[axis][std::size_t(k)];
                box.high[axis] = high[axis][std::size_t(k)];
            }
            return box;
        }
        FloatBox all() const;
        /// A bit for each child that meets the box.
        unsigned meeting(const FloatBox& box) const {
#ifdef __AVX__
            __m256 meets = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const __m256 below = _mm256_cmp_ps(_mm256_load_ps(low[axis].data()),
                                                   _mm256_set1_ps(box.high[axis]), _CMP_LE_OQ);
                const __m256 above = _mm256_cmp_ps(_mm256_load_ps(high[axis].data()),
                                                   _mm256_set1_ps(box.low[axis]), _CMP_GE_OQ);
                meets = _mm256_and_ps(meets, _mm256_and_ps(below, above));
            }
            return unsigned(_mm256_movemask_ps(meets));
#else
            unsigned bits = 0;
            for (std::size_t k = 0; k < 8; ++k) {
                bool meets = true;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    meets =
                        meets && low[axis][k] <= box.high[axis] && high[axis][k] >= box.low[axis];
                bits |= unsigned(meets) << k;
            }
            return bits;
#endif
        }
    };

    void refit_upwards();
    void split(Index begin, Index end, const std::vector<Vec3>& centers);

    template <class Emit>
    void meet_leaf(Index leaf, const BoxTree& other, const Emit& emit) const {
        const Node& mine = level_[0][std::size_t(leaf)];
        const FloatBox around = mine.all();
        const Index first = width * leaf, last = std::min(first + width, size());
        const bool self = this == &other;
        struct Visit {
            int level;
            Index node;
        };
        std::array<Visit, 8 * 12> stack;  // at most eight a level, and 8^11 elements
        int depth = 0;
        stack[std::size_t(depth++)] = {int(other.level_.size()) - 1, 0};
        while (depth > 0) {
            const Visit visit = stack[std::size_t(--depth)];
            const Node& node = other.level_[std::size_t(visit.level)][std::size_t(visit.node)];
            unsigned bits = node.meeting(around);
            if (mine.active == 0) bits &= node.active;
            if (bits == 0) continue;
            if (visit.level > 0) {
                for (; bits != 0; bits &= bits - 1) {
                    const Index child = width * visit.node + __builtin_ctz(bits);
                    // The leaves below end before this one: they have met it from their side.
                    if (self && (std::int64_t(child) + 1) << 3 * (visit.level - 1) <= leaf)
                        continue;
                    stack[std::size_t(depth++)] = {visit.level - 1, child};
                }
                continue;
            }
            for (Index k = first; k < last; ++k) {
                unsigned found = node.meeting(mine.child(k - first));
                if ((mine.active >> (k - first) & 1) == 0) found &= node.active;
                if (self && visit.node == leaf) found &= 0xFEU << (k - first);  // later ones
                for (; found != 0; found &= found - 1)
                    emit(order_[std::size_t(k)],
                         other.order_[std::size_t(width * visit.node + __builtin_ctz(found))]);
            }
        }
    }

    std::vector<Index> order_;
    std::vector<std::vector<Node>> level_;  ///< leaves first
};

}  // namespace taffeta::contact
