#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <random>

#include "helpers/dense.h"
#include "taffeta/base/parallel.h"
#include "taffeta/contact/repulsion.h"
#include "taffeta/sparse/pattern.h"

// The springs of a step against finite differences and against dense algebra.
namespace taffeta::contact {
namespace {

constexpr Index vertices = 40;

struct Springs {
    Repulsion repulsion;
    VecX x, v;

    explicit Springs(int count) {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> number(0, 1);
        std::uniform_int_distribution<Index> vertex(0, vertices - 1);
        x = VecX::NullaryExpr(3 * vertices, [&] { return number(random); });
        v = VecX::NullaryExpr(3 * vertices, [&] { return number(random) - 0.5; });
        for (int k = 0; k < count; ++k) {
            PairSpring spring;
            for (std::size_t j = 0; j < 4; ++j)
                do
                    spring.vertex[j] = vertex(random);
                while (std::find(spring.vertex.begin(), spring.vertex.begin() + std::ptrdiff_t(j),
                                 spring.vertex[j]) != spring.vertex.begin() + std::ptrdiff_t(j));
            const double a = number(random), b = number(random);
            spring.weight = {1 - a, a, -(1 - b), -b};
            spring.normal = Vec3(number(random), number(random), number(random)).normalized();
            spring.rest = 0.1;
            spring.stiffness = 1000 * number(random);
            spring.damping = number(random);
            spring.drag = number(random);
            repulsion.springs().push_back(spring);
        }
        repulsion.prepare(vertices);
    }

    VecX force(const VecX& at_x, const VecX& at_v) const {
        VecX f = VecX::Zero(3 * vertices);
        repulsion.add_force(at_x, at_v, f);
        return f;
    }
};

TEST(Repulsion, ForceIsTheSlopeOfTheEnergy) {
    const Springs springs(25);
    const VecX still = VecX::Zero(3 * vertices);
    const VecX f = springs.force(springs.x, still);
    constexpr double step = 1e-4;
    for (Eigen::Index i = 0; i < f.size(); i += 7) {
        VecX there = springs.x, back = springs.x;
        there[i] += step;
        back[i] -= step;

        // Central differences of a quadratic are exact but for rounding.
        const double slope =
            (springs.repulsion.value(there) - springs.repulsion.value(back)) / (2 * step);

        ASSERT_NEAR(f[i], -slope, 1e-7 * (1 + f.norm()));
    }
}

TEST(Repulsion, MomentumIsLeftAlone) {
    const Springs springs(25);

    const VecX f = springs.force(springs.x, springs.v);

    Vec3 sum = Vec3::Zero();
    for (Index i = 0; i < vertices; ++i)
        sum += vec3(f, i);
    EXPECT_LT(sum.norm(), 1e-12 * f.norm());
}

TEST(Repulsion, ForceIsLinearWithTheProductsAsItsSlope) {
    const Springs springs(25);
    const VecX dx = springs.v, dv = springs.x;
    VecX product = VecX::Zero(3 * vertices);

    springs.repulsion.add_product(1, 0, dx, product);
    springs.repulsion.add_product(0, 1, dv, product);

    const VecX change =
        springs.force(springs.x + dx, springs.v + dv) - springs.force(springs.x, springs.v);
    EXPECT_LT((change + product).norm(), 1e-12 * product.norm());
}

TEST(Repulsion, BlocksAreThoseOfTheProductAndPositiveSemidefinite) {
    const Springs springs(25);
    const sparse::StencilSet stencils = springs.repulsion.stencils();
    sparse::Matrix3 A(sparse::make_pattern(vertices, std::span(&stencils, 1)));
    A.set_zero();

    springs.repulsion.add_blocks(0.3, 0.7, A);

    VecX image = VecX::Zero(3 * vertices), product = VecX::Zero(3 * vertices);
    sparse::multiply(A, springs.v, image);
    springs.repulsion.add_product(0.3, 0.7, springs.v, product);
    EXPECT_LT((image - product).norm(), 1e-13 * product.norm());
    Eigen::MatrixXd dense(3 * vertices, 3 * vertices);
    for (Eigen::Index j = 0; j < dense.cols(); ++j) {
        sparse::multiply(A, VecX::Unit(3 * vertices, j), image);
        dense.col(j) = image;
    }
    EXPECT_LT((dense - dense.transpose()).norm(), 1e-14 * dense.norm());
    const VecX value = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
    EXPECT_GT(value[0], -1e-12 * value[value.size() - 1]);
}

TEST(Repulsion, SameBitsForAnyNumberOfThreads) {
    set_thread_count(1);
    const Springs springs(2000);
    const VecX reference = springs.force(springs.x, springs.v);
    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        EXPECT_EQ(springs.force(springs.x, springs.v), reference);
    }
    set_thread_count(0);
}

}  // namespace
}  // namespace taffeta::contact
