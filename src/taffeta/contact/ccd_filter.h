#pragma once

#include <cstdint>

#include "taffeta/contact/ccd.h"

/// The certified floating-point filter of continuous collision detection: it answers only when
/// rounding cannot have changed the answer.
///
/// The polynomials of contact/ccd_exact.h are evaluated as Bernstein coefficients on an interval of
/// time: convex combinations of sums of products of coordinate differences, each with an error below a
/// constant times the largest differences. On an interval
/// - if all coefficients of D have one sign, or a condition of touching is surely broken, nothing
///   touches;
/// - if D surely changes sign and, in one coordinate plane, the conditions surely hold strictly, the
///   two touch: at the root of D the points lie in a plane that this projection shows undistorted;
/// - else the interval is halved. Intervals are visited in time order, and dyadic, so that they are
///   exact in floating point.
namespace taffeta::contact {

enum class FilterAnswer { apart, touching, unsure };

FilterAnswer filter_touches(const CcdQuery& query);

struct FilteredTime {
    FilterAnswer answer;
    std::int64_t grid_floor;  ///< when touching, see AlgebraicTime::grid_floor
};
FilteredTime filter_first_contact(const CcdQuery& query);

}  // namespace taffeta::contact
