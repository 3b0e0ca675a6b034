#pragma once

#include <cstdint>
#include <vector>

#include "taffeta/base/types.h"

/// Compressed rows with 64-bit integers, as other programs have them, for a library whose indices are
/// 32-bit ones: half the memory that a product must read beside the numbers. What does not fit is
/// refused, before anything of that size is read; nothing is ever cut off.
namespace taffeta::capi {

/// An array in 32 bits: the caller's own or a copy.
struct NarrowArray {
    NarrowArray(const Index* own) : data(own) {}
    NarrowArray(std::vector<Index> made) : copy(std::move(made)), data(copy.data()) {}
    NarrowArray(const NarrowArray&) = delete;
    NarrowArray& operator=(const NarrowArray&) = delete;

    const std::vector<Index> copy;
    const Index* data;
};

/// The number of rows when it is from 1 to `most`; refuses others as `bad_size`. `what`: "vertices".
Index narrow_size(std::int64_t rows, std::int64_t most, const char* what);

/// Refuses starts that do not ascend from 0, and, as `bad_size`, more entries than 2^31 - 1. Reads
/// nothing but the starts. Those of 32 bits are checked by `sparse`.
NarrowArray narrow_rows(Index rows, const std::int64_t* row_begin);
NarrowArray narrow_rows(Index rows, const std::int32_t* row_begin);

/// Refuses the first column outside [0, rows). The starts are those of `narrow_rows`.
NarrowArray narrow_columns(Index rows, const Index* row_begin, const std::int64_t* column);
NarrowArray narrow_columns(Index rows, const Index* row_begin, const std::int32_t* column);

}  // namespace taffeta::capi
