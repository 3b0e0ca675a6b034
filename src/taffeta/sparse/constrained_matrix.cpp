#include "taffeta/sparse/constrained_matrix.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr Index update_grain = 16;
constexpr Index row_grain = 256;

/// Calls `visit(row of `rows`, its number at v)` for the rows that touch v.
template <class Visit>
void visit_at(const VertexRows& rows, const VertexColumns& columns, Index v, const Visit& visit) {
    for (Index s = columns.begin[std::size_t(v)]; s < columns.begin[std::size_t(v) + 1]; ++s)
        visit(columns.row[std::size_t(s)], rows.value[std::size_t(columns.slot[std::size_t(s)])]);
}

/// Calls `visit(vertex, number)` along a row.
template <class Visit>
void visit_row(const VertexRows& rows, Index k, const Visit& visit) {
    for (Index s = rows.begin[std::size_t(k)]; s < rows.begin[std::size_t(k) + 1]; ++s)
        visit(rows.vertex[std::size_t(s)], rows.value[std::size_t(s)]);
}

/// A term of a combination of rows.
struct RowTerm {
    Index row;
    double value;
};

void merge_rows(std::vector<RowTerm>& terms) {
    std::stable_sort(terms.begin(), terms.end(),
                     [](const RowTerm& a, const RowTerm& b) { return a.row < b.row; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < terms.size(); ++i) {
        if (terms[i].row == terms[last].row)
            terms[last].value += terms[i].value;
        else
            terms[++last] = terms[i];
    }
    terms.resize(terms.empty() ? 0 : last + 1, {});
}

/// Sigma_k: the diagonal of A, averaged over row k.
double mean_diagonal(const Matrix3& A, const VertexRows& Q, Index k) {
    double sum = 0, weight = 0;
    visit_row(Q, k, [&](Index v, const Vec3& q) {
        const Mat3 diagonal = A.block(A.pattern().diagonal[std::size_t(v)]);
        sum += filter_scale(diagonal) * q.squaredNorm();
        weight += q.squaredNorm();
    });
    return weight > 0 ? sum / weight : 0;
}

bool equal(const BlockPattern& a, const BlockPattern& b) {
    return a.row_begin == b.row_begin && a.column == b.column;
}

}  // namespace

bool ConstrainedMatrix::update(const Matrix3& A, const ConstraintBasis& basis,
                               const FillLimits& limits) {
    TAFFETA_ASSERT(basis.vertices() == A.rows());
    if (limits.max_fill <= 0) return false;
    load_rows(basis, limits.drop);
    if (!make_updates(A, limits.max_fill) || !make_columns(A.pattern(), limits.max_fill))
        return false;
    fill(A);
    return true;
}

void ConstrainedMatrix::load_rows(const ConstraintBasis& basis, double drop) {
    Q_.clear();
    for (Index k = 0; k < basis.rank(); ++k) {
        visit_row(basis.q(), k, [&](Index v, const Vec3& q) {
            if (q.norm() < drop) return;
            Q_.vertex.push_back(v);
            Q_.value.push_back(q);
        });
        Q_.end_row();
    }
    Q_columns_ = columns_of(Q_, basis.vertices());
}

bool ConstrainedMatrix::make_updates(const Matrix3& A, double max_fill) {
    const BlockPattern& pattern = A.pattern();
    const Index rank = Q_.rows();
    // Row by row of F = G - H Q / 2, with G = Q A and H = G Q' + Sigma.
    std::vector<std::vector<VertexTerm>> G{std::size_t(rank)};
    std::vector<std::vector<RowTerm>> H{std::size_t(rank)};
    std::vector<double> terms(std::size_t(rank), 0);
    parallel_for(rank, update_grain, [&](Index k) {
        std::vector<VertexTerm>& row = G[std::size_t(k)];
        visit_row(Q_, k, [&](Index v, const Vec3& q) {
            for (Index s = pattern.row_begin[std::size_t(v)];
                 s < pattern.row_begin[std::size_t(v) + 1]; ++s)
                row.push_back({pattern.column[std::size_t(s)], A.block(s).transpose() * q});
        });
        merge(row);
    });
    parallel_for(rank, update_grain, [&](Index k) {
        std::vector<RowTerm>& row = H[std::size_t(k)];
        for (const VertexTerm& term : G[std::size_t(k)])
            visit_at(Q_, Q_columns_, term.vertex, [&](Index l, const Vec3& q) {
                row.push_back({l, term.value.dot(q)});
            });
        row.push_back({k, mean_diagonal(A, Q_, k)});
        merge_rows(row);
        terms[std::size_t(k)] = double(G[std::size_t(k)].size());
        for (const RowTerm& term : row)
            terms[std::size_t(k)] +=
                double(Q_.begin[std::size_t(term.row) + 1] - Q_.begin[std::size_t(term.row)]);
    });
    // Each row of F meets its row of Q in more blocks than it has terms: too many are known early.
    if (std::accumulate(terms.begin(), terms.end(), 0.0) > max_fill * double(pattern.blocks()))
        return false;
    parallel_for(rank, update_grain, [&](Index k) {
        std::vector<VertexTerm>& row = G[std::size_t(k)];
        for (const RowTerm& term : H[std::size_t(k)])
            visit_row(Q_, term.row, [&](Index v, const Vec3& q) {
                row.push_back({v, -0.5 * term.value * q});
            });
        merge(row);
    });
    F_.clear();
    for (const std::vector<VertexTerm>& row : G) {
        for (const VertexTerm& term : row) {
            F_.vertex.push_back(term.vertex);
            F_.value.push_back(term.value);
        }
        F_.end_row();
    }
    F_columns_ = columns_of(F_, pattern.rows());
    return true;
}

bool ConstrainedMatrix::make_columns(const BlockPattern& pattern, double max_fill) {
    const Index n = pattern.rows();
    std::vector<std::vector<Index>> columns{std::size_t(n)};  // of touched rows only
    parallel_for(Index(F_columns_.touched.size()), update_grain, [&](Index t) {
        const Index i = F_columns_.touched[std::size_t(t)];
        std::vector<Index>& row = columns[std::size_t(i)];
        row.assign(pattern.column.begin() + pattern.row_begin[std::size_t(i)],
                   pattern.column.begin() + pattern.row_begin[std::size_t(i) + 1]);
        const auto add = [&](Index v, const Vec3&) { row.push_back(v); };
        visit_at(Q_, Q_columns_, i, [&](Index k, const Vec3&) { visit_row(F_, k, add); });
        visit_at(F_, F_columns_, i, [&](Index k, const Vec3&) { visit_row(Q_, k, add); });
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    });
    std::int64_t blocks = 0;
    const auto length = [&](Index i) {
        const std::size_t filled = columns[std::size_t(i)].size();
        return filled > 0
                   ? Index(filled)
                   : pattern.row_begin[std::size_t(i) + 1] - pattern.row_begin[std::size_t(i)];
    };
    for (Index i = 0; i < n; ++i)
        blocks += length(i);
    if (double(blocks) > max_fill * double(pattern.blocks()) ||
        blocks > std::numeric_limits<Index>::max())
        return false;

    auto made = std::make_shared<BlockPattern>();
    made->row_begin.assign(1, 0);
    made->column.reserve(std::size_t(blocks));
    for (Index i = 0; i < n; ++i) {
        const std::vector<Index>& filled = columns[std::size_t(i)];
        if (filled.empty())
            made->column.insert(made->column.end(),
                                pattern.column.begin() + pattern.row_begin[std::size_t(i)],
                                pattern.column.begin() + pattern.row_begin[std::size_t(i) + 1]);
        else
            made->column.insert(made->column.end(), filled.begin(), filled.end());
        const auto begin = made->column.begin() + made->row_begin.back();
        made->diagonal.push_back(
            Index(std::lower_bound(begin, made->column.end(), i) - made->column.begin()));
        made->row_begin.push_back(Index(made->column.size()));
    }
    if (B_.empty() || !equal(B_.pattern(), *made)) B_ = Matrix3(Pattern(std::move(made)));
    return true;
}

void ConstrainedMatrix::fill(const Matrix3& A) {
    B_.set_zero();
    const BlockPattern& from = A.pattern();
    const BlockPattern& to = B_.pattern();
    parallel_for(A.rows(), row_grain, [&](Index i) {
        Index slot = to.row_begin[std::size_t(i)];
        for (Index s = from.row_begin[std::size_t(i)]; s < from.row_begin[std::size_t(i) + 1];
             ++s) {
            while (to.column[std::size_t(slot)] != from.column[std::size_t(s)])
                ++slot;
            B_.block(slot) = A.block(s);
        }
        // B_ij = A_ij - sum over k of q_ki f_kj' + f_ki q_kj'
        const auto subtract = [&](const VertexRows& right, Index k, const Vec3& left) {
            visit_row(right, k, [&](Index j, const Vec3& value) {
                B_.block(to.slot(i, j)) -= left * value.transpose();
            });
        };
        visit_at(Q_, Q_columns_, i, [&](Index k, const Vec3& q) { subtract(F_, k, q); });
        visit_at(F_, F_columns_, i, [&](Index k, const Vec3& f) { subtract(Q_, k, f); });
    });
}

std::size_t ConstrainedMatrix::bytes() const {
    const std::size_t terms = Q_.vertex.size() + F_.vertex.size();
    const std::size_t blocks = B_.empty() ? 0 : std::size_t(B_.pattern().blocks());
    return terms * (sizeof(Vec3) + 3 * sizeof(Index)) +
           blocks * (9 * sizeof(double) + sizeof(Index));
}

}  // namespace taffeta::sparse
