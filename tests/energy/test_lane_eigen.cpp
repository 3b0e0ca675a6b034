#include "taffeta/energy/lane_eigen.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <random>
#include <vector>

namespace taffeta::energy::test {
namespace {

Symmetric33<double> lane_symmetric(const Mat3& A) {
    return {A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2)};
}

/// V max(D, 0) V' by the library's solver.
Mat3 positive_part_of(const Mat3& A) {
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(A);
    const Vec3 kept = solver.eigenvalues().cwiseMax(0);
    return solver.eigenvectors() * kept.asDiagonal() * solver.eigenvectors().transpose();
}

/// None, one, two or three negative; double, triple and no eigenvalues, on both sides of zero, where the last
/// ones are closer to each other than the root of rounding or not.
std::vector<Vec3> spectra() {
    std::vector<Vec3> made = {{1, 2, 3},      {-1, 2, 3},       {-1, -2, 3},    {-1, -2, -3},
                              {0, 0, 0},      {2, 2, 2},        {-2, -2, -2},   {-1, 2, 2},
                              {-1, -1, 2},    {0, 1, 2},        {0, -1, 2},     {0, -1, -2},
                              {0, 0, 1},      {0, 0, -1},       {-1, 0, 1},     {-1, -1, 1},
                              {1, 1, -1},     {1e-12, 1, 2},    {-1e-12, 1, 2}, {-1e-12, -1, 2},
                              {1e-12, -1, 2}, {1, 1, 1 + 1e-9}, {-1, 1e6, 1e-6}};
    for (const double gap : {1e-2, 1e-4, 1e-7, 1e-9, 1e-12, 1e-15})
        for (const double third : {3.0, -3.0})
            for (const double part : {-1.0, -0.5, 0.0, 1.0})
                made.emplace_back(gap * part, gap * (part + 1), third);
    return made;
}

TEST(LaneEigen, PositivePartIsThatOfTheLibrary) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (const Vec3& spectrum : spectra())
        for (const double scale : {1.0, 1e-30, 1e9})
            for (int turn = 0; turn < 5; ++turn) {
                Mat3 V = Mat3::Identity();
                if (turn > 0)
                    V = Eigen::Quaterniond(normal(random), normal(random), normal(random),
                                           normal(random))
                            .normalized()
                            .toRotationMatrix();
                const Mat3 A = scale * (V * spectrum.asDiagonal() * V.transpose());

                const Mat3 positive =
                    eigen_matrix(spectral_positive_part(lane_symmetric((A + A.transpose()) / 2)));

                const double size = scale * spectrum.cwiseAbs().maxCoeff();
                EXPECT_LE((positive - positive_part_of(A)).norm(), 2e-13 * size)
                    << spectrum.transpose() << ", " << scale << ", " << turn;
            }
}

TEST(LaneEigen, EveryLaneHasItsOwnPositivePart) {
    // Three that need no, one and two steps, beside one that is left to rotations or not.
    for (const Vec3& last : {Vec3(-1e-9, 1e-9, 1), Vec3(-3, -2, -1)}) {
        const std::array<Vec3, 4> spectrum = {Vec3(1, 2, 3), Vec3(-1, 2, 3), Vec3(-1, -2, 3), last};
        const Mat3 V = Eigen::Quaterniond(1, 2, -3, 0.5).normalized().toRotationMatrix();
        Symmetric33<Pack> A;
        std::array<Mat3, 4> matrix;
        for (std::size_t lane = 0; lane < 4; ++lane) {
            matrix[lane] = V * spectrum[lane].asDiagonal() * V.transpose();
            A.xx[lane] = matrix[lane](0, 0), A.xy[lane] = matrix[lane](0, 1);
            A.xz[lane] = matrix[lane](0, 2), A.yy[lane] = matrix[lane](1, 1);
            A.yz[lane] = matrix[lane](1, 2), A.zz[lane] = matrix[lane](2, 2);
        }

        const Symmetric33<Pack> P = spectral_positive_part(A);

        for (std::size_t lane = 0; lane < 4; ++lane)
            EXPECT_LE((eigen_matrix(Symmetric33<double>{P.xx[lane], P.xy[lane], P.xz[lane],
                                                        P.yy[lane], P.yz[lane], P.zz[lane]}) -
                       positive_part_of(matrix[lane]))
                          .norm(),
                      1e-13)
                << lane;
    }
}

}  // namespace
}  // namespace taffeta::energy::test
