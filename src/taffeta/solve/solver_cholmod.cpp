#include <fmt/format.h>

#include "taffeta/solve/direct/direct_solver.h"

#ifdef TAFFETA_CHOLMOD
#include <cholmod.h>
#endif

namespace taffeta::solve {

namespace {

#ifdef TAFFETA_CHOLMOD

/// Supernodal L L' by CHOLMOD [CDHR08]: columns with one structure are eliminated together by the
/// dense kernels of BLAS, on as many threads as that takes by itself (OPENBLAS_NUM_THREADS).
class CholmodFactors final : public Factors {
  public:
    CholmodFactors() {
        cholmod_start(&common_);
        common_.print = 0;  // the library never prints
        common_.supernodal = CHOLMOD_SUPERNODAL;
        common_.final_ll = true;
        // The matrix comes in its order; CHOLMOD only sorts that by the elimination tree.
        common_.nmethods = 1;
        common_.method[0].ordering = CHOLMOD_NATURAL;
        common_.postorder = true;
        common_.quick_return_if_not_posdef = true;
    }
    ~CholmodFactors() override {
        cholmod_free_factor(&factor_, &common_);
        for (cholmod_dense** dense : {&solution_, &scratch_Y_, &scratch_E_})
            cholmod_free_dense(dense, &common_);
        cholmod_finish(&common_);
    }
    CholmodFactors(const CholmodFactors&) = delete;
    CholmodFactors& operator=(const CholmodFactors&) = delete;

    Triangle::Half half() const override { return Triangle::Half::lower; }

    SolveReport analyse(const Triangle& B) override {
        cholmod_free_factor(&factor_, &common_);
        cholmod_sparse view = view_of(B);
        factor_ = cholmod_analyze(&view, &common_);
        return factor_ ? SolveReport{} : trouble("analysis");
    }

    SolveReport factorize(const Triangle& B) override {
        cholmod_sparse view = view_of(B);
        const bool done = cholmod_factorize(&view, factor_, &common_);
        if (common_.status == CHOLMOD_NOT_POSDEF) return failure(SolveStatus::indefinite, {});
        return done && common_.status >= CHOLMOD_OK ? SolveReport{} : trouble("factorization");
    }

    void pivots(VecX& D) const override {
        D.resize(Eigen::Index(factor_->n));
        const auto* super = static_cast<const int*>(factor_->super);
        const auto* row_begin = static_cast<const int*>(factor_->pi);
        const auto* value_begin = static_cast<const int*>(factor_->px);
        const auto* L = static_cast<const double*>(factor_->x);
        const auto* order = static_cast<const int*>(factor_->Perm);
        for (std::size_t s = 0; s < factor_->nsuper; ++s) {
            const std::size_t rows = std::size_t(row_begin[s + 1] - row_begin[s]);
            for (int k = super[s]; k < super[s + 1]; ++k) {
                const std::size_t column = std::size_t(k - super[s]);
                const double l = L[std::size_t(value_begin[s]) + column * (rows + 1)];
                D[order[k]] = l * l;
            }
        }
    }

    SolveReport solve(const VecX& r, VecX& y) override {
        cholmod_dense right_side{};
        right_side.nrow = right_side.nzmax = right_side.d = std::size_t(r.size());
        right_side.ncol = 1;
        right_side.x = const_cast<double*>(r.data());
        right_side.xtype = CHOLMOD_REAL;
        right_side.dtype = CHOLMOD_DOUBLE;
        if (!cholmod_solve2(CHOLMOD_A, factor_, &right_side, nullptr, &solution_, nullptr,
                            &scratch_Y_, &scratch_E_, &common_))
            return trouble("solution");
        y = Eigen::Map<const VecX>(static_cast<const double*>(solution_->x), r.size());
        return {};
    }

    std::size_t bytes() const override { return common_.memory_inuse; }

  private:
    static cholmod_sparse view_of(const Triangle& B) {
        const Triangle::Matrix& matrix = B.matrix();
        cholmod_sparse view{};
        view.nrow = view.ncol = std::size_t(matrix.rows());
        view.nzmax = std::size_t(matrix.nonZeros());
        view.p = const_cast<int*>(matrix.outerIndexPtr());
        view.i = const_cast<int*>(matrix.innerIndexPtr());
        view.x = const_cast<double*>(matrix.valuePtr());
        view.stype = -1;  // the lower triangle
        view.itype = CHOLMOD_INT;
        view.xtype = CHOLMOD_REAL;
        view.dtype = CHOLMOD_DOUBLE;
        view.sorted = view.packed = 1;
        return view;
    }

    SolveReport trouble(const char* phase) const {
        switch (common_.status) {
            case CHOLMOD_OUT_OF_MEMORY:
                return failure(SolveStatus::breakdown,
                               fmt::format("CHOLMOD ran out of memory in its {}", phase));
            case CHOLMOD_TOO_LARGE:
                return failure(SolveStatus::bad_size,
                               "the factors are too large for CHOLMOD with 32-bit indices");
            default:
                return failure(
                    SolveStatus::breakdown,
                    fmt::format("CHOLMOD gave up in its {} (status {})", phase, common_.status));
        }
    }

    cholmod_common common_{};
    cholmod_factor* factor_ = nullptr;
    cholmod_dense *solution_ = nullptr, *scratch_Y_ = nullptr, *scratch_E_ = nullptr;
};

Unavailable cholmod_unavailable() {
    return {};
}

std::unique_ptr<Factors> make_cholmod_factors() {
    return std::make_unique<CholmodFactors>();
}

#else

Unavailable cholmod_unavailable() {
    return {"this build is without CHOLMOD, whose supernodal part is GPL",
            "install libsuitesparse-dev and configure with -DTAFFETA_CHOLMOD=ON"};
}

std::unique_ptr<Factors> make_cholmod_factors() {
    return nullptr;
}

#endif

}  // namespace

extern const SolverEntry entry_cholmod;
constinit const SolverEntry entry_cholmod{
    .key = "cholmod",
    .doc =
        "direct: supernodal L L' of the prefiltered matrix by CHOLMOD, for systems that are "
        "solved many times [CDHR08]",
    .properties = {.direct = true,
                   .preconditioned = false,
                   .coupled = true,
                   .unavailable = cholmod_unavailable},
    .fields = [] { return field_table<DirectOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        const DirectOptions options = read_options<DirectOptions>(settings);
        require_available(entry_cholmod, settings);
        return std::make_unique<DirectSolver>(make_cholmod_factors(), options.ordering);
    }};

}  // namespace taffeta::solve
