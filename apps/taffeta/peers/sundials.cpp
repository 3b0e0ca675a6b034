#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "ode_peer.h"
#include "taffeta/base/timer.h"

/// SUNDIALS: CVODE's BDF of orders 1 to 5, and 1 to 2, with Newton's method on banded matrices, whose
/// factors it keeps over steps; CVODE's Adams methods of orders 1 to 12 with fixed-point iteration;
/// ARKODE's explicit step with the pair of Dormand and Prince. All settings but the tolerances are the
/// library's own.
namespace taffeta::app {

namespace {

constexpr long most_steps = 1000000;

struct SundialsCall {
    const OdePeerProblem& problem;
    long evaluations = 0, jacobians = 0;
};

int rate(realtype t, N_Vector y, N_Vector out, void* data) {
    auto& call = *static_cast<SundialsCall*>(data);
    ++call.evaluations;
    call.problem.rate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(out));
    return 0;
}

int jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix J, void* data, N_Vector, N_Vector,
             N_Vector) {
    auto& call = *static_cast<SundialsCall*>(data);
    ++call.jacobians;
    SUNMatZero(J);
    call.problem.jacobian(t, N_VGetArrayPointer(y),
                          [&](int i, int j, double value) { SM_ELEMENT_B(J, i, j) = value; });
    return 0;
}

std::string failed_with(int flag) {
    return flag < 0 ? "stopped with code " + std::to_string(flag) : "";
}

/// `order`: of BDF at most; 0: Adams.
void run_cvode(int order, SundialsCall& call, N_Vector y, SUNContext context, double relative,
               double absolute, OdePeerAnswer& answer) {
    const OdePeerProblem& problem = call.problem;
    const bool bdf = order > 0;
    void* memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, context);
    CVodeInit(memory, rate, problem.from, y);
    CVodeSStolerances(memory, relative, absolute);
    CVodeSetUserData(memory, &call);
    CVodeSetMaxNumSteps(memory, most_steps);
    CVodeSetErrFile(memory, nullptr);
    CVodeSetStopTime(memory, problem.to);
    SUNMatrix A = nullptr;
    SUNLinearSolver linear = nullptr;
    SUNNonlinearSolver iteration = nullptr;
    if (bdf) {
        CVodeSetMaxOrd(memory, order);
        A = SUNBandMatrix(NV_LENGTH_S(y), problem.band, problem.band, context);
        linear = SUNLinSol_Band(y, A, context);
        CVodeSetLinearSolver(memory, linear, A);
        CVodeSetJacFn(memory, jacobian);
    } else {
        iteration = SUNNonlinSol_FixedPoint(y, 0, context);
        CVodeSetNonlinearSolver(memory, iteration);
    }
    realtype t = problem.from;
    answer.failure = failed_with(CVode(memory, problem.to, y, &t, CV_NORMAL));
    CVodeGetNumSteps(memory, &answer.steps);
    CVodeGetNumErrTestFails(memory, &answer.rejected);
    CVodeFree(&memory);
    if (linear) SUNLinSolFree(linear);
    if (A) SUNMatDestroy(A);
    if (iteration) SUNNonlinSolFree(iteration);
}

void run_erk(SundialsCall& call, N_Vector y, SUNContext context, double relative, double absolute,
             OdePeerAnswer& answer) {
    const OdePeerProblem& problem = call.problem;
    void* memory = ERKStepCreate(rate, problem.from, y, context);
    ERKStepSStolerances(memory, relative, absolute);
    ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSetUserData(memory, &call);
    ERKStepSetMaxNumSteps(memory, most_steps);
    ERKStepSetErrFile(memory, nullptr);
    ERKStepSetStopTime(memory, problem.to);
    realtype t = problem.from;
    answer.failure = failed_with(ERKStepEvolve(memory, problem.to, y, &t, ARK_NORMAL));
    ERKStepGetNumSteps(memory, &answer.steps);
    ERKStepGetNumErrTestFails(memory, &answer.rejected);
    ERKStepFree(&memory);
}

OdePeerAnswer solve(const std::string& method, const OdePeerProblem& problem, double relative,
                    double absolute) {
    OdePeerAnswer answer;
    answer.y = problem.start;
    SundialsCall call{problem};
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    const Timer timer;
    N_Vector y = N_VMake_Serial(sunindextype(answer.y.size()), answer.y.data(), context);
    if (method == "arkode_dormand_prince") {
        run_erk(call, y, context, relative, absolute, answer);
    } else {
        const int order = method == "cvode_bdf" ? 5 : method == "cvode_bdf2" ? 2 : 0;
        run_cvode(order, call, y, context, relative, absolute, answer);
    }
    N_VDestroy(y);
    answer.seconds = timer.seconds();
    SUNContext_Free(&context);
    answer.evaluations = call.evaluations;
    answer.jacobians = call.jacobians;
    return answer;
}

}  // namespace

TAFFETA_ODE_PEER {
    static const OdePeerModule module{
        SUNDIALS_VERSION,
        {"cvode_bdf", "cvode_bdf2", "cvode_adams", "arkode_dormand_prince"},
        &solve};
    return module;
}

}  // namespace taffeta::app
