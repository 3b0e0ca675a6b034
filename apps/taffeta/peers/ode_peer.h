#pragma once

#include <functional>
#include <string>
#include <vector>

/// What `taffeta ode peers` knows of integrators by others: a module as in peer.h, that ends in
/// TAFFETA_ODE_PEER.
namespace taffeta::app {

/// y' = f(t, y), and J = df/dy as a banded matrix. For second-order systems y holds x_0 v_0 x_1 v_1 ...,
/// which keeps the band narrow.
struct OdePeerProblem {
    std::vector<double> start;
    double from = 0, to = 1;
    int band = 0;  ///< J(i, j) = 0 where |i - j| is larger
    std::function<void(double t, const double* y, double* rate)> rate;
    /// Calls `entry(i, j, value)` for every entry within the band.
    std::function<void(double t, const double* y,
                       const std::function<void(int, int, double)>& entry)>
        jacobian;
};

struct OdePeerAnswer {
    std::vector<double> y;
    long evaluations = 0;  ///< of f
    long jacobians = 0, steps = 0, rejected = 0;
    double seconds = 0;
    std::string failure;
};

struct OdePeerModule {
    std::string version;
    std::vector<std::string> methods;
    /// With both tolerances, as root mean square of the components' errors over them.
    OdePeerAnswer (*solve)(const std::string& method, const OdePeerProblem& problem,
                           double relative, double absolute);
};

/// The one name that a module exports.
#define TAFFETA_ODE_PEER extern "C" const taffeta::app::OdePeerModule& taffeta_ode_peer()

}  // namespace taffeta::app
