#include <gtest/gtest.h>

#include <cmath>

#include "helpers/dense.h"
#include "sparse/systems.h"
#include "taffeta/base/error.h"

namespace taffeta::sparse {
namespace {

using oracle::eigenvalues;
using testing::dense;
using testing::Random;

constexpr double rounding = 1e-14;

TEST(NodeFilter, IsAProjectorForRandomDirections) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        NodeFilter filter(1);
        for (int k = 0; k < 1 + int(seed % 3); ++k) {
            const double length = std::pow(10, random.uniform(-150, 150));
            filter.forbid(0, length * random.direction());
        }
        filter.set_target(0, random.vector());

        const NodeFilter::Entry& entry = filter.entries().front();

        const Mat3& S = entry.projector;
        EXPECT_LE((S * S - S).norm(), rounding);
        EXPECT_LE((S - S.transpose()).norm(), rounding);
        EXPECT_NEAR(S.trace(), 3 - entry.forbidden, rounding);
        EXPECT_LE((S * entry.target).norm(), rounding);
        EXPECT_EQ(find_fault(filter), "");
    }
}

TEST(NodeFilter, ForbidsExactlyTheSpanOfItsDirections) {
    Random random(1);
    for (int k = 0; k < 50; ++k) {
        const Vec3 p = random.direction(), q = random.direction();
        if (p.cross(q).norm() < 1e-2) continue;
        NodeFilter filter(3);
        filter.forbid(1, 5 * p);
        filter.forbid(1, -0.1 * q);

        const Mat3 S = filter.find(1)->projector;

        const Vec3 left = p.cross(q).normalized();
        EXPECT_EQ(filter.free_directions(1), 1);
        EXPECT_LE((S - left * left.transpose()).norm(), 1e-12);
    }
}

TEST(NodeFilter, NearlyParallelDirectionsAddNothing) {
    const Vec3 p = Vec3(1, 2, -2) / 3, t = Vec3(2, 1, 2) / 3;  // orthonormal
    NodeFilter same(1), near(1), apart(1);
    for (NodeFilter* filter : {&same, &near, &apart})
        filter->forbid(0, p);

    same.forbid(0, -7 * p);
    near.forbid(0, p + 0.5e-3 * t);
    apart.forbid(0, p + 2e-3 * t);

    EXPECT_EQ(same.free_directions(0), 2);
    EXPECT_EQ(near.free_directions(0), 2);
    EXPECT_LE((near.find(0)->projector - (Mat3::Identity() - p * p.transpose())).norm(), rounding);
    EXPECT_EQ(apart.free_directions(0), 1);
    const Mat3 S = apart.find(0)->projector;
    EXPECT_LE((S * S - S).norm(), rounding);
    EXPECT_LE((S * t).norm(), 1e-12);
}

TEST(NodeFilter, TheThirdIndependentDirectionTakesAllFreedom) {
    NodeFilter filter(1);
    filter.forbid(0, Vec3(1, 1, 0));
    filter.forbid(0, Vec3(0, 1, 1));
    filter.forbid(0, Vec3(1, 0, 1));

    EXPECT_EQ(filter.free_directions(0), 0);
    EXPECT_EQ(filter.find(0)->projector, Mat3::Zero());

    filter.forbid(0, Vec3(3, 1, 4));
    EXPECT_EQ(filter.find(0)->forbidden, 3);
}

TEST(NodeFilter, ThirdDirectionInTheSpanOfTwoAddsNothing) {
    NodeFilter filter(1);
    filter.forbid(0, Vec3(1, 0, 0));
    filter.forbid(0, Vec3(0, 1, 0));
    filter.forbid(0, Vec3(1, 1, 1e-4));

    EXPECT_EQ(filter.free_directions(0), 1);
}

TEST(NodeFilter, TargetsLieInTheForbiddenDirections) {
    NodeFilter filter(2);
    filter.set_target(1, Vec3(9, 9, 9));  // free: no effect
    filter.forbid(0, Vec3(0, 0, 2));
    filter.set_target(0, Vec3(1, 2, 3));

    VecX z;
    filter.targets(z);

    EXPECT_EQ(vec3(z, 0), Vec3(0, 0, 3));
    EXPECT_EQ(vec3(z, 1), Vec3(0, 0, 0));
    EXPECT_TRUE(filter.has_targets());
    filter.zero_targets();
    EXPECT_FALSE(filter.has_targets());
}

TEST(NodeFilter, PrescribedComponentsAddUpOverDirections) {
    // Two contact planes that are not orthogonal: x must have both components at once.
    const Vec3 a = Vec3(1, 0, 0), b = Vec3(1, 1, 0).normalized();
    NodeFilter filter(1);

    filter.forbid(0, a, 2.0);
    filter.forbid(0, b, -1.0);
    filter.forbid(0, a, 77.0);  // adds nothing

    const Vec3 z = filter.find(0)->target;
    EXPECT_NEAR(z.dot(a), 2.0, 1e-13);
    EXPECT_NEAR(z.dot(b), -1.0, 1e-13);
    EXPECT_NEAR(z.z(), 0, rounding);
    EXPECT_EQ(find_fault(filter), "");
}

TEST(NodeFilter, ProjectsWholeVectors) {
    const NodeFilter filter = testing::mixed_filter(23, 5);
    const Eigen::MatrixXd S = dense(filter);
    const VecX u = Random(6).field(23);
    VecX inside = u, outside = u;

    filter.project(inside);
    filter.project_complement(outside);

    EXPECT_LE((inside - S * u).norm(), rounding);
    EXPECT_LE((outside - (u - S * u)).norm(), rounding);
}

TEST(NodeFilter, ClearForgetsEverything) {
    NodeFilter filter = testing::mixed_filter(23, 5);

    filter.clear();

    EXPECT_TRUE(filter.entries().empty());
    EXPECT_EQ(filter.find(0), nullptr);
    EXPECT_EQ(filter.free_directions(0), 3);
    EXPECT_EQ(filter.vertices(), 23);
}

TEST(NodeFilter, MistakesOfTheCallerAreAssertions) {
    NodeFilter filter(2);

    EXPECT_THROW(filter.fix(2), Error);
    EXPECT_THROW(filter.fix(-1), Error);
    EXPECT_THROW(filter.forbid(0, Vec3::Zero()), Error);
}

TEST(NodeFilter, FaultsOfForeignEntriesAreNamed) {
    const Mat3 half = Mat3::Identity() / 2;
    Mat3 oblique = Mat3::Zero();  // S S = S but not symmetric
    oblique(0, 0) = oblique(0, 1) = 1;
    NodeFilter not_projector(9), not_symmetric(9), bad_target(9), not_a_number(9);
    not_projector.insert({7, 1, half, Vec3::Zero()});
    not_symmetric.insert({7, 2, oblique, Vec3::Zero()});
    bad_target.insert({7, 1, Vec3(1, 1, 0).asDiagonal(), Vec3(0, 1e-3, 1)});
    not_a_number.fix(7);
    not_a_number.set_target(7, Vec3(0, NAN, 0));

    EXPECT_NE(find_fault(not_projector).find("vertex 7 is not a projector"), std::string::npos);
    EXPECT_NE(find_fault(not_symmetric).find("vertex 7 is not symmetric"), std::string::npos);
    EXPECT_NE(find_fault(bad_target).find("z of vertex 7"), std::string::npos);
    EXPECT_NE(find_fault(not_a_number).find("z of vertex 7"), std::string::npos);
}

TEST(Prefilter, EqualsItsDefinition) {
    // B = S A S + sigma (I - S), sigma_i = trace(A_ii)/3
    Matrix3 A = testing::grid_matrix(5, 6, 100, 3, 9);
    const NodeFilter filter = testing::mixed_filter(A.rows(), 10);
    const Eigen::MatrixXd full = dense(A), S = dense(filter);
    Eigen::MatrixXd sigma = Eigen::MatrixXd::Zero(full.rows(), full.cols());
    for (Index i = 0; i < A.rows(); ++i)
        sigma.block<3, 3>(3 * i, 3 * i) =
            full.block<3, 3>(3 * i, 3 * i).trace() / 3 * Mat3::Identity();

    prefilter(A, filter);

    const Eigen::MatrixXd expected =
        S * full * S + sigma * (Eigen::MatrixXd::Identity(full.rows(), full.cols()) - S);
    EXPECT_LE((dense(A) - expected).norm(), 1e-13 * full.norm());
}

TEST(Prefilter, KeepsTheSpectrumInsideTheFieldOfValues) {
    // The paper adds I, which for a light or a stiff cloth is far outside.
    for (const double scale : {1e-6, 1.0, 1e6}) {
        Matrix3 A = testing::grid_matrix(4, 4, 100, 1, 3);
        for (Index s = 0; s < A.pattern().blocks(); ++s)
            A.block(s) *= scale;
        const Eigen::VectorXd before = eigenvalues(dense(A));

        prefilter(A, testing::mixed_filter(A.rows(), 4));

        const Eigen::VectorXd after = eigenvalues(dense(A));
        EXPECT_GE(after[0], before[0] * (1 - 1e-9));
        EXPECT_LE(after[after.size() - 1], before[before.size() - 1] * (1 + 1e-9));
    }
}

}  // namespace
}  // namespace taffeta::sparse
