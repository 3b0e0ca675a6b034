#include <cstdio>

#include "taffeta/solve/linear_solver.h"

/// A chain of three vertices, A = tridiag(-I, 2 I, -I), the first one fixed.
int main() {
    using namespace taffeta;
    const std::array<Index, 4> pairs{0, 1, 1, 2};
    const sparse::StencilSet stencils[] = {{2, pairs}};
    sparse::Matrix3 A(sparse::make_pattern(3, stencils));
    const sparse::BlockPattern& pattern = A.pattern();
    for (Index row = 0; row < 3; ++row)
        for (Index s = pattern.row_begin[row]; s < pattern.row_begin[row + 1]; ++s)
            A.block(s) = (pattern.column[s] == row ? 2.0 : -1.0) * Mat3::Identity();
    sparse::NodeFilter filter(3);
    filter.fix(0);
    VecX b = VecX::Ones(9), x = VecX::Zero(9);

    const SolveReport report = solve::make_linear_solver(Settings())->solve(A, filter, b, x);

    // 2 x1 - x2 = 1, -x1 + 2 x2 = 1: both are 1.
    std::printf("%s, x1 = %.6f, x2 = %.6f\n", to_string(report.status), x[3], x[6]);
    return report.ok() && std::abs(x[3] - 1) < 1e-4 && std::abs(x[6] - 1) < 1e-4 ? 0 : 1;
}
