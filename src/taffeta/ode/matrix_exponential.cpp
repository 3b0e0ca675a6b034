#include "taffeta/ode/matrix_exponential.h"

#include <algorithm>
#include <cmath>

namespace taffeta::ode {

const Eigen::MatrixXd& MatrixExponential::of(const Eigen::MatrixXd& A) {
    constexpr double largest = 5.371920351148152;
    // Numerator of the approximation, scaled to whole numbers.
    constexpr double b[] = {64764752532480000,
                            32382376266240000,
                            7771770303897600,
                            1187353796428800,
                            129060195264000,
                            10559470521600,
                            670442572800,
                            33522128640,
                            1323241920,
                            40840800,
                            960960,
                            16380,
                            182,
                            1};
    const double norm = A.cwiseAbs().colwise().sum().maxCoeff();
    const int squarings = norm > largest ? int(std::ceil(std::log2(norm / largest))) : 0;
    scaled_ = A * std::ldexp(1.0, -squarings);

    A2_.noalias() = scaled_ * scaled_;
    A4_.noalias() = A2_ * A2_;
    A6_.noalias() = A4_ * A2_;
    // odd = A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1)
    product_ = b[13] * A6_ + b[11] * A4_ + b[9] * A2_;
    even_.noalias() = A6_ * product_;
    even_ += b[7] * A6_ + b[5] * A4_ + b[3] * A2_;
    even_.diagonal().array() += b[1];
    odd_.noalias() = scaled_ * even_;
    // even = A6 (b12 A6 + b10 A4 + b8 A2) + b6 A6 + b4 A4 + b2 A2 + b0
    product_ = b[12] * A6_ + b[10] * A4_ + b[8] * A2_;
    even_.noalias() = A6_ * product_;
    even_ += b[6] * A6_ + b[4] * A4_ + b[2] * A2_;
    even_.diagonal().array() += b[0];

    // (even - odd) exp = even + odd
    product_ = even_ - odd_;
    factor_.compute(product_);
    product_ = even_ + odd_;
    result_ = factor_.solve(product_);
    for (int i = 0; i < squarings; ++i) {
        product_.noalias() = result_ * result_;
        result_.swap(product_);
    }
    return result_;
}

}  // namespace taffeta::ode
