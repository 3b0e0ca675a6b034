#pragma once

#include <optional>

#include "taffeta/contact/ccd.h"

/// The exact decision of continuous collision detection, without a filter before it.
///
/// Let w_i(t) = x_i(t) - x_0(t), i = 1..3. The four corners are in one plane where the cubic
/// D = w1 . (w2 x w3) is zero. Four points in one plane touch (vertex in face, or edge on edge) if and
/// only if they do in all three coordinate planes and on all three axes:
/// - vertex and face, in a coordinate plane: the signs of w1 x w2, w2 x w3 and w3 x w1 are not mixed;
/// - edges: each edge's line does not have the other edge strictly on one side, that is
///   (w1 x w2)(w1 x w3) <= 0 and (w2 x w3)(w2 x w3 + w1 x w2 - w1 x w3) <= 0;
/// - on an axis: no point of one side lies strictly before, or behind, all of the other.
/// (If the points span a plane, one coordinate plane shows it undistorted; if a line, one axis does.)
/// All of this are signs of polynomials of degree at most 3, 2 and 1. Where D is not identically zero
/// they are needed at its roots only. Where it is, the touching times are a closed set, whose ends are
/// t = 0, t = 1 or a root of one of the other polynomials: those are tried.
/// Roots and signs at roots are exact (contact/algebraic_time.h).
namespace taffeta::contact {

bool touches_exactly(const CcdQuery& query);

/// The first touching time's floor on the grid of `AlgebraicTime::grid_bits`.
std::optional<std::int64_t> first_contact_exactly(const CcdQuery& query);

}  // namespace taffeta::contact
