#include <fmt/format.h>

#include "taffeta/solve/direct/direct_solver.h"
#include "taffeta/solve/direct/mkl_library.h"

namespace taffeta::solve {

namespace {

struct PardisoOptions {
    std::string ordering = "metis";
    int threads = 1;

    static Fields<PardisoOptions> fields() {
        return {
            {"ordering", &PardisoOptions::ordering, ordering_doc, ordering_choices()},
            {"threads", &PardisoOptions::threads,
             "threads of MKL; the last bits of a solution depend on their number", at_least(1)}};
    }
};

/// Supernodal L L' by PARDISO [SG04], the one in MKL.
class PardisoFactors final : public Factors {
  public:
    explicit PardisoFactors(int threads) : threads_(threads) {
        iparm_[0] = 1;    // what follows is meant
        iparm_[4] = 1;    // the order is ours
        iparm_[17] = -1;  // count the numbers of the factor
        iparm_[34] = 1;   // indices from 0
        iparm_[55] = 1;   // keep the pivots
    }
    ~PardisoFactors() override { release(); }
    PardisoFactors(const PardisoFactors&) = delete;
    PardisoFactors& operator=(const PardisoFactors&) = delete;

    /// The columns of the lower triangle are the rows of the upper one that it wants.
    Triangle::Half half() const override { return Triangle::Half::lower; }

    SolveReport analyse(const Triangle& B) override {
        release();
        order_.resize(std::size_t(B.size()));
        for (std::size_t k = 0; k < order_.size(); ++k)
            order_[k] = int(k);
        matrix_ = &B.matrix();
        return call(11, nullptr, nullptr) == 0 ? SolveReport{} : trouble("analysis");
    }

    SolveReport factorize(const Triangle& B) override {
        matrix_ = &B.matrix();
        call(22, nullptr, nullptr);
        if (error_ == -4) return failure(SolveStatus::indefinite, {});
        return error_ == 0 ? SolveReport{} : trouble("factorization");
    }

    void pivots(VecX& D) const override {
        D.resize(Eigen::Index(order_.size()));
        VecX diagonal(D.size());
        int error = 0;
        const int first = 1;
        mkl_library().pardiso_getdiag(const_cast<void**>(handle_), D.data(), diagonal.data(),
                                      &first, &error);
    }

    SolveReport solve(const VecX& r, VecX& y) override {
        y.resize(r.size());
        return call(33, const_cast<double*>(r.data()), y.data()) == 0 ? SolveReport{}
                                                                      : trouble("solution");
    }

    std::size_t bytes() const override {
        return 1024 * (std::size_t(iparm_[15]) + std::size_t(iparm_[16])) +
               order_.size() * sizeof(int);
    }

  private:
    int call(int phase, double* right_side, double* solution) {
        const int one = 1, type = 2, silent = 0, n = int(order_.size());
        const int threads_before = mkl_library().set_threads_here(threads_);
        error_ = 0;
        mkl_library().pardiso(handle_, &one, &one, &type, &phase, &n,
                              matrix_ ? matrix_->valuePtr() : nullptr,
                              matrix_ ? matrix_->outerIndexPtr() : nullptr,
                              matrix_ ? matrix_->innerIndexPtr() : nullptr, order_.data(), &one,
                              iparm_, &silent, right_side, solution, &error_);
        mkl_library().set_threads_here(threads_before);
        return error_;
    }

    void release() {
        matrix_ = nullptr;  // may be gone already
        if (!order_.empty()) call(-1, nullptr, nullptr);
        order_.clear();
        std::fill(std::begin(handle_), std::end(handle_), nullptr);
    }

    SolveReport trouble(const char* phase) const {
        if (error_ == -2)
            return failure(SolveStatus::breakdown,
                           fmt::format("PARDISO ran out of memory in its {}", phase));
        return failure(SolveStatus::breakdown,
                       fmt::format("PARDISO gave up in its {} (error {})", phase, error_));
    }

    int threads_;
    void* handle_[64] = {};
    int iparm_[64] = {};
    std::vector<int> order_;
    const Triangle::Matrix* matrix_ = nullptr;  ///< of the solver that has these factors
    int error_ = 0;
};

Unavailable pardiso_unavailable() {
    return mkl_library().lack;
}

}  // namespace

extern const SolverEntry entry_pardiso;
constinit const SolverEntry entry_pardiso{
    .key = "pardiso",
    .doc =
        "direct: supernodal L L' of the prefiltered matrix by PARDISO of Intel's MKL, for "
        "systems that are solved many times [SG04]",
    .properties = {.direct = true,
                   .preconditioned = false,
                   .coupled = true,
                   .unavailable = pardiso_unavailable},
    .fields = [] { return field_table<PardisoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        const PardisoOptions options = read_options<PardisoOptions>(settings);
        require_available(entry_pardiso, settings);
        return std::make_unique<DirectSolver>(std::make_unique<PardisoFactors>(options.threads),
                                              options.ordering);
    }};

}  // namespace taffeta::solve
