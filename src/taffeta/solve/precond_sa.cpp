#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/solve/sa/inner_gradients.h"
#include "taffeta/solve/term_space.h"

namespace taffeta::solve {

namespace {

/// Smoothed aggregation that keeps what it can from solve to solve.
///
/// The finest level gets new values for every solve. Prolongators and coarse matrices are made anew
/// when the iterations they cost too much have added up to the price of making them, as one stops
/// renting skis when the rent has paid for a pair; or at once where the last pair was worn out after
/// one day. The price is a constant in iterations and not a
/// measured time, so that runs repeat to the last bit.
class SmoothedAggregation final : public Preconditioner {
  public:
    explicit SmoothedAggregation(const sa::Recipe& recipe) : recipe_(recipe), hierarchy_(recipe) {}

    void set_stiff_terms(const StiffTerms& terms) override { stiff_ = terms; }

    SolveReport setup(const sparse::Matrix3& whole, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        filter_ = &filter;
        whole_ = &whole;
        term_space_.clear();
        if (stiff_.rest && recipe_.stiff_terms) {
            const SolveReport report = term_space_.make(*stiff_.rest, filter, stiff_.terms, wish());
            if (!report.ok()) return report;
        }
        using Place = TermSpace::Place;
        const bool in_sweeps = term_space_.place() == Place::in_sweeps && !recipe_.chebyshev;
        const bool apart = term_space_.place() == Place::apart;
        const bool known = stiff_.rest && recipe_.stiff_terms &&
                           (in_sweeps || apart || term_space_.place() == Place::nowhere);
        const sparse::Matrix3& A = known ? *stiff_.rest : whole;
        blocks_ = double(whole.pattern().blocks());
        levels_blocks_ = double(A.pattern().blocks());
        of_rest_ = known;
        sa::SoftTerms terms = known ? term_space_.soft() : sa::SoftTerms();
        if (in_sweeps) terms.whole = &whole;
        hierarchy_.set_terms(terms);
        if (settled_) hierarchy_.forget_couplings();
        if (!built_ || recipe_.rebuild || !hierarchy_.fits(A, filter, settled_)) {
            forget();
            fresh_ = true;
            made_ = Made::all;
            inner_.forget();
            ++counts_.built;
            const SolveReport report = hierarchy_.build(A, filter, near_kernel);
            built_ = report.ok();  // half a hierarchy cannot be refreshed
            return report;
        }
        fresh_ = settled_ || is_worn_out() ||
                 hierarchy_.changed_constraints(filter) > recipe_.constraint_change ||
                 hierarchy_.new_contact() > contact_change;
        if (fresh_) inner_.forget();
        ++(fresh_ ? counts_.refreshed : counts_.kept);
        made_ = fresh_ ? Made::values : Made::finest;
        const SolveReport report = hierarchy_.refresh(A, filter, near_kernel, fresh_);
        built_ = report.ok();
        return report;
    }

    void apply(const VecX& r, VecX& z) const override {
        z.resize(r.size());
        if (term_space_.empty()) {
            hierarchy_.cycle(r, z);
            filter_->project(z);
            return;
        }
        reduced_ = r;
        term_space_.reduce(reduced_);
        hierarchy_.cycle(reduced_, z);
        filter_->project(z);
        term_space_.complete(z);
    }

    bool apply_and_multiply(const VecX& r, VecX& z, VecX& image) const override {
        z.resize(r.size());
        image.resize(r.size());
        if (!term_space_.empty()) return apply_and_multiply_apart(r, z, image);
        if (!hierarchy_.cycle_and_multiply(r, z, image)) return false;
        filter_->project(z);
        filter_->project(image);
        return true;
    }

    bool iterate(const VecX& r, const InnerLimits& limits, OuterSystem& outer,
                 InnerReport& report) const override {
        return term_space_.empty() && inner_.run(hierarchy_, r, limits, outer, report);
    }

    void learn(const SolveReport& report) override {
        settled_ = false;
        learn_place(report.iterations);
        if (fresh_) {
            fresh_iterations_ = report.iterations;
            wasted_iterations_ = 0;
            age_ = 0;
        }
        const int wasted = std::max(0, report.iterations - fresh_iterations_);
        if (age_ == 1) {
            second_wasted_ = wasted;
            since_second_ = 0;
        }
        wasted_iterations_ += wasted;
        ++age_;
        ++since_second_;
        if (!report.ok()) built_ = false;
    }
    double cost(int iterations) const override {
        const double levels = levels_blocks_ / blocks_;
        const bool products = !term_space_.empty() && !term_space_.knows_images();
        // The structure of A's rest is made once; that of A whenever its terms change.
        const bool structure = made_ == Made::all && !of_rest_;
        const double setup = levels * (structure               ? price_of_all
                                       : made_ == Made::finest ? price_of_finest
                                                               : price_of_values);
        const double cycle = levels * price_of_cycle + (products ? 1 : 0);
        return setup + iterations * cycle +
               (term_space_.blocks_a_make() + iterations * term_space_.blocks_an_iteration()) /
                   blocks_;
    }
    void reset() override {
        built_ = false;
        tried_ = {};
    }

    void settle() override {
        settled_ = built_;
        if (!built_) tried_ = {};
    }
    std::vector<char> save() const override {
        ByteWriter bytes;
        bytes.put(built_);
        if (built_) {
            bytes.put(second_wasted_);
            bytes.put(since_second_);
            bytes.put(tried_);
            hierarchy_.save(bytes);
        }
        return bytes.take();
    }
    void load(std::span<const char> saved) override {
        ByteReader bytes(saved);
        built_ = settled_ = bytes.get<bool>();
        tried_ = {};
        if (!built_) return;
        second_wasted_ = bytes.get<int>();
        since_second_ = bytes.get<int>();
        tried_ = bytes.get<Tried>();
        hierarchy_.load(bytes);
    }
    std::string description() const override { return hierarchy_.table(); }
    SetupCounts setup_counts() const override { return counts_; }
    std::size_t bytes() const override { return hierarchy_.bytes() + term_space_.bytes(); }

  private:
    bool apply_and_multiply_apart(const VecX& r, VecX& z, VecX& image) const {
        if (!stiff_.exact || !term_space_.knows_images()) {
            apply(r, z);
            return false;
        }
        reduced_ = r;
        term_space_.reduce(reduced_);
        const bool known = hierarchy_.cycle_and_multiply(reduced_, z, image);
        filter_->project(z);
        if (known)
            term_space_.complete(*whole_, z, image);
        else
            term_space_.complete(z);
        filter_->project(image);
        return known;
    }
    /// Old levels have cost what new ones cost, or will: the last time that levels served twice, the
    /// second solve alone cost more.
    bool is_worn_out() const {
        const bool known = age_ == 1 && since_second_ < trust;
        return wasted_iterations_ >= recipe_.refresh_cost || age_ >= recipe_.max_age ||
               (known && second_wasted_ >= recipe_.refresh_cost);
    }
    /// Iterations of the last solves with terms apart, or none, and with terms in sweeps, and for how many
    /// solves nobody has tried the other way.
    struct Tried {
        double apart = TermSpace::usually, in_sweeps = 0;
        std::int64_t without_apart = 0, without_sweeps = 0;
    };
    /// The cheaper way, as far as is known; the other one now and then, as cloth changes.
    TermSpace::Wish wish() {
        const bool dearer = sweeps_price * tried_.in_sweeps > tried_.apart;
        const bool apart =
            dearer ? tried_.without_sweeps < patience : tried_.without_apart >= patience;
        wished_apart_ = apart;
        if (apart && !dearer) tried_.without_apart = 0;
        // Where there is more in A, rows without terms may differ from the rest's too.
        return {stiff_.exact ? tried_.apart : 0, apart};
    }
    void learn_place(int iterations) {
        if (term_space_.place() == TermSpace::Place::in_sweeps) {
            tried_.in_sweeps = iterations;
            // The factors are too large.
            if (wished_apart_)
                tried_.apart = std::max(tried_.apart, sweeps_price * tried_.in_sweeps);
            tried_.without_sweeps = 0;
            ++tried_.without_apart;
        } else if (term_space_.place() != TermSpace::Place::in_matrix) {
            tried_.apart = std::max(TermSpace::usually, double(iterations));
            tried_.without_apart = 0;
            ++tried_.without_sweeps;
        }
    }
    void forget() {
        second_wasted_ = 0;
        since_second_ = 0;
    }

    /// What a set-up made anew, and what that and a cycle cost in iterations of block Jacobi.
    enum class Made { finest, values, all };
    static constexpr double price_of_finest = 3, price_of_values = 22, price_of_all = 65,
                            price_of_cycle = 3.4;
    static constexpr int trust = 10, patience = 20;  ///< solves
    static constexpr double sweeps_price = 0.75;     ///< of an iteration with terms in sweeps
    static constexpr double contact_change = 0.01;   ///< share of the vertices with terms

    sa::Recipe recipe_;
    sa::Hierarchy hierarchy_;
    const sparse::NodeFilter* filter_ = nullptr;
    const sparse::Matrix3* whole_ = nullptr;
    StiffTerms stiff_;
    TermSpace term_space_;
    mutable VecX reduced_;
    mutable sa::InnerGradients inner_;
    SetupCounts counts_;
    Made made_ = Made::finest;
    double blocks_ = 1, levels_blocks_ = 0;  ///< of A and of the matrix of the levels
    bool of_rest_ = false;                   ///< levels are those of A without its terms
    bool built_ = false, fresh_ = false;
    bool settled_ = false;  ///< the structure is there, values count as unknown
    int fresh_iterations_ = 0, wasted_iterations_ = 0, age_ = 0;
    int second_wasted_ = 0, since_second_ = 0;
    Tried tried_;
    bool wished_apart_ = false;
};

}  // namespace

extern const PreconditionerEntry entry_sa;
constinit const PreconditionerEntry entry_sa{
    .key = "sa",
    .doc = "smoothed aggregation multigrid with rigid-body modes [TJM15]",
    .properties = {.single_precision = true},
    .fields = [] { return field_table<sa::Options>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        return std::make_unique<SmoothedAggregation>(read_options<sa::Options>(settings).recipe());
    }};

}  // namespace taffeta::solve
