#include "contestants.h"

#include <cmath>

#include "solver_names.h"
#include "taffeta/base/error.h"
#include "taffeta/solve/linear_solver.h"

namespace taffeta::app {

namespace {

solve::NearKernel near_kernel_of(const BenchSystem& system) {
    return {system.coordinates.size() > 0 ? &system.coordinates : nullptr};
}

class OurContestant final : public Contestant {
  public:
    explicit OurContestant(const std::string& name)
        : solver_(solve::make_linear_solver(solver_by_name(name))),
          settings_(solver_by_name(name)) {
        solver = name;
    }

    ContestRun run(const Contest& contest, double tolerance, bool keep) override {
        // Direct solvers keep their analysis through a reset, so it must be a new one.
        if (!keep) solver_ = solve::make_linear_solver(settings_);
        solver_->set_near_kernel(near_kernel_of(contest.system));
        solver_->set_stiff_terms(contest.system.stiff_terms());
        solver_->set_tolerance(tolerance);
        ContestRun result;
        result.x = VecX::Zero(contest.system.b.size());
        const SolveReport report =
            solver_->solve(contest.system.A, contest.system.filter, contest.system.b, result.x);
        result.iterations = report.iterations;
        result.setup_seconds = report.setup_seconds;
        result.solve_seconds = report.solve_seconds;
        if (!report.ok()) result.failure = report.message;
        return result;
    }

  private:
    std::unique_ptr<solve::LinearSolver> solver_;
    Settings settings_;
};

class PeerContestant final : public Contestant {
  public:
    PeerContestant(const LoadedPeer& peer, const PeerSetting& setting)
        : peer_(peer.module->make(setting)) {
        solver = peer.name;
        settings = setting.name;
    }

    ContestRun run(const Contest& contest, double tolerance, bool) override {
        const PeerAnswer answer = peer_->solve(contest.peer, tolerance);
        ContestRun result;
        result.x = answer.y.empty() ? VecX::Zero(contest.system.b.size()).eval()
                                    : constrained_solution(contest.system, answer.y);
        result.iterations = answer.iterations;
        result.setup_seconds = answer.setup_seconds;
        result.solve_seconds = answer.solve_seconds;
        result.failure = answer.failure;
        return result;
    }

  private:
    std::unique_ptr<Peer> peer_;
};

double energy_norm(const Contest& contest, const VecX& u) {
    VecX image;
    sparse::multiply(contest.system.A, u, image);
    return std::sqrt(u.dot(image));
}

}  // namespace

Contest make_contest(BenchSystem system) {
    Contest contest;
    contest.system = std::move(system);
    contest.peer = peer_system(contest.system);
    const auto solver = solve::make_linear_solver(solver_by_name("sa"));
    solver->set_near_kernel(near_kernel_of(contest.system));
    solver->set_tolerance(1e-12);
    contest.exact = VecX::Zero(contest.system.b.size());
    // Rounding may be the limit a little above the tolerance; what counts is far below any stop.
    const SolveReport report =
        solver->solve(contest.system.A, contest.system.filter, contest.system.b, contest.exact);
    if (!report.ok() && !(report.residual < 1e-9))
        fail_input("the system", "it cannot be solved: " + report.message);
    return contest;
}

std::unique_ptr<Contestant> our_contestant(const std::string& name) {
    return std::make_unique<OurContestant>(name);
}

std::vector<std::unique_ptr<Contestant>> peer_contestants(const LoadedPeer& peer) {
    std::vector<std::unique_ptr<Contestant>> all;
    for (const PeerSetting& setting : peer.module->settings)
        all.push_back(std::make_unique<PeerContestant>(peer, setting));
    return all;
}

double energy_error(const Contest& contest, const VecX& x) {
    const double size = energy_norm(contest, contest.exact);
    const double error = energy_norm(contest, x - contest.exact);
    return size > 0 ? error / size : error;
}

}  // namespace taffeta::app
