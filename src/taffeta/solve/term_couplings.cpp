#include "taffeta/solve/term_couplings.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

#include "taffeta/base/jacobi.h"
#include "taffeta/base/parallel.h"

namespace taffeta::solve {

namespace {

using Matrix = Eigen::SparseMatrix<double>;

constexpr Index coupling_grain = 64;

/// A lower triangle with these rows in its columns, each ascending from the diagonal on, and room for their
/// values.
Matrix with_pattern(const std::vector<std::vector<Index>>& rows) {
    const Index count = Index(rows.size());
    Matrix A(count, count);
    Index total = 0;
    for (Index k = 0; k < count; ++k) {
        A.outerIndexPtr()[k] = total;
        total += Index(rows[std::size_t(k)].size());
    }
    A.outerIndexPtr()[count] = total;
    A.resizeNonZeros(total);
    for (Index k = 0; k < count; ++k)
        std::copy(rows[std::size_t(k)].begin(), rows[std::size_t(k)].end(),
                  A.innerIndexPtr() + A.outerIndexPtr()[k]);
    std::fill_n(A.valuePtr(), total, 0.0);
    return A;
}

void sort_and_unite(std::vector<Index>& indices) {
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

/// Where a row is in a column of A, whose pattern has it.
double& value_at(Matrix& A, Index row, Index column) {
    const int* const first = A.innerIndexPtr() + A.outerIndexPtr()[column];
    const int* const last = A.innerIndexPtr() + A.outerIndexPtr()[column + 1];
    return A.valuePtr()[std::lower_bound(first, last, row) - A.innerIndexPtr()];
}

}  // namespace

Matrix couple_terms(const TermColumns& terms, const VecX& flexibility) {
    std::vector<std::vector<Index>> rows(std::size_t(terms.count()));
    const auto for_each_pair = [&terms](Index s, const auto& found) {
        for (Index c = terms.on_each * s; c < terms.on_each * (s + 1); ++c) {
            const Index i = terms.place[std::size_t(terms.vertex[std::size_t(c)])];
            for (const Index other : terms.corners(i))
                if (other / terms.on_each >= s) found(c, other);
        }
    };
    parallel_for(terms.count(), coupling_grain, [&](Index s) {
        std::vector<Index>& here = rows[std::size_t(s)];
        for_each_pair(s, [&](Index, Index other) { here.push_back(other / terms.on_each); });
        sort_and_unite(here);
    });
    Matrix A = with_pattern(rows);
    parallel_for(terms.count(), coupling_grain, [&](Index s) {
        for_each_pair(s, [&](Index c, Index other) {
            value_at(A, other / terms.on_each, s) +=
                terms.p[std::size_t(c)].dot(terms.dp[std::size_t(other)]);
        });
        A.valuePtr()[A.outerIndexPtr()[s]] += flexibility[s];
    });
    return A;
}

TermColumns directions_of(const TermColumns& terms, std::span<const double> k,
                          std::span<const Mat3> blocks, double least) {
    struct Found {
        Mat3 Y, DY;
        int count = 0;
    };
    std::vector<Found> all(blocks.size());
    parallel_for(Index(blocks.size()), coupling_grain, [&](Index i) {
        Mat3 held = Mat3::Zero(), U;
        for (const Index c : terms.corners(i)) {
            const Vec3& q = terms.dp[std::size_t(c)];
            held += k[std::size_t(c / terms.on_each)] * q * q.transpose();
        }
        const Mat3 L = Eigen::LLT<Mat3>(blocks[std::size_t(i)]).matrixL();
        const auto divide = [&L](const Mat3& B) -> Mat3 {
            return L.triangularView<Eigen::Lower>().solve(B);
        };
        held = divide(divide(held).transpose().eval());
        jacobi_eigen(held, U);
        Found& found = all[std::size_t(i)];
        Mat3 kept = Mat3::Zero();
        for (int d = 0; d < 3; ++d)
            if (held(d, d) > least) kept.col(found.count++) = U.col(d);
        found.Y = L.transpose().triangularView<Eigen::Upper>().solve(kept);
        found.DY = L * kept;
    });
    TermColumns directions;
    directions.on_each = 1;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (int d = 0; d < all[i].count; ++d) {
            directions.vertex.push_back(terms.touched[i]);
            directions.p.push_back(all[i].Y.col(d));
            directions.dp.push_back(all[i].DY.col(d));
        }
    directions.index(Index(terms.place.size()));
    return directions;
}

Matrix couple_directions(const TermColumns& terms, std::span<const double> k,
                         const TermColumns& directions) {
    // Directions of a vertex follow each other.
    const auto first_at = [&directions](Index vertex) {
        const Index i = directions.place[std::size_t(vertex)];
        return i < 0 ? std::pair<Index, Index>(0, 0)
                     : std::pair(directions.begin[std::size_t(i)],
                                 directions.begin[std::size_t(i) + 1]);
    };
    std::vector<Vec3> along(terms.vertex.size(), Vec3::Zero());  // Y'q
    std::vector<std::vector<Index>> rows(std::size_t(directions.count()));
    parallel_for(Index(terms.touched.size()), coupling_grain, [&](Index i) {
        const auto [first, last] = first_at(terms.touched[std::size_t(i)]);
        if (first == last) return;
        std::vector<Index> here;
        for (const Index c : terms.corners(i)) {
            for (Index d = first; d < last; ++d)
                along[std::size_t(c)][d - first] =
                    directions.p[std::size_t(d)].dot(terms.dp[std::size_t(c)]);
            const Index s = c / terms.on_each;
            for (Index other = terms.on_each * s; other < terms.on_each * (s + 1); ++other) {
                const auto [from, to] = first_at(terms.vertex[std::size_t(other)]);
                for (Index d = from; d < to; ++d)
                    if (d >= first) here.push_back(d);
            }
        }
        sort_and_unite(here);
        for (Index d = first; d < last; ++d)
            rows[std::size_t(d)].assign(here.begin() + (d - first), here.end());
    });
    Matrix A = with_pattern(rows);
    parallel_for(Index(terms.touched.size()), coupling_grain, [&](Index i) {
        const auto [first, last] = first_at(terms.touched[std::size_t(i)]);
        for (Index d = first; d < last; ++d)
            A.valuePtr()[A.outerIndexPtr()[d]] = 1;
        for (const Index c : terms.corners(i)) {
            const Index s = c / terms.on_each;
            for (Index other = terms.on_each * s; other < terms.on_each * (s + 1); ++other) {
                const auto [from, to] = first_at(terms.vertex[std::size_t(other)]);
                if (to <= first) continue;
                const Vec3 there = k[std::size_t(s)] * along[std::size_t(other)];
                for (Index d = first; d < last; ++d)
                    for (Index row = std::max(from, d); row < to; ++row)
                        value_at(A, row, d) += there[row - from] * along[std::size_t(c)][d - first];
            }
        }
    });
    return A;
}

}  // namespace taffeta::solve
