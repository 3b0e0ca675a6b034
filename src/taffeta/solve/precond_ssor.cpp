#include <fmt/format.h>

#include "taffeta/base/timer.h"
#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/system_check.h"
#include "taffeta/solve/triangular_sweeps.h"

namespace taffeta::solve {

namespace {

struct SsorOptions {
    double omega = 1.3;

    static Fields<SsorOptions> fields() {
        Range inside = between(0, 2);
        inside.low_open = inside.high_open = true;
        return {{"omega", &SsorOptions::omega,
                 "over-relaxation, dimensionless: 1 is symmetric Gauss-Seidel", inside}};
    }
};

/// Symmetric successive over-relaxation of B = S A S + sigma (I - S) = D + L + L', D its 3 x 3
/// diagonal blocks:
///
///     M = w/(2-w) (D/w + L) D^-1 (D/w + L)'                                [Hauth03] eq. 54
///
/// As printed, (D - L) D (D - L)', the formula lost the inverse of D: its unit is the cube of that
/// of B. M is SPD for 0 < w < 2 whenever D is, also for an indefinite B. In terms of the sweeps it
/// is (E + L) E^-1 (E + L)' / (2 - w) with E = D/w.
class Ssor final : public Preconditioner {
  public:
    explicit Ssor(const SsorOptions& options)
        : omega_(options.omega),
          diagonal_(find_entry(preconditioners(), "preconditioner", "block_jacobi")
                        .make(Settings::object())) {}

    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        const Timer timer;
        SolveReport report = diagonal_->setup(A, filter, near_kernel);
        if (!report.ok() || A.rows() == 0) return report;
        sweeps_.plan(A.shared_pattern());
        if (!sweeps_.load(A, filter)) return not_finite(A, {}, {});
        const sparse::BlockDiagonal& inverse = *diagonal_->block_diagonal();
        parallel_for(sweeps_.rows(), row_grain, [&](Index i) {
            sweeps_.inverse(i) = omega_ * inverse.block(sweeps_.vertex(i));
        });
        sweeps_.set_factor(2 - omega_);
        report.setup_seconds = timer.seconds();
        return report;
    }

    void apply(const VecX& r, VecX& z) const override { sweeps_.apply(r, z); }

    std::string description() const override {
        return fmt::format("SSOR, omega = {:g}, {} vertices in {} strips, {:.1f} MB\n", omega_,
                           sweeps_.rows(), sweeps_.strips(), double(bytes()) / 1e6);
    }
    std::size_t bytes() const override { return diagonal_->bytes() + sweeps_.bytes(); }

  private:
    static constexpr Index row_grain = 1024;

    double omega_;
    std::unique_ptr<Preconditioner> diagonal_;  ///< D^-1, and the sentence about a bad block
    TriangularSweeps sweeps_;
};

}  // namespace

extern const PreconditionerEntry entry_ssor;
constinit const PreconditionerEntry entry_ssor{
    .key = "ssor",
    .doc = "symmetric successive over-relaxation on 3 x 3 blocks [Hauth03]",
    .properties = {},
    .fields = [] { return field_table<SsorOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        return std::make_unique<Ssor>(read_options<SsorOptions>(settings));
    }};

}  // namespace taffeta::solve
