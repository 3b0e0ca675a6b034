#pragma once

#include <string>

#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::app {

/// A system as files describe it; rows are padded to whole vertices with a unit diagonal.
struct FileSystem {
    Index rows = 0;  ///< of the file
    sparse::Matrix3 A;
    sparse::NodeFilter filter;
    VecX b, nodes;  ///< `nodes`: empty where no file was given
};

/// Matrix Market files; all but the first two may be empty.
struct SystemFiles {
    std::string matrix, right_side, filter, target, nodes;
};

/// Throws bad input with the file.
FileSystem read_system(const SystemFiles& files);

}  // namespace taffeta::app
