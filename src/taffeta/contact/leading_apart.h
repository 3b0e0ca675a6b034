#pragma once

#include "taffeta/contact/response.h"
#include "taffeta/contact/untangling.h"

namespace taffeta::contact {

/// Leads cloth out of what it crossed while nothing moves: strides of `untangling`, one after another, in which
/// nothing else comes to cross, until no edge meets a face. This is for the end of a step that has pinched cloth: its
/// tip slips out of the wedge between two parts of a body at once, not over the next steps, in which the wedge closes
/// further. Strides have inertia, as both sides of a wedge push, and the cloth around follows.
///
/// x (3 #V of the surface, m) changes in the cloth's part and only if this comes to an end: where there is no room,
/// strides would only crease the cloth, and x stays as it is. Returns how many pairs still intersect.
Index lead_apart(Untangling& untangling, Response& response, const Movable& movable,
                 std::span<const double> shortest_edge, ResponseOptions options, VecX& x);

}  // namespace taffeta::contact
