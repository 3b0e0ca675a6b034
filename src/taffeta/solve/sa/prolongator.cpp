#include "taffeta/solve/sa/prolongator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/rigid_motions.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index prolongator_rows = 512, pattern_rows = 4096;
constexpr double rank_tolerance = 1e-6, weight_tolerance = 1e-6;

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

template <int C>
void Tentative<C>::set_pattern(const Aggregates& aggregates) {
    begin.assign(std::size_t(aggregates.count) + 1, 0);
    for (const Index a : aggregates.of)
        if (a >= 0) ++begin[std::size_t(a) + 1];
    for (Index a = 0; a < aggregates.count; ++a)
        begin[std::size_t(a) + 1] += begin[std::size_t(a)];
    member.resize(std::size_t(begin.back()));
    std::vector<Index> fill(begin.begin(), begin.end() - 1);
    for (Index i = 0; i < Index(aggregates.of.size()); ++i)
        if (const Index a = aggregates.of[std::size_t(i)]; a >= 0)
            member[std::size_t(fill[std::size_t(a)]++)] = i;
    coarse.resize(std::size_t(aggregates.count));
    missing.resize(std::size_t(aggregates.count));
    weight.resize(std::size_t(aggregates.count));
}

namespace {

template <int B, int C>
using TentativeBlock = Eigen::Map<Eigen::Matrix<float, B, C, Eigen::RowMajor>>;

/// Where all translations of all members are free, as nearly everywhere: P^ = 1 / sqrt(#members), and R is
/// the sum of the kernel times that. False, with nothing promised about the result, elsewhere.
template <class KernelAt>
bool average(const KernelAt& kernel, std::span<const Index> members, float* blocks,
             KernelBlock<3>& coarse) {
    const double weight = 1 / std::sqrt(double(members.size()));
    coarse.setZero();
    for (const Index i : members) {
        const KernelBlock<3> K = kernel(i);
        if (K.template leftCols<3>() != Mat3::Identity()) return false;
        coarse += K;
        TentativeBlock<3, 3>(blocks + std::size_t(i) * 9) =
            float(weight) * Eigen::Matrix3f::Identity();
    }
    coarse *= weight;
    return true;
}

/// Modified Gram-Schmidt on the first C columns of K, each twice: rotations about a far centre are almost
/// translations, and one pass would leave only their rounding. The modes that are missing.
template <int C, class Columns>
unsigned char orthonormalise(Columns& Q) {
    unsigned char missing = 0;
    for (int k = 0; k < C; ++k) {
        const double before = Q.col(k).norm();
        for (int pass = 0; pass < 2; ++pass)
            for (int l = 0; l < k; ++l)
                Q.col(k) -= Q.col(l).dot(Q.col(k)) * Q.col(l);
        const double after = Q.col(k).norm();
        if (after <= rank_tolerance * before || after == 0) {
            Q.col(k).setZero();
            missing |= (unsigned char)(1u << k);
        } else {
            Q.col(k) /= after;
        }
    }
    return missing;
}

/// w where the translations of R are w times one, but for rounding, or zero.
template <int C>
float weight_of(const KernelBlock<C>& coarse) {
    const Mat3 translations = coarse.template topLeftCorner<3, 3>();
    const double weight = translations.trace() / 3;
    const double rest = (translations - weight * Mat3::Identity()).cwiseAbs().maxCoeff();
    return rest <= weight_tolerance * weight ? float(weight) : 0.0f;
}

}  // namespace

template <int C, int B, class KernelAt>
void fill_tentative(const KernelAt& kernel, Index vertices, Workspaces& workspaces,
                    Tentative<C>& result) {
    result.block.resize(std::size_t(vertices) * B * C);
    if (Index(result.member.size()) < vertices)
        result.block.set_zero();  // of those in no aggregate
    parallel_chunks(Index(result.missing.size()), 64, [&](Index first, Index last) {
        Workspaces::Lease workspace(workspaces);
        for (Index a = first; a < last; ++a) {
            const Index begin = result.begin[std::size_t(a)];
            const std::span<const Index> members(
                result.member.data() + begin,
                std::size_t(result.begin[std::size_t(a) + 1] - begin));
            result.missing[std::size_t(a)] = 0;
            if constexpr (B == 3 && C == 3)
                if (average(kernel, members, result.block.data(), result.coarse[std::size_t(a)])) {
                    result.weight[std::size_t(a)] = float(std::sqrt(double(members.size())));
                    continue;
                }
            const Eigen::Index rows = Eigen::Index(members.size()) * B;
            if (Eigen::Index(workspace->dense.size()) < rows * (modes + C))
                workspace->dense.resize(std::size_t(rows * (modes + C)));
            Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, modes>> K(workspace->dense.data(),
                                                                       rows, modes);
            Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, C>> Q(
                workspace->dense.data() + rows * modes, rows, C);
            for (std::size_t m = 0; m < members.size(); ++m)
                K.template middleRows<B>(Eigen::Index(m) * B) = kernel(members[m]);
            Q = K.template leftCols<C>();
            result.missing[std::size_t(a)] = orthonormalise<C>(Q);
            result.coarse[std::size_t(a)] = Q.transpose().lazyProduct(K);
            result.weight[std::size_t(a)] = weight_of<C>(result.coarse[std::size_t(a)]);
            for (std::size_t m = 0; m < members.size(); ++m)
                TentativeBlock<B, C>(result.block.data() + std::size_t(members[m]) * B * C) =
                    Q.template middleRows<B>(Eigen::Index(m) * B).template cast<float>();
        }
    });
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
    std::vector<std::vector<Index>> chunks(std::size_t(n / pattern_rows + 1));
    parallel_chunks(n, pattern_rows, [&](Index first, Index last) {
        std::vector<Index>& columns = chunks[std::size_t(first / pattern_rows)];
        std::vector<Index> row;
        for (Index i = first; i < last; ++i) {
            // A vertex outside every aggregate is left to the smoother: it must not couple aggregates.
            if (aggregates.of[std::size_t(i)] < 0) continue;
            row.clear();
            for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
                const Index a = aggregates.of[std::size_t(A.column[std::size_t(s)])];
                if (a >= 0) row.push_back(a);
            }
            std::sort(row.begin(), row.end());
            row.erase(std::unique(row.begin(), row.end()), row.end());
            columns.insert(columns.end(), row.begin(), row.end());
            P.row_begin[std::size_t(i) + 1] = Index(row.size());
        }
    });
    std::partial_sum(P.row_begin.begin(), P.row_begin.end(), P.row_begin.begin());
    P.column.resize(std::size_t(P.row_begin.back()));
    parallel_chunks(n, pattern_rows, [&](Index first, Index) {
        const std::vector<Index>& columns = chunks[std::size_t(first / pattern_rows)];
        std::copy(columns.begin(), columns.end(),
                  P.column.begin() + P.row_begin[std::size_t(first)]);
    });
    P.value.resize(P.column.size() * B * C);
    color_chunks(P);
}

template void smooth_kernel<3>(const SquareRows<3>&, float, Kernel<3>&);
template void smooth_kernel<6>(const SquareRows<6>&, float, Kernel<6>&);
template struct Tentative<3>;
template struct Tentative<6>;
template void fill_tentative<3, 3>(const RigidMotions&, Index, Workspaces&, Tentative<3>&);
template void fill_tentative<6, 3>(const RigidMotions&, Index, Workspaces&, Tentative<6>&);
#define TAFFETA_INSTANTIATE(B, C)                                                                  \
    template void fill_tentative<C, B>(const StoredKernel<B>&, Index, Workspaces&, Tentative<C>&); \
    template void make_prolongator_pattern<B, C>(const SquareRows<B>&, const Aggregates&,          \
                                                 ProlongatorRows<B, C>&);
TAFFETA_INSTANTIATE(3, 3)
TAFFETA_INSTANTIATE(3, 6)
TAFFETA_INSTANTIATE(6, 6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
