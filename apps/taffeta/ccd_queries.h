#pragma once

#include <string>
#include <vector>

#include "taffeta/contact/ccd.h"

namespace taffeta::app {

struct LabelledQuery {
    contact::CcdQuery query;
    bool touch;  ///< the label
};

/// Reads continuous-collision queries with their answers, plain or compressed by xz (told by the file's
/// first bytes).
///
/// Little-endian records of 200 bytes: int32 kind (0 vertex and face, 1 two edges), int32 label (1
/// touch), 24 doubles: the four points at t = 0, then at t = 1. A record with another kind or label, or
/// a coordinate that is not finite, is bad input, with its number from 0; so is a file that ends within
/// a record.
std::vector<LabelledQuery> read_ccd_queries(const std::string& file);

}  // namespace taffeta::app
