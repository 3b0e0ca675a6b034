#include "taffeta/energy/assembler.h"

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::energy {

namespace {

bool has_blocks(const Energy& energy) {
    return energy.has_stiffness() || energy.has_damping();
}

}  // namespace

Assembler::Assembler(Index vertices, std::span<const std::unique_ptr<Energy>> energies)
    : energies_(energies) {
    std::vector<sparse::StencilSet> coupled;
    for (const auto& energy : energies_)
        if (has_blocks(*energy)) coupled.push_back(energy->stencils());
    pattern_ = sparse::make_pattern(vertices, coupled);
    for (const auto& energy : energies_) {
        plans_.push_back(make_scatter_plan(vertices, energy->stencils(),
                                           has_blocks(*energy) ? pattern_.get() : nullptr));
        has_damping_ = has_damping_ || energy->has_damping();
    }
}

void Assembler::evaluate(const EvaluationPoint& at, const Targets& targets) const {
    const Eigen::Index size = 3 * Eigen::Index(pattern_->rows());
    TAFFETA_ASSERT(at.x.size() == size && at.v.size() == size);
    TAFFETA_ASSERT(!targets.stiffness || targets.stiffness->shared_pattern() == pattern_);
    TAFFETA_ASSERT(!targets.damping || targets.damping->shared_pattern() == pattern_);
    if (targets.force) targets.force->setZero(size);
    if (targets.stiffness) targets.stiffness->set_zero();
    if (targets.damping) targets.damping->set_zero();
    for (std::size_t i = 0; i < energies_.size(); ++i)
        energies_[i]->add(at, targets, plans_[i]);
}

double Assembler::value(const VecX& x) const {
    double sum = 0;
    for (const auto& energy : energies_)
        sum += energy->value(x);
    return sum;
}

}  // namespace taffeta::energy
