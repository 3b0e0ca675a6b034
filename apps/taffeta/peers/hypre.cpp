#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <numeric>

#include "mpi_session.h"
#include "peer.h"
#include "taffeta/base/timer.h"

/// hypre's conjugate gradients with BoomerAMG. The words of a setting are the ends of the functions
/// HYPRE_BoomerAMGSet...; `InterpVectors` counts the rotations that interpolation is made to fit.
namespace taffeta::app {

namespace {

class HyprePeer final : public Peer {
  public:
    explicit HyprePeer(PeerSetting setting) : setting_(std::move(setting)) {
        static const bool begun = [] {
            begin_mpi();
            HYPRE_Init();
            return true;
        }();
        (void)begun;
    }

    PeerAnswer solve(const PeerSystem& system, double tolerance) override {
        const int n = system.rows;
        std::vector<int> rows(std::size_t(n), 0), lengths(std::size_t(n), 0);
        std::iota(rows.begin(), rows.end(), 0);
        for (std::size_t i = 0; i < rows.size(); ++i)
            lengths[i] = system.row_begin[i + 1] - system.row_begin[i];
        HYPRE_IJMatrix matrix = nullptr;
        HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, n - 1, 0, n - 1, &matrix);
        HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
        HYPRE_IJMatrixSetRowSizes(matrix, lengths.data());
        HYPRE_IJMatrixInitialize(matrix);
        HYPRE_IJMatrixSetValues(matrix, n, lengths.data(), rows.data(), system.column.data(),
                                system.value.data());
        HYPRE_IJMatrixAssemble(matrix);
        const std::vector<double> zero(std::size_t(n), 0.0);
        HYPRE_IJVector right_side = make_vector(rows, system.right_side.data());
        HYPRE_IJVector solution = make_vector(rows, zero.data());
        std::vector<HYPRE_IJVector> modes;
        const int rotations = int(option("InterpVectors", 0));
        for (int k = 0; k < std::min(rotations, system.modes - system.translations); ++k)
            modes.push_back(make_vector(
                rows,
                system.near_kernel.data() + std::size_t(system.translations + k) * std::size_t(n)));
        const auto answer =
            run(parallel(matrix), parallel(right_side), parallel(solution), modes, tolerance);

        PeerAnswer result = answer;
        result.y.resize(std::size_t(n));
        HYPRE_IJVectorGetValues(solution, n, rows.data(), result.y.data());
        for (HYPRE_IJVector& mode : modes)
            HYPRE_IJVectorDestroy(mode);
        HYPRE_IJVectorDestroy(solution);
        HYPRE_IJVectorDestroy(right_side);
        HYPRE_IJMatrixDestroy(matrix);
        HYPRE_ClearAllErrors();
        return result;
    }

  private:
    double option(const char* name, double fallback) const {
        return peer_option(setting_, name, fallback);
    }

    static HYPRE_IJVector make_vector(const std::vector<int>& rows, const double* values) {
        HYPRE_IJVector vector = nullptr;
        const int n = int(rows.size());
        HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, n - 1, &vector);
        HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
        HYPRE_IJVectorInitialize(vector);
        HYPRE_IJVectorSetValues(vector, n, rows.data(), values);
        HYPRE_IJVectorAssemble(vector);
        return vector;
    }
    static HYPRE_ParCSRMatrix parallel(HYPRE_IJMatrix matrix) {
        void* object = nullptr;
        HYPRE_IJMatrixGetObject(matrix, &object);
        return static_cast<HYPRE_ParCSRMatrix>(object);
    }
    static HYPRE_ParVector parallel(HYPRE_IJVector vector) {
        void* object = nullptr;
        HYPRE_IJVectorGetObject(vector, &object);
        return static_cast<HYPRE_ParVector>(object);
    }

    HYPRE_Solver make_multigrid(std::vector<HYPRE_ParVector>& modes) const {
        HYPRE_Solver amg = nullptr;
        HYPRE_BoomerAMGCreate(&amg);
        HYPRE_BoomerAMGSetPrintLevel(amg, 0);
        HYPRE_BoomerAMGSetMaxIter(amg, 1);
        HYPRE_BoomerAMGSetTol(amg, 0);
        HYPRE_BoomerAMGSetNumFunctions(amg, int(option("NumFunctions", 3)));
        HYPRE_BoomerAMGSetNodal(amg, int(option("Nodal", 0)));
        HYPRE_BoomerAMGSetStrongThreshold(amg, option("StrongThreshold", 0.25));
        HYPRE_BoomerAMGSetAggNumLevels(amg, int(option("AggNumLevels", 0)));
        HYPRE_BoomerAMGSetInterpType(amg, int(option("InterpType", 6)));
        HYPRE_BoomerAMGSetPMaxElmts(amg, int(option("PMaxElmts", 4)));
        HYPRE_BoomerAMGSetCoarsenType(amg, int(option("CoarsenType", 10)));
        HYPRE_BoomerAMGSetRelaxType(amg, int(option("RelaxType", 8)));
        HYPRE_BoomerAMGSetRelaxOrder(amg, 0);  // otherwise the cycle is not symmetric
        if (!modes.empty()) {
            HYPRE_BoomerAMGSetInterpVecVariant(amg, int(option("InterpVecVariant", 2)));
            HYPRE_BoomerAMGSetInterpVectors(amg, int(modes.size()), modes.data());
        }
        return amg;
    }

    PeerAnswer run(HYPRE_ParCSRMatrix A, HYPRE_ParVector b, HYPRE_ParVector x,
                   const std::vector<HYPRE_IJVector>& modes, double tolerance) const {
        PeerAnswer answer;
        std::vector<HYPRE_ParVector> rotations;
        for (const HYPRE_IJVector& mode : modes)
            rotations.push_back(parallel(mode));
        HYPRE_Solver amg = make_multigrid(rotations), cg = nullptr;
        HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &cg);
        HYPRE_PCGSetMaxIter(cg, 10000);
        HYPRE_PCGSetTol(cg, tolerance);
        HYPRE_PCGSetTwoNorm(cg, 0);  // r'M^-1 r
        HYPRE_PCGSetPrintLevel(cg, 0);
        HYPRE_PCGSetPrecond(cg, HYPRE_PtrToSolverFcn(HYPRE_BoomerAMGSolve),
                            HYPRE_PtrToSolverFcn(HYPRE_BoomerAMGSetup), amg);
        Timer timer;
        HYPRE_ParCSRPCGSetup(cg, A, b, x);
        answer.setup_seconds = timer.restart();
        HYPRE_ParCSRPCGSolve(cg, A, b, x);
        answer.solve_seconds = timer.seconds();
        int converged = 0;
        HYPRE_PCGGetNumIterations(cg, &answer.iterations);
        HYPRE_PCGGetConverged(cg, &converged);
        if (!converged) answer.failure = "it says that it has not converged";
        HYPRE_ParCSRPCGDestroy(cg);
        HYPRE_BoomerAMGDestroy(amg);
        return answer;
    }

    PeerSetting setting_;
};

}  // namespace

}  // namespace taffeta::app

TAFFETA_PEER {
    using namespace taffeta::app;
    static const PeerModule module{
        HYPRE_RELEASE_VERSION,
        {{"unknowns", "NumFunctions 3"},
         {"unknowns, aggressive", "NumFunctions 3 AggNumLevels 1"},
         {"nodal, aggressive", "NumFunctions 3 Nodal 4 AggNumLevels 1"},
         {"nodal, rotations", "NumFunctions 3 Nodal 4 AggNumLevels 1 InterpVectors 3"}},
        [](const PeerSetting& setting) -> Peer* { return new HyprePeer(setting); }};
    return module;
}
