#include <limits>

#include "taffeta/solve/diagonal_preconditioner.h"

namespace taffeta::solve {

namespace {

/// M_i = B_ii, the 3 x 3 diagonal block. Invariant under rotations of the scene, unlike the scalar
/// diagonal, and exact for a vertex that only its own mass holds.
class BlockJacobi final : public DiagonalPreconditioner {
  protected:
    bool invert(const Mat3& block, Mat3& inverse) const override {
        const double small = 32 * std::numeric_limits<double>::epsilon();
        return invert_positive(block, small * block.diagonal(), inverse);
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
