#include <algorithm>
#include <cmath>

#include "taffeta/base/byte_stream.h"
#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/sa/options.h"

namespace taffeta::solve {

namespace {

struct AutoOptions {
    double price = 35;

    static Fields<AutoOptions> fields() {
        return {
            {"price", &AutoOptions::price,
             "of a solve with multigrid, in iterations with block Jacobi: it is chosen where block "
             "Jacobi is expected to take more, or took more",
             positive()}};
    }
};

/// Iterations that block Jacobi takes to 1e-5, about: a sheet of cloth held at its boundary takes
/// 3.5 to 3.9 times the root of stiffness over mass, one that hangs by two corners 6.
double expected_iterations(const sparse::Matrix3& A) {
    return 4 * std::sqrt(sa::stiffness_over_mass(A));
}

/// Block Jacobi or multigrid, whichever costs less.
///
/// The first choice is made by how far stiffness outweighs mass; then by the iterations that block
/// Jacobi takes. The price is counted in iterations, measured once (docs/solver.md), and not in
/// seconds: a choice by the clock would not repeat to the last bit.
///
/// Springs of contact can make either dear: block Jacobi by their stiffness, multigrid by what must be made anew
/// when they come and go. While there are any, what multigrid cost of late, in counted work, stands beside what block
/// Jacobi is expected to take, which is corrected by what it last took. The one that seems dearer is tried again
/// now and then, the later the dearer it is.
class Auto final : public Preconditioner {
  public:
    explicit Auto(const AutoOptions& options)
        : options_(options),
          simple_(find_entry(preconditioners(), "preconditioner", "block_jacobi")
                      .make(Settings::object())),
          multigrid_(
              find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object())) {}

    void set_stiff_terms(const StiffTerms& terms) override {
        multigrid_->set_stiff_terms(terms);
        terms_ = !terms.terms.empty();
    }

    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        if (!decided_)
            wants_multigrid_ = A.rows() >= smallest && expected_iterations(A) > options_.price;
        decided_ = true;
        if (terms_ && A.rows() >= smallest && why_not_.empty()) choose(expected_iterations(A));
        uses_multigrid_ = wants_multigrid_;
        if (uses_multigrid_) {
            const SolveReport report = multigrid_->setup(A, filter, near_kernel);
            // Single precision is a limit of multigrid, not of the system.
            if (report.ok()) return report;
            why_not_ = report.message;
            wants_multigrid_ = uses_multigrid_ = false;
            multigrid_->reset();
        }
        return simple_->setup(A, filter, near_kernel);
    }

    void apply(const VecX& r, VecX& z) const override { now().apply(r, z); }

    bool apply_and_multiply(const VecX& r, VecX& z, VecX& image) const override {
        return now().apply_and_multiply(r, z, image);
    }

    bool iterate(const VecX& r, const InnerLimits& limits, OuterSystem& outer,
                 InnerReport& report) const override {
        return now().iterate(r, limits, outer, report);
    }

    void learn(const SolveReport& report) override {
        if (uses_multigrid_) {
            if (terms_ && report.ok()) known_.add_multigrid(multigrid_->cost(report.iterations));
            if (!report.ok()) known_.barred = std::int64_t(patience);
            multigrid_->learn(report);
            wants_multigrid_ = report.ok();
        } else {
            // One that was cut short says that it takes so many at least.
            const bool counted = report.ok() || report.status == SolveStatus::max_iterations;
            if (terms_ && counted && report.iterations > 0 && std::isfinite(known_.expected))
                known_.error = report.iterations / known_.expected;
            known_.in_a_row = 0;
            wants_multigrid_ =
                report.ok() && why_not_.empty() && report.iterations > options_.price;
        }
    }

    void reset() override {
        decided_ = false;
        why_not_.clear();
        known_ = {};
        multigrid_->reset();
    }
    void settle() override {
        if (!wants_multigrid_ && known_.multigrid == 0) return reset();
        why_not_.clear();
        multigrid_->settle();
    }
    std::vector<char> save() const override {
        if (!decided_ || (!wants_multigrid_ && known_.multigrid == 0)) return {};
        ByteWriter bytes;
        bytes.put(wants_multigrid_);
        bytes.put(known_);
        bytes.put_bytes(multigrid_->save());
        return bytes.take();
    }
    void load(std::span<const char> saved) override {
        reset();
        if (saved.empty()) return;
        ByteReader bytes(saved);
        decided_ = true;
        uses_multigrid_ = wants_multigrid_ = bytes.get<bool>();
        known_ = bytes.get<Known>();
        multigrid_->load(bytes.get_bytes());
    }
    std::string description() const override {
        return why_not_.empty() ? now().description()
                                : "block Jacobi, as multigrid was not possible: " + why_not_ + "\n";
    }
    SetupCounts setup_counts() const override { return multigrid_->setup_counts(); }
    std::size_t bytes() const override { return now().bytes(); }
    const sparse::BlockDiagonal* block_diagonal() const override { return now().block_diagonal(); }

  private:
    Preconditioner& now() const { return uses_multigrid_ ? *multigrid_ : *simple_; }

    /// What is known of solves with springs.
    struct Known {
        double multigrid = 0;  ///< mean cost of its last solves, in a row; 0: of none
        double expected = 1;   ///< iterations of block Jacobi, before `error`
        double error = 1;      ///< what the last solve with it took over what was expected
        std::int64_t since_simple = 0, since_multigrid = 0;  ///< solves
        std::int64_t barred = 0;    ///< solves for which multigrid, which failed, is not tried
        std::int64_t in_a_row = 0;  ///< solves with multigrid in that mean

        /// One dear solve among many cheap ones is no reason to leave for fifty.
        void add_multigrid(double cost) {
            in_a_row = std::min(in_a_row + 1, of_late);
            multigrid += (cost - multigrid) / double(in_a_row);
        }
    };
    void choose(double expected) {
        known_.expected = expected;
        if (known_.barred > 0) {
            --known_.barred;
            wants_multigrid_ = false;
            return;
        }
        const double simple = expected * known_.error;
        wants_multigrid_ = simple > std::max(options_.price, known_.multigrid);
        std::int64_t& since = wants_multigrid_ ? known_.since_simple : known_.since_multigrid;
        const auto [cheap, dear] = std::minmax(simple, known_.multigrid);
        // The dearer one, so much later that trying it costs a hundredth.
        const double wait = std::max(patience, 100 * (dear / cheap - 1));
        if (known_.multigrid > 0 && double(++since) > wait) wants_multigrid_ = !wants_multigrid_;
        (wants_multigrid_ ? known_.since_multigrid : known_.since_simple) = 0;
    }

    static constexpr double patience = 50;
    static constexpr std::int64_t of_late = 8;  ///< solves
    static constexpr Index smallest = 400;  ///< below, a wrong choice costs nothing: double first

    AutoOptions options_;
    std::unique_ptr<Preconditioner> simple_, multigrid_;
    bool decided_ = false;
    bool wants_multigrid_ = false, uses_multigrid_ = false;  ///< in the next solve, and in this one
    bool terms_ = false;                                     ///< there are stiff ones
    Known known_;
    std::string why_not_;  ///< multigrid; empty when it was possible
};

}  // namespace

extern const PreconditionerEntry entry_auto_choice;
constinit const PreconditionerEntry entry_auto_choice{
    .key = "auto",
    .doc = "block Jacobi or sa, whichever costs less",
    .properties = {.single_precision = true},
    .fields = [] { return field_table<AutoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        return std::make_unique<Auto>(read_options<AutoOptions>(settings));
    }};

}  // namespace taffeta::solve
