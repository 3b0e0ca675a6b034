#include <fmt/format.h>

#include "taffeta/base/timer.h"
#include "taffeta/solve/diagonal_preconditioner.h"
#include "taffeta/solve/system_check.h"
#include "taffeta/solve/triangular_sweeps.h"

namespace taffeta::solve {

namespace {

struct Ic0Options {
    double shift = 0.01;

    static Fields<Ic0Options> fields() {
        return {
            {"shift", &Ic0Options::shift,
             "first share of the diagonal that is added to it when a pivot fails; doubled until "
             "none does, dimensionless",
             positive()}};
    }
};

/// Incomplete Cholesky factors of B = S A S + sigma (I - S) without fill, in 3 x 3 blocks:
///
///     M = (E + L) E^-1 (E + L)' with M_ij = B_ij wherever A has a block.           [MV77]
///
///     W_ij = L_ij E_j^-1,  L_ij = B_ij - sum_{k<j} W_ik L_jk',  E_i = B_ii - sum_{j<i} W_ij L_ij'
///
/// The breakdown rule. B may be SPD and yet have no such factors: what is dropped was positive. When
/// the elimination of a pivot block E_i meets a number that is not above 1e-12 of the same number
/// on the diagonal of B, all is thrown away and B + alpha D is factored instead, D its diagonal
/// blocks and alpha = `shift`, then twice that, and so on until all pivots hold. [Man80] A large
/// alpha always does, as M then tends to (1 + alpha) D. `description` tells alpha and the first
/// vertex that failed. Each set-up begins with alpha = 0, so that it depends on A only.
class Ic0 final : public Preconditioner {
  public:
    explicit Ic0(const Ic0Options& options)
        : options_(options),
          diagonal_(find_entry(preconditioners(), "preconditioner", "block_jacobi")
                        .make(Settings::object())) {}

    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        const Timer timer;
        SolveReport report = diagonal_->setup(A, filter, near_kernel);  // for its sentence
        if (!report.ok() || A.rows() == 0) return report;
        sweeps_.plan(A.shared_pattern());
        alpha_ = 0;
        factorisations_ = 0;
        for (;;) {
            if (!sweeps_.load(A, filter)) return not_finite(A, {}, {});
            ++factorisations_;
            const Index failed = factor(A, filter);
            if (failed < 0) break;
            if (factorisations_ == 1) first_failed_ = failed;
            if (alpha_ > largest_shift)
                return failure(
                    SolveStatus::indefinite,
                    fmt::format("incomplete Cholesky finds no positive pivot at vertex {}, also "
                                "with {:.3g} times the diagonal added: A is indefinite",
                                failed, alpha_));
            alpha_ = alpha_ > 0 ? 2 * alpha_ : options_.shift;
        }
        report.setup_seconds = timer.seconds();
        return report;
    }

    void apply(const VecX& r, VecX& z) const override { sweeps_.apply(r, z); }

    std::string description() const override {
        const std::string shifted =
            alpha_ > 0 ? fmt::format(
                             "shift alpha = {:g} after {} factorisations, the first failed "
                             "at vertex {}",
                             alpha_, factorisations_, first_failed_)
                       : "no shift";
        return fmt::format("IC(0), {}, {} vertices in {} strips, {:.1f} MB\n", shifted,
                           sweeps_.rows(), sweeps_.strips(), double(bytes()) / 1e6);
    }
    std::size_t bytes() const override { return diagonal_->bytes() + sweeps_.bytes(); }

  private:
    static constexpr double smallest_pivot = 1e-12;  ///< of the diagonal of B
    static constexpr double largest_shift = 1e6;     ///< rows are shorter than that

    /// Factors what was loaded; the vertex of the first pivot that failed, or -1.
    Index factor(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
        failed_.assign(std::size_t(sweeps_.strips()), -1);
        sweeps_.over_strips(false, [&](Index first, Index last, Index strip) {
            for (Index i = first; i < last; ++i) {
                const Index vertex = sweeps_.vertex(i);
                const Mat3 block = A.block(A.pattern().diagonal[std::size_t(vertex)]);
                const sparse::NodeFilter::Entry* entry = filter.find(vertex);
                if (!factor_row(i, (1 + alpha_) * filtered_block(block, entry))) {
                    failed_[std::size_t(strip)] = vertex;
                    return;
                }
                if (!entry) continue;
                const Mat3& S = entry->projector;
                const double sigma = (1 + alpha_) * sparse::filter_scale(block);
                sweeps_.inverse(i) =
                    (S * sweeps_.inverse(i) * S + (Mat3::Identity() - S) / sigma).eval();
            }
        });
        for (const Index vertex : failed_)
            if (vertex >= 0) return vertex;
        return -1;
    }

    bool factor_row(Index i, const Mat3& diagonal) {
        const Index begin = sweeps_.first_slot(i), end = sweeps_.first_slot(i + 1);
        Mat3 pivot = diagonal;
        for (Index s = begin; s < end; ++s) {
            const Index j = sweeps_.column(s);
            Mat3 L = sweeps_.lower(s);
            // The columns k that rows i and j share. W of this row waits where L' will be.
            Index t = begin, q = sweeps_.first_slot(j);
            const Index q_end = sweeps_.first_slot(j + 1);
            while (t < s && q < q_end) {
                const Index here = sweeps_.column(t), there = sweeps_.column(q);
                if (here == there) L.noalias() -= sweeps_.upper(t) * sweeps_.lower(q).transpose();
                t += here <= there;
                q += there <= here;
            }
            sweeps_.lower(s) = L;
            const Mat3 W = L * sweeps_.inverse(j);
            sweeps_.upper(s) = W;
            pivot.noalias() -= W * L.transpose();
        }
        Mat3 inverse;
        const Mat3 symmetric = (pivot + pivot.transpose()) / 2;
        if (!invert_positive(symmetric, smallest_pivot * diagonal.diagonal(), inverse))
            return false;
        sweeps_.inverse(i) = (inverse + inverse.transpose()) / 2;
        for (Index s = begin; s < end; ++s)
            sweeps_.upper(s) = sweeps_.lower(s).transpose();
        return true;
    }

    Ic0Options options_;
    std::unique_ptr<Preconditioner> diagonal_;
    TriangularSweeps sweeps_;
    std::vector<Index> failed_;  ///< a strip, -1 when all is well
    double alpha_ = 0;
    int factorisations_ = 0;
    Index first_failed_ = -1;
};

}  // namespace

extern const PreconditionerEntry entry_ic0;
constinit const PreconditionerEntry entry_ic0{
    .key = "ic0",
    .doc = "incomplete Cholesky factors without fill, on 3 x 3 blocks [MV77]",
    .properties = {},
    .fields = [] { return field_table<Ic0Options>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        return std::make_unique<Ic0>(read_options<Ic0Options>(settings));
    }};

}  // namespace taffeta::solve
