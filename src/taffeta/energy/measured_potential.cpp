#include "taffeta/energy/measured_potential.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "taffeta/base/error.h"

namespace taffeta::energy {

/// D11, D12, D22 and D33 as polynomials in x = cos 2 phi, from their values at the five directions; then H.
MeasuredPotential::MeasuredPotential(std::span<const double> table) {
    TAFFETA_ASSERT(table.size() == 24);
    constexpr double factor[4] = {2, 2, 2, 1};
    const auto entry = [&](std::size_t row, std::size_t m) {
        return factor[m] * std::max(0.0, table[4 * row + m]);
    };
    using Mat5 = Eigen::Matrix<double, 5, 5>;
    using Vec5 = Eigen::Matrix<double, 5, 1>;
    Mat5 powers;
    for (int row = 0; row < 5; ++row)
        for (int k = 0; k < 5; ++k)
            powers(row, k) = std::pow(std::cos(std::numbers::pi * row / 4), k);
    const Eigen::PartialPivLU<Mat5> solver(powers);
    std::array<Vec5, 4> D;
    std::array<double, 4> mean;
    for (std::size_t m = 0; m < 4; ++m) {
        rest_[m] = entry(0, m);
        Vec5 values;
        for (std::size_t row = 0; row < 5; ++row)
            values[Eigen::Index(row)] = entry(row + 1, m) - rest_[m];
        D[m] = solver.solve(values);
        // Mean of cos^2 is 1/2 and of cos^4 3/8 over all directions.
        mean[m] = D[m][0] + D[m][2] / 2 + D[m][4] * 3 / 8;
        D[m][0] -= mean[m];
    }
    mean_ = {(mean[0] + mean[2]) / 2 + mean[1], mean[0] - mean[2], 2 * mean[3],
             (mean[0] + mean[2]) / 2 - mean[1] - 2 * mean[3]};
    // a = (D11 + D22)/2 + D12, b = (D11 - D22) x, c = x^2 ((D11 + D22)/2 - D12 - 2 D33) + 2 D33.
    direction_ = {};
    for (std::size_t k = 0; k < 5; ++k) {
        const auto i = Eigen::Index(k);
        const double sum = (D[0][i] + D[2][i]) / 2;
        direction_.a[k] = sum + D[1][i];
        direction_.b[k + 1] = D[0][i] - D[2][i];
        direction_.c[k] += 2 * D[3][i];
        direction_.c[k + 2] += sum - D[1][i] - 2 * D[3][i];
    }
}

}  // namespace taffeta::energy
