#include "taffeta/ode/multistep_start.h"

#include "taffeta/ode/bulirsch_stoer.h"
#include "taffeta/ode/collocation.h"
#include "taffeta/ode/runge_kutta.h"

namespace taffeta::ode {

std::unique_ptr<Integrator> explicit_starter(int order) {
    if (order <= 3) return std::make_unique<ExplicitRungeKutta>(bogacki_shampine32());
    if (order <= 5) return std::make_unique<ExplicitRungeKutta>(dormand_prince54());
    return std::make_unique<BulirschStoer>();
}

std::unique_ptr<Integrator> implicit_starter(int order) {
    if (order <= 3) return std::make_unique<Collocation>(radau_nodes(2));
    if (order <= 5) return std::make_unique<Collocation>(radau_nodes(3));
    return std::make_unique<Collocation>(gauss_nodes(3));
}

void add_counts(StepReport& report, const StepReport& part) {
    report.solve = part.solve;
    report.newton_residual = part.newton_residual;
    report.linear_solves += part.linear_solves;
    report.linear_iterations += part.linear_iterations;
    report.newton_iterations += part.newton_iterations;
    report.force_evaluations += part.force_evaluations;
    report.newton_rejected += part.newton_rejected;
}

}  // namespace taffeta::ode
