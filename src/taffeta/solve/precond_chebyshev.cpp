#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/sa/lanczos.h"
#include "taffeta/solve/system_check.h"
#include "taffeta/sparse/vector_ops.h"

namespace taffeta::solve {

namespace {

struct ChebyshevOptions {
    int degree = 2;
    double ratio = 30;
    int lanczos_steps = 10;

    static Fields<ChebyshevOptions> fields() {
        return {
            {"degree", &ChebyshevOptions::degree,
             "of the polynomial in D^-1 B, the products with A in one application; even",
             at_least(2)},
            {"ratio", &ChebyshevOptions::ratio,
             "upper over lower end of the interval of eigenvalues on which the polynomial is best",
             between(1.5, 1e6)},
            {"lanczos_steps", &ChebyshevOptions::lanczos_steps,
             "for the largest eigenvalue of D^-1 B", at_least(2)}};
    }
};

/// M^-1 = q(D^-1 B) D^-1, D the 3 x 3 diagonal blocks of B = S A S + sigma (I - S). The residual
/// polynomial p(t) = 1 - t q(t), of degree m = degree + 1, is the smallest on [a, b] with p(0) = 1:
///
///     p(t) = T_m((c - t)/e) / T_m(c/e),  c = (a + b)/2, e = (b - a)/2.      [Saad03] section 12.3
///
/// b = 1.1 lambda by some steps of Lanczos on D^-1 B, as in [TJM15] section 7; a = b/ratio.
///
/// Positive whatever lambda is. M^-1 is symmetric, and positive when t q(t) = 1 - p(t) > 0 for every
/// eigenvalue t of D^-1 B. On (0, b] |p| < 1. Beyond b, p has the sign of (-1)^m: for odd m it is
/// negative, so an eigenvalue that Lanczos missed costs iterations and nothing else. For even m the
/// preconditioner would be indefinite from a + b on. This is why `degree` is even: a smoother in a
/// V-cycle has no such choice, as it must also contract.
///
/// Keeps a reference to A and to the filter from `setup` on.
class Chebyshev final : public Preconditioner {
  public:
    explicit Chebyshev(const ChebyshevOptions& options)
        : options_(options),
          diagonal_(find_entry(preconditioners(), "preconditioner", "block_jacobi")
                        .make(Settings::object())) {}

    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override {
        const Timer timer;
        SolveReport report = diagonal_->setup(A, filter, near_kernel);
        if (!report.ok()) return report;
        A_ = &A;
        filter_ = &filter;
        inverse_ = diagonal_->block_diagonal();
        lambda_ = largest_eigenvalue();
        if (!std::isfinite(lambda_)) return not_finite(A, {}, {});
        report.setup_seconds = timer.seconds();
        return report;
    }

    void apply(const VecX& r, VecX& z) const override {
        const double upper = safety * lambda_, lower = upper / options_.ratio;
        const double centre = (upper + lower) / 2, half = (upper - lower) / 2;
        const double s = centre / half;
        // d = D^-1 r / c,  z = d
        z.resize(r.size());
        residual_.resize(r.size());
        direction_.resize(r.size());
        parallel_for(inverse_->rows(), row_grain, [&](Index i) {
            const Vec3 ri = vec3(r, i), d = inverse_->block(i) * ri / centre;
            vec3(residual_, i) = ri;
            vec3(direction_, i) = d;
            vec3(z, i) = d;
        });
        double before = 1 / s;
        for (int k = 0; k < options_.degree; ++k) {
            // r <- r - S A d;  d <- p' p d + (2 p'/e) D^-1 r with p' = 1/(2 s - p);  z <- z + d
            const double now = 1 / (2 * s - before), kept = now * before, added = 2 * now / half;
            sparse::multiply(*A_, direction_, image_);
            filter_->project(image_);
            parallel_for(inverse_->rows(), row_grain, [&](Index i) {
                const Vec3 ri = vec3(residual_, i) - vec3(image_, i);
                const Vec3 d = kept * vec3(direction_, i) + added * (inverse_->block(i) * ri);
                vec3(residual_, i) = ri;
                vec3(direction_, i) = d;
                vec3(z, i) += d;
            });
            before = now;
        }
    }

    std::string description() const override {
        return fmt::format("Chebyshev of degree {} on [{:.4g}, {:.4g}], lambda = {:.4g}\n",
                           options_.degree, safety * lambda_ / options_.ratio, safety * lambda_,
                           lambda_);
    }
    std::size_t bytes() const override {
        return diagonal_->bytes() +
               std::size_t(residual_.size() + direction_.size() + image_.size() + before_.size()) *
                   sizeof(double);
    }

  private:
    static constexpr double safety = 1.1;
    static constexpr Index row_grain = 1024;

    /// lambda_max(D^-1 B) on range(S), from below. NaN when A has one.
    double largest_eigenvalue() {
        // With f = D v the recurrence is B v = beta+ f+ + alpha f + beta f-, v = D^-1 f, f'v = 1.
        VecX &f = residual_, &v = direction_;
        f.resize(3 * Eigen::Index(A_->rows()));
        std::uint64_t random = 1;
        for (double& value : f) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            value = double(random >> 11) * 0x1p-53 - 0.5;
        }
        filter_->project(f);
        inverse_->apply(f, v);
        double beta = std::sqrt(sparse::dot(f, v, partials_));
        if (beta == 0) return 1;  // nothing is free
        before_.setZero(f.size());
        alphas_.clear();
        betas_.clear();
        for (int k = 0; k < options_.lanczos_steps; ++k) {
            f /= beta;
            v /= beta;
            sparse::multiply(*A_, v, image_);
            const double alpha = sparse::dot(v, image_, partials_);
            alphas_.push_back(alpha);
            sparse::axpy(-alpha, f, image_);
            if (k > 0) sparse::axpy(-beta, before_, image_);
            // Projected last: what lies outside range(S) would grow from step to step.
            filter_->project(image_);
            before_.swap(f);
            f.swap(image_);
            inverse_->apply(f, v);
            const double squared = sparse::dot(f, v, partials_);
            if (!std::isfinite(squared) || !std::isfinite(alpha))
                return std::numeric_limits<double>::quiet_NaN();
            beta = std::sqrt(std::max(0.0, squared));
            if (beta <= 1e-10 * std::abs(alphas_.front())) break;  // the space is exhausted
            betas_.push_back(beta);
        }
        betas_.resize(alphas_.size());
        // The mean of all eigenvalues is one.
        return std::max(1.0, sa::largest_of_tridiagonal(alphas_, betas_));
    }

    ChebyshevOptions options_;
    std::unique_ptr<Preconditioner> diagonal_;
    const sparse::Matrix3* A_ = nullptr;
    const sparse::NodeFilter* filter_ = nullptr;
    const sparse::BlockDiagonal* inverse_ = nullptr;  ///< D^-1
    double lambda_ = 1;
    std::vector<double> alphas_, betas_;
    VecX before_;
    mutable VecX residual_, direction_, image_;
    sparse::Partials partials_;
};

}  // namespace

extern const PreconditionerEntry entry_chebyshev;
constinit const PreconditionerEntry entry_chebyshev{
    .key = "chebyshev",
    .doc = "Chebyshev polynomial in D^-1 B, D the 3 x 3 diagonal blocks [Saad03]",
    .properties = {},
    .fields = [] { return field_table<ChebyshevOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        const auto options = read_options<ChebyshevOptions>(settings);
        if (options.degree % 2 != 0) {
            const Settings* degree = settings.find("degree");
            (degree ? *degree : settings)
                .fail(fmt::format("degree {} is odd", options.degree),
                      "an odd degree may give a preconditioner that is not positive: use an even "
                      "one");
        }
        return std::make_unique<Chebyshev>(options);
    }};

}  // namespace taffeta::solve
