#include <limits>

#include "taffeta/solve/diagonal_preconditioner.h"

namespace taffeta::solve {

namespace {

/// M_i = B_ii, the 3 x 3 diagonal block. Invariant under rotations of the scene, unlike the scalar
/// diagonal, and exact for a vertex that only its own mass holds.
class BlockJacobi final : public DiagonalPreconditioner {
  protected:
    bool invert(const Mat3& block, Mat3& inverse) const override {
        // B = L D L' by elimination: its pivots are accurate to rounding also for blocks that are
        // 1e10 times stiffer along one direction, where cofactors cancel.
        const double small = 32 * std::numeric_limits<double>::epsilon();
        const double d0 = block(0, 0);
        const double l10 = block(1, 0) / d0, l20 = block(2, 0) / d0;
        const double d1 = block(1, 1) - l10 * block(1, 0);
        const double rest = block(2, 1) - l20 * block(1, 0);
        const double l21 = rest / d1;
        const double d2 = block(2, 2) - l20 * block(2, 0) - l21 * rest;
        // Negated comparisons, so that NaN fails.
        if (!(d0 > 0) || !(d1 > small * block(1, 1)) || !(d2 > small * block(2, 2))) return false;
        Mat3 L_inverse;
        L_inverse << 1, 0, 0, -l10, 1, 0, l10 * l21 - l20, -l21, 1;
        inverse = L_inverse.transpose() * Vec3(1 / d0, 1 / d1, 1 / d2).asDiagonal() * L_inverse;
        return inverse.allFinite();
    }
};

}  // namespace

extern const PreconditionerEntry entry_block_jacobi;
constinit const PreconditionerEntry entry_block_jacobi{
    .key = "block_jacobi",
    .doc = "3 x 3 diagonal blocks of the prefiltered matrix: the baseline of [TJM15]",
    .properties = {},
    .fields = [] { return field_table<NoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        read_options<NoOptions>(settings);
        return std::make_unique<BlockJacobi>();
    }};

}  // namespace taffeta::solve
