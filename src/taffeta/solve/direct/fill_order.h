#pragma once

#include <string>
#include <vector>

#include "taffeta/base/report.h"
#include "taffeta/sparse/pattern.h"

namespace taffeta::solve {

/// An order of elimination in which the factors of a matrix fill little, and what they then hold.
///
/// It is the graph of the vertices that is ordered, not that of the 3 n numbers: the three numbers
/// of a vertex have the same neighbours, so nothing is lost, and the graph has a ninth of the edges.
struct FillOrder {
    std::vector<Index> vertex;        ///< the one to eliminate k-th
    std::vector<Index> position;      ///< its inverse
    std::int64_t factor_entries = 0;  ///< numbers of L below and on its diagonal
};

/// `method` is "metis", multilevel nested dissection [KK98], or "amd", approximate minimum degree
/// [ADD96]. Depends on the pattern only. Fails only where METIS does: for lack of memory.
SolveReport fill_reducing_order(const sparse::BlockPattern& pattern, const std::string& method,
                                FillOrder& order);

}  // namespace taffeta::solve
