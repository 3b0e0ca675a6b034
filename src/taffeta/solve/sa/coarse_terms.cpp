#include "taffeta/solve/sa/coarse_terms.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace taffeta::solve::sa {

namespace {

/// Where the terms from s on end that have the vertices of term s.
Index end_of_run(const SoftTerms& terms, Index s) {
    const auto first = terms.vertex.begin() + 4 * std::ptrdiff_t(s);
    Index end = s + 1;
    while (end < terms.count() &&
           std::equal(first, first + 4, terms.vertex.begin() + 4 * std::ptrdiff_t(end)))
        ++end;
    return end;
}

/// The rows of the coarse level that the terms [s, last) on the same vertices act on, ascending.
template <int C>
void rows_of_terms(const SoftTerms& terms, Index s, Index last, const std::vector<Index>& position,
                   const ProlongatorRows<3, C>& P, std::vector<Index>& rows) {
    rows.clear();
    for (std::size_t j = 0; j < 4; ++j) {
        const Index p = position[std::size_t(terms.vertex[4 * std::size_t(s) + j])];
        bool acts = false;
        for (Index t = s; t < last; ++t)
            acts = acts || !terms.q[4 * std::size_t(t) + j].isZero(0);
        if (p < 0 || !acts) continue;
        rows.insert(rows.end(), P.column.begin() + P.row_begin[std::size_t(p)],
                    P.column.begin() + P.row_begin[std::size_t(p) + 1]);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

/// Calls found(k, slot) for the k-th of ascending `columns` in that row of A; slot -1: it is not there.
template <int C, class Found>
void find_slots(const SquareRows<C>& A, Index row, const std::vector<Index>& columns,
                const Found& found) {
    Index slot = A.row_begin[std::size_t(row)];
    const Index last = A.row_begin[std::size_t(row) + 1];
    for (std::size_t k = 0; k < columns.size(); ++k) {
        while (slot < last && A.column[std::size_t(slot)] < columns[k])
            ++slot;
        found(k, slot < last && A.column[std::size_t(slot)] == columns[k] ? slot : -1);
    }
}

}  // namespace

template <int C>
bool extend_by_terms(const SoftTerms& terms, const std::vector<Index>& position,
                     const ProlongatorRows<3, C>& P, SquareRows<C>& A) {
    std::vector<std::vector<Index>> missing(A.diagonal.size());
    std::vector<Index> rows;
    bool any = false;
    for (Index s = 0, last; s < terms.count(); s = last) {
        last = end_of_run(terms, s);
        rows_of_terms(terms, s, last, position, P, rows);
        for (const Index row : rows)
            find_slots(A, row, rows, [&](std::size_t k, Index slot) {
                if (slot >= 0) return;
                missing[std::size_t(row)].push_back(rows[k]);
                any = true;
            });
    }
    if (!any) return false;
    std::vector<Index> begin{0}, column;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        std::vector<Index>& more = missing[i];
        std::sort(more.begin(), more.end());
        more.erase(std::unique(more.begin(), more.end()), more.end());
        const auto first = column.insert(column.end(), A.column.begin() + A.row_begin[i],
                                         A.column.begin() + A.row_begin[i + 1]);
        const auto middle = first + (A.row_begin[i + 1] - A.row_begin[i]);
        const std::ptrdiff_t offset = first - column.begin(), length = middle - first;
        column.insert(column.end(), more.begin(), more.end());
        std::inplace_merge(column.begin() + offset, column.begin() + offset + length, column.end());
        A.diagonal[i] = Index(std::lower_bound(column.begin() + offset, column.end(), Index(i)) -
                              column.begin());
        begin.push_back(Index(column.size()));
    }
    A.row_begin = std::move(begin);
    A.column = std::move(column);
    return true;
}

template <int C>
void add_coarse_terms(const SoftTerms& terms, float scale, const std::vector<Index>& position,
                      const ProlongatorRows<3, C>& P, SquareRows<C>& A) {
    using Vector = Eigen::Matrix<float, C, 1>;
    std::vector<Index> rows;
    std::vector<Vector, Eigen::aligned_allocator<Vector>> q;  // of one term after the other
    for (Index s = 0, last; s < terms.count(); s = last) {
        last = end_of_run(terms, s);
        rows_of_terms(terms, s, last, position, P, rows);
        const std::size_t n = rows.size(), count = std::size_t(last - s);
        q.assign(count * n, Vector::Zero());
        for (std::size_t j = 0; j < 4; ++j) {
            const std::size_t k = 4 * std::size_t(s) + j;
            const Index p = position[std::size_t(terms.vertex[k])];
            if (p < 0) continue;
            for (Index t = P.row_begin[std::size_t(p)]; t < P.row_begin[std::size_t(p) + 1]; ++t) {
                const auto row =
                    std::lower_bound(rows.begin(), rows.end(), P.column[std::size_t(t)]);
                if (row == rows.end() || *row != P.column[std::size_t(t)]) continue;
                for (std::size_t c = 0; c < count; ++c)
                    q[c * n + std::size_t(row - rows.begin())] +=
                        P.block(t).transpose() * terms.q[k + 4 * c].template cast<float>();
            }
        }
        // With the root in q both products of a pair are the same to the last bit.
        for (std::size_t c = 0; c < count; ++c) {
            const float root = std::sqrt(scale * float(terms.stiffness[std::size_t(s) + c]));
            for (std::size_t i = 0; i < n; ++i)
                q[c * n + i] *= root;
        }
        for (std::size_t i = 0; i < n; ++i)
            find_slots(A, rows[i], rows, [&](std::size_t j, Index slot) {
                Eigen::Map<Eigen::Matrix<float, C, C>> block(A.block(slot));
                for (std::size_t c = 0; c < count; ++c)
                    block.noalias() += q[c * n + i] * q[c * n + j].transpose();
            });
    }
}

#define TAFFETA_INSTANTIATE(C)                                                            \
    template bool extend_by_terms<C>(const SoftTerms&, const std::vector<Index>&,         \
                                     const ProlongatorRows<3, C>&, SquareRows<C>&);       \
    template void add_coarse_terms<C>(const SoftTerms&, float, const std::vector<Index>&, \
                                      const ProlongatorRows<3, C>&, SquareRows<C>&);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
