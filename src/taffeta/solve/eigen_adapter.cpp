#include "taffeta/solve/eigen_adapter.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/base/error.h"
#include "taffeta/base/settings_text.h"
#include "taffeta/solve/eigen_blocks.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/solve/residual.h"

namespace taffeta {

namespace {

std::unique_ptr<solve::Preconditioner> make_aggregation(const Settings& options) {
    return find_entry(solve::preconditioners(), "preconditioner", "sa").make(options);
}

/// The solver of some options, with Eigen's norm where they do not say another one.
std::unique_ptr<solve::LinearSolver> make_solver(Settings options) {
    const Settings* type = options.find("type");
    const bool has_norm =
        !type || (type->is(Settings::Kind::string) && type->string().ends_with("pcg"));
    if (has_norm && !options.find("norm")) options["norm"] = Settings::of(std::string("euclidean"));
    return solve::make_linear_solver(options);
}

Eigen::ComputationInfo info_of(SolveStatus status) {
    switch (status) {
        case SolveStatus::converged:
            return Eigen::Success;
        case SolveStatus::max_iterations:
            return Eigen::NoConvergence;
        case SolveStatus::bad_filter:
        case SolveStatus::bad_size:
            return Eigen::InvalidInput;
        default:
            return Eigen::NumericalIssue;
    }
}

}  // namespace

struct SmoothedAggregation::State {
    solve::EigenBlocks blocks;
    std::unique_ptr<solve::Preconditioner> preconditioner = make_aggregation(Settings());
    sparse::NodeFilter unconstrained;
    VecX coordinates;
    int applications = 0;  ///< since the last set-up
    VecX residual, solution;

    void set_up(EigenRows A) {
        if (blocks.ok() && applications > 0) {
            // Eigen does not tell what its solve took; each iteration applies M^-1 once.
            SolveReport report;
            report.iterations = applications;
            preconditioner->learn(report);
        }
        applications = 0;
        blocks.assign(std::move(A));
        if (!blocks.ok()) return;
        const std::string fault = blocks.find_fault(coordinates);
        if (!fault.empty()) {
            blocks.info = Eigen::InvalidInput;
            blocks.message = fault;
            return;
        }
        if (blocks.rows() == 0) return;
        if (unconstrained.vertices() != blocks.matrix().rows())
            unconstrained = sparse::NodeFilter(blocks.matrix().rows());
        const SolveReport report = preconditioner->setup(
            blocks.matrix(), unconstrained, {coordinates.size() > 0 ? &coordinates : nullptr});
        blocks.info = info_of(report.status);
        blocks.message = report.message;
    }

    const VecX& apply(const VecX& r) {
        if (!blocks.ok() || r.size() == 0) {
            solution = r;
            return solution;
        }
        ++applications;
        if (blocks.rows() % 3 == 0) {
            preconditioner->apply(r, solution);
        } else {
            residual = blocks.padded(r, "the right-hand side");
            preconditioner->apply(residual, solution);
            solution.conservativeResize(r.size());
        }
        return solution;
    }
};

SmoothedAggregation::SmoothedAggregation() : state_(std::make_unique<State>()) {}
SmoothedAggregation::SmoothedAggregation(SmoothedAggregation&&) noexcept = default;
SmoothedAggregation& SmoothedAggregation::operator=(SmoothedAggregation&&) noexcept = default;
SmoothedAggregation::~SmoothedAggregation() = default;

void SmoothedAggregation::set_up(EigenRows A) {
    state_->set_up(std::move(A));
}

const VecX& SmoothedAggregation::apply(const VecX& r) const {
    if (state_->blocks.ok() && r.size() != rows())
        fail_input("the right-hand side",
                   fmt::format("{} numbers, but the matrix has {} rows", r.size(), rows()));
    return state_->apply(r);
}

void SmoothedAggregation::set_options(std::string_view options) {
    state_->preconditioner = make_aggregation(settings_from_text(options));
    state_->blocks = {};
}

void SmoothedAggregation::set_coordinates(const VecX& coordinates) {
    state_->coordinates = coordinates;
}

Eigen::Index SmoothedAggregation::rows() const {
    return state_->blocks.rows();
}
Eigen::ComputationInfo SmoothedAggregation::info() const {
    return state_->blocks.info;
}
const std::string& SmoothedAggregation::message() const {
    return state_->blocks.message;
}
std::string SmoothedAggregation::description() const {
    return state_->blocks.ok() ? state_->preconditioner->description() : std::string();
}
solve::SetupCounts SmoothedAggregation::setup_counts() const {
    return state_->preconditioner->setup_counts();
}

struct SparseSolver::State {
    solve::EigenBlocks blocks;
    std::unique_ptr<solve::LinearSolver> solver = make_solver(Settings());
    sparse::NodeFilter filter;
    VecX coordinates;
    double tolerance = 1e-8;

    Eigen::ComputationInfo info = Eigen::InvalidInput;
    std::string message;
    int iterations = 0;
    double error = 0;

    void say(Eigen::ComputationInfo what, std::string sentence) {
        info = what;
        message = std::move(sentence);
    }

    VecX solve(const VecX& b, const VecX& guess) {
        const VecX right_side = blocks.padded(b, "the right-hand side");
        VecX x = blocks.padded(guess, "the guess");
        const SolveReport report = solver->solve(blocks.matrix(), filter, right_side, x);
        iterations = std::max(iterations, report.iterations);
        error = std::max(error, solve::relative_residual(blocks.matrix(), filter, right_side, x));
        if (!report.ok() && info == Eigen::Success) say(info_of(report.status), report.message);
        return x.head(b.size());
    }
};

SparseSolver::SparseSolver() : state_(std::make_unique<State>()) {
    setTolerance(state_->tolerance);
}
SparseSolver::SparseSolver(SparseSolver&&) noexcept = default;
SparseSolver& SparseSolver::operator=(SparseSolver&&) noexcept = default;
SparseSolver::~SparseSolver() = default;

void SparseSolver::set_matrix(EigenRows A) {
    State& s = *state_;
    s.blocks.assign(std::move(A));
    s.say(s.blocks.info, s.blocks.message);
    s.iterations = 0;
    s.error = 0;
    if (s.blocks.ok() && s.filter.vertices() != s.blocks.matrix().rows())
        s.filter = sparse::NodeFilter(s.blocks.matrix().rows());
}

Eigen::MatrixXd SparseSolver::solve_columns(const Eigen::MatrixXd& b,
                                            const Eigen::MatrixXd& guess) {
    State& s = *state_;
    if (!s.blocks.ok()) fail_input("solve", s.blocks.message);
    if (guess.cols() != b.cols())
        fail_input("the guess", fmt::format("{} columns for {}", guess.cols(), b.cols()));
    const std::string fault = s.blocks.find_fault(s.coordinates);
    if (!fault.empty()) fail_input("solve", fault);
    s.solver->set_near_kernel({s.coordinates.size() > 0 ? &s.coordinates : nullptr});
    s.say(Eigen::Success, {});
    s.iterations = 0;
    s.error = 0;
    Eigen::MatrixXd x(b.rows(), b.cols());
    for (Eigen::Index k = 0; k < b.cols(); ++k)
        x.col(k) = s.solve(b.col(k), guess.col(k));
    return x;
}

void SparseSolver::set_options(std::string_view options) {
    const Settings settings = settings_from_text(options);
    state_->solver = make_solver(settings);
    if (settings.find("tolerance")) state_->tolerance = settings.find("tolerance")->number();
    setTolerance(state_->tolerance);
}

SparseSolver& SparseSolver::setTolerance(double tolerance) {
    if (!(tolerance > 0)) fail_input("the tolerance", fmt::format("{} is not positive", tolerance));
    state_->tolerance = tolerance;
    state_->solver->set_tolerance(tolerance);
    return *this;
}

void SparseSolver::set_coordinates(const VecX& coordinates) {
    state_->coordinates = coordinates;
}

void SparseSolver::set_constraints(const sparse::NodeFilter& filter) {
    const Index vertices = state_->blocks.matrix().rows();
    if (filter.vertices() != vertices)
        fail_input("the constraints", fmt::format("for {} vertices, but the matrix has {}",
                                                  filter.vertices(), vertices));
    state_->filter = filter;
}

double SparseSolver::tolerance() const {
    return state_->tolerance;
}
Eigen::Index SparseSolver::rows() const {
    return state_->blocks.rows();
}
Eigen::ComputationInfo SparseSolver::info() const {
    return state_->info;
}
const std::string& SparseSolver::message() const {
    return state_->message;
}
Eigen::Index SparseSolver::iterations() const {
    return state_->iterations;
}
double SparseSolver::error() const {
    return state_->error;
}
std::string SparseSolver::description() const {
    return state_->solver->description();
}
solve::SetupCounts SparseSolver::setup_counts() const {
    return state_->solver->setup_counts();
}

}  // namespace taffeta
