#include "taffeta/solve/capi/wide_rows.h"

#include <fmt/format.h>

#include <limits>

#include "taffeta/solve/capi/handle.h"

namespace taffeta::capi {

namespace {

constexpr std::int64_t most_entries = std::numeric_limits<Index>::max();

}  // namespace

Index narrow_size(std::int64_t rows, std::int64_t most, const char* what) {
    if (rows < 1) refuse(TAFFETA_BAD_SIZE, fmt::format("a matrix of {} {}", rows, what));
    if (rows > most)
        refuse(TAFFETA_BAD_SIZE, fmt::format("{} {}: there can be at most {}", rows, what, most));
    return Index(rows);
}

NarrowArray narrow_rows(Index rows, const std::int64_t* row_begin) {
    if (row_begin[0] != 0)
        refuse(TAFFETA_BAD_ARGUMENT,
               fmt::format("the rows begin at entry {}, but indices count from 0", row_begin[0]));
    for (Index i = 0; i < rows; ++i)
        if (row_begin[i + 1] < row_begin[i])
            refuse(TAFFETA_BAD_ARGUMENT,
                   fmt::format("row {} ends at entry {}, before it begins at {}", i,
                               row_begin[i + 1], row_begin[i]));
    if (row_begin[rows] > most_entries)
        refuse(TAFFETA_BAD_SIZE,
               fmt::format("{} entries: there can be at most {}, because the solver counts them in "
                           "32 bits",
                           row_begin[rows], most_entries));
    return std::vector<Index>(row_begin, row_begin + rows + 1);
}

NarrowArray narrow_rows(Index, const std::int32_t* row_begin) {
    return row_begin;
}

NarrowArray narrow_columns(Index rows, const Index* row_begin, const std::int64_t* column) {
    for (Index i = 0; i < rows; ++i)
        for (Index s = row_begin[i]; s < row_begin[i + 1]; ++s)
            if (column[s] < 0 || column[s] >= rows)
                refuse(TAFFETA_BAD_ARGUMENT,
                       fmt::format("row {} has column {} of {}", i, column[s], rows));
    return std::vector<Index>(column, column + row_begin[rows]);
}

NarrowArray narrow_columns(Index, const Index*, const std::int32_t* column) {
    return column;
}

}  // namespace taffeta::capi
