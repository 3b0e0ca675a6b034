#pragma once

#include <vector>

namespace taffeta::energy {

/// A measured curve of tension over strain as a piecewise cubic that keeps its shape: slopes at the
/// points are those of [FritschCarlson80] in the form of [Butland80], so that a curve which only rises is not
/// made to fall between its points. Beyond both ends it goes on straight.
///
///     between strains e_0, e_1, t in [0, 1]:   T = h00(t) T_0 + h10(t) d m_0 + h01(t) T_1 + h11(t) d m_1
///
/// T and T' are continuous, so the energy W = integral of T over the strain has a continuous second derivative.
class ForceCurve {
  public:
    /// Strains that rise, with the tension at each, N/m or any other unit; two points at least.
    ForceCurve(std::vector<double> strain, std::vector<double> tension);

    double tension(double strain) const;
    double slope(double strain) const;
    /// W, zero at no strain.
    double energy(double strain) const { return integral(strain) - at_rest_; }

  private:
    std::size_t piece(double strain) const;
    double integral(double strain) const;  ///< from the first point on

    std::vector<double> strain_, tension_, slope_;
    std::vector<double> area_;  ///< integral up to each point
    double at_rest_ = 0;
};

}  // namespace taffeta::energy
