#include "taffeta/ode/spring_matrix.h"

#include <cmath>

#include "taffeta/ode/spring_laplacian.h"

namespace taffeta::ode {

struct SpringMatrix::Parts {
    Mobility mobility;
    SpringLaplacian laplacian;  ///< A/alpha
    double alpha = 0;
};

SpringMatrix::SpringMatrix() = default;
SpringMatrix::~SpringMatrix() = default;

SolveReport SpringMatrix::prepare(SecondOrderSystem& system, double alpha) {
    SpringSystem* springs = system.spring_system();
    if (!springs) {
        SolveReport report;
        report.status = SolveStatus::breakdown;
        report.message =
            "the system is not made of springs, whose matrix \"springs\" takes for Newton's; take "
            "another type";
        return report;
    }
    if (!parts_) parts_ = std::make_unique<Parts>();
    parts_->alpha = alpha;
    parts_->mobility.find(system, springs->inverse_mass());
    return parts_->laplacian.prepare(springs->springs(), parts_->mobility, std::sqrt(alpha));
}

SolveReport SpringMatrix::solve(SecondOrderSystem& system, const VecX& rhs, VecX& u) {
    SolveReport report;
    if (parts_->mobility.partial()) {
        report = parts_->laplacian.solve_filtered(system, rhs, u);
    } else {
        parts_->laplacian.solve(rhs, u);
    }
    u /= parts_->alpha;
    return report;
}

long SpringMatrix::nonzeros() const {
    return parts_ ? 3 * parts_->laplacian.nonzeros() : 0;
}

int SpringMatrix::factorisations() const {
    return parts_ ? parts_->laplacian.factorisations() : 0;
}

}  // namespace taffeta::ode
