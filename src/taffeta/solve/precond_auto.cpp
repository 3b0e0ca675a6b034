#include "taffeta/solve/preconditioner.h"

namespace taffeta::solve {

namespace {

struct AutoOptions {
    int small = 6000;
    double cycle_cost = 7;
    double setup_cost = 25;

    static Fields<AutoOptions> fields() {
        return {
            {"small", &AutoOptions::small, "vertices below which block Jacobi is tried first",
             at_least(0)},
            {"cycle_cost", &AutoOptions::cycle_cost,
             "price of an iteration with multigrid, in iterations with block Jacobi", positive()},
            {"setup_cost", &AutoOptions::setup_cost,
             "price of a set-up of multigrid, in iterations with block Jacobi", positive()}};
    }
};

/// Block Jacobi or multigrid, whichever costs less.
///
/// The costs are counted in iterations, with prices that were measured once (docs/solver.md), and
/// not in seconds: a choice by the clock would not repeat to the last bit.
class Auto final : public Preconditioner {
  public:
    explicit Auto(const AutoOptions& options)
        : options_(options),
          simple_(find_entry(preconditioners(), "preconditioner", "block_jacobi")
                      .make(Settings::object())),
          multigrid_(
              find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object())) {}

    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        if (!decided_) use_multigrid_ = A.rows() >= options_.small;
        decided_ = true;
        if (use_multigrid_) {
            const SolveReport report = multigrid_->setup(A, filter, near_kernel);
            // Single precision is a limit of multigrid, not of the system.
            if (report.ok()) return report;
            why_not_ = report.message;
            use_multigrid_ = false;
            multigrid_->reset();
        }
        return simple_->setup(A, filter, near_kernel);
    }

    void apply(const VecX& r, VecX& z) const override { now().apply(r, z); }

    bool apply_and_multiply(const VecX& r, VecX& z, VecX& image) const override {
        return now().apply_and_multiply(r, z, image);
    }

    void learn(const SolveReport& report) override {
        if (use_multigrid_) {
            multigrid_->learn(report);
            use_multigrid_ = report.ok();
        } else {
            const double price = options_.setup_cost + usual_cycles * options_.cycle_cost;
            use_multigrid_ = report.ok() && why_not_.empty() && report.iterations > price;
        }
    }

    void reset() override {
        decided_ = false;
        why_not_.clear();
        multigrid_->reset();
    }
    std::string description() const override {
        return why_not_.empty() ? now().description()
                                : "block Jacobi, as multigrid was not possible: " + why_not_ + "\n";
    }
    SetupCounts setup_counts() const override { return multigrid_->setup_counts(); }
    std::size_t bytes() const override { return now().bytes(); }
    const sparse::BlockDiagonal* block_diagonal() const override { return now().block_diagonal(); }

  private:
    static constexpr int usual_cycles = 12;  ///< that a solve with multigrid takes

    Preconditioner& now() const { return use_multigrid_ ? *multigrid_ : *simple_; }

    AutoOptions options_;
    std::unique_ptr<Preconditioner> simple_, multigrid_;
    bool decided_ = false, use_multigrid_ = false;
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
