#include "taffeta/solve/sa/prolongator.h"

#include <algorithm>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/filtered_rows.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index prolongator_rows = 512;
constexpr double rank_tolerance = 1e-6;

}  // namespace

template <int B>
void smooth_kernel(const SquareRows<B>& A, float omega, Kernel<B>& kernel) {
    Kernel<B> smoothed(kernel.size());
    parallel_for(A.rows(), prolongator_rows, [&](Index i) {
        KernelBlock<B> sum = KernelBlock<B>::Zero();
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            sum += Eigen::Map<const Eigen::Matrix<float, B, B>>(A.block(s))
                       .template cast<double>()
                       .lazyProduct(kernel[std::size_t(A.column[std::size_t(s)])]);
        Eigen::Matrix<double, B, B> inverse;
        for (int c = 0; c < B; ++c)
            for (int r = 0; r < B; ++r)
                inverse(r, c) = double(
                    A.inverse_diagonal.data()[(std::size_t(i) * B + std::size_t(c)) * stride<B> +
                                              std::size_t(r)]);
        smoothed[std::size_t(i)] =
            kernel[std::size_t(i)] - double(omega) * inverse.lazyProduct(sum);
    });
    kernel.swap(smoothed);
}

template <int C, int B>
Tentative<C> tentative(const Kernel<B>& kernel, const Aggregates& aggregates) {
    const Index n = Index(aggregates.of.size());
    Tentative<C> result;
    result.block.assign(std::size_t(n) * B * C, 0.0f);
    result.coarse.assign(std::size_t(aggregates.count), KernelBlock<C>::Zero());
    result.missing.assign(std::size_t(aggregates.count), 0);

    std::vector<Index> begin(std::size_t(aggregates.count) + 1, 0), member;
    for (const Index a : aggregates.of)
        if (a >= 0) ++begin[std::size_t(a) + 1];
    for (Index a = 0; a < aggregates.count; ++a)
        begin[std::size_t(a) + 1] += begin[std::size_t(a)];
    member.resize(std::size_t(begin.back()));
    std::vector<Index> fill(begin.begin(), begin.end() - 1);
    for (Index i = 0; i < n; ++i)
        if (aggregates.of[std::size_t(i)] >= 0)
            member[std::size_t(fill[std::size_t(aggregates.of[std::size_t(i)])]++)] = i;

    parallel_chunks(aggregates.count, 64, [&](Index first, Index last) {
        Eigen::Matrix<double, Eigen::Dynamic, modes> K;
        Eigen::Matrix<double, Eigen::Dynamic, C> Q;
        for (Index a = first; a < last; ++a) {
            const Index size = begin[std::size_t(a) + 1] - begin[std::size_t(a)];
            K.resize(size * B, modes);
            for (Index m = 0; m < size; ++m)
                K.template middleRows<B>(m * B) =
                    kernel[std::size_t(member[std::size_t(begin[std::size_t(a)] + m)])];
            // Modified Gram-Schmidt, each column twice: rotations about a far centre are almost
            // translations, and one pass would leave only their rounding.
            Q = K.template leftCols<C>();
            for (int k = 0; k < C; ++k) {
                const double before = Q.col(k).norm();
                for (int pass = 0; pass < 2; ++pass)
                    for (int l = 0; l < k; ++l)
                        Q.col(k) -= Q.col(l).dot(Q.col(k)) * Q.col(l);
                const double after = Q.col(k).norm();
                if (after <= rank_tolerance * before || after == 0) {
                    Q.col(k).setZero();
                    result.missing[std::size_t(a)] |= (unsigned char)(1u << k);
                } else {
                    Q.col(k) /= after;
                }
            }
            result.coarse[std::size_t(a)] = Q.transpose().lazyProduct(K);
            for (Index m = 0; m < size; ++m) {
                const Index i = member[std::size_t(begin[std::size_t(a)] + m)];
                float* out = result.block.data() + std::size_t(i) * B * C;
                for (int r = 0; r < B; ++r)
                    for (int k = 0; k < C; ++k)
                        out[r * C + k] = float(Q(m * B + r, k));
            }
        }
    });
    return result;
}

namespace {

/// Greedily: a chunk takes the first colour whose last chunk ends before its coarse vertices begin.
template <int B, int C>
void color_chunks(ProlongatorRows<B, C>& P) {
    const Index n = Index(P.row_begin.size()) - 1;
    P.color.clear();
    std::vector<Index> reached;
    for (Index begin = 0; begin < n; begin += prolongator_rows) {
        const Index end = std::min(n, begin + prolongator_rows);
        const auto first = P.column.begin() + P.row_begin[std::size_t(begin)];
        const auto last = P.column.begin() + P.row_begin[std::size_t(end)];
        if (first == last) continue;
        const auto [low, high] = std::minmax_element(first, last);
        std::size_t color = 0;
        while (color < reached.size() && reached[color] >= *low)
            ++color;
        if (color == reached.size()) {
            reached.push_back(-1);
            P.color.emplace_back();
        }
        reached[color] = std::max(reached[color], *high);
        P.color[color].push_back({begin, end});
    }
}

}  // namespace

template <int B, int C>
void make_prolongator_pattern(const SquareRows<B>& A, const Aggregates& aggregates,
                              ProlongatorRows<B, C>& P) {
    const Index n = A.rows();
    P.row_begin.assign(std::size_t(n) + 1, 0);
    P.column.clear();
    std::vector<Index> row;
    for (Index i = 0; i < n; ++i) {
        row.clear();
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
            const Index a = aggregates.of[std::size_t(A.column[std::size_t(s)])];
            if (a >= 0) row.push_back(a);
        }
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        // A vertex outside every aggregate is left to the smoother: it must not couple aggregates.
        if (aggregates.of[std::size_t(i)] < 0) row.clear();
        P.column.insert(P.column.end(), row.begin(), row.end());
        P.row_begin[std::size_t(i) + 1] = Index(P.column.size());
    }
    P.value.resize(P.column.size() * B * C);
    color_chunks(P);
}

template <int B, int C, class Rows>
void smooth_prolongator(const Rows& A, const Aggregates& aggregates,
                        const std::vector<float>& tentative_block, float omega,
                        ProlongatorRows<B, C>& P) {
    using Wide = Eigen::Matrix<float, B, C, Eigen::RowMajor>;
    parallel_chunks(A.rows(), prolongator_rows, [&](Index first, Index last) {
        std::vector<Wide, Eigen::aligned_allocator<Wide>> sum;
        float scratch[B * B];
        for (Index i = first; i < last; ++i) {
            const Index p_begin = P.row_begin[std::size_t(i)];
            const Index p_count = P.row_begin[std::size_t(i) + 1] - p_begin;
            if (p_count == 0) continue;
            sum.assign(std::size_t(p_count), Wide::Zero());
            const Index* columns = P.column.data() + p_begin;
            for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
                const Index j = A.column[std::size_t(s)];
                const Index a = aggregates.of[std::size_t(j)];
                if (a < 0) continue;
                Index k = 0;
                while (columns[k] != a)
                    ++k;
                sum[std::size_t(k)].noalias() +=
                    Eigen::Map<const Eigen::Matrix<float, B, B>>(A.fetch(i, s, scratch)) *
                    Eigen::Map<const Wide>(tentative_block.data() + std::size_t(j) * B * C);
            }
            Eigen::Matrix<float, B, B> inverse;
            for (int c = 0; c < B; ++c)
                for (int r = 0; r < B; ++r)
                    inverse(r, c) = A.inverse_diagonal
                                        .data()[(std::size_t(i) * B + std::size_t(c)) * stride<B> +
                                                std::size_t(r)];
            const Index own = aggregates.of[std::size_t(i)];
            for (Index k = 0; k < p_count; ++k) {
                Eigen::Map<Wide> out(P.block(p_begin + k));
                out.noalias() = -omega * (inverse * sum[std::size_t(k)]);
                if (columns[k] == own)
                    out += Eigen::Map<const Wide>(tentative_block.data() + std::size_t(i) * B * C);
            }
        }
    });
}

template void smooth_kernel<3>(const SquareRows<3>&, float, Kernel<3>&);
template void smooth_kernel<6>(const SquareRows<6>&, float, Kernel<6>&);
#define TAFFETA_INSTANTIATE(B, C)                                                         \
    template Tentative<C> tentative<C, B>(const Kernel<B>&, const Aggregates&);           \
    template void make_prolongator_pattern<B, C>(const SquareRows<B>&, const Aggregates&, \
                                                 ProlongatorRows<B, C>&);                 \
    template void smooth_prolongator<B, C>(const SquareRows<B>&, const Aggregates&,       \
                                           const std::vector<float>&, float,              \
                                           ProlongatorRows<B, C>&);
TAFFETA_INSTANTIATE(3, 3)
TAFFETA_INSTANTIATE(3, 6)
TAFFETA_INSTANTIATE(6, 6)
#undef TAFFETA_INSTANTIATE
template void smooth_prolongator<3, 3>(const FilteredRows&, const Aggregates&,
                                       const std::vector<float>&, float, ProlongatorRows<3, 3>&);
template void smooth_prolongator<3, 6>(const FilteredRows&, const Aggregates&,
                                       const std::vector<float>&, float, ProlongatorRows<3, 6>&);

}  // namespace taffeta::solve::sa
