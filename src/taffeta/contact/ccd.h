#pragma once

#include <array>
#include <optional>

#include "taffeta/base/types.h"

/// Continuous collision detection that is exactly right.
///
/// A vertex and a face, or two edges, whose corners move on straight lines from `start` (t = 0) to
/// `end` (t = 1): x_i(t) = (1 - t) start_i + t end_i. Do they touch at any t in [0, 1], ends included?
/// Faces and edges are closed, and may be degenerate (a point, a segment) or move in their own plane.
///
/// `touches` answers for the very doubles given, as if in exact arithmetic, whatever their size: no
/// tolerance, no false answer of either kind. So the answer does not change when all coordinates are
/// multiplied by a power of two (without overflow or underflow), when axes are exchanged or mirrored,
/// when corners are permuted within their primitive, when the two edges are exchanged, or when time
/// runs backwards. Nearly all queries are decided by doubles with a bound on their rounding, without
/// an allocation; the rest by integers of any length (contact/ccd_exact.h).
///
/// Coordinates must be finite: `Error` (bad input) otherwise, unless the query is decided before they
/// matter. Every function is pure and may be called from any thread.
///
/// Bridson, Fedkiw, Anderson 2002 state the cubic; Brochu, Edwards, Bridson 2012 and Wang et al. 2021
/// show what goes wrong when it is solved by floating point.
namespace taffeta::contact {

enum class CcdKind { vertex_face, edge_edge };

struct CcdQuery {
    CcdKind kind;
    /// vertex_face: the vertex, then the face's corners. edge_edge: the ends of one edge, then those
    /// of the other.
    std::array<Vec3, 4> start, end;
};

/// Whether the two touch at some t in [0, 1]: exact.
bool touches(const CcdQuery& query);

/// The first t at which they touch, rounded down to a multiple of 2^-32: never later than the contact,
/// and earlier by less than 2^-32. Nothing exactly when `touches` says no. Zero when they touch within
/// the first 2^-32 of the motion. The same for every order of the corners.
std::optional<double> first_contact(const CcdQuery& query);

struct SeparationOptions {
    double distance = 0;      ///< that must be kept, in the unit of the coordinates, >= 0
    double tolerance = 1e-5;  ///< of the time, at least 1e-12
};
/// A time before which the two stay further apart than `distance`. Conservative: nothing means that
/// the distance is above `distance` at every t. A time is given whenever it falls to `distance`; it may
/// be given when it falls only to `distance` plus the tolerance times the largest relative motion plus
/// 1e-13 of the largest coordinate difference. The time is earlier than the first such moment by at
/// most the tolerance.
std::optional<double> first_within(const CcdQuery& query, const SeparationOptions& options);

}  // namespace taffeta::contact
