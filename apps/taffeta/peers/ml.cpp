#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>

#include <Epetra_Vector.h>
#include <ml_MultiLevelPreconditioner.h>
#include <ml_epetra_utils.h>
#include <Teuchos_ParameterList.hpp>

#include <cmath>
#include <memory>

#include "mpi_session.h"
#include "peer.h"
#include "taffeta/base/timer.h"

/// Trilinos ML: smoothed aggregation on top of its defaults "SA". Conjugate gradients are written
/// here, because those of AztecOO cannot stop in the norm of the preconditioner. The words of a
/// setting: `sweeps`, `threshold` (of aggregation), `damping` (of the prolongator), `modes` (of the
/// near kernel, 0: three translations by ML itself), `chebyshev` or else symmetric Gauss-Seidel.
namespace taffeta::app {

namespace {

class MlPeer final : public Peer {
  public:
    explicit MlPeer(PeerSetting setting) : setting_(std::move(setting)) { begin_mpi(); }

    PeerAnswer solve(const PeerSystem& system, double tolerance) override {
        const Epetra_MpiComm alone(MPI_COMM_SELF);  // ML casts it to that
        const Epetra_Map map(system.rows, 0, alone);
        std::vector<int> lengths(std::size_t(system.rows), 0);
        for (std::size_t i = 0; i < lengths.size(); ++i)
            lengths[i] = system.row_begin[i + 1] - system.row_begin[i];
        Epetra_CrsMatrix matrix(Copy, map, lengths.data(), true);
        for (int i = 0; i < system.rows; ++i) {
            const std::size_t begin = std::size_t(system.row_begin[std::size_t(i)]);
            matrix.InsertGlobalValues(i, lengths[std::size_t(i)], system.value.data() + begin,
                                      system.column.data() + begin);
        }
        matrix.FillComplete();
        matrix.OptimizeStorage();

        PeerAnswer answer;
        Timer timer;
        std::vector<double> kernel = system.near_kernel;
        const Teuchos::ParameterList list = options(system, kernel);
        ML_Epetra::MultiLevelPreconditioner multigrid(matrix, list, true);
        answer.setup_seconds = timer.restart();
        iterate(system, tolerance, matrix, multigrid, answer);
        answer.solve_seconds = timer.seconds();
        return answer;
    }

  private:
    Teuchos::ParameterList options(const PeerSystem& system, std::vector<double>& kernel) const {
        Teuchos::ParameterList list;
        ML_Epetra::SetDefaults("SA", list);
        list.set("ML output", 0);
        list.set("PDE equations", 3);
        list.set("aggregation: type", "Uncoupled");
        list.set("aggregation: threshold", peer_option(setting_, "threshold", 0));
        list.set("aggregation: damping factor", peer_option(setting_, "damping", 4.0 / 3));
        list.set("smoother: sweeps", int(peer_option(setting_, "sweeps", 1)));
        const bool chebyshev = setting_.words.find("chebyshev") != std::string::npos;
        list.set("smoother: type", std::string(chebyshev ? "Chebyshev" : "symmetric Gauss-Seidel"));
        list.set("coarse: type", std::string("Amesos-KLU"));
        list.set("coarse: max size", 500);
        if (const int modes = int(peer_option(setting_, "modes", system.modes)); modes > 0) {
            list.set("null space: type", std::string("pre-computed"));
            list.set("null space: dimension", std::min(modes, system.modes));
            list.set("null space: vectors", kernel.data());
            list.set("null space: add default vectors", false);
        }
        return list;
    }

    static void iterate(const PeerSystem& system, double tolerance, const Epetra_CrsMatrix& A,
                        const ML_Epetra::MultiLevelPreconditioner& M, PeerAnswer& answer) {
        const Epetra_Map& map = A.RowMap();
        Epetra_Vector x(map), p(map), z(map), q(map);
        Epetra_Vector r(Copy, map, const_cast<double*>(system.right_side.data()));
        double rho = 0, curvature = 0;
        M.ApplyInverse(r, z);
        r.Dot(z, &rho);
        p = z;
        const double limit = tolerance * tolerance * rho;
        while (rho > limit) {
            if (++answer.iterations > 10000) {
                answer.failure = "10000 iterations are not enough";
                break;
            }
            A.Multiply(false, p, q);
            p.Dot(q, &curvature);
            const double alpha = rho / curvature;
            x.Update(alpha, p, 1);
            r.Update(-alpha, q, 1);
            M.ApplyInverse(r, z);
            const double before = rho;
            r.Dot(z, &rho);
            if (!(rho >= 0) || !std::isfinite(rho)) {
                answer.failure = "r'M^-1 r = " + std::to_string(rho);
                break;
            }
            p.Update(1, z, rho / before);
        }
        answer.y.assign(x.Values(), x.Values() + system.rows);
    }

    PeerSetting setting_;
};

}  // namespace

}  // namespace taffeta::app

TAFFETA_PEER {
    using namespace taffeta::app;
    static const PeerModule module{
        "13.2",
        {{"Gauss-Seidel", "sweeps 1"},
         {"Chebyshev", "chebyshev sweeps 2"},
         {"threshold 0.02", "sweeps 1 threshold 0.02"},
         {"translations", "sweeps 1 modes 3"}},
        [](const PeerSetting& setting) -> Peer* { return new MlPeer(setting); }};
    return module;
}
