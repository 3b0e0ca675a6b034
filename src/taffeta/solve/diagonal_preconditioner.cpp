#include "taffeta/solve/diagonal_preconditioner.h"

#include <fmt/format.h>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

constexpr Index row_grain = 1024;

SolveReport describe(Index vertex, const Mat3& block) {
    if (!block.allFinite())
        return failure(SolveStatus::not_finite,
                       fmt::format("the diagonal block of vertex {} is not finite", vertex));
    const Vec3 value = eigenvalues_of(block);
    const bool indefinite = value[0] < -1e-12 * value.cwiseAbs().maxCoeff();
    return failure(
        indefinite ? SolveStatus::indefinite : SolveStatus::singular,
        fmt::format("the diagonal block of vertex {} is {}: its eigenvalues are {:.3g}, "
                    "{:.3g}, {:.3g}",
                    vertex, indefinite ? "indefinite" : "singular", value[0], value[1], value[2]));
}

}  // namespace

Mat3 filtered_block(const Mat3& block, const sparse::NodeFilter::Entry* entry) {
    if (!entry) return block;
    const Mat3& S = entry->projector;
    return S * block * S + sparse::filter_scale(block) * (Mat3::Identity() - S);
}

bool invert_positive(const Mat3& block, const Vec3& floor, Mat3& inverse) {
    // Elimination: its pivots are accurate to rounding also for blocks that are 1e10 times stiffer
    // along one direction, where cofactors cancel.
    const double d0 = block(0, 0);
    const double l10 = block(1, 0) / d0, l20 = block(2, 0) / d0;
    const double d1 = block(1, 1) - l10 * block(1, 0);
    const double rest = block(2, 1) - l20 * block(1, 0);
    const double l21 = rest / d1;
    const double d2 = block(2, 2) - l20 * block(2, 0) - l21 * rest;
    // Negated comparisons, so that NaN fails.
    if (!(d0 > floor[0]) || !(d1 > floor[1]) || !(d2 > floor[2])) return false;
    Mat3 L_inverse;
    L_inverse << 1, 0, 0, -l10, 1, 0, l10 * l21 - l20, -l21, 1;
    inverse = L_inverse.transpose() * Vec3(1 / d0, 1 / d1, 1 / d2).asDiagonal() * L_inverse;
    return inverse.allFinite();
}

SolveReport DiagonalPreconditioner::setup(const sparse::Matrix3& A,
                                          const sparse::NodeFilter& filter, const NearKernel&) {
    const Timer timer;
    const Index rows = A.rows();
    inverse_.resize(rows);
    first_bad_.assign(std::size_t(rows / row_grain + 1), -1);
    parallel_chunks(rows, row_grain, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const Mat3 block = A.block(A.pattern().diagonal[std::size_t(i)]);
            const sparse::NodeFilter::Entry* entry = filter.find(i);
            Mat3 inverse;
            if (!invert(filtered_block(block, entry), inverse)) {
                first_bad_[std::size_t(begin / row_grain)] = i;
                return;
            }
            if (entry) {
                const Mat3& S = entry->projector;
                inverse = S * inverse * S + (Mat3::Identity() - S) / sparse::filter_scale(block);
            }
            inverse_.set(i, inverse);
        }
    });
    for (const Index vertex : first_bad_)
        if (vertex >= 0) {
            const Mat3 block = A.block(A.pattern().diagonal[std::size_t(vertex)]);
            return describe(vertex,
                            block.allFinite() ? filtered_block(block, filter.find(vertex)) : block);
        }
    SolveReport report;
    report.setup_seconds = timer.seconds();
    return report;
}

}  // namespace taffeta::solve
