#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/sa/hierarchy.h"

namespace taffeta::solve {

namespace {

/// Smoothed aggregation that keeps what it can from solve to solve.
///
/// The finest level gets new values for every solve. Prolongators and coarse matrices are made anew
/// when the iterations they cost too much have added up to the price of making them, as one stops
/// renting skis when the rent has paid for a pair. The price is a constant in iterations and not a
/// measured time, so that runs repeat to the last bit.
class SmoothedAggregation final : public Preconditioner {
  public:
    explicit SmoothedAggregation(const sa::Options& options)
        : options_(options), hierarchy_(options) {}

    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        filter_ = &filter;
        if (!built_ || !hierarchy_.fits(A, filter)) {
            fresh_ = true;
            const SolveReport report = hierarchy_.build(A, filter, near_kernel);
            built_ = report.ok();  // half a hierarchy cannot be refreshed
            return report;
        }
        fresh_ = wasted_iterations_ >= options_.refresh_cost || age_ >= options_.max_age ||
                 hierarchy_.changed_constraints(filter) > options_.constraint_change;
        const SolveReport report = hierarchy_.refresh(A, filter, near_kernel, fresh_);
        built_ = report.ok();
        return report;
    }

    void apply(const VecX& r, VecX& z) const override {
        z.resize(r.size());
        hierarchy_.cycle(r, z);
        filter_->project(z);
    }

    void learn(const SolveReport& report) override {
        if (fresh_) {
            fresh_iterations_ = report.iterations;
            wasted_iterations_ = 0;
            age_ = 0;
        }
        wasted_iterations_ += std::max(0, report.iterations - fresh_iterations_);
        ++age_;
        if (!report.ok()) built_ = false;
    }
    void reset() override { built_ = false; }
    std::string description() const override { return hierarchy_.table(); }
    std::size_t bytes() const override { return hierarchy_.bytes(); }

  private:
    sa::Options options_;
    sa::Hierarchy hierarchy_;
    const sparse::NodeFilter* filter_ = nullptr;
    bool built_ = false, fresh_ = false;
    int fresh_iterations_ = 0, wasted_iterations_ = 0, age_ = 0;
};

}  // namespace

extern const PreconditionerEntry entry_sa;
constinit const PreconditionerEntry entry_sa{
    .key = "sa",
    .doc = "smoothed aggregation multigrid with rigid-body modes [TJM15]",
    .properties = {.single_precision = true},
    .fields = [] { return field_table<sa::Options>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        return std::make_unique<SmoothedAggregation>(read_options<sa::Options>(settings));
    }};

}  // namespace taffeta::solve
