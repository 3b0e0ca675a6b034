//   example_solve_eigen [FOLDER]
//
// Taffeta's solver for a matrix that Eigen holds.
//
// 1. A symmetric positive definite Eigen::SparseMatrix, from triplets as usual.
// 2. Eigen's conjugate gradients, with Taffeta's multigrid as the preconditioner.
// 3. Taffeta's own solver, which is used in the same way.
// 4. Eigen can write the system for `taffeta solve`, when a folder is given.

#include <Eigen/IterativeLinearSolvers>
#include <cmath>
#include <cstdio>
#include <string>
#include <unsupported/Eigen/SparseExtra>
#include <vector>

#include "taffeta/solve/eigen_adapter.h"

using Sparse = Eigen::SparseMatrix<double>;

constexpr int columns = 60, rows = 60, vertices = columns * rows;

/// A sheet of 0.02 m squares with a wave in it.
Eigen::VectorXd sheet() {
    Eigen::VectorXd x(3 * vertices);
    for (int i = 0; i < vertices; ++i)
        x.segment<3>(3 * i) << 0.02 * (i % columns), 0.02 * (i / columns),
            0.02 * std::sin(0.3 * (i % columns));
    return x;
}

/// m / h^2 on the diagonal and a spring k (d d' + I / 100) along every edge and one diagonal.
Sparse matrix(const Eigen::VectorXd& position, double stiffness) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](int i, int j, const Eigen::Matrix3d& block) {
        for (int k = 0; k < 9; ++k)
            entries.emplace_back(3 * i + k / 3, 3 * j + k % 3, block(k / 3, k % 3));
    };
    for (int i = 0; i < vertices; ++i) {
        add(i, i, 50 * Eigen::Matrix3d::Identity());
        for (const int j : {i + 1, i + columns, i + columns + 1}) {
            if (j >= vertices || (j % columns == 0 && j != i + columns)) continue;
            const Eigen::Vector3d d =
                (position.segment<3>(3 * j) - position.segment<3>(3 * i)).normalized();
            const Eigen::Matrix3d outer = d * d.transpose();
            const Eigen::Matrix3d block = stiffness * (outer + 0.01 * Eigen::Matrix3d::Identity());
            add(i, i, block);
            add(j, j, block);
            add(i, j, -block);
            add(j, i, -block);
        }
    }
    Sparse A(3 * vertices, 3 * vertices);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
}

int main(int count, char** words) {
    // 1.
    const Eigen::VectorXd position = sheet();
    const Sparse A = matrix(position, 2000);
    const Eigen::VectorXd b =
        Eigen::Vector3d(0, 0, -9.81e-3).replicate(vertices, 1) + 1e-4 * position;

    // 2.
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, taffeta::SmoothedAggregation> cg;
    cg.preconditioner().set_coordinates(position);
    cg.setTolerance(1e-8);
    const Eigen::VectorXd x = cg.compute(A).solve(b);
    std::printf("Eigen with SmoothedAggregation: %d iterations, error %.1e\n", int(cg.iterations()),
                cg.error());

    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> diagonal;
    diagonal.setTolerance(1e-8);
    const Eigen::VectorXd y = diagonal.compute(A).solve(b);
    std::printf("Eigen with its diagonal:        %d iterations, error %.1e\n",
                int(diagonal.iterations()), diagonal.error());

    // 3.
    taffeta::SparseSolver solver;
    solver.set_options("preconditioner=sa");
    solver.set_coordinates(position);
    solver.setTolerance(1e-8);
    const Eigen::VectorXd z = solver.compute(A).solve(b);
    if (solver.info() != Eigen::Success) {
        std::printf("%s\n", solver.message().c_str());
        return 1;
    }
    std::printf("taffeta::SparseSolver:          %d iterations, error %.1e\n",
                int(solver.iterations()), solver.error());
    std::printf("%s", solver.description().c_str());

    // 4.
    if (count > 1) {
        const std::string folder = std::string(words[1]) + "/";
        Eigen::saveMarket(A, folder + "A.mtx");
        Eigen::saveMarketVector(b, folder + "b.mtx");
        Eigen::saveMarketVector(position, folder + "nodes.mtx");
    }
    const bool agree = (x - y).norm() < 1e-5 * y.norm() && (z - y).norm() < 1e-5 * y.norm();
    return cg.info() == Eigen::Success && 4 * cg.iterations() < diagonal.iterations() && agree ? 0
                                                                                               : 1;
}
