#include "taffeta/solve/diagonal_preconditioner.h"

#include <fmt/format.h>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

constexpr Index row_grain = 1024;

Mat3 filtered_block(const Mat3& block, const sparse::NodeFilter::Entry* entry) {
    if (!entry) return block;
    const Mat3& S = entry->projector;
    return S * block * S + sparse::filter_scale(block) * (Mat3::Identity() - S);
}

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
