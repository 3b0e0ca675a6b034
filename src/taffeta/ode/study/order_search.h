#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace taffeta::ode::study {

/// Which step counts may tell an order.
struct OrderSearch {
    long first_steps = 20;
    long most_steps = 1 << 17;
    double resolved = 0.1;  ///< a larger error says nothing; in the units of the error
    double reference = 0;   ///< how well the solution is known that errors are taken against
    double suspicious = 0;  ///< below this times sqrt(steps), an error's rounding is measured
};

struct OrderFound {
    double order = 0;          ///< not finite where none was found
    long steps = 0;            ///< of the finest run of the window
    double error = 0;          ///< of that run
    double spread = 1;         ///< of the last two windows
    double drift = 1;          ///< of the last three windows; 1 where there were fewer
    bool settled = false;      ///< windows and slopes agreed
    bool at_rounding = false;  ///< the search ended because rounding is all that is left
    std::vector<std::pair<long, double>> curve;  ///< steps and errors of all runs
};

/// The p of e(h) = C h^p (1 + c h + O(h^2)), from errors e = error(steps) of runs of the same length.
///
/// Step counts grow by sqrt(2). A window of five of them, two octaves, slides from coarse to fine, and
/// log e = log C + p log h + c h is fitted to it: with c a window need not lie where c h is already
/// below the hundredth that is wanted, which methods of high order never reach before rounding does.
/// The search ends when three successive windows agree on p to 0.02 and the plain slopes to 0.1, or
/// with the last window above rounding, which is the one nearest to h = 0.
///
/// Rounding is measured, not modelled: of the runs with N - 2 .. N + 2 steps it is what departs from
/// a parabola in log e, since over so few steps the method's own error departs by less than (1/N)^3. A
/// run counts while that is below a hundredth. A run that fails (not finite) counts as unresolved.
OrderFound search_order(const std::function<double(long steps)>& error, const OrderSearch& search);

}  // namespace taffeta::ode::study
