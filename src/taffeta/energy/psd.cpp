#include "taffeta/energy/psd.h"

#include "taffeta/base/jacobi.h"

namespace taffeta::energy {

std::vector<std::string> psd_rule_names() {
    return {"automatic", "clamp", "gauss_newton", "exact"};
}

PsdRule psd_rule(const std::string& name) {
    if (name == "automatic") return PsdRule::automatic;
    if (name == "clamp") return PsdRule::clamp;
    if (name == "gauss_newton") return PsdRule::gauss_newton;
    if (name == "exact") return PsdRule::exact;
    throw Error(ErrorCode::internal, {}, "unknown psd rule '" + name + "'");
}

ElementMatrix spectral_positive_part(const ElementMatrix& H) {
    ElementMatrix values = H, vectors;
    jacobi_eigen(values, vectors);
    const ElementMatrix scaled = vectors * values.diagonal().cwiseMax(0).asDiagonal();
    return scaled.lazyProduct(vectors.transpose());
}

}  // namespace taffeta::energy
