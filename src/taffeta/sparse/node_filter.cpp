#include "taffeta/sparse/node_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr Index entry_grain = 2048;
constexpr Index filter_grain = 1024;
/// sin of the angle to the span of the forbidden directions below which a direction adds nothing:
/// the direction left over would be noise.
constexpr double parallel_sine = 1e-3;

}  // namespace

NodeFilter::NodeFilter(Index vertices) : entry_of_(std::size_t(vertices), -1) {}

void NodeFilter::clear() {
    for (const Entry& entry : entries_)
        entry_of_[std::size_t(entry.vertex)] = -1;
    entries_.clear();
}

NodeFilter::Entry& NodeFilter::touch(Index vertex) {
    TAFFETA_ASSERT(vertex >= 0 && vertex < vertices());
    Index& e = entry_of_[std::size_t(vertex)];
    if (e < 0) {
        e = Index(entries_.size());
        entries_.push_back({vertex});
    }
    return entries_[std::size_t(e)];
}

void NodeFilter::fix(Index vertex) {
    Entry& entry = touch(vertex);
    entry.forbidden = 3;
    entry.projector.setZero();
}

void NodeFilter::forbid(Index vertex, const Vec3& direction) {
    Entry& entry = touch(vertex);
    TAFFETA_ASSERT(direction != Vec3::Zero());
    if (entry.forbidden == 3) return;
    Vec3 q = entry.projector * direction.stableNormalized();
    if (q.norm() <= parallel_sine) return;
    // A second projection: the first one leaves rounding errors of 1/sine in the span.
    q = (entry.projector * q.normalized()).normalized();
    ++entry.forbidden;
    if (entry.forbidden == 3)
        entry.projector.setZero();
    else
        entry.projector -= q * q.transpose();
}

void NodeFilter::forbid(Index vertex, const Vec3& direction, double component) {
    const Entry* before = find(vertex);
    const int forbidden = before ? before->forbidden : 0;
    const Mat3 free_before = before ? before->projector : Mat3(Mat3::Identity());
    forbid(vertex, direction);
    Entry& entry = touch(vertex);
    if (entry.forbidden == forbidden) return;
    // q is the new forbidden direction; z + t q has the wanted component along d: t q.d = c - z.d.
    const Vec3 d = direction.stableNormalized();
    const Vec3 q = (free_before * d).normalized();
    entry.target += q * (component - entry.target.dot(d)) / q.dot(d);
}

void NodeFilter::set_target(Index vertex, const Vec3& value) {
    const Index e = entry_of_[std::size_t(vertex)];
    if (e < 0) return;
    Entry& entry = entries_[std::size_t(e)];
    entry.target = value - entry.projector * value;
}

void NodeFilter::insert(const Entry& entry) {
    touch(entry.vertex) = entry;
}

int NodeFilter::free_directions(Index vertex) const {
    const Entry* entry = find(vertex);
    return entry ? 3 - entry->forbidden : 3;
}

bool NodeFilter::has_targets() const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return entry.target != Vec3::Zero(); });
}

void NodeFilter::project(VecX& u) const {
    // Always by multiplication, also by S_i = 0: a NaN must not vanish under a constraint.
    parallel_for(Index(entries_.size()), entry_grain, [&](Index e) {
        const Entry& entry = entries_[std::size_t(e)];
        const Vec3 projected = entry.projector * vec3(u, entry.vertex);
        vec3(u, entry.vertex) = projected;
    });
}

void NodeFilter::project_complement(VecX& u) const {
    VecX complement = VecX::Zero(u.size());
    for (const Entry& entry : entries_) {
        const Vec3 value = vec3(u, entry.vertex);
        vec3(complement, entry.vertex) = value - entry.projector * value;
    }
    u.swap(complement);
}

void NodeFilter::targets(VecX& z) const {
    z.setZero(3 * Eigen::Index(vertices()));
    add_targets(z);
}

void NodeFilter::add_targets(VecX& u) const {
    for (const Entry& entry : entries_)
        vec3(u, entry.vertex) += entry.target;
}

void NodeFilter::zero_targets() {
    for (Entry& entry : entries_)
        entry.target.setZero();
}

std::string find_fault(const NodeFilter& filter) {
    constexpr double tolerance = 1e-8;
    for (const NodeFilter::Entry& entry : filter.entries()) {
        const Mat3& S = entry.projector;
        // Negated comparisons, so that NaN is a fault.
        const double square = (S * S - S).cwiseAbs().maxCoeff();
        if (!S.allFinite() || !(square <= tolerance))
            return fmt::format("S of vertex {} is not a projector: |S S - S| = {:.3g}",
                               entry.vertex, square);
        const double skew = (S - S.transpose()).cwiseAbs().maxCoeff();
        if (!(skew <= tolerance))
            return fmt::format("S of vertex {} is not symmetric: |S - S'| = {:.3g}", entry.vertex,
                               skew);
        const double inside = (S * entry.target).norm();
        if (!entry.target.allFinite() || !(inside <= tolerance * entry.target.norm()))
            return fmt::format(
                "z of vertex {} is not in range(I - S): |S z| = {:.3g}, |z| = {:.3g}", entry.vertex,
                inside, entry.target.norm());
    }
    return {};
}

double filter_scale(const Mat3& diagonal_block) {
    const double mean = diagonal_block.trace() / 3;
    return mean > 0 ? mean : 1;
}

void prefilter(Matrix3& A, const NodeFilter& filter) {
    TAFFETA_ASSERT(filter.vertices() == A.rows());
    if (filter.entries().empty()) return;
    const BlockPattern& pattern = A.pattern();
    parallel_for(A.rows(), filter_grain, [&](Index i) {
        const NodeFilter::Entry* row = filter.find(i);
        const Mat3 diagonal = A.block(pattern.diagonal[std::size_t(i)]);
        for (Index s = pattern.row_begin[std::size_t(i)]; s < pattern.row_begin[std::size_t(i) + 1];
             ++s) {
            const NodeFilter::Entry* column = filter.find(pattern.column[std::size_t(s)]);
            if (!row && !column) continue;
            Mat3 block = A.block(s);
            if (row) block = row->projector * block;
            if (column) block = block * column->projector;
            A.block(s) = block;
        }
        if (row)
            A.block(pattern.diagonal[std::size_t(i)]) +=
                filter_scale(diagonal) * (Mat3::Identity() - row->projector);
    });
}

}  // namespace taffeta::sparse
