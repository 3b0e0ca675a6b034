#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "taffeta/base/types.h"
#include "taffeta/solve/sa/simd.h"
#include "taffeta/sparse/storage.h"

/// Storage of the hierarchy: single precision, because a preconditioner needs no more (the
/// iteration counts are the same) and moves half the bytes. The outer iteration stays in double.
namespace taffeta::solve::sa {

/// Floats that one vertex takes in a vector of B-blocks: padded to a vector register, so that a
/// block of x is one aligned load and a store forwards to the next load. The padding is zero.
template <int B>
constexpr int stride = B == 3 ? 4 : 8;

/// Memory for SIMD: aligned, with a register of zeros behind the end. New memory is not made zero: most
/// of it is written before it is read.
template <class Number>
class Numbers {
  public:
    /// What it held is lost when it grows.
    void resize(std::size_t count) {
        if (count + slack > capacity_) {
            storage_.reset();
            capacity_ = count + slack;
            storage_ = {Allocator().allocate(capacity_), Free{capacity_}};
        }
        size_ = count;
        std::fill_n(data() + size_, slack, Number(0));
    }
    void set_zero() { std::fill_n(data(), size_, Number(0)); }
    Number* data() { return storage_.get(); }
    const Number* data() const { return storage_.get(); }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return capacity_ * sizeof(Number); }

  private:
    using Allocator = sparse::UntouchedAllocator<Number>;
    static constexpr std::size_t slack = 16;
    struct Free {
        std::size_t count = 0;
        void operator()(Number* p) const { Allocator().deallocate(p, count); }
    };
    std::unique_ptr<Number[], Free> storage_;
    std::size_t size_ = 0, capacity_ = 0;
};
using FloatArray = Numbers<float>;

/// A vector in memory of its own or of others.
class FloatSpan {
  public:
    FloatSpan(FloatArray& whole) : data_(whole.data()), size_(whole.size()) {}
    FloatSpan(float* first, std::size_t count) : data_(first), size_(count) {}

    float* data() const { return data_; }
    std::size_t size() const { return size_; }
    void set_zero() const { std::fill_n(data_, size_, 0.0f); }

  private:
    float* data_;
    std::size_t size_;
};

/// Square matrix of B x B blocks in rows: columns ascending, so that the blocks before `diagonal`
/// are the lower triangle and those behind it the upper one. Blocks are column-major.
template <int B>
struct SquareRows {
    std::vector<Index> row_begin, column, diagonal;
    FloatArray value;             ///< B*B floats a block
    FloatArray inverse_diagonal;  ///< B columns of stride<B> floats a row

    Index rows() const { return Index(diagonal.size()); }
    float* block(Index slot) { return value.data() + std::size_t(slot) * (B * B); }
    const float* block(Index slot) const { return value.data() + std::size_t(slot) * (B * B); }
    /// As in FilteredRows.
    Index entries() const { return rows(); }
    Index row_of(Index entry) const { return entry; }
    void ask_for(Index) const {}
    void write_diagonal(Index i, Index, float* out) const {
        std::copy_n(block(diagonal[std::size_t(i)]), B * B, out);
    }
    void write_row_major(Index, Index count, const Index*, const Index* slots, float* out) const {
        for (Index k = 0; k < count; ++k)
            for (int r = 0; r < B; ++r)
                for (int c = 0; c < B; ++c)
                    out[k * B * B + r * B + c] = block(slots[k])[c * B + r];
    }
    std::size_t bytes() const {
        return value.bytes() + inverse_diagonal.bytes() +
               (row_begin.size() + column.size() + diagonal.size()) * sizeof(Index);
    }
};

/// Prolongator rows: blocks R x C, row-major, so that restriction is broadcasts times row loads and
/// prolongation is dot products of rows. In fixed point, half the bytes of floats: rounding P changes
/// which coarse space there is by next to nothing, and neither that P' restricts nor that P' A P is exact.
template <int R, int C>
struct ProlongatorRows {
    std::vector<Index> row_begin, column;
    Numbers<Fixed> value;  ///< R*C numbers a block, in units of `fixed_unit`
    /// Runs of rows that may add into coarse vertices at the same time, by colour.
    struct Chunk {
        Index begin, end;
    };
    std::vector<std::vector<Chunk>> color;

    Fixed* units(Index slot) { return value.data() + std::size_t(slot) * (R * C); }
    Eigen::Matrix<float, R, C> block(Index slot) const {
        using Units = Eigen::Matrix<Fixed, R, C, Eigen::RowMajor>;
        return fixed_unit * Eigen::Map<const Units>(value.data() + std::size_t(slot) * (R * C))
                                .template cast<float>();
    }
    std::size_t bytes() const {
        return value.bytes() + (row_begin.size() + column.size()) * sizeof(Index);
    }
};

}  // namespace taffeta::solve::sa
