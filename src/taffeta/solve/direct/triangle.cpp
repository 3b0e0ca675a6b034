#include "taffeta/solve/direct/triangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

constexpr Index vertices_a_task = 256;

/// Which numbers of local column `column` of a diagonal block belong to the triangle: [first, last).
std::pair<int, int> diagonal_part(Triangle::Half half, int column) {
    return half == Triangle::Half::lower ? std::pair(column, 3) : std::pair(0, column + 1);
}

}  // namespace

SolveReport Triangle::make(const sparse::BlockPattern& pattern, FillOrder order, Half half) {
    order_ = std::move(order);
    half_ = half;
    begin_.assign(1, 0);
    parts_.clear();
    for (Index k = 0; k < pattern.rows(); ++k) {
        const std::size_t vertex = std::size_t(order_.vertex[std::size_t(k)]);
        for (Index s = pattern.row_begin[vertex]; s < pattern.row_begin[vertex + 1]; ++s) {
            const Index position = order_.position[std::size_t(pattern.column[std::size_t(s)])];
            if (half == Half::lower ? position >= k : position <= k)
                parts_.push_back({position, s});
        }
        std::sort(parts_.begin() + std::ptrdiff_t(begin_.back()), parts_.end(),
                  [](const Part& a, const Part& b) { return a.position < b.position; });
        begin_.push_back(parts_.size());
    }
    const std::int64_t count = 9 * std::int64_t(parts_.size()) - 3 * std::int64_t(pattern.rows());
    if (count > std::numeric_limits<int>::max())
        return failure(SolveStatus::bad_size,
                       fmt::format("{} numbers are too many for a direct solver", count));

    matrix_.resize(3 * pattern.rows(), 3 * pattern.rows());
    matrix_.resizeNonZeros(Eigen::Index(count));
    int* outer = matrix_.outerIndexPtr();
    int* inner = matrix_.innerIndexPtr();
    int next = 0;
    for (Index i = 0; i < matrix_.cols(); ++i) {
        outer[i] = next;
        const Index k = i / 3;
        for (std::size_t e = begin_[std::size_t(k)]; e < begin_[std::size_t(k) + 1]; ++e) {
            const Index position = parts_[e].position;
            const auto [first, last] = position == k ? diagonal_part(half, i % 3) : std::pair(0, 3);
            for (int r = first; r < last; ++r)
                inner[next++] = 3 * position + r;
        }
    }
    outer[matrix_.cols()] = next;
    return {};
}

void Triangle::fill(const sparse::Matrix3& B) {
    const int* outer = matrix_.outerIndexPtr();
    parallel_for(Index(order_.vertex.size()), vertices_a_task, [&](Index k) {
        for (int column = 0; column < 3; ++column) {
            double* value = matrix_.valuePtr() + outer[3 * k + column];
            for (std::size_t e = begin_[std::size_t(k)]; e < begin_[std::size_t(k) + 1]; ++e) {
                const auto block = B.block(parts_[e].slot);
                const auto [first, last] =
                    parts_[e].position == k ? diagonal_part(half_, column) : std::pair(0, 3);
                // The block lies in the row of the vertex, that is in its column by symmetry.
                for (int r = first; r < last; ++r)
                    *value++ = block(column, r);
            }
        }
    });
}

double Triangle::diagonal(Index k) const {
    const int at =
        half_ == Half::lower ? matrix_.outerIndexPtr()[k] : matrix_.outerIndexPtr()[k + 1] - 1;
    return matrix_.valuePtr()[at];
}

void Triangle::permute(const VecX& u, VecX& permuted) const {
    permuted.resize(u.size());
    parallel_for(Index(order_.vertex.size()), vertices_a_task,
                 [&](Index k) { vec3(permuted, k) = vec3(u, order_.vertex[std::size_t(k)]); });
}

void Triangle::permute_back(const VecX& permuted, VecX& u) const {
    u.resize(permuted.size());
    parallel_for(Index(order_.vertex.size()), vertices_a_task,
                 [&](Index k) { vec3(u, order_.vertex[std::size_t(k)]) = vec3(permuted, k); });
}

std::size_t Triangle::bytes() const {
    return std::size_t(matrix_.nonZeros()) * (sizeof(double) + sizeof(int)) +
           std::size_t(matrix_.rows()) * sizeof(int) + parts_.size() * sizeof(Part) +
           order_.vertex.size() * (2 * sizeof(Index) + sizeof(std::size_t));
}

}  // namespace taffeta::solve
