#include "taffeta/sparse/constraint_basis.h"

#include <algorithm>

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr Index projected_rows = 128;  // some thousand numbers a task

}  // namespace

ConstraintBasis::ConstraintBasis(const NodeFilter& filter, std::vector<ConstraintRow> rows,
                                 double tolerance)
    : filter_(filter), rows_(std::move(rows)) {
    check_rows(rows_, filter_.vertices());
    basis_ = orthonormalise(filter_, rows_, tolerance);
    columns_ = columns_of(basis_.q, filter_.vertices());
}

bool ConstraintBasis::made_with(const NodeFilter& filter) const {
    const auto same = [](const NodeFilter::Entry& a, const NodeFilter::Entry& b) {
        return a.vertex == b.vertex && a.projector == b.projector && a.target == b.target;
    };
    return filter.vertices() == vertices() &&
           std::equal(filter.entries().begin(), filter.entries().end(), filter_.entries().begin(),
                      filter_.entries().end(), same);
}

void ConstraintBasis::project(VecX& u, VecX& scratch) const {
    TAFFETA_ASSERT(u.size() == 3 * Eigen::Index(vertices()));
    filter_.project(u);
    // u <- u - Q'(Q u)
    scratch.resize(rank());
    parallel_for(rank(), projected_rows, [&](Index k) { scratch[k] = basis_.q.dot(k, u); });
    parallel_for(Index(columns_.touched.size()), projected_rows, [&](Index t) {
        const Index v = columns_.touched[std::size_t(t)];
        Vec3 sum = Vec3::Zero();
        for (Index s = columns_.begin[std::size_t(v)]; s < columns_.begin[std::size_t(v) + 1]; ++s)
            sum += scratch[columns_.row[std::size_t(s)]] *
                   basis_.q.value[std::size_t(columns_.slot[std::size_t(s)])];
        vec3(u, v) -= sum;
    });
}

void ConstraintBasis::project(VecX& u) const {
    VecX scratch;
    project(u, scratch);
}

bool ConstraintBasis::has_targets() const {
    return filter_.has_targets() || std::any_of(basis_.value.begin(), basis_.value.end(),
                                                [](double value) { return value != 0; });
}

void ConstraintBasis::targets(VecX& z) const {
    z.setZero(3 * Eigen::Index(vertices()));
    add_targets(z);
}

void ConstraintBasis::add_targets(VecX& u) const {
    filter_.add_targets(u);
    for (Index k = 0; k < rank(); ++k)
        for (Index s = basis_.q.begin[std::size_t(k)]; s < basis_.q.begin[std::size_t(k) + 1]; ++s)
            vec3(u, basis_.q.vertex[std::size_t(s)]) +=
                basis_.value[std::size_t(k)] * basis_.q.value[std::size_t(s)];
}

VecX ConstraintBasis::multipliers(const VecX& force) const {
    // Q f = Q S0 C'l = R'l, as the filter's own forces lie in range(I - S0).
    std::vector<double> along(std::size_t(rank()), 0.0);
    for (Index k = 0; k < rank(); ++k)
        along[std::size_t(k)] = basis_.q.dot(k, force);
    basis_.solve_transposed(along);
    VecX multiplier = VecX::Zero(Eigen::Index(rows_.size()));
    for (std::size_t k = 0; k < along.size(); ++k) {
        const std::size_t row = std::size_t(basis_.source[k]);
        multiplier[Eigen::Index(row)] = along[k] / basis_.length[row];
    }
    return multiplier;
}

}  // namespace taffeta::sparse
