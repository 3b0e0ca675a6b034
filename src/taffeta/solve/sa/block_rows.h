#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "taffeta/base/types.h"

/// Storage of the hierarchy: single precision, because a preconditioner needs no more (the
/// iteration counts are the same) and moves half the bytes. The outer iteration stays in double.
namespace taffeta::solve::sa {

/// Floats that one vertex takes in a vector of B-blocks: padded to a vector register, so that a
/// block of x is one aligned load and a store forwards to the next load. The padding is zero.
template <int B>
constexpr int stride = B == 3 ? 4 : 8;

/// Memory for SIMD: 32-byte aligned, with a register of slack behind the end.
class FloatArray {
  public:
    void resize(std::size_t count) {
        storage_.resize(count + 16);
        const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
        data_ = storage_.data() + (32 - address % 32) % 32 / sizeof(float);
        size_ = count;
    }
    void set_zero() { std::fill(storage_.begin(), storage_.end(), 0.0f); }
    float* data() { return data_; }
    const float* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return storage_.size() * sizeof(float); }
    FloatArray() = default;
    FloatArray(const FloatArray&) = delete;
    FloatArray& operator=(const FloatArray&) = delete;
    FloatArray(FloatArray&&) = default;
    FloatArray& operator=(FloatArray&&) = default;

  private:
    std::vector<float> storage_;
    float* data_ = nullptr;
    std::size_t size_ = 0;
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
    std::size_t bytes() const {
        return value.bytes() + inverse_diagonal.bytes() +
               (row_begin.size() + column.size() + diagonal.size()) * sizeof(Index);
    }
};

/// Prolongator rows: blocks R x 6, row-major, so that restriction is broadcasts times row loads and
/// prolongation is dot products of rows.
template <int R>
struct ProlongatorRows {
    std::vector<Index> row_begin, column;
    FloatArray value;  ///< R*6 floats a block
    /// Runs of rows that may add into coarse vertices at the same time, by colour.
    struct Chunk {
        Index begin, end;
    };
    std::vector<std::vector<Chunk>> color;

    float* block(Index slot) { return value.data() + std::size_t(slot) * (R * 6); }
    const float* block(Index slot) const { return value.data() + std::size_t(slot) * (R * 6); }
    std::size_t bytes() const {
        return value.bytes() + (row_begin.size() + column.size()) * sizeof(Index);
    }
};

}  // namespace taffeta::solve::sa
