#pragma once

#include <vector>

#include "taffeta/contact/vertex_contact.h"

namespace taffeta::contact {

/// What the constraints of 1998 remember from one step to the next.
struct ContactMemory {
    std::vector<ContactRecord> records;  ///< by vertex, then obstacle
    VecX velocity;                       ///< at the start of the last step, m/s; empty before it
    double step = 0;                     ///< size of the last step, s

    std::vector<char> save() const;
    /// Throws bad input when the bytes are not those of `save`.
    static ContactMemory load(std::span<const char> bytes);
};

}  // namespace taffeta::contact
