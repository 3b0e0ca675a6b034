#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "taffeta/base/hash.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/filtered_rows.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/solve/sa/rigid_motions.h"
#include "taffeta/solve/sa/small_cholesky.h"

/// What the finest level of a hierarchy takes from A: numbering, pattern, values, motions.
namespace taffeta::solve::sa {

namespace {

constexpr Index copied_rows = 1024;
constexpr std::size_t slots_ahead = 40;
constexpr Index rows_ahead = 16;
constexpr double worth_its_bandwidth = 1.25;

std::uint64_t hash_of(const sparse::BlockPattern& pattern) {
    return Hash()
        .add_values(std::span<const Index>(pattern.row_begin))
        .add_values(std::span<const Index>(pattern.column))
        .value();
}

double largest_trace(const sparse::Matrix3& A) {
    const std::vector<Index>& diagonal = A.pattern().diagonal;
    std::vector<double> largest(diagonal.size() / copied_rows + 1, 0);
    parallel_chunks(A.rows(), copied_rows, [&](Index first, Index last) {
        double most = 0;
        for (Index i = first; i < last; ++i) {
            if (i + rows_ahead < A.rows())
                __builtin_prefetch(A.slot(diagonal[std::size_t(i + rows_ahead)]) + 4);
            most = std::max(most, A.block(diagonal[std::size_t(i)]).trace());
        }
        largest[std::size_t(first / copied_rows)] = most;
    });
    return *std::max_element(largest.begin(), largest.end());
}

}  // namespace

bool Hierarchy::fits(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                     bool equal_serves) {
    if (vertex_.empty() || position_.size() != std::size_t(A.rows())) return false;
    for (Index i = 0; i < A.rows(); ++i)
        if (position_[std::size_t(i)] < 0 && filter.free_directions(i) > 0) return false;
    if (pattern_ == A.shared_pattern()) return true;
    if (!equal_serves || hash_of(A.pattern()) != pattern_hash()) return false;
    pattern_ = A.shared_pattern();
    if (loaded_) make_loaded_patterns(A);
    return true;
}

std::uint64_t Hierarchy::pattern_hash() const {
    if (!pattern_hash_) pattern_hash_ = hash_of(*pattern_);
    return *pattern_hash_;
}

void Hierarchy::number_vertices(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    const sparse::BlockPattern& pattern = A.pattern();
    const Index n = A.rows();
    pattern_ = A.shared_pattern();
    pattern_hash_.reset();

    // Vertices that are held come free again: they are left out only where that saves half.
    std::vector<char> keep(std::size_t(n), 1);
    Index held = 0;
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        held += entry.forbidden == 3;
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        if (entry.forbidden == 3 && 2 * held > n) keep[std::size_t(entry.vertex)] = 0;
    // Reverse Cuthill-McKee, in which sweeps go along lines of vertices (docs/solver.md). The given
    // numbering only where strips would be much longer.
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
    const Index rows = Index(vertex_.size());
    SquareRows<3>& F = fine_.A;
    F.row_begin.assign(std::size_t(rows) + 1, 0);
    F.diagonal.resize(std::size_t(rows));
    const auto for_each_block = [&](Index row, const auto& visit) {
        const std::size_t v = std::size_t(vertex_[std::size_t(row)]);
        for (Index s = pattern.row_begin[v]; s < pattern.row_begin[v + 1]; ++s)
            if (const Index p = position_[std::size_t(pattern.column[std::size_t(s)])]; p >= 0)
                visit(p, s);
    };
    parallel_for(rows, copied_rows, [&](Index i) {
        for_each_block(i, [&](Index, Index) { ++F.row_begin[std::size_t(i) + 1]; });
    });
    std::partial_sum(F.row_begin.begin(), F.row_begin.end(), F.row_begin.begin());
    F.column.resize(std::size_t(F.row_begin.back()));
    source_.resize(F.column.size());
    parallel_chunks(rows, copied_rows, [&](Index first, Index last) {
        std::vector<std::pair<Index, Index>> row;
        for (Index i = first; i < last; ++i) {
            row.clear();
            for_each_block(i, [&](Index p, Index s) { row.emplace_back(p, s); });
            std::sort(row.begin(), row.end());
            Index slot = F.row_begin[std::size_t(i)];
            for (const auto& [p, s] : row) {
                if (p == i) F.diagonal[std::size_t(i)] = slot;
                F.column[std::size_t(slot)] = p;
                source_[std::size_t(slot++)] = s;
            }
        }
    });
    make_half(fine_);
    for (std::vector<Index>* slots : {&fine_.half.lower_source, &fine_.half.cross_source})
        for (Index& s : *slots)
            s = source_[std::size_t(s)];
}

Index Hierarchy::load_fine(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    constrained_.assign(vertex_.size(), 0);
    for (const sparse::NodeFilter::Entry& entry : filter.entries())
        if (const Index p = position_[std::size_t(entry.vertex)]; p >= 0)
            constrained_[std::size_t(p)] = 1;
    // In units in which the largest diagonal is about one, single precision has room on both sides.
    const double largest = largest_trace(A);
    scale_ = largest > 0 && std::isfinite(largest) ? 1 / largest : 1;
    const FilteredRows blocks(A, filter, scale_, vertex_, position_, constrained_);
    fine_.half.load(blocks);
    if (recipe_.chebyshev) load_all(A, filter);
    const Index bad = invert_blocks<3>(fine_.rows(), fine_.A.inverse_diagonal, [&](Index i) {
        return Eigen::Matrix3f(Eigen::Map<const Eigen::Matrix3f>(fine_.half.diagonal_block(i)));
    });
    local_.clear();
    if (recipe_.chebyshev || bad >= 0) return bad;
    const sparse::Matrix3& whole = terms_.whole ? *terms_.whole : A;
    return local_.make({whole, filter, scale_, vertex_, position_, constrained_},
                       terms_.whole ? terms_.vertex : std::span<const Index>(), fine_.half,
                       recipe_.local_sweeps, recipe_.crease, fine_.A.inverse_diagonal);
}

void Hierarchy::load_all(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    const FilteredRows blocks(A, filter, scale_, vertex_, position_, constrained_);
    SquareRows<3>& F = fine_.A;
    F.value.resize(F.column.size() * 9);
    parallel_for(F.rows(), copied_rows, [&](Index i) {
        for (Index s = F.row_begin[std::size_t(i)]; s < F.row_begin[std::size_t(i) + 1]; ++s) {
            if (const std::size_t ahead = std::size_t(s) + slots_ahead; ahead < source_.size())
                blocks.prefetch(source_[ahead]);
            blocks.write_column_major(i, F.column[std::size_t(s)], source_[std::size_t(s)],
                                      F.block(s));
        }
    });
}

/// In memory: smoothed, or projected where constraints couple vertices.
Kernel<3> Hierarchy::kernel_of(const RigidMotions& motions, const NearKernel& near_kernel) const {
    Kernel<3> kernel(vertex_.size());
    parallel_for(Index(vertex_.size()), copied_rows,
                 [&](Index p) { kernel[std::size_t(p)] = motions(p); });
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
