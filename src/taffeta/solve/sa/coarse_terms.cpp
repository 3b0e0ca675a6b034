#include "taffeta/solve/sa/coarse_terms.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "taffeta/base/parallel.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index runs_a_task = 256;
/// A task has a number for each coarse row: so many tasks at most, however many rows there are.
constexpr Index rows_a_task = 128, most_tasks = 64;

Index row_grain(Index rows) {
    return std::max(rows_a_task, (rows + most_tasks - 1) / most_tasks);
}

/// Where the terms from s on end that have the vertices of term s.
Index end_of_run(const SoftTerms& terms, Index s) {
    const auto first = terms.vertex.begin() + 4 * std::ptrdiff_t(s);
    Index end = s + 1;
    while (end < terms.count() &&
           std::equal(first, first + 4, terms.vertex.begin() + 4 * std::ptrdiff_t(end)))
        ++end;
    return end;
}

/// Adds `found` to the ascending numbers [first, last), of which there are few; where they end now.
Index* insert_once(Index* first, Index* last, Index found) {
    Index* const place = std::lower_bound(first, last, found);
    if (place != last && *place == found) return last;
    std::copy_backward(place, last, last + 1);
    *place = found;
    return last + 1;
}

}  // namespace

template <int C>
void CoarseTerms::find_rows(const SoftTerms& terms, const std::vector<Index>& position,
                            const ProlongatorRows<3, C>& P, Index coarse_rows) {
    const auto row_of = [&](Index term, Index j) {
        return position[std::size_t(terms.vertex[std::size_t(4 * term + j)])];
    };
    first_.assign(1, 0);
    begin_.assign(1, 0);
    while (first_.back() < terms.count()) {
        const Index s = first_.back();
        Index most = 0;
        for (Index j = 0; j < 4; ++j)
            if (const Index p = row_of(s, j); p >= 0)
                most += P.row_begin[std::size_t(p) + 1] - P.row_begin[std::size_t(p)];
        first_.push_back(end_of_run(terms, s));
        begin_.push_back(begin_.back() + most);
    }
    row_.resize(std::size_t(begin_.back()));
    rows_.resize(std::size_t(runs()));
    parallel_for(runs(), runs_a_task, [&](Index run) {
        Index* const begin = row_.data() + begin_[std::size_t(run)];
        Index* end = begin;
        const Index s = first_[std::size_t(run)], last = first_[std::size_t(run) + 1];
        for (Index j = 0; j < 4; ++j) {
            bool acts = false;
            for (Index t = s; t < last; ++t)
                acts = acts || !terms.q[std::size_t(4 * t + j)].isZero(0);
            const Index p = row_of(s, j);
            if (p < 0 || !acts) continue;
            for (Index t = P.row_begin[std::size_t(p)]; t < P.row_begin[std::size_t(p) + 1]; ++t)
                end = insert_once(begin, end, P.column[std::size_t(t)]);
        }
        rows_[std::size_t(run)] = Index(end - begin);
    });

    part_begin_.assign(std::size_t(coarse_rows) + 1, 0);
    for (Index run = 0; run < runs(); ++run)
        for (const Index row : rows_of(run))
            ++part_begin_[std::size_t(row) + 1];
    std::partial_sum(part_begin_.begin(), part_begin_.end(), part_begin_.begin());
    part_.resize(std::size_t(part_begin_.back()));
    std::vector<Index> next(part_begin_.begin(), part_begin_.end() - 1);
    for (Index run = 0; run < runs(); ++run)
        for (Index k = 0; k < rows_[std::size_t(run)]; ++k) {
            const std::size_t row = std::size_t(rows_of(run)[std::size_t(k)]);
            part_[std::size_t(next[row]++)] = {run, k};
        }
}

template <int C>
bool CoarseTerms::extend(SquareRows<C>& A) const {
    const Index rows = A.rows();
    std::vector<std::vector<Index>> missing(static_cast<std::size_t>(rows));
    parallel_chunks(rows, row_grain(rows), [&](Index first, Index last) {
        std::vector<Index> met(std::size_t(rows), -1);
        for (Index i = first; i < last; ++i) {
            if (parts_of(std::size_t(i)).empty()) continue;
            for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
                met[std::size_t(A.column[std::size_t(s)])] = i;
            std::vector<Index>& more = missing[std::size_t(i)];
            for (const Part& part : parts_of(std::size_t(i)))
                for (const Index column : rows_of(part.run))
                    if (std::exchange(met[std::size_t(column)], i) != i) more.push_back(column);
            std::sort(more.begin(), more.end());
        }
    });
    std::vector<Index> begin{0};
    for (Index i = 0; i < rows; ++i)
        begin.push_back(begin.back() + A.row_begin[std::size_t(i) + 1] -
                        A.row_begin[std::size_t(i)] + Index(missing[std::size_t(i)].size()));
    if (begin == A.row_begin) return false;
    std::vector<Index> column(static_cast<std::size_t>(begin.back()));
    parallel_for(rows, rows_a_task, [&](Index i) {
        const auto there = A.column.begin();
        const std::vector<Index>& more = missing[std::size_t(i)];
        const auto out = column.begin() + begin[std::size_t(i)];
        const auto end =
            std::merge(there + A.row_begin[std::size_t(i)], there + A.row_begin[std::size_t(i) + 1],
                       more.begin(), more.end(), out);
        A.diagonal[std::size_t(i)] = Index(std::lower_bound(out, end, i) - column.begin());
    });
    A.row_begin = std::move(begin);
    A.column = std::move(column);
    return true;
}

template <int C>
void CoarseTerms::add(const SoftTerms& terms, float scale, const std::vector<Index>& position,
                      const ProlongatorRows<3, C>& P, SquareRows<C>& A) {
    using Vector = Eigen::Matrix<float, C, 1>;
    q_begin_.assign(1, 0);
    for (Index run = 0; run < runs(); ++run)
        q_begin_.push_back(q_begin_.back() + rows_of(run).size() * std::size_t(terms_of(run) * C));
    q_.resize(q_begin_.back());
    parallel_for(runs(), runs_a_task, [&](Index run) {
        const std::span<const Index> rows = rows_of(run);
        const std::size_t s = std::size_t(first_[std::size_t(run)]);
        const std::size_t count = std::size_t(terms_of(run)), length = rows.size() * C;
        float* const q = q_of(run);
        std::fill_n(q, count * length, 0.0f);
        for (std::size_t k = 4 * s; k < 4 * s + 4; ++k) {
            const Index p = position[std::size_t(terms.vertex[k])];
            if (p < 0) continue;
            for (Index t = P.row_begin[std::size_t(p)]; t < P.row_begin[std::size_t(p) + 1]; ++t) {
                const Index row = P.column[std::size_t(t)];
                const auto place = std::lower_bound(rows.begin(), rows.end(), row);
                if (place == rows.end() || *place != row) continue;  // no term acts there
                const auto block = P.block(t);
                float* at = q + std::size_t(place - rows.begin()) * C;
                for (std::size_t c = 0; c < count; ++c, at += length)
                    Eigen::Map<Vector>(at) +=
                        block.transpose() * terms.q[k + 4 * c].template cast<float>();
            }
        }
        // With the root in q both products of a pair are the same to the last bit.
        for (std::size_t c = 0; c < count; ++c) {
            const float root = std::sqrt(scale * float(terms.stiffness[s + c]));
            for (std::size_t i = c * length; i < (c + 1) * length; ++i)
                q[i] *= root;
        }
    });
    parallel_chunks(A.rows(), row_grain(A.rows()), [&](Index first, Index last) {
        std::vector<Index> slot(std::size_t(A.rows()));  // of the columns that a row has
        for (Index i = first; i < last; ++i) {
            if (parts_of(std::size_t(i)).empty()) continue;
            for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
                slot[std::size_t(A.column[std::size_t(s)])] = s;
            for (const Part& part : parts_of(std::size_t(i))) {
                const std::span<const Index> rows = rows_of(part.run);
                const Index count = terms_of(part.run);
                for (std::size_t j = 0; j < rows.size(); ++j) {
                    Eigen::Map<Eigen::Matrix<float, C, C>> block(
                        A.block(slot[std::size_t(rows[j])]));
                    const float* q = q_of(part.run);
                    for (Index c = 0; c < count; ++c, q += rows.size() * C)
                        block.noalias() += Eigen::Map<const Vector>(q + part.k * C) *
                                           Eigen::Map<const Vector>(q + j * C).transpose();
                }
            }
        }
    });
}

std::size_t CoarseTerms::bytes() const {
    return (first_.size() + begin_.size() + row_.size() + rows_.size() + part_begin_.size()) *
               sizeof(Index) +
           part_.size() * sizeof(Part) + q_begin_.size() * sizeof(std::size_t) + q_.bytes();
}

#define TAFFETA_INSTANTIATE(C)                                                            \
    template void CoarseTerms::find_rows<C>(const SoftTerms&, const std::vector<Index>&,  \
                                            const ProlongatorRows<3, C>&, Index);         \
    template bool CoarseTerms::extend<C>(SquareRows<C>&) const;                           \
    template void CoarseTerms::add<C>(const SoftTerms&, float, const std::vector<Index>&, \
                                      const ProlongatorRows<3, C>&, SquareRows<C>&);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
