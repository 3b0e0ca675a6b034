#include "taffeta/solve/term_space.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/system_check.h"
#include "taffeta/solve/term_couplings.h"

namespace taffeta::solve {

namespace {

constexpr Index term_grain = 256;
/// Times what the vertices of a term resist with: beyond, coarse levels need not know how stiff it is.
/// 1 costs 3 iterations of 33, 10 saves none.
constexpr double softest = 3;
/// k over what resists a term: below, a row is not worth having for it, and as many as share a vertex do no harm.
constexpr double as_soft = 0.3;
/// The same for a direction of a vertex, where terms add up and smooth motions of E resist less than D does. In
/// `stack` with springs of 10^5 N/m 0.3 takes 23 iterations in place of 20; 0.003 takes no fewer, but
/// friction doubles the directions. `negligible`: where no costs count.
constexpr double held_at_least = 0.03, negligible = 1e-9;
/// Rows below which a system is solved in milliseconds either way: with so many numbers of the factors a block
/// of E its iterations do not depend on how stiff the terms are.
constexpr Index small_system = 20000;
constexpr double most_if_small = 16;
/// What a solve of a larger one costs in cycles. Factors with a number for each block of E are read four
/// times for each cycle, one number after the other, which takes as long as the cycle, and are made in the
/// time of 65. With the terms in the matrix the levels are made anew, and iterations grow with the root of
/// the ratio of stiffnesses where it is large.
constexpr double usual_iterations = 30, factor_price = 65, levels_price = 60;
/// Iterations where smoothers meet terms, over the root of the ratio of stiffnesses: 8, of which each costs
/// three quarters of one with terms apart.
constexpr double iterations_a_root = 6;

/// Times over that of a block in a product: what all a term takes, and a product in making the factors.
constexpr double blocks_a_term = 700, blocks_a_factor = 0.5;

/// Numbers of the factors a block of E up to which terms are kept apart.
double worth_apart(Index rows, double ratio) {
    const double in_matrix =
        levels_price + std::max(usual_iterations, iterations_a_root * std::sqrt(ratio));
    const double most = (in_matrix - usual_iterations) / (usual_iterations + factor_price);
    return rows < small_system ? std::max(most, most_if_small) : most;
}

}  // namespace

SolveReport TermSpace::make(const sparse::Matrix3& E, const sparse::NodeFilter& filter,
                            std::span<const RankOneTerm> terms, const Wish& wish,
                            std::optional<std::int64_t> most) {
    clear();
    if (terms.empty()) return {};
    terms_ = {};
    stiffness_.resize(terms.size());
    for (std::size_t s = 0; s < terms.size(); ++s) {
        const RankOneTerm& term = terms[s];
        stiffness_[s] = term.k;
        if (!(term.k > 0) || !std::isfinite(term.k))
            return failure(
                std::isfinite(term.k) ? SolveStatus::indefinite : SolveStatus::not_finite,
                fmt::format("stiff term {} has k = {:.3g}", s, term.k));
        for (std::size_t j = 0; j < 4; ++j) {
            const auto* entry = filter.find(term.vertex[j]);
            terms_.vertex.push_back(term.vertex[j]);
            terms_.dp.push_back(entry ? (entry->projector * term.q[j]).eval() : term.q[j]);
        }
    }
    terms_.index(E.rows());
    if (const Index bad = invert_blocks(E, filter); bad >= 0)
        return failure(SolveStatus::singular,
                       fmt::format("the diagonal block of vertex {} without the stiff terms is not "
                                   "positive definite",
                                   bad));
    const double ratio = soften();
    const double limit =
        most ? double(*most) : worth_apart(E.rows(), ratio) * double(E.pattern().blocks());
    const bool soft_enough = iterations_a_root * std::sqrt(ratio) < wish.most_in_sweeps;
    if (!most && soft_enough && !wish.apart) return leave(Place::in_sweeps);
    const auto leave_otherwise = [&] {
        return !most && soft_enough ? make(E, filter, terms, {wish.most_in_sweeps, false})
                                    : leave(Place::in_matrix);
    };
    choose_columns(most);
    if (columns_.count() == 0) return leave_otherwise();
    const Matrix couplings = by_directions() ? couple_directions(terms_, stiffness_, columns_)
                                             : couple_terms(columns_, flexibility_);
    if (double(couplings.nonZeros()) > limit) return leave_otherwise();
    factors_.analyzePattern(couplings);
    if (double(factors_.entries()) > limit) return leave_otherwise();
    factors_.factorize(couplings);
    if (factors_.info() != Eigen::Success)
        return failure(SolveStatus::breakdown,
                       "the stiff terms have no Cholesky factors: q or k is not finite, or their "
                       "sizes differ too much");
    find_felt_rows(E.pattern());
    count_ = columns_.count();
    return leave(Place::apart);
}

/// D, D^-1 q and q' D^-1 q; the first vertex whose block of D is not positive definite, or -1.
Index TermSpace::invert_blocks(const sparse::Matrix3& E, const sparse::NodeFilter& filter) {
    const Index touched = Index(terms_.touched.size());
    std::vector<char> bad(terms_.touched.size(), 0);
    blocks_.resize(terms_.touched.size());
    terms_.p.resize(terms_.dp.size());
    parallel_for(touched, term_grain, [&](Index i) {
        const Index v = terms_.touched[std::size_t(i)];
        Mat3& D = blocks_[std::size_t(i)];
        D = E.block(E.pattern().diagonal[std::size_t(v)]);
        if (const auto* entry = filter.find(v)) {
            const Mat3 S = entry->projector;
            D = (S * D * S + sparse::filter_scale(D) * (Mat3::Identity() - S)).eval();
        }
        const Eigen::LLT<Mat3> factor(D);
        bad[std::size_t(i)] = factor.info() != Eigen::Success;
        for (const Index c : terms_.corners(i))
            terms_.p[std::size_t(c)] = factor.solve(terms_.dp[std::size_t(c)]);
    });
    give_.assign(stiffness_.size(), 0);
    for (std::size_t c = 0; c < terms_.p.size(); ++c)
        give_[c / 4] += terms_.p[c].dot(terms_.dp[c]);
    const auto first = std::find(bad.begin(), bad.end(), 1);
    return first == bad.end() ? -1 : terms_.touched[std::size_t(first - bad.begin())];
}

/// Caps k; the mean of k / what resists a term, 1 / q' D^-1 q, of those that are stiffer.
double TermSpace::soften() {
    soft_.resize(stiffness_.size());
    double sum = 0;
    Index stiff = 0;
    for (std::size_t s = 0; s < soft_.size(); ++s) {
        const double ratio = stiffness_[s] * give_[s];
        soft_[s] = ratio > softest ? softest / give_[s] : stiffness_[s];
        if (ratio < softest) continue;
        sum += ratio;
        ++stiff;
    }
    return stiff > 0 ? sum / stiff : 0;
}

/// The fewer of the directions that terms hold and the terms that are not soft.
void TermSpace::choose_columns(std::optional<std::int64_t> most) {
    const double least = most ? 0 : as_soft;
    Index stiff = 0;
    for (std::size_t s = 0; s < give_.size(); ++s)
        stiff += stiffness_[s] * give_[s] >= least;
    flexibility_.resize(0);
    columns_ = directions_of(terms_, stiffness_, blocks_, most ? negligible : held_at_least);
    if (columns_.count() > stiff) columns_ = stiff_terms(least);
}

/// The terms without those that are as soft as their vertices, which cost factors more than iterations.
TermColumns TermSpace::stiff_terms(double least) {
    TermColumns stiff;
    std::vector<double> flexibility;
    for (std::size_t s = 0; s < give_.size(); ++s) {
        if (stiffness_[s] * give_[s] < least) continue;
        flexibility.push_back(1 / stiffness_[s]);
        for (std::size_t c = 4 * s; c < 4 * s + 4; ++c) {
            stiff.vertex.push_back(terms_.vertex[c]);
            stiff.p.push_back(terms_.p[c]);
            stiff.dp.push_back(terms_.dp[c]);
        }
    }
    flexibility_ = Eigen::Map<const VecX>(flexibility.data(), Index(flexibility.size()));
    stiff.index(Index(terms_.place.size()));
    return stiff;
}

SolveReport TermSpace::leave(Place place) {
    place_of_terms_ = place;
    if (place == Place::in_sweeps) soft_ = stiffness_;
    return {};
}

/// Rows of A that change where a vertex with terms does.
void TermSpace::find_felt_rows(const sparse::BlockPattern& pattern) {
    std::vector<char> felt(terms_.place.size(), 0);
    for (const Index v : terms_.touched)
        for (Index s = pattern.row_begin[std::size_t(v)]; s < pattern.row_begin[std::size_t(v) + 1];
             ++s)
            felt[std::size_t(pattern.column[std::size_t(s)])] = 1;
    felt_.clear();
    for (std::size_t row = 0; row < felt.size(); ++row)
        if (felt[row]) felt_.push_back(Index(row));
}

/// y <- the inverse of the matrix that is factored, times y.
void TermSpace::apply_inverse(VecX& y) const {
    permuted_ = factors_.permutationP() * y;
    factors_.matrixL().solveInPlace(permuted_);
    factors_.matrixU().solveInPlace(permuted_);
    y = factors_.permutationPinv() * permuted_;
}

/// r - D P f, f = Z P' r.
void TermSpace::reduce(VecX& r) const {
    columns_.gather(columns_.p, r, force_);
    if (by_directions()) {
        left_ = force_;
        apply_inverse(left_);
        force_ -= left_;
    } else {
        apply_inverse(force_);
    }
    columns_.subtract(columns_.dp, force_, r);
}

/// z - P Z ((D P)' z - g), with g = K^-1 f for terms and P' r - f for directions.
void TermSpace::complete(VecX& z) const {
    columns_.gather(columns_.dp, z, gap_);
    if (by_directions()) {
        gap_ -= left_;
        rest_ = gap_;
        apply_inverse(rest_);
        gap_ -= rest_;
    } else {
        gap_ -= flexibility_.cwiseProduct(force_);
        apply_inverse(gap_);
    }
    columns_.subtract(columns_.p, gap_, z);
}

void TermSpace::complete(const sparse::Matrix3& A, VecX& z, VecX& image) const {
    complete(z);
    const sparse::BlockPattern& pattern = A.pattern();
    parallel_for(Index(felt_.size()), term_grain, [&](Index k) {
        const std::size_t row = std::size_t(felt_[std::size_t(k)]);
        Vec3 sum = Vec3::Zero();
        for (Index s = pattern.row_begin[row]; s < pattern.row_begin[row + 1]; ++s)
            sum += A.block(s) * vec3(z, pattern.column[std::size_t(s)]);
        vec3(image, Index(row)) = sum;
    });
}

double TermSpace::blocks_a_make() const {
    const double terms = blocks_a_term * double(stiffness_.size());
    if (empty()) return terms;
    return terms + blocks_a_factor * std::pow(double(factors_.entries()), 2) / double(count_);
}

std::size_t TermSpace::bytes() const {
    if (empty()) return 0;
    return std::size_t(factors_.entries()) * (sizeof(double) + sizeof(int)) + terms_.bytes() +
           columns_.bytes() + stiffness_.size() * 3 * sizeof(double) +
           blocks_.size() * sizeof(Mat3) + std::size_t(count_) * 5 * sizeof(double);
}

}  // namespace taffeta::solve
