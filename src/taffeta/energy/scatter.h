#pragma once

#include <cstddef>

#include "taffeta/base/parallel.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/energy/deformation.h"

/// From elements to the vectors and block matrices of the world.
///
/// Adding blocks is what assembly spends its time on, so a block (nine doubles in columns) is two
/// registers and one number, and what four elements computed side by side is turned into blocks by
/// 4x4 transpositions in registers.
namespace taffeta::energy {

/// Calls `body(begin, end)` for the elements of every cluster, colour after colour.
template <class Body>
void for_each_cluster(const ScatterPlan& plan, const Body& body) {
    for (std::size_t color = 0; color + 1 < plan.color_begin.size(); ++color) {
        const Index first = plan.color_begin[color];
        parallel_for(plan.color_begin[color + 1] - first, 1, [&](Index i) {
            const auto c = std::size_t(plan.cluster[std::size_t(first + i)]);
            body(plan.element_begin[c], plan.element_begin[c + 1]);
        });
    }
}

/// Elements of one sum in value(): fixed, so that sums do not depend on threads.
inline constexpr Index sum_grain = 1024;

/// Four doubles that may lie anywhere.
using UnalignedPack = double __attribute__((vector_size(32), aligned(8), may_alias));

inline Pack load(const double* from) {
    return *reinterpret_cast<const UnalignedPack*>(from);
}
inline void add_to(double* target, Pack value) {
    *reinterpret_cast<UnalignedPack*>(target) += value;
}

/// Asks the memory for the blocks of the pack at `element` while the one before it is computed:
/// elements come along a space-filling curve, which the hardware does not foresee. `size` is the
/// number of vertices of a stencil, `end` that of its cluster.
inline void prefetch_blocks(const sparse::Matrix3* target, const ScatterPlan& plan, int size,
                            Index element, Index end) {
    if (!target) return;
    const std::size_t blocks = std::size_t(size) * std::size_t(size);
    const Index last = std::min(element + lanes, end);
    for (std::size_t k = blocks * std::size_t(element); k < blocks * std::size_t(last); ++k) {
        const double* values = target->slot(plan.slot[k]);
        __builtin_prefetch(values, 1);
        __builtin_prefetch(values + 8, 1);
        asm volatile("" ::"r"(values));  // GCC 12 takes a function that only prefetches for pure
    }
}

/// Rows become columns: (a b c d) -> the four elements, each with its a, b, c and d.
inline void transpose(Pack& a, Pack& b, Pack& c, Pack& d) {
    const Pack ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Pack ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Pack cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Pack cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// Adds one block of up to four elements: lane e goes to slot[e * stride], -1 where a vertex is absent.
template <bool may_be_absent = false>
void add_block(sparse::Matrix3& target, const Index* slot, std::size_t stride, Index active,
               const Matrix33<Pack>& block) {
    Pack low[4] = {block.x.x, block.x.y, block.x.z, block.y.x};
    Pack high[4] = {block.y.y, block.y.z, block.z.x, block.z.y};
    transpose(low[0], low[1], low[2], low[3]);
    transpose(high[0], high[1], high[2], high[3]);
    for (Index lane = 0; lane < active; ++lane) {
        const Index s = slot[std::size_t(lane) * stride];
        if (may_be_absent && s < 0) continue;
        double* values = target.slot(s);
        add_to(values, low[lane]);
        add_to(values + 4, high[lane]);
        values[8] += block.z.z[lane];
    }
}

/// Adds the nine blocks of up to four triangles; `slot` are those of the first.
inline void add_corner_blocks(sparse::Matrix3& target, const Index* slot, Index active,
                              const CornerBlocks<Pack>& K) {
    add_block(target, slot + 0, 9, active, full(K.b00));
    add_block(target, slot + 1, 9, active, K.b01);
    add_block(target, slot + 2, 9, active, K.b02);
    add_block(target, slot + 3, 9, active, transpose(K.b01));
    add_block(target, slot + 4, 9, active, full(K.b11));
    add_block(target, slot + 5, 9, active, K.b12);
    add_block(target, slot + 6, 9, active, transpose(K.b02));
    add_block(target, slot + 7, 9, active, transpose(K.b12));
    add_block(target, slot + 8, 9, active, full(K.b22));
}

/// Adds a vector of each of up to four elements to their vertices: lane e to vertex[e * stride].
inline void add_vector(VecX& target, const Index* vertex, std::size_t stride, Index active,
                       const Vector3<Pack>& value) {
    for (Index lane = 0; lane < active; ++lane) {
        double* at = target.data() + 3 * std::size_t(vertex[std::size_t(lane) * stride]);
        at[0] += value.x[lane];
        at[1] += value.y[lane];
        at[2] += value.z[lane];
    }
}

/// A vector in the two arrangements that an outer product of columns needs: (x y z x | y z x y),
/// repeated, on the left; (x x x y | y y z z), spread, on the right.
struct OuterLeft {
    Pack low, high;
    double last;

    explicit OuterLeft(const double* v)
        : low{v[0], v[1], v[2], v[0]}, high{v[1], v[2], v[0], v[1]}, last(v[2]) {}
    OuterLeft(double scale, const double* v) : OuterLeft(v) {
        low *= scale, high *= scale, last *= scale;
    }
};
struct OuterRight {
    Pack low, high;
    double last;

    explicit OuterRight(const double* v)
        : low{v[0], v[0], v[0], v[1]}, high{v[1], v[1], v[2], v[2]}, last(v[2]) {}
};

/// block += a b'
inline void add_outer(double* block, const OuterLeft& a, const OuterRight& b) {
    add_to(block, a.low * b.low);
    add_to(block + 4, a.high * b.high);
    block[8] += a.last * b.last;
}

/// Adds the blocks of a dense element matrix; blocks of absent vertices have slot -1.
template <int N>
void add_dense(sparse::Matrix3& target, const Index* slot,
               const Eigen::Matrix<double, 3 * N, 3 * N>& H) {
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            if (const Index s = slot[i * N + j]; s >= 0)
                target.block(s) += H.template block<3, 3>(3 * i, 3 * j);
}

}  // namespace taffeta::energy
