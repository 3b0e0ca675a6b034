#include "taffeta/solve/sa/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "taffeta/base/timer.h"
#include "taffeta/solve/sa/lanczos.h"
#include "taffeta/solve/sa/rigid_motions.h"
#include "taffeta/solve/sa/simd.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index shortest_strip = 256;
constexpr double many_constraints = 0.05;  // share of the vertices
constexpr Index smallest_translated = 16;  // coarsest levels; below, all is cheap

float omega(float lambda) {
    return 4 / (3 * lambda);
}

template <int B>
void size_vectors(Level<B>& level) {
    for (FloatArray* vector : {&level.b, &level.x}) {
        vector->resize(level.length());
        vector->set_zero();
    }
}

/// Why the diagonal block of a vertex has no Cholesky factor.
SolveReport bad_block(const sparse::Matrix3& A, Index vertex) {
    const Mat3 block = A.block(A.pattern().diagonal[std::size_t(vertex)]);
    if (!block.allFinite())
        return failure(SolveStatus::not_finite,
                       fmt::format("the diagonal block of vertex {} is not finite", vertex));
    const Vec3 value = eigenvalues_of(block);
    return failure(
        value[0] < 0 ? SolveStatus::indefinite : SolveStatus::singular,
        fmt::format("the diagonal block of vertex {} is not positive definite in single precision: "
                    "its eigenvalues are {:.3g}, {:.3g}, {:.3g}",
                    vertex, value[0], value[1], value[2]));
}

}  // namespace

double Hierarchy::changed_constraints(const sparse::NodeFilter& filter) const {
    Index now = 0, both = 0;
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        if (const Index p = position_[std::size_t(entry.vertex)]; p >= 0) {
            ++now;
            both += coarse_constrained_[std::size_t(p)];
        }
    const auto then = std::count(coarse_constrained_.begin(), coarse_constrained_.end(), 1);
    return double(now + then - 2 * both) / double(std::max<std::size_t>(1, vertex_.size()));
}

double Hierarchy::new_contact() const {
    if (terms_.empty()) return 0;
    Index unknown = 0;
    for (const Index v : terms_.vertex)
        unknown += coarse_terms_.empty() || !coarse_terms_[std::size_t(v)];
    return double(unknown) / double(terms_.vertex.size());
}

template <int B>
void Hierarchy::make_half(Level<B>& level) {
    Index widest = 0;
    for (Index i = 0; i < level.rows(); ++i) {
        const Index first = level.A.row_begin[std::size_t(i)];
        const Index last = level.A.row_begin[std::size_t(i) + 1] - 1;
        widest = std::max({widest, i - level.A.column[std::size_t(first)],
                           level.A.column[std::size_t(last)] - i});
    }
    level.half.set_pattern(level.A, make_strips(level.rows(), widest, shortest_strip * 3 / B));
}

SolveReport Hierarchy::build(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                             const NearKernel& near_kernel) {
    const Timer timer;
    recipe_ = asked_.made_for(A);
    number_vertices(A, filter);
    make_finest_pattern(A);
    loaded_ = false;
    // Contact comes and goes: aggregates that are made without it serve on. A few held vertices do
    // no harm outside all aggregates, should they come free.
    SolveReport report;
    const SoftTerms terms = std::exchange(terms_, {});
    new_patterns_ = coupled_ = false;
    const bool many = double(filter.entries().size()) > many_constraints * double(A.rows());
    if (many && !recipe_.rebuild)
        report = build_levels(A, sparse::NodeFilter(A.rows()), near_kernel);
    if (!many || recipe_.rebuild) report = build_levels(A, filter, near_kernel);
    terms_ = terms;
    if (report.ok() && ((many && !recipe_.rebuild) || !terms_.empty()))
        report = refresh(A, filter, near_kernel, true);
    report.setup_seconds = timer.seconds();
    return report;
}

SolveReport Hierarchy::build_levels(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                                    const NearKernel& near_kernel) {
    if (const Index bad = load_fine(A, filter); bad >= 0)
        return bad_block(terms_.whole ? *terms_.whole : A, vertex_[std::size_t(bad)]);
    load_all(A, filter);  // what is made once reads all blocks
    size_vectors(fine_);
    coarse_constrained_ = constrained_;
    coarse_terms_.clear();

    coarse_.clear();
    translations_.reset();
    fine_.P = {}, fine_.basis = {};
    to_translations_ = {}, translations_basis_ = {};
    const RigidMotions motions(near_kernel.coordinates, filter, vertex_, constrained_);
    bool more = true;
    if (recipe_.translations && fine_.rows() > smallest_translated * recipe_.coarsest) {
        make_aggregates(fine_, to_translations_, translations_basis_);
        if (fine_.aggregates.count > 0) {
            translations_ = std::make_unique<Level<3>>();
            if (!coarsen_finest(motions, near_kernel, to_translations_, translations_basis_,
                                *translations_, true))
                translations_.reset();
        }
    }
    if (translations_) {
        more = add_level(*translations_, [&](Level<6>& coarse) {
            return coarsen_below(*translations_, translations_basis_.coarse, coarse, true);
        });
    } else {
        more = add_level(fine_, [&](Level<6>& coarse) {
            return coarsen_finest(motions, near_kernel, fine_.P, fine_.basis, coarse, true);
        });
    }
    Level<6>* above = nullptr;
    while (more && int(coarse_.size()) + 1 < recipe_.max_levels) {
        Level<6>& last = *coarse_.back();
        Kernel<6>& kernel = above           ? above->basis.coarse
                            : translations_ ? translations_->basis.coarse
                                            : fine_.basis.coarse;
        above = &last;
        more = add_level(
            last, [&](Level<6>& coarse) { return coarsen_below(last, kernel, coarse, true); });
    }
    if (recipe_.chebyshev) {  // also the last level is smoothed where it is not solved directly
        const auto know_lambda = [&](auto& level) {
            if (level.lambda == 0)
                level.lambda = largest_eigenvalue(level.A, recipe_.lanczos_steps);
        };
        if (!coarse_.empty())
            know_lambda(*coarse_.back());
        else
            know_lambda(translations_ ? *translations_ : fine_);
    }
    release_values();
    return {};
}

/// Gauss-Seidel reads `half` alone, Chebyshev does not; and the pattern of the finest level has served
/// where no refresh needs all of its blocks.
void Hierarchy::release_values() {
    if (recipe_.chebyshev) {
        const auto release = [](auto& level) {
            level.half.lower.value = FloatArray();
            level.half.cross.value = FloatArray();
        };
        release(fine_);
        if (translations_) release(*translations_);
        for (auto& level : coarse_)
            release(*level);
        return;
    }
    if (!coarse_.empty())
        std::swap(scratch_, coarse_.back()->A.value);
    else if (translations_)
        std::swap(scratch_, translations_->A.value);
    if (recipe_.smooth_kernel) return;
    fine_.A.value = FloatArray();
    fine_.A.row_begin = {}, fine_.A.column = {}, source_ = {};
}

/// Aggregates, the patterns of P and P^, and lambda; no aggregates where they would not make a smaller
/// level.
template <int B, int C>
void Hierarchy::make_aggregates(Level<B>& fine, ProlongatorRows<B, C>& P, Tentative<C>& basis) {
    fine.aggregates = aggregate(strength_of(fine.A, recipe_), recipe_);
    if (fine.aggregates.count * 5 > fine.rows() * 4) fine.aggregates.count = 0;
    if (fine.aggregates.count == 0) return;
    make_prolongator_pattern(fine.A, fine.aggregates, P);
    basis.set_pattern(fine.aggregates);
    fine.lambda = largest_eigenvalue(fine.A, recipe_.lanczos_steps);
}

/// A level of six motions below `fine`, which `coarsen` makes; false where there is none to be.
template <int B, class Coarsen>
bool Hierarchy::add_level(Level<B>& fine, const Coarsen& coarsen) {
    fine.aggregates.count = 0;
    if (fine.rows() <= recipe_.coarsest) return false;
    make_aggregates(fine, fine.P, fine.basis);
    if (fine.aggregates.count == 0) return false;
    coarse_.push_back(std::make_unique<Level<6>>());
    if (coarsen(*coarse_.back())) return true;
    coarse_.pop_back();
    return false;
}

/// The first coarse level. What depends on the kernel of the finest level alone needs no copy of it.
template <int C>
bool Hierarchy::coarsen_finest(const RigidMotions& motions, const NearKernel& near_kernel,
                               ProlongatorRows<3, C>& P, Tentative<C>& basis, Level<C>& coarse,
                               bool first_time) {
    std::swap(basis.block, scratch_);
    if (near_kernel.constraints || recipe_.smooth_kernel) {
        Kernel<3> kernel = kernel_of(motions, near_kernel);
        if (recipe_.smooth_kernel) smooth_kernel(fine_.A, omega(fine_.lambda), kernel);
        fill_tentative<C, 3>(StoredKernel<3>{kernel}, fine_.rows(), workspaces_, basis);
    } else {
        fill_tentative<C, 3>(motions, fine_.rows(), workspaces_, basis);
    }
    smooth_prolongator(fine_.half, fine_.A.inverse_diagonal, fine_.aggregates, basis.block,
                       omega(fine_.lambda), workspaces_, P);
    for (int step = 0; step < recipe_.energy_steps; ++step)
        lower_energy(fine_.half, fine_.A.inverse_diagonal, basis.weight, omega(fine_.lambda),
                     workspaces_, P);
    std::swap(basis.block, scratch_);
    if (first_time) make_first_pattern(P, coarse);
    if (!terms_.empty()) couple_terms(P, coarse);
    make_coarse_values(fine_, P, basis.missing, coarse);
    if (!terms_.empty()) coarse_runs_.add(terms_, float(scale_), position_, P, coarse.A);
    return finish(coarse);
}

/// A level of six motions below another coarse one, whose kernel is given.
template <int B>
bool Hierarchy::coarsen_below(Level<B>& fine, Kernel<B>& kernel, Level<6>& coarse,
                              bool first_time) {
    float lambda = fine.lambda;
    if (!terms_.empty())  // which are in this level's matrix, but not in its aggregates
        lambda = std::max(lambda, largest_eigenvalue(fine.A, recipe_.lanczos_steps));
    if (recipe_.smooth_kernel) smooth_kernel(fine.A, omega(lambda), kernel);
    if (!recipe_.chebyshev) std::swap(fine.A.value, scratch_);  // they have served
    std::swap(fine.basis.block, scratch_);
    fill_tentative<6, B>(StoredKernel<B>{kernel}, fine.rows(), workspaces_, fine.basis);
    smooth_prolongator(fine.half, fine.A.inverse_diagonal, fine.aggregates, fine.basis.block,
                       omega(lambda), workspaces_, fine.P);
    std::swap(fine.basis.block, scratch_);
    if (first_time) make_coarse_pattern(fine, fine.P, coarse);
    make_coarse_values(fine, fine.P, fine.basis.missing, coarse);
    return finish(coarse);
}

/// P' A P. Its memory is that of P^ and of other levels, one after the other, as a sweep of Gauss-Seidel
/// reads it in halves only.
template <int B, int C>
void Hierarchy::make_coarse_values(const Level<B>& fine, const ProlongatorRows<B, C>& P,
                                   const std::vector<unsigned char>& missing, Level<C>& coarse) {
    if (!recipe_.chebyshev) std::swap(coarse.A.value, scratch_);
    galerkin_product(fine.half, P, missing, workspaces_, coarse.A);
}

/// What the smoother needs of a matrix, or the direct solver.
template <int C>
bool Hierarchy::finish(Level<C>& coarse) {
    strengthen_diagonal(coarse.A);
    if (invert_diagonal(coarse.A) >= 0) return false;
    coarse.half.load(coarse.A);
    if constexpr (C == 6)
        if (coarse.rows() <= recipe_.coarsest) return factor_bottom(coarse);
    return true;
}

template <int B, int C>
void Hierarchy::make_coarse_pattern(const Level<B>& fine, const ProlongatorRows<B, C>& P,
                                    Level<C>& coarse) const {
    make_galerkin_pattern(fine.A, P, fine.aggregates.count, coarse.A);
    make_half(coarse);
    size_vectors(coarse);
}

/// The pattern of the first coarse level without couplings of terms. Once made it is put back, as making
/// it needs the pattern of the finest level.
template <int C>
void Hierarchy::make_first_pattern(const ProlongatorRows<3, C>& P, Level<C>& coarse) {
    if (fine_.A.column.empty()) {
        coarse.A.row_begin = uncoupled_.row_begin;
        coarse.A.column = uncoupled_.column;
        coarse.A.diagonal = uncoupled_.diagonal;
        return make_half(coarse);
    }
    make_coarse_pattern(fine_, P, coarse);
}

/// Gives the first coarse level the couplings of the terms. Those of earlier terms stay, as the terms
/// of a step are nearly those of the last one.
template <int C>
void Hierarchy::couple_terms(const ProlongatorRows<3, C>& P, Level<C>& coarse) {
    if (!coupled_) uncoupled_ = {coarse.A.row_begin, coarse.A.column, coarse.A.diagonal};
    coarse_runs_.find_rows(terms_, position_, P, coarse.rows());
    if (!coarse_runs_.extend(coarse.A)) return;
    make_half(coarse);
    new_patterns_ = coupled_ = true;
}

bool Hierarchy::factor_bottom(const Level<6>& level) {
    const SquareRows<6>& A = level.A;
    Eigen::MatrixXd& dense = bottom_matrix_;
    dense.setZero(6 * A.rows(), 6 * A.rows());
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            dense.block<6, 6>(6 * i, 6 * A.column[std::size_t(s)]) =
                Eigen::Map<const Eigen::Matrix<float, 6, 6>>(A.block(s)).cast<double>();
    // What rounding did to the smallest eigenvalues of the coarse matrix.
    dense.diagonal().array() += 1e-7 * dense.diagonal().mean();
    bottom_.compute(dense);
    return bottom_.info() == Eigen::Success;
}

void Hierarchy::remember_terms() {
    coarse_terms_.clear();
    if (terms_.empty()) return;
    coarse_terms_.assign(position_.size(), 0);
    for (const Index v : terms_.vertex)
        coarse_terms_[std::size_t(v)] = 1;
}

SolveReport Hierarchy::refresh(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                               const NearKernel& near_kernel, bool coarse) {
    const Timer timer;
    SolveReport report;
    if (const Index bad = load_fine(A, filter); bad >= 0)
        return bad_block(terms_.whole ? *terms_.whole : A, vertex_[std::size_t(bad)]);
    if (coarse && (translations_ || !coarse_.empty())) {
        if (recipe_.smooth_kernel) load_all(A, filter);
        coarse_constrained_ = constrained_;
        remember_terms();
        const RigidMotions motions(near_kernel.coordinates, filter, vertex_, constrained_);
        // A new pattern of the first coarse level changes all below it.
        const auto follow = [&](auto& level, auto& kernel, Level<6>& next) {
            if (new_patterns_) make_prolongator_pattern(level.A, level.aggregates, level.P);
            return coarsen_below(level, kernel, next, new_patterns_);
        };
        bool ok = true;
        if (translations_) {
            ok = coarsen_finest(motions, near_kernel, to_translations_, translations_basis_,
                                *translations_, new_patterns_);
            if (ok && !coarse_.empty())
                ok = follow(*translations_, translations_basis_.coarse, *coarse_[0]);
        } else {
            ok = coarsen_finest(motions, near_kernel, fine_.P, fine_.basis, *coarse_[0],
                                new_patterns_);
        }
        Kernel<6>* kernel = translations_ ? &translations_->basis.coarse : &fine_.basis.coarse;
        for (std::size_t l = 1; ok && l < coarse_.size(); ++l) {
            ok = follow(*coarse_[l - 1], *kernel, *coarse_[l]);
            kernel = &coarse_[l - 1]->basis.coarse;
        }
        new_patterns_ = false;
        release_values();
        if (!ok)
            return failure(SolveStatus::breakdown,
                           "smoothed aggregation: a coarse matrix is not positive definite");
    }
    report.setup_seconds = timer.seconds();
    return report;
}

void Hierarchy::save(ByteWriter& bytes) const {
    const auto put = [&](const auto& level) {
        bytes.put(level.lambda);
        bytes.put(level.aggregates.count);
        bytes.put_values(std::span<const Index>(level.aggregates.of));
    };
    bytes.put(pattern_hash());
    bytes.put(Index(position_.size()));
    bytes.put_values(std::span<const Index>(vertex_));
    put(fine_);
    bytes.put(bool(translations_));
    if (translations_) put(*translations_);
    bytes.put(std::uint64_t(coarse_.size()));
    for (const auto& level : coarse_)
        put(*level);
}

void Hierarchy::load(ByteReader& bytes) {
    const auto get = [&](auto& level) {
        level.lambda = bytes.get<float>();
        level.aggregates.count = bytes.get<Index>();
        level.aggregates.of = bytes.get_values<Index>();
    };
    pattern_.reset();
    pattern_hash_ = bytes.get<std::uint64_t>();
    const Index n = bytes.get<Index>();
    vertex_ = bytes.get_values<Index>();
    position_ = positions_of(vertex_, n);
    get(fine_);
    translations_.reset();
    if (bytes.get<bool>()) {
        translations_ = std::make_unique<Level<3>>();
        get(*translations_);
    }
    coarse_.resize(std::size_t(bytes.get<std::uint64_t>()));
    for (auto& level : coarse_) {
        level = std::make_unique<Level<6>>();
        get(*level);
    }
    loaded_ = true;
}

/// The patterns of a hierarchy that was loaded.
void Hierarchy::make_loaded_patterns(const sparse::Matrix3& A) {
    recipe_ = asked_;
    loaded_ = false;
    make_finest_pattern(A);
    size_vectors(fine_);
    fine_.P = {};
    to_translations_ = {};
    const auto connect = [&](auto& fine, auto& P, auto& basis) {
        make_prolongator_pattern(fine.A, fine.aggregates, P);
        basis.set_pattern(fine.aggregates);
    };
    if (translations_) {
        connect(fine_, to_translations_, translations_basis_);
        make_first_pattern(to_translations_, *translations_);
    }
    if (!coarse_.empty()) {
        Level<3>& above = translations_ ? *translations_ : fine_;
        connect(above, above.P, above.basis);
        if (translations_)
            make_coarse_pattern(above, above.P, *coarse_[0]);
        else
            make_first_pattern(above.P, *coarse_[0]);
    }
    for (std::size_t l = 1; l < coarse_.size(); ++l) {
        connect(*coarse_[l - 1], coarse_[l - 1]->P, coarse_[l - 1]->basis);
        make_coarse_pattern(*coarse_[l - 1], coarse_[l - 1]->P, *coarse_[l]);
    }
}

}  // namespace taffeta::solve::sa
