#pragma once

#include <span>
#include <vector>

#include "taffeta/base/leases.h"
#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// Scratch of one task of a set-up.
struct Workspace {
    FloatArray sums;
    std::vector<double> dense;
    std::vector<Index> columns;
    /// Of columns in a row that is put together; -1 for all between two rows.
    std::vector<Index> place;

    /// Takes the columns of a run of rows, to be looked up eight at a time, and makes so many sums for each
    /// of them, all zero.
    void begin_rows(std::span<const Index> of_rows, std::size_t sums_each) {
        constexpr std::size_t readable = 7;  // behind the last one
        columns.assign(of_rows.begin(), of_rows.end());
        columns.resize(of_rows.size() + readable);
        sums.resize(of_rows.size() * sums_each);
        sums.set_zero();
    }
};

using Workspaces = Leases<Workspace>;

}  // namespace taffeta::solve::sa
