#include "taffeta/solve/diagonal_preconditioner.h"

namespace taffeta::solve {

namespace {

/// M = the scalar diagonal of the prefiltered matrix, as in [BW98] section 5.2.
class Jacobi final : public DiagonalPreconditioner {
  protected:
    bool invert(const Mat3& block, Mat3& inverse) const override {
        const Vec3 diagonal = block.diagonal();
        if (!(diagonal.array() > 0).all()) return false;
        inverse = diagonal.cwiseInverse().asDiagonal();
        return inverse.allFinite();
    }
};

}  // namespace

extern const PreconditionerEntry entry_jacobi;
constinit const PreconditionerEntry entry_jacobi{
    .key = "jacobi",
    .doc = "scalar diagonal of the prefiltered matrix [BW98]",
    .properties = {},
    .fields = [] { return field_table<NoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        read_options<NoOptions>(settings);
        return std::make_unique<Jacobi>();
    }};

}  // namespace taffeta::solve
