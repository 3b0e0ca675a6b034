#pragma once

#include "taffeta/energy/energy.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::energy {

/// What a pass of a strain projection came to.
struct ProjectionReport {
    int sweeps = 0;     ///< over all elements
    double excess = 0;  ///< how far the worst element is beyond its bounds at the end, as a ratio
};

/// Bounds of strain that are kept after a step, by moves inside an element.
///
/// A vector p = sum a_i x_i, sum a_i = 0 (an edge, or a stretched direction of a triangle) gets another length by
/// moves along itself, s a_i p/(|p| m_i), which velocities follow, divided by h: no linear momentum, and no moment.
/// But that what has a velocity is elsewhere then changes the angular momentum, by sum m dx x v. A body without held
/// vertices gets that back by the rotation of least energy, as a skater turns faster who draws in the arms. (Element by
/// element it would go into what p turns by, which grows with every sweep. Impulses along where p was when the step
/// began would keep it as well, but do not always shorten what has turned: sweeps with them diverge.)
///
/// Vertices move in the directions that the filter leaves free, pinned ones not at all.
class StrainProjection {
  public:
    virtual ~StrainProjection() = default;

    /// Builds the elements over a body. Called once.
    virtual void bind(const BodyView& body) = 0;
    /// Moves the state (x in m, v in m/s, of the world) at the end of a step of h s.
    virtual ProjectionReport project(const sparse::NodeFilter& filter, double h, VecX& x,
                                     VecX& v) = 0;
};

using StrainProjectionEntry = Entry<StrainProjection>;
Registry<StrainProjectionEntry> strain_projections();  ///< projections.inc

}  // namespace taffeta::energy
