#include "taffeta/solve/direct/simplicial_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

/// The block of B in the columns of vertex k that starts `first` numbers into each of them.
Mat3 block_above(const Triangle& B, Index k, int first) {
    Mat3 block;
    for (int column = 0; column < 3; ++column) {
        const double* value =
            B.matrix().valuePtr() + B.matrix().outerIndexPtr()[3 * k + column] + first;
        for (int row = 0; row < 3; ++row)
            block(row, column) = value[row];
    }
    return block;
}

/// The numbers above and on the diagonal of the last block of a column, both triangles.
Mat3 diagonal_block_of(const Triangle& B, Index k) {
    Mat3 block;
    for (int column = 0; column < 3; ++column) {
        const double* end = B.matrix().valuePtr() + B.matrix().outerIndexPtr()[3 * k + column + 1];
        for (int row = 0; row <= column; ++row)
            block(row, column) = block(column, row) = *(end - 1 - column + row);
    }
    return block;
}

/// D and the unit lower L of A = L D L'; false where a pivot is zero or not a number.
bool factorize_block(const Mat3& A, Mat3& L, Eigen::Ref<Vec3> D) {
    L.setIdentity();
    for (int k = 0; k < 3; ++k) {
        D[k] = A(k, k);
        for (int j = 0; j < k; ++j)
            D[k] -= L(k, j) * L(k, j) * D[j];
        if (D[k] == 0 || D[k] != D[k]) return false;
        for (int i = k + 1; i < 3; ++i) {
            L(i, k) = A(i, k);
            for (int j = 0; j < k; ++j)
                L(i, k) -= L(i, j) * L(k, j) * D[j];
            L(i, k) /= D[k];
        }
    }
    return true;
}

/// u <- L^-1 u with a unit lower L.
template <class Columns>
void solve_unit(const Mat3& L, Columns&& u) {
    u.row(1) -= L(1, 0) * u.row(0);
    u.row(2) -= L(2, 0) * u.row(0) + L(2, 1) * u.row(1);
}

}  // namespace

SolveReport SimplicialFactors::analyse(const Triangle& B) {
    const std::int64_t entries = B.order().factor_entries;
    if (entries > std::numeric_limits<int>::max())
        return failure(
            SolveStatus::bad_size,
            fmt::format("the factors would hold {} numbers, more than ldlt can count", entries));
    return {};
}

/// The tree and the columns of L by row subtrees [Liu90].
void SimplicialFactors::find_structure(const Triangle& B) {
    const std::size_t n = B.order().vertex.size();
    entry_begin_.assign(1, 0);
    entries_.clear();
    parent_.assign(n, -1);
    seen_from_.assign(n, -1);
    begin_.assign(n + 1, 0);
    const int* const outer = B.matrix().outerIndexPtr();
    const int* const inner = B.matrix().innerIndexPtr();
    for (Index k = 0; k < Index(n); ++k) {
        seen_from_[std::size_t(k)] = k;
        // The first of the three columns ends with one number of the diagonal block.
        const int above = outer[3 * k + 1] - outer[3 * k] - 1;
        for (int first = 0; first < above; first += 3) {
            if (block_above(B, k, first).cwiseAbs().maxCoeff() == 0) continue;
            const Index row = inner[outer[3 * k] + first] / 3;
            entries_.push_back({row, first});
            for (Index i = row; seen_from_[std::size_t(i)] != k; i = parent_[std::size_t(i)]) {
                if (parent_[std::size_t(i)] < 0) parent_[std::size_t(i)] = k;
                seen_from_[std::size_t(i)] = k;
                ++begin_[std::size_t(i) + 1];
            }
        }
        entry_begin_.push_back(entries_.size());
    }
    for (std::size_t k = 0; k < n; ++k)
        begin_[k + 1] += begin_[k];
    end_.assign(begin_.begin(), begin_.end() - 1);
    row_.resize(begin_.back());
    block_.resize(begin_.back());
    unit_.resize(n);
    work_.assign(n, Mat3::Zero());
    stack_.resize(n);
    path_.resize(n);
    seen_from_.assign(n, -1);
    pivots_.setZero(3 * Eigen::Index(n));
}

/// Row k of L and D_k: with the blocks Y_i that start as those of row k of B, from left to right
///   W_i = Y_i L_ii'^-1,  L_ki = W_i D_i^-1,  Y_j <- Y_j - W_i L_ji',  and  L_kk D_k L_kk' = B_kk - sum W_i L_ki'.
/// False where a pivot stops it.
bool SimplicialFactors::eliminate(const Triangle& B, Index k) {
    // Columns in an order in which children come before their parents.
    std::size_t top = stack_.size();
    seen_from_[std::size_t(k)] = k;
    for (std::size_t e = entry_begin_[std::size_t(k)]; e < entry_begin_[std::size_t(k) + 1]; ++e) {
        work_[std::size_t(entries_[e].row)] = block_above(B, k, entries_[e].first);
        std::size_t length = 0;
        for (Index i = entries_[e].row; seen_from_[std::size_t(i)] != k;
             i = parent_[std::size_t(i)]) {
            seen_from_[std::size_t(i)] = k;
            path_[length++] = i;
        }
        while (length > 0)
            stack_[--top] = path_[--length];
    }
    Mat3 diagonal = diagonal_block_of(B, k);
    for (; top < stack_.size(); ++top) {
        const std::size_t i = std::size_t(stack_[top]);
        Mat3 W = work_[i];  // transposed, as all of `work_`
        work_[i].setZero();
        solve_unit(unit_[i], W);
        for (std::size_t p = begin_[i]; p < end_[i]; ++p)
            work_[std::size_t(row_[p])].noalias() -= block_[p] * W;
        const Vec3 D = pivots_.segment<3>(3 * Eigen::Index(i));
        Mat3& L = block_[end_[i]];
        for (int column = 0; column < 3; ++column)
            L.col(column) = W.row(column).transpose() / D[column];
        diagonal.noalias() -= L * W;
        row_[end_[i]++] = k;
    }
    return factorize_block(diagonal, unit_[std::size_t(k)],
                           pivots_.segment<3>(3 * Eigen::Index(k)));
}

SolveReport SimplicialFactors::factorize(const Triangle& B) {
    find_structure(B);
    for (Index k = 0; k < Index(unit_.size()); ++k)
        if (!eliminate(B, k)) break;  // the pivots tell the rest
    return {};
}

SolveReport SimplicialFactors::solve(const VecX& r, VecX& y) {
    y = r;
    const std::size_t n = unit_.size();
    for (std::size_t i = 0; i < n; ++i) {
        auto here = y.segment<3>(3 * Eigen::Index(i));
        solve_unit(unit_[i], here);
        for (std::size_t p = begin_[i]; p < begin_[i + 1]; ++p)
            y.segment<3>(3 * Eigen::Index(row_[p])).noalias() -= block_[p] * here;
    }
    y.array() /= pivots_.array();
    for (std::size_t i = n; i-- > 0;) {
        auto here = y.segment<3>(3 * Eigen::Index(i));
        for (std::size_t p = begin_[i]; p < begin_[i + 1]; ++p)
            here.noalias() -= block_[p].transpose() * y.segment<3>(3 * Eigen::Index(row_[p]));
        here[1] -= unit_[i](2, 1) * here[2];
        here[0] -= unit_[i](1, 0) * here[1] + unit_[i](2, 0) * here[2];
    }
    return {};
}

std::size_t SimplicialFactors::bytes() const {
    return (block_.size() + unit_.size() + work_.size()) * sizeof(Mat3) +
           row_.size() * sizeof(Index) + entries_.size() * sizeof(Entry) +
           std::size_t(pivots_.size()) * sizeof(double) +
           unit_.size() * (4 * sizeof(Index) + 3 * sizeof(std::size_t));
}

}  // namespace taffeta::solve
