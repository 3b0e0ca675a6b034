#include <Eigen/LU>
#include <limits>

#include "taffeta/solve/diagonal_preconditioner.h"

namespace taffeta::solve {

namespace {

/// M_i = B_ii, the 3 x 3 diagonal block. Invariant under rotations of the scene, unlike the scalar
/// diagonal, and exact for a vertex that only its own mass holds.
class BlockJacobi final : public DiagonalPreconditioner {
  protected:
    bool invert(const Mat3& block, Mat3& inverse) const override {
        // The cofactors of L L' of a 3 x 3 block: pivots a, b/a, det/b must all be positive.
        const double small = 32 * std::numeric_limits<double>::epsilon();
        const double minor = block(0, 0) * block(1, 1) - block(0, 1) * block(1, 0);
        const double scale = block(0, 0) * block(1, 1);
        const Vec3 cofactor(block(1, 1) * block(2, 2) - block(1, 2) * block(2, 1),
                            block(1, 2) * block(2, 0) - block(1, 0) * block(2, 2),
                            block(1, 0) * block(2, 1) - block(1, 1) * block(2, 0));
        const double determinant = block.row(0).dot(cofactor);
        // Negated comparisons, so that NaN fails.
        if (!(block(0, 0) > 0) || !(block(1, 1) > 0) || !(block(2, 2) > 0)) return false;
        if (!(minor > small * scale) || !(determinant > small * minor * block(2, 2))) return false;
        inverse = block.inverse();
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
