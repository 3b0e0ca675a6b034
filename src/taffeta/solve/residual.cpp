#include "taffeta/solve/residual.h"

namespace taffeta::solve {

double relative_residual(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                         const VecX& x) {
    VecX image, z;
    const auto filtered_norm = [&](const VecX& at) {
        sparse::multiply(A, at, image);
        image = b - image;
        filter.project(image);
        return image.norm();
    };
    filter.targets(z);
    const double residual = filtered_norm(x);
    const double norm = filtered_norm(z);
    return norm > 0 ? residual / norm : residual;
}

}  // namespace taffeta::solve
