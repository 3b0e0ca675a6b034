#include "taffeta/solve/preconditioner.h"

namespace taffeta::solve {

namespace {

class Identity final : public Preconditioner {
  public:
    SolveReport setup(const sparse::Matrix3&, const sparse::NodeFilter&,
                      const NearKernel&) override {
        return {};
    }
    void apply(const VecX& r, VecX& z) const override { z = r; }
};

}  // namespace

extern const PreconditionerEntry entry_identity;
constinit const PreconditionerEntry entry_identity{
    .key = "identity",
    .doc = "none: plain conjugate gradients, to compare with",
    .properties = {},
    .fields = [] { return field_table<NoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Preconditioner> {
        read_options<NoOptions>(settings);
        return std::make_unique<Identity>();
    }};

}  // namespace taffeta::solve
