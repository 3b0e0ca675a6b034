#include <petscksp.h>

#include "mpi_session.h"
#include "peer.h"
#include "taffeta/base/timer.h"

/// PETSc's conjugate gradients with its smoothed aggregation GAMG. The words of a setting are options
/// of PETSc; `-modes` is ours: how many motions of the near kernel it is told of, 0: none.
namespace taffeta::app {

namespace {

void begin_petsc() {
    static const bool begun = [] {
        begin_mpi();
        PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");
        PetscInitializeNoArguments();
        PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);  // a status, not a page of text
        return true;
    }();
    (void)begun;
}

struct Fault {
    PetscErrorCode code;
};

void need(PetscErrorCode code) {
    if (code != 0) throw Fault{code};
}

class PetscPeer final : public Peer {
  public:
    explicit PetscPeer(PeerSetting setting) : setting_(std::move(setting)) { begin_petsc(); }
    ~PetscPeer() override { release(); }

    PeerAnswer solve(const PeerSystem& system, double tolerance) override {
        PeerAnswer answer;
        try {
            run(system, tolerance, answer);
        } catch (const Fault& fault) {
            const char* text = nullptr;
            PetscErrorMessage(fault.code, &text, nullptr);
            answer.failure = text ? text : "an error of PETSc";
        }
        release();
        return answer;
    }

  private:
    void run(const PeerSystem& system, double tolerance, PeerAnswer& answer) {
        const PetscInt n = system.rows;
        need(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n,
                                       const_cast<int*>(system.row_begin.data()),
                                       const_cast<int*>(system.column.data()),
                                       const_cast<double*>(system.value.data()), &matrix_));
        need(MatSetBlockSize(matrix_, 3));
        need(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
        const int modes =
            std::min(system.modes, int(peer_option(setting_, "-modes", system.modes)));
        if (modes > 0) set_near_kernel(system, modes);
        answer.y.assign(std::size_t(n), 0.0);
        need(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, n, system.right_side.data(), &right_side_));
        need(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, n, answer.y.data(), &solution_));

        need(PetscOptionsClear(nullptr));
        need(PetscOptionsInsertString(nullptr, setting_.words.c_str()));
        need(KSPCreate(PETSC_COMM_SELF, &solver_));
        need(KSPSetType(solver_, KSPCG));
        need(KSPSetNormType(solver_, KSP_NORM_NATURAL));
        need(KSPSetTolerances(solver_, tolerance, 0, PETSC_DEFAULT, 10000));
        need(KSPSetOperators(solver_, matrix_, matrix_));
        need(KSPSetFromOptions(solver_));
        Timer timer;
        need(KSPSetUp(solver_));
        need(KSPSetUpOnBlocks(solver_));
        answer.setup_seconds = timer.restart();
        need(KSPSolve(solver_, right_side_, solution_));
        answer.solve_seconds = timer.seconds();
        PetscInt iterations = 0;
        KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
        need(KSPGetIterationNumber(solver_, &iterations));
        need(KSPGetConvergedReason(solver_, &reason));
        answer.iterations = int(iterations);
        if (reason < 0) answer.failure = KSPConvergedReasons[reason];
    }

    void set_near_kernel(const PeerSystem& system, int modes) {
        std::vector<::Vec> vectors(std::size_t(modes), nullptr);
        for (int k = 0; k < modes; ++k)
            need(VecCreateSeqWithArray(
                PETSC_COMM_SELF, 3, system.rows,
                system.near_kernel.data() + std::size_t(k) * std::size_t(system.rows),
                &vectors[std::size_t(k)]));
        MatNullSpace space = nullptr;
        need(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, modes, vectors.data(), &space));
        need(MatSetNearNullSpace(matrix_, space));
        MatNullSpaceDestroy(&space);
        for (::Vec& vector : vectors)
            VecDestroy(&vector);
    }

    void release() {
        KSPDestroy(&solver_);
        VecDestroy(&solution_);
        VecDestroy(&right_side_);
        MatDestroy(&matrix_);
    }

    PeerSetting setting_;
    Mat matrix_ = nullptr;
    ::Vec right_side_ = nullptr, solution_ = nullptr;
    KSP solver_ = nullptr;
};

std::string petsc_version() {
    return std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
           std::to_string(PETSC_VERSION_SUBMINOR);
}

}  // namespace

}  // namespace taffeta::app

TAFFETA_PEER {
    using namespace taffeta::app;
    // Chebyshev with point Jacobi is GAMG's own smoother; block Jacobi and SOR divide by zero in
    // aggregates that carry fewer than six motions.
    static const PeerModule module{
        petsc_version(),
        {{"gamg", "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi"},
         {"gamg, threshold 0.02",
          "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi "
          "-pc_gamg_threshold 0.02"},
         {"gamg, translations",
          "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi -modes 3"},
         {"gamg, translations, degree 1",
          "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi -modes 3 "
          "-mg_levels_ksp_max_it 1"}},
        [](const PeerSetting& setting) -> Peer* { return new PetscPeer(setting); }};
    return module;
}
