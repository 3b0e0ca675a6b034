#include "taffeta/solve/term_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

constexpr Index term_grain = 256;
/// Times what the vertices of a term resist with: beyond, coarse levels need not know how stiff it is.
/// 1 costs 3 iterations of 33, 10 saves none.
constexpr double softest = 3;
/// k over what resists a term: below, R is not worth having for it, and as many as share a vertex do no harm.
constexpr double as_soft = 0.3;
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

/// Numbers of the factors a block of E up to which terms are kept apart.
double worth_apart(Index rows, double ratio) {
    const double in_matrix =
        levels_price + std::max(usual_iterations, iterations_a_root * std::sqrt(ratio));
    const double most = (in_matrix - usual_iterations) / (usual_iterations + factor_price);
    return rows < small_system ? std::max(most, most_if_small) : most;
}

struct TermCoupling {
    Index term;
    Index order;  ///< in which they were found: sums keep it
    double value;
};

}  // namespace

/// The terms of each vertex, in their order.
void TermSpace::collect_corners(Index rows) {
    std::vector<Index> next(std::size_t(rows), 0);
    for (const Index v : vertex_)
        ++next[std::size_t(v)];
    touched_.clear();
    begin_.assign(1, 0);
    place_.assign(std::size_t(rows), -1);
    for (Index v = 0; v < rows; ++v) {
        Index& here = next[std::size_t(v)];
        if (here == 0) continue;
        place_[std::size_t(v)] = Index(touched_.size());
        touched_.push_back(v);
        begin_.push_back(begin_.back() + here);
        here = begin_[begin_.size() - 2];  // from now on: where the next one goes
    }
    corner_.resize(vertex_.size());
    for (Index c = 0; c < Index(vertex_.size()); ++c)
        corner_[std::size_t(next[std::size_t(vertex_[std::size_t(c)])]++)] = c;
}

SolveReport TermSpace::make(const sparse::Matrix3& E, const sparse::NodeFilter& filter,
                            std::span<const RankOneTerm> terms, const Wish& wish,
                            std::optional<std::int64_t> most) {
    clear();
    if (terms.empty()) return {};
    const Index count = Index(terms.size());
    vertex_.resize(4 * terms.size());
    q_.resize(vertex_.size());
    p_.resize(vertex_.size());
    stiffness_.resize(count);
    for (Index s = 0; s < count; ++s) {
        const RankOneTerm& term = terms[std::size_t(s)];
        stiffness_[s] = term.k;
        if (!(term.k > 0) || !std::isfinite(term.k))
            return failure(
                std::isfinite(term.k) ? SolveStatus::indefinite : SolveStatus::not_finite,
                fmt::format("stiff term {} has k = {:.3g}", s, term.k));
        for (std::size_t j = 0; j < 4; ++j) {
            const std::size_t c = std::size_t(4 * s) + j;
            vertex_[c] = term.vertex[j];
            const auto* entry = filter.find(term.vertex[j]);
            q_[c] = entry ? (entry->projector * term.q[j]).eval() : term.q[j];
        }
    }
    collect_corners(E.rows());
    E_ = &E;
    if (const Index bad = scale_by_inverse(E, filter); bad >= 0)
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
    if (!most) leave_out_soft_ones(E.rows());
    if (stiffness_.size() == 0) return leave_otherwise();
    make_couplings();
    if (double(couplings_.nonZeros()) > limit) return leave_otherwise();
    factors_.analyzePattern(couplings_);
    if (double(factors_.entries()) > limit) return leave_otherwise();
    factors_.factorize(couplings_);
    if (factors_.info() != Eigen::Success)
        return failure(SolveStatus::breakdown,
                       "the stiff terms have no Cholesky factors: q or k is not finite, or their "
                       "sizes differ too much");
    find_felt_rows();
    count_ = Index(stiffness_.size());
    return leave(Place::apart);
}

/// p = D^-1 q; the first vertex whose block of D is not positive definite, or -1.
Index TermSpace::scale_by_inverse(const sparse::Matrix3& E, const sparse::NodeFilter& filter) {
    std::vector<char> bad(touched_.size(), 0);
    parallel_for(Index(touched_.size()), term_grain, [&](Index i) {
        const Index v = touched_[std::size_t(i)];
        Mat3 block = E.block(E.pattern().diagonal[std::size_t(v)]);
        if (const auto* entry = filter.find(v)) {
            const Mat3 S = entry->projector;
            block = (S * block * S + sparse::filter_scale(block) * (Mat3::Identity() - S)).eval();
        }
        const Eigen::LLT<Mat3> factor(block);
        bad[std::size_t(i)] = factor.info() != Eigen::Success;
        for (Index k = begin_[std::size_t(i)]; k < begin_[std::size_t(i) + 1]; ++k) {
            const std::size_t c = std::size_t(corner_[std::size_t(k)]);
            p_[c] = factor.solve(q_[c]);
        }
    });
    const auto first = std::find(bad.begin(), bad.end(), 1);
    return first == bad.end() ? -1 : touched_[std::size_t(first - bad.begin())];
}

/// Caps k; the mean of k / what resists a term, 1 / q' D^-1 q, of those that are stiffer.
double TermSpace::soften() {
    soft_.resize(std::size_t(stiffness_.size()));
    double sum = 0;
    Index stiff = 0;
    for (Index s = 0; s < Index(stiffness_.size()); ++s) {
        double give = 0;
        for (std::size_t c = 4 * std::size_t(s), end = c + 4; c < end; ++c)
            give += p_[c].dot(q_[c]);
        const double ratio = stiffness_[s] * give;
        soft_[std::size_t(s)] = ratio > softest ? softest / give : stiffness_[s];
        if (ratio < softest) continue;
        sum += ratio;
        ++stiff;
    }
    return stiff > 0 ? sum / stiff : 0;
}

/// What is as soft as its vertices costs factors more than it costs iterations.
void TermSpace::leave_out_soft_ones(Index rows) {
    std::size_t kept = 0;
    for (std::size_t s = 0; s < soft_.size(); ++s) {
        double give = 0;
        for (std::size_t c = 4 * s, end = c + 4; c < end; ++c)
            give += p_[c].dot(q_[c]);
        if (stiffness_[Index(s)] * give < as_soft) continue;
        for (std::size_t j = 0; j < 4; ++j) {
            vertex_[4 * kept + j] = vertex_[4 * s + j];
            q_[4 * kept + j] = q_[4 * s + j];
            p_[4 * kept + j] = p_[4 * s + j];
        }
        soft_[kept] = soft_[s];
        stiffness_[Index(kept)] = stiffness_[Index(s)];
        ++kept;
    }
    complete_ = kept == soft_.size();
    if (complete_) return;
    vertex_.resize(4 * kept);
    q_.resize(4 * kept);
    p_.resize(4 * kept);
    soft_.resize(kept);
    stiffness_.conservativeResize(Index(kept));
    collect_corners(rows);
}

SolveReport TermSpace::leave(Place place) {
    place_of_terms_ = place;
    if (place == Place::in_sweeps) std::copy_n(stiffness_.data(), soft_.size(), soft_.begin());
    return {};
}

/// The lower triangle of K^-1 + G. Terms are coupled where they share a vertex.
void TermSpace::make_couplings() {
    const Index count = Index(stiffness_.size());
    const auto corners_at = [&](std::size_t c) {
        const std::size_t i = std::size_t(place_[std::size_t(vertex_[c])]);
        return std::span(corner_.data() + begin_[i], corner_.data() + begin_[i + 1]);
    };
    std::vector<std::vector<TermCoupling>> column(static_cast<std::size_t>(count));
    parallel_for(count, term_grain, [&](Index s) {
        std::vector<TermCoupling>& found = column[std::size_t(s)];
        for (std::size_t c = 4 * std::size_t(s), end = c + 4; c < end; ++c)
            for (const Index other : corners_at(c))
                if (other / 4 >= s)
                    found.push_back(
                        {other / 4, Index(found.size()), p_[c].dot(q_[std::size_t(other)])});
        std::sort(found.begin(), found.end(), [](const TermCoupling& a, const TermCoupling& b) {
            return a.term != b.term ? a.term < b.term : a.order < b.order;
        });
        std::size_t last = 0;
        for (std::size_t k = 1; k < found.size(); ++k)
            if (found[k].term == found[last].term)
                found[last].value += found[k].value;
            else
                found[++last] = found[k];
        found.resize(last + 1);
    });
    couplings_.resize(count, count);
    Index total = 0;
    for (Index s = 0; s < count; ++s) {
        couplings_.outerIndexPtr()[s] = total;
        total += Index(column[std::size_t(s)].size());
    }
    couplings_.outerIndexPtr()[count] = total;
    couplings_.resizeNonZeros(total);
    parallel_for(count, term_grain, [&](Index s) {
        Index slot = couplings_.outerIndexPtr()[s];
        for (const TermCoupling& coupling : column[std::size_t(s)]) {
            couplings_.innerIndexPtr()[slot] = coupling.term;
            couplings_.valuePtr()[slot++] = coupling.value;
        }
        couplings_.valuePtr()[couplings_.outerIndexPtr()[s]] += 1 / stiffness_[s];
    });
}

/// The rows of E that see vertices with terms.
void TermSpace::find_felt_rows() {
    const sparse::BlockPattern& pattern = E_->pattern();
    std::vector<char> felt(place_.size(), 0);
    for (const Index v : touched_)
        for (Index s = pattern.row_begin[std::size_t(v)]; s < pattern.row_begin[std::size_t(v) + 1];
             ++s)
            felt[std::size_t(pattern.column[std::size_t(s)])] = 1;
    felt_.clear();
    for (std::size_t row = 0; row < felt.size(); ++row)
        if (felt[row]) felt_.push_back(Index(row));
}

/// out = P' u, P the columns `along`.
void TermSpace::gather(const std::vector<Vec3>& along, const VecX& u, VecX& out) const {
    out.resize(count_);
    parallel_for(count_, term_grain, [&](Index s) {
        double sum = 0;
        for (std::size_t c = 4 * std::size_t(s), end = c + 4; c < end; ++c)
            sum += along[c].dot(vec3(u, vertex_[c]));
        out[s] = sum;
    });
}

/// u <- u - P weight
void TermSpace::subtract(const std::vector<Vec3>& along, const VecX& weight, VecX& u) const {
    parallel_for(Index(touched_.size()), term_grain, [&](Index i) {
        Vec3 sum = Vec3::Zero();
        for (Index k = begin_[std::size_t(i)]; k < begin_[std::size_t(i) + 1]; ++k) {
            const Index c = corner_[std::size_t(k)];
            sum += weight[c / 4] * along[std::size_t(c)];
        }
        vec3(u, touched_[std::size_t(i)]) -= sum;
    });
}

/// y <- R y
void TermSpace::solve(VecX& y) const {
    permuted_ = factors_.permutationP() * y;
    factors_.matrixL().solveInPlace(permuted_);
    factors_.matrixU().solveInPlace(permuted_);
    y = factors_.permutationPinv() * permuted_;
}

void TermSpace::reduce(VecX& r) const {
    gather(p_, r, force_);
    solve(force_);
    subtract(q_, force_, r);
}

/// F' z + D^-1 Q R K^-1 R Q' D^-1 r = z - D^-1 Q m, m = R (Q' z - K^-1 l) with the forces l that were taken
/// from r.
void TermSpace::balance(const VecX& z) const {
    gather(q_, z, gap_);
    gap_.array() -= force_.array() / stiffness_.array();
    solve(gap_);
}

void TermSpace::complete(VecX& z) const {
    balance(z);
    subtract(p_, gap_, z);
}

void TermSpace::complete(VecX& z, VecX& image) const {
    balance(z);
    change_.resize(touched_.size());
    const auto remember = [&](double sign) {
        parallel_for(Index(touched_.size()), term_grain, [&](Index i) {
            const Vec3 here = vec3(z, touched_[std::size_t(i)]);
            change_[std::size_t(i)] = sign < 0 ? here : (here - change_[std::size_t(i)]).eval();
        });
    };
    remember(-1);
    subtract(p_, gap_, z);
    remember(1);
    const sparse::BlockPattern& pattern = E_->pattern();
    parallel_for(Index(felt_.size()), term_grain, [&](Index k) {
        const std::size_t row = std::size_t(felt_[std::size_t(k)]);
        Vec3 sum = Vec3::Zero();
        for (Index s = pattern.row_begin[row]; s < pattern.row_begin[row + 1]; ++s)
            if (const Index i = place_[std::size_t(pattern.column[std::size_t(s)])]; i >= 0)
                sum += E_->block(s) * change_[std::size_t(i)];
        vec3(image, Index(row)) += sum;
    });
    // (K^-1 + G) m = Q' z - K^-1 l with z as it was, so K Q' z = m + l with z as it is: for stiff terms
    // K times what rounding leaves of Q' z would be noise.
    gap_ = -(gap_ + force_);
    subtract(q_, gap_, image);
}

std::size_t TermSpace::bytes() const {
    if (empty()) return 0;
    const std::size_t entries =
        std::size_t(factors_.entries()) + std::size_t(couplings_.nonZeros());
    return entries * (sizeof(double) + sizeof(int)) +
           vertex_.size() * (2 * sizeof(Vec3) + 2 * sizeof(Index)) +
           std::size_t(count_) * 6 * sizeof(double) +
           (place_.size() + touched_.size() + begin_.size()) * sizeof(Index);
}

}  // namespace taffeta::solve
