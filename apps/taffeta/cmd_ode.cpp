#include "ode/common.h"

namespace taffeta::app {

void add_ode_command(Command app, int& exit_status) {
    Command ode = app.subcommand("ode", "the laboratory of time integrators");
    ode.require_subcommand();
    ode.footer("Example:  taffeta ode advise pendulum");
    add_ode_list(ode, exit_status);
    add_ode_solve(ode, exit_status);
    add_ode_order(ode, exit_status);
    add_ode_stability(ode, exit_status);
    add_ode_energy(ode, exit_status);
    add_ode_work_precision(ode, exit_status);
    add_ode_advise(ode, exit_status);
    add_ode_peers(ode, exit_status);
}

}  // namespace taffeta::app
