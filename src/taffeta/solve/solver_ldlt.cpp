#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>

#include "taffeta/base/timer.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/solve/system_check.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::solve {

namespace {

/// A residual above this after one step of refinement means that the factors are useless.
constexpr double accepted_residual = 1e-6;

/// L D L' of the explicitly prefiltered matrix. The ordering and the symbolic factor are kept as
/// long as matrices come with the same pattern object.
class Ldlt final : public LinearSolver {
  public:
    SolveReport solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                      VecX& x) override {
        SolveReport report = check_.run(A, filter, b, x);
        if (!report.ok() || A.rows() == 0) return report;
        // The factors use one triangle only: a NaN in the other one would pass.
        if (!b.allFinite() || !sparse::find_not_finite(A).empty()) return not_finite(A, b, {});
        const std::string asymmetry = sparse::find_asymmetry(A);
        if (!asymmetry.empty()) return failure(SolveStatus::indefinite, asymmetry);
        Timer timer;
        report = factorize(A, filter);
        const double setup_seconds = timer.restart();
        if (report.ok()) report = back_solve(A, filter, b, x);
        report.setup_seconds = setup_seconds;
        report.solve_seconds = timer.seconds();
        return report;
    }

    void set_tolerance(double) override {}

  private:
    using Lower = Eigen::SparseMatrix<double>;

    SolveReport factorize(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
        filtered_ = A;
        sparse::prefilter(filtered_, filter);
        if (A.shared_pattern() != analysed_) {
            const SolveReport report = make_structure(A.pattern());
            if (!report.ok()) return report;
            factors_.analyzePattern(lower_);
            analysed_ = A.shared_pattern();
        }
        fill(A.pattern());
        factors_.factorize(lower_);
        return check_pivots(A);
    }

    /// Column i of the lower triangle is row i of the upper one.
    SolveReport make_structure(const sparse::BlockPattern& pattern) {
        std::int64_t count = 0;
        for (Index i = 0; i < pattern.rows(); ++i)
            count += entries(pattern, i);
        if (count > std::numeric_limits<int>::max())
            return failure(SolveStatus::bad_size,
                           fmt::format("{} numbers are too many for the direct solver", count));
        const Index size = 3 * pattern.rows();
        lower_.resize(size, size);
        lower_.resizeNonZeros(Eigen::Index(count));
        Index next = 0;
        for (Index i = 0; i < size; ++i) {
            lower_.outerIndexPtr()[i] = next;
            for_each_upper(pattern, i, [&](Index, int, Index column) {
                lower_.innerIndexPtr()[next++] = column;
            });
        }
        lower_.outerIndexPtr()[size] = next;
        return {};
    }

    void fill(const sparse::BlockPattern& pattern) {
        double* value = lower_.valuePtr();
        for (Index i = 0; i < 3 * pattern.rows(); ++i)
            for_each_upper(pattern, i, [&](Index slot, int column, Index) {
                *value++ = filtered_.block(slot)(i % 3, column);
            });
    }

    static std::int64_t entries(const sparse::BlockPattern& pattern, Index vertex) {
        const Index after =
            pattern.row_begin[std::size_t(vertex) + 1] - pattern.diagonal[std::size_t(vertex)] - 1;
        return 9 * std::int64_t(after) + 6;
    }

    /// Calls `visit(slot, local column, column)` for the numbers of row i from the diagonal on.
    template <class Visit>
    static void for_each_upper(const sparse::BlockPattern& pattern, Index i, const Visit& visit) {
        const std::size_t vertex = std::size_t(i / 3);
        const Index diagonal = pattern.diagonal[vertex];
        for (Index s = diagonal; s < pattern.row_begin[vertex + 1]; ++s)
            for (int k = s == diagonal ? i % 3 : 0; k < 3; ++k)
                visit(s, k, 3 * pattern.column[std::size_t(s)] + k);
    }

    SolveReport check_pivots(const sparse::Matrix3& A) {
        const auto pivots = factors_.vectorD();
        for (Eigen::Index k = 0; k < pivots.size(); ++k) {
            const Index row = Index(factors_.permutationPinv().indices()[k]);
            const double size = lower_.coeff(row, row);
            const double pivot = pivots[k];
            if (!std::isfinite(pivot)) return not_finite(A, {}, {});
            // A pivot is what elimination left of the diagonal number.
            if (pivot > 32 * std::numeric_limits<double>::epsilon() * std::abs(size)) continue;
            const bool negative = pivot < -1e-12 * std::abs(size);
            return failure(negative ? SolveStatus::indefinite : SolveStatus::singular,
                           fmt::format("the pivot of vertex {}, {} is {:.3g} (its diagonal number "
                                       "is {:.3g}): A is {}",
                                       row / 3, "xyz"[row % 3], pivot, size,
                                       negative ? "indefinite" : "singular"));
        }
        return {};
    }

    SolveReport back_solve(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                           const VecX& b, VecX& x) {
        // S c with c = b - A z
        VecX right_side = b, image;
        if (filter.has_targets()) {
            VecX z;
            filter.targets(z);
            sparse::multiply(A, z, image);
            right_side -= image;
        }
        filter.project(right_side);
        const double norm = right_side.norm();
        if (!std::isfinite(norm)) return not_finite(A, b, x);

        SolveReport report;
        VecX y = VecX::Zero(b.size());
        VecX residual = right_side;
        for (int pass = 0; pass < 2 && norm > 0; ++pass) {
            y += factors_.solve(residual);
            sparse::multiply(filtered_, y, image);
            residual = right_side - image;
            report.residual = residual.norm() / norm;
        }
        filter.project(y);
        if (!(report.residual <= accepted_residual)) {
            const std::string asymmetry = sparse::find_asymmetry(A);
            report.status = asymmetry.empty() ? SolveStatus::singular : SolveStatus::indefinite;
            report.message =
                fmt::format("the factors leave a residual of {:.3g}: {}", report.residual,
                            asymmetry.empty() ? "A is nearly singular" : asymmetry);
        }
        if (!y.allFinite()) return report;
        x = y;
        filter.add_targets(x);
        return report;
    }

    SystemCheck check_;
    sparse::Matrix3 filtered_;
    sparse::Pattern analysed_;
    Lower lower_;
    Eigen::SimplicialLDLT<Lower> factors_;
};

}  // namespace

extern const SolverEntry entry_ldlt;
constinit const SolverEntry entry_ldlt{
    .key = "ldlt",
    .doc = "direct: sparse L D L' of the prefiltered matrix, for small systems and as a reference",
    .properties = {.direct = true, .preconditioned = false},
    .fields = [] { return field_table<NoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        read_options<NoOptions>(settings);
        return std::make_unique<Ldlt>();
    }};

}  // namespace taffeta::solve
