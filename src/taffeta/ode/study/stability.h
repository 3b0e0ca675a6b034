#pragma once

#include "taffeta/ode/study/step_map.h"

/// Where a method is stable, in numbers and as a region of the complex plane.
namespace taffeta::ode::study {

/// Limits are infinite where none is found up to 10^4; NaN where the method is no linear recurrence.
struct StabilityMeasurement {
    std::string method;
    int memory = 0;              ///< states that the next one depends on, on y' = z y
    double real_limit = 0;       ///< stable for z in [-limit, 0]
    double imaginary_limit = 0;  ///< stable for z = i w, |w| <= limit
    bool weakly_unstable =
        false;  ///< on the imaginary axis, for every w, but like w^4 or a higher power
    double spring_limit = 0;  ///< of h w for x'' = -w^2 x
    bool spring_weakly_unstable = false;
    bool a_stable = false, declared_a_stable = false;
    bool l_stable = false, declared_l_stable = false;
    double angle = 0;  ///< degrees: stable in |arg(-z)| <= angle, where the real limit is none
    double at_infinity = 0;  ///< spectral radius at z = -10^8
    bool agrees = false;     ///< with what the method declares
};

StabilityMeasurement measure_stability(const ChosenMethod& method);

/// The spectral radius over a box of the complex plane that is symmetric about the real axis.
struct StabilityRegion {
    double left = 0, right = 0, top = 0;
    int columns = 0, rows = 0;
    std::vector<double> radius;  ///< rows from -top to top, each from left to right

    double real(int column) const { return left + (right - left) * column / (columns - 1); }
    double imaginary(int row) const { return -top + 2 * top * row / (rows - 1); }
};

/// `rows` is odd. Infinite values are poles.
StabilityRegion stability_region(const StepMap& map, double left, double right, double top,
                                 int columns, int rows);

/// One point of the curves over h w for x'' = -w^2 x.
struct SpringPoint {
    double w = 0, radius = 0;
    double determinant = 0, trace = 0;  ///< NaN where the matrix is larger than 2 x 2
    double frequency_error = 0;         ///< (numerical frequency - w)/w of the principal root
};

SpringPoint spring_point(const StepMap& map, double w);

}  // namespace taffeta::ode::study
