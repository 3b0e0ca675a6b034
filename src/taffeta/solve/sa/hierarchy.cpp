#include "taffeta/solve/sa/hierarchy.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "taffeta/base/hash.h"
#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/solve/sa/lanczos.h"
#include "taffeta/solve/sa/simd.h"
#include "taffeta/solve/sa/small_cholesky.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index copied_rows = 1024;
constexpr Index shortest_strip = 256;
constexpr double many_constraints = 0.05;  // share of the vertices
constexpr double worth_its_bandwidth = 1.25;
constexpr Index smallest_translated = 16;  // coarsest levels; below, all is cheap

template <int B>
void size_vectors(Level<B>& level, bool with_direction) {
    const std::size_t length = std::size_t(level.rows()) * stride<B>;
    for (FloatArray* vector : {&level.b, &level.x, &level.r, &level.d}) {
        if (vector == &level.d && !with_direction) continue;
        vector->resize(length);
        vector->set_zero();
    }
}

template <int B>
void make_half(Level<B>& level) {
    Index widest = 0;
    for (Index i = 0; i < level.rows(); ++i) {
        const Index first = level.A.row_begin[std::size_t(i)];
        const Index last = level.A.row_begin[std::size_t(i) + 1] - 1;
        widest = std::max({widest, i - level.A.column[std::size_t(first)],
                           level.A.column[std::size_t(last)] - i});
    }
    level.half.set_pattern(level.A, make_strips(level.rows(), widest, shortest_strip * 3 / B));
}

std::uint64_t hash_of(const sparse::BlockPattern& pattern) {
    return Hash()
        .add_values(std::span<const Index>(pattern.row_begin))
        .add_values(std::span<const Index>(pattern.column))
        .value();
}

std::vector<Index> positions_of(const std::vector<Index>& order, Index n) {
    std::vector<Index> position(std::size_t(n), -1);
    for (std::size_t p = 0; p < order.size(); ++p)
        position[std::size_t(order[p])] = Index(p);
    return position;
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

bool Hierarchy::fits(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                     bool equal_serves) {
    if (vertex_.empty() || position_.size() != std::size_t(A.rows())) return false;
    for (Index i = 0; i < A.rows(); ++i)
        if (position_[std::size_t(i)] < 0 && filter.free_directions(i) > 0) return false;
    if (pattern_ == A.shared_pattern()) return true;
    if (!equal_serves || hash_of(A.pattern()) != pattern_hash_) return false;
    pattern_ = A.shared_pattern();
    if (loaded_) make_loaded_patterns(A);
    return true;
}

double Hierarchy::changed_constraints(const sparse::NodeFilter& filter) const {
    std::vector<char> now(vertex_.size(), 0);
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        if (const Index p = position_[std::size_t(entry.vertex)]; p >= 0) now[std::size_t(p)] = 1;
    std::size_t changed = 0;
    for (std::size_t p = 0; p < now.size(); ++p)
        changed += now[p] != coarse_constrained_[p];
    return double(changed) / double(std::max<std::size_t>(1, now.size()));
}

void Hierarchy::number_vertices(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    const sparse::BlockPattern& pattern = A.pattern();
    const Index n = A.rows();
    pattern_ = A.shared_pattern();
    pattern_hash_ = hash_of(pattern);

    // Vertices that are held come free again: they are left out only where that saves half.
    std::vector<char> keep(std::size_t(n), 1);
    Index held = 0;
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        held += entry.forbidden == 3;
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        if (entry.forbidden == 3 && 2 * held > n) keep[std::size_t(entry.vertex)] = 0;
    // Reverse Cuthill-McKee, in which a vertex and the next one are seldom neighbours: a sweep need
    // not wait for the row before. The given numbering only where strips would be much longer.
    const Graph graph{pattern.row_begin, pattern.column};
    std::vector<Index> given;
    for (Index i = 0; i < n; ++i)
        if (keep[std::size_t(i)]) given.push_back(i);
    vertex_ = reverse_cuthill_mckee(graph, keep);
    position_ = positions_of(vertex_, n);
    const std::vector<Index> given_position = positions_of(given, n);
    if (worth_its_bandwidth * bandwidth(graph, given_position) <= bandwidth(graph, position_)) {
        vertex_ = std::move(given);
        position_ = given_position;
    }
}

void Hierarchy::make_finest_pattern(const sparse::Matrix3& A) {
    const sparse::BlockPattern& pattern = A.pattern();
    SquareRows<3>& F = fine_.A;
    F.row_begin.assign(1, 0);
    F.column.clear();
    F.diagonal.clear();
    source_.clear();
    std::vector<std::pair<Index, Index>> row;
    for (const Index v : vertex_) {
        row.clear();
        for (Index s = pattern.row_begin[std::size_t(v)]; s < pattern.row_begin[std::size_t(v) + 1];
             ++s) {
            const Index p = position_[std::size_t(pattern.column[std::size_t(s)])];
            if (p >= 0) row.emplace_back(p, s);
        }
        std::sort(row.begin(), row.end());
        const Index here = Index(F.row_begin.size()) - 1;
        for (const auto& [p, s] : row) {
            if (p == here) F.diagonal.push_back(Index(F.column.size()));
            F.column.push_back(p);
            source_.push_back(s);
        }
        F.row_begin.push_back(Index(F.column.size()));
    }
    if (!recipe_.chebyshev) make_half(fine_);
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
        return bad_block(A, vertex_[std::size_t(bad)]);
    const FilteredRows blocks = filtered(A, filter);
    load_all(blocks);  // what is made once reads them several times
    size_vectors(fine_, true);
    Kernel<3> kernel = kernel_of(filter, near_kernel);
    Kernel<6> coarse_kernel;

    coarse_.clear();
    translations_.reset();
    fine_.P = {};
    to_translations_ = {};
    if (recipe_.translations && fine_.rows() > smallest_translated * recipe_.coarsest) {
        make_aggregates(fine_, to_translations_);
        if (fine_.aggregates.count > 0) {
            translations_ = std::make_unique<Level<3>>();
            Kernel<3> there;
            if (coarsen(fine_, blocks, to_translations_, kernel, *translations_, there, true))
                kernel = std::move(there);
            else
                translations_.reset();
        }
    }
    bool more = translations_ ? add_level(*translations_, translations_->A, kernel, coarse_kernel)
                              : add_level(fine_, blocks, kernel, coarse_kernel);
    while (more && int(coarse_.size()) + 1 < recipe_.max_levels) {
        Level<6>& last = *coarse_.back();
        Kernel<6> here = std::move(coarse_kernel);
        more = add_level(last, last.A, here, coarse_kernel);
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

/// Gauss-Seidel reads `half` alone.
void Hierarchy::release_values() {
    if (recipe_.chebyshev) return;
    fine_.A.value = FloatArray();
    if (translations_) translations_->A.value = FloatArray();
    if (!coarse_.empty()) coarse_.back()->A.value = FloatArray();
}

/// Aggregates, the pattern of P and lambda; no aggregates where they would not make a smaller level.
template <int B, int C>
void Hierarchy::make_aggregates(Level<B>& fine, ProlongatorRows<B, C>& P) {
    fine.aggregates = aggregate(strength_of(fine.A, recipe_), recipe_);
    if (fine.aggregates.count * 5 > fine.rows() * 4) fine.aggregates.count = 0;
    if (fine.aggregates.count == 0) return;
    make_prolongator_pattern(fine.A, fine.aggregates, P);
    fine.lambda = largest_eigenvalue(fine.A, recipe_.lanczos_steps);
}

/// A level of six motions below `fine`; false where there is none to be.
template <int B, class Blocks>
bool Hierarchy::add_level(Level<B>& fine, const Blocks& blocks, Kernel<B>& kernel,
                          Kernel<6>& coarse_kernel) {
    fine.aggregates.count = 0;
    if (fine.rows() <= recipe_.coarsest) return false;
    make_aggregates(fine, fine.P);
    if (fine.aggregates.count == 0) return false;
    coarse_.push_back(std::make_unique<Level<6>>());
    if (coarsen(fine, blocks, fine.P, kernel, *coarse_.back(), coarse_kernel, true)) return true;
    coarse_.pop_back();
    return false;
}

template <int B, int C, class Blocks>
bool Hierarchy::coarsen(Level<B>& fine, const Blocks& blocks, ProlongatorRows<B, C>& P,
                        Kernel<B>& kernel, Level<C>& coarse, Kernel<C>& coarse_kernel,
                        bool first_time) {
    const bool finest = static_cast<const void*>(&fine) == &fine_;
    float lambda = fine.lambda;
    if (!finest && !terms_.empty())  // which are in this level's matrix, but not in its aggregates
        lambda = std::max(lambda, largest_eigenvalue(fine.A, recipe_.lanczos_steps));
    if (recipe_.smooth_kernel) smooth_kernel(fine.A, 4 / (3 * lambda), kernel);
    Tentative<C> basis = tentative<C>(kernel, fine.aggregates);
    smooth_prolongator(blocks, fine.aggregates, basis.block, 4 / (3 * lambda), P);
    if (first_time) make_coarse_pattern(fine, P, coarse);
    if constexpr (B == 3)
        if (finest && !terms_.empty()) couple_terms(P, coarse);
    galerkin_product(blocks, P, basis.missing, coarse.A);
    if constexpr (B == 3)
        if (finest && !terms_.empty())
            add_coarse_terms(terms_, float(scale_), position_, P, coarse.A);
    coarse_kernel = std::move(basis.coarse);
    if (!recipe_.chebyshev) fine.A.value = FloatArray();  // has served
    strengthen_diagonal(coarse.A);
    if (invert_diagonal(coarse.A) >= 0) return false;
    if (!recipe_.chebyshev) coarse.half.load(coarse.A);
    if constexpr (C == 6)
        if (coarse.rows() <= recipe_.coarsest) return factor_bottom(coarse);
    return true;
}

template <int B, int C>
void Hierarchy::make_coarse_pattern(const Level<B>& fine, const ProlongatorRows<B, C>& P,
                                    Level<C>& coarse) const {
    make_galerkin_pattern(fine.A, P, fine.aggregates.count, coarse.A);
    if (!recipe_.chebyshev) make_half(coarse);
    size_vectors(coarse, recipe_.chebyshev);
}

/// Gives the first coarse level the couplings of the terms. Those of earlier terms stay, as the terms
/// of a step are nearly those of the last one.
template <int C>
void Hierarchy::couple_terms(const ProlongatorRows<3, C>& P, Level<C>& coarse) {
    if (!extend_by_terms(terms_, position_, P, coarse.A)) return;
    if (!recipe_.chebyshev) make_half(coarse);
    new_patterns_ = coupled_ = true;
}

bool Hierarchy::factor_bottom(const Level<6>& level) {
    const SquareRows<6>& A = level.A;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(6 * A.rows(), 6 * A.rows());
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            dense.block<6, 6>(6 * i, 6 * A.column[std::size_t(s)]) =
                Eigen::Map<const Eigen::Matrix<float, 6, 6>>(A.block(s)).cast<double>();
    // What rounding did to the smallest eigenvalues of the coarse matrix.
    dense.diagonal().array() += 1e-7 * dense.diagonal().mean();
    bottom_.compute(dense);
    return bottom_.info() == Eigen::Success;
}

SolveReport Hierarchy::refresh(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                               const NearKernel& near_kernel, bool coarse) {
    const Timer timer;
    SolveReport report;
    if (const Index bad = load_fine(A, filter); bad >= 0)
        return bad_block(A, vertex_[std::size_t(bad)]);
    if (coarse && (translations_ || !coarse_.empty())) {
        const FilteredRows blocks = filtered(A, filter);
        if (recipe_.smooth_kernel) load_all(blocks);
        Kernel<3> kernel = kernel_of(filter, near_kernel);
        Kernel<6> coarse_kernel;
        bool ok = true;
        // A new pattern of the first coarse level changes all below it.
        const auto follow = [&](auto& level, auto& from, auto& next, auto& to) {
            if (new_patterns_) make_prolongator_pattern(level.A, level.aggregates, level.P);
            return coarsen(level, level.A, level.P, from, next, to, new_patterns_);
        };
        if (translations_) {
            Kernel<3> there;
            ok = coarsen(fine_, blocks, to_translations_, kernel, *translations_, there,
                         new_patterns_);
            kernel = std::move(there);
        }
        if (ok && !coarse_.empty()) {
            Level<6>& first = *coarse_[0];
            ok = translations_
                     ? follow(*translations_, kernel, first, coarse_kernel)
                     : coarsen(fine_, blocks, fine_.P, kernel, first, coarse_kernel, new_patterns_);
        }
        for (std::size_t l = 1; ok && l < coarse_.size(); ++l) {
            Kernel<6> here = std::move(coarse_kernel);
            ok = follow(*coarse_[l - 1], here, *coarse_[l], coarse_kernel);
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
    bytes.put(pattern_hash_);
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
    size_vectors(fine_, true);
    fine_.P = {};
    to_translations_ = {};
    const auto connect = [&](auto& fine, auto& P, auto& coarse) {
        make_prolongator_pattern(fine.A, fine.aggregates, P);
        make_coarse_pattern(fine, P, coarse);
    };
    if (translations_) connect(fine_, to_translations_, *translations_);
    if (!coarse_.empty()) {
        Level<3>& above = translations_ ? *translations_ : fine_;
        connect(above, above.P, *coarse_[0]);
    }
    for (std::size_t l = 1; l < coarse_.size(); ++l)
        connect(*coarse_[l - 1], coarse_[l - 1]->P, *coarse_[l]);
}

FilteredRows Hierarchy::filtered(const sparse::Matrix3& A, const sparse::NodeFilter& filter) const {
    return {A, filter, scale_, fine_.A, vertex_, source_, constrained_};
}

Index Hierarchy::load_fine(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    constrained_.assign(vertex_.size(), 0);
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        if (const Index p = position_[std::size_t(entry.vertex)]; p >= 0)
            constrained_[std::size_t(p)] = 1;
    // In units in which the largest diagonal is about one, single precision has room on both sides.
    double largest = 0;
    for (Index i = 0; i < A.rows(); ++i)
        largest = std::max(largest, A.block(A.pattern().diagonal[std::size_t(i)]).trace());
    scale_ = largest > 0 && std::isfinite(largest) ? 1 / largest : 1;
    const FilteredRows blocks = filtered(A, filter);
    if (recipe_.chebyshev)
        load_all(blocks);
    else
        fine_.half.load(blocks);
    return invert_blocks<3>(blocks.rows(), fine_.A.inverse_diagonal, [&](Index i) {
        float scratch[9];
        return Eigen::Matrix3f(blocks.fetch_diagonal(i, scratch));
    });
}

void Hierarchy::load_all(const FilteredRows& blocks) {
    SquareRows<3>& F = fine_.A;
    F.value.resize(F.column.size() * 9);
    parallel_for(F.rows(), copied_rows, [&](Index i) {
        for (Index s = F.row_begin[std::size_t(i)]; s < F.row_begin[std::size_t(i) + 1]; ++s)
            blocks.fetch(i, s, F.block(s));
    });
}

Kernel<3> Hierarchy::kernel_of(const sparse::NodeFilter& filter, const NearKernel& near_kernel) {
    const VecX* coordinates = near_kernel.coordinates;
    coarse_constrained_ = constrained_;
    Kernel<3> kernel(vertex_.size());
    Vec3 centre = Vec3::Zero();
    if (coordinates)
        for (const Index v : vertex_)
            centre += vec3(*coordinates, v) / double(vertex_.size());
    parallel_for(Index(vertex_.size()), copied_rows, [&](Index p) {
        KernelBlock<3> K = KernelBlock<3>::Zero();
        K.leftCols<3>().setIdentity();
        if (coordinates) {
            const Vec3 x = vec3(*coordinates, vertex_[std::size_t(p)]) - centre;
            for (int k = 0; k < 3; ++k)
                K.col(3 + k) = Vec3::Unit(k).cross(x);
        }
        if (constrained_[std::size_t(p)])
            K = (filter.find(vertex_[std::size_t(p)])->projector * K).eval();
        kernel[std::size_t(p)] = K;
    });
    if (near_kernel.constraints) project_kernel(*near_kernel.constraints, kernel);
    return kernel;
}

/// K <- S K for constraints across vertices.
void Hierarchy::project_kernel(const sparse::ConstraintBasis& constraints,
                               Kernel<3>& kernel) const {
    VecX mode = VecX::Zero(3 * Eigen::Index(position_.size())), scratch;
    for (int k = 0; k < modes; ++k) {
        for (std::size_t p = 0; p < vertex_.size(); ++p)
            vec3(mode, vertex_[p]) = kernel[p].col(k);
        constraints.project(mode, scratch);
        for (std::size_t p = 0; p < vertex_.size(); ++p)
            kernel[p].col(k) = vec3(mode, vertex_[p]);
    }
}

}  // namespace taffeta::solve::sa
