#include <gtest/gtest.h>

#include <cmath>

#include "taffeta/contact/barrier_contact.h"
#include "taffeta/contact/ccd.h"

// The barrier against its formulas and finite differences; cuts against exact detection.
namespace taffeta::contact {
namespace {

TEST(Barrier, HasTheValuesOfItsFormulas) {
    const Barrier barrier{1, 1};

    // b = -(d - 1)^2 ln d, b' = (1 - d)(2 ln d - 1/d + 1), b'' = (1/d + 2)/d - 2 ln d - 3 at d = 1/2
    EXPECT_NEAR(barrier.value(0.5), 0.25 * std::log(2), 1e-15);
    EXPECT_NEAR(barrier.force(0.5), 0.5 * (1 + 2 * std::log(2)), 1e-15);
    EXPECT_NEAR(barrier.curvature(0.5), 5 + 2 * std::log(2), 1e-14);
}

TEST(Barrier, EndsSmoothlyAtItsReachAndIsNotThereBeyond) {
    const Barrier barrier{0.002, 700};

    EXPECT_LT(barrier.value(0.002 * (1 - 1e-6)), 1e-17);
    EXPECT_LT(barrier.force(0.002 * (1 - 1e-6)), 1e-10);
    EXPECT_LT(barrier.curvature(0.002 * (1 - 1e-6)), 1e-2);
    EXPECT_EQ(barrier.value(0.0021), 0);
    EXPECT_EQ(barrier.force(0.0021), 0);
    EXPECT_EQ(barrier.curvature(0.0021), 0);
}

TEST(Barrier, ForceAndCurvatureAreItsSlopes) {
    const Barrier barrier{0.002, 700};
    for (const double d : {1e-6, 1e-4, 5e-4, 1e-3, 1.9e-3}) {
        const double step = 1e-5 * d;

        const double slope = (barrier.value(d + step) - barrier.value(d - step)) / (2 * step);
        const double bend = (barrier.force(d - step) - barrier.force(d + step)) / (2 * step);

        EXPECT_NEAR(slope, -barrier.force(d), 1e-6 * barrier.force(d)) << d;
        EXPECT_NEAR(bend, barrier.curvature(d), 1e-6 * barrier.curvature(d)) << d;
    }
}

TEST(Barrier, FrictionRisesToCoulombsBound) {
    // f1(s) = s times the drag: 2 y - y^2 with y = s / sticking, then 1.
    EXPECT_NEAR(1e-3 * smooth_slip(1e-3, 2e-3), 0.75, 1e-15);
    EXPECT_NEAR(2e-3 * smooth_slip(2e-3, 2e-3), 1, 1e-15);
    EXPECT_NEAR(5.0 * smooth_slip(5, 2e-3), 1, 1e-15);
    EXPECT_NEAR(smooth_slip(0, 2e-3), 1000, 1e-9);
}

TEST(Barrier, ParallelEdgesDoNotCount) {
    EXPECT_EQ(parallel_mollifier(0), 0);
    EXPECT_NEAR(parallel_mollifier(5e-4), 0.75, 1e-15);
    EXPECT_EQ(parallel_mollifier(2e-3), 1);
}

/// Two loose layers of a few faces each, the upper one crumpled.
struct Layers {
    std::vector<Triangle> faces;
    std::vector<Edge> edges;
    VecX x, v, mass;
    std::vector<double> shortest;
    std::vector<PlacedObstacle> obstacles;

    explicit Layers(double gap) {
        std::vector<Vec3> position;
        for (int layer = 0; layer < 2; ++layer) {
            const Index first = Index(position.size());
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    position.emplace_back(
                        0.1 * i + layer * 0.031, 0.1 * j + layer * (0.047 + 0.011 * i),
                        layer * (gap + 0.0004 * ((5 * i + 3 * j) % 4)) + 0.0003 * ((i + j) % 2));
            const auto at = [&](int i, int j) { return first + Index(4 * i + j); };
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
                    faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
                    edges.push_back({at(i, j), at(i + 1, j + 1)});
                }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 3; ++j) {
                    edges.push_back({at(i, j), at(i, j + 1)});
                    edges.push_back({at(j, i), at(j + 1, i)});
                }
        }
        x.resize(3 * Eigen::Index(position.size()));
        for (std::size_t i = 0; i < position.size(); ++i)
            vec3(x, Index(i)) = position[i];
        v = VecX::Zero(x.size());
        mass = VecX::Constant(Eigen::Index(position.size()), 0.001);
        shortest.assign(position.size(), 0.1);
    }

    Problem problem() const {
        return {x, v, mass, 0, 0.002, obstacles, {}, shortest, faces, edges};
    }
};

VecX force_of(BarrierContact& contact, const VecX& x, std::size_t* springs = nullptr) {
    Repulsion repulsion;
    contact.linearise(x, 0, 0, repulsion.springs());
    if (springs) *springs = repulsion.springs().size();
    repulsion.prepare(Index(x.size() / 3));
    VecX f = VecX::Zero(x.size());
    repulsion.add_force(x, VecX::Zero(x.size()), f);
    return f;
}

TEST(BarrierContact, SpringsHaveTheForceOfThePotential) {
    const Layers layers(0.001);
    BarrierContact contact({.thickness = 0.002, .stiffness = 500, .friction = 0});
    contact.begin(layers.problem());
    std::size_t springs = 0;

    const VecX f = force_of(contact, layers.x, &springs);

    EXPECT_GT(springs, 20U);
    constexpr double step = 1e-8;
    double worst = 0;
    for (Eigen::Index i = 0; i < f.size(); ++i) {
        VecX there = layers.x, back = layers.x;
        there[i] += step;
        back[i] -= step;
        const double slope = (contact.value(there, 0) - contact.value(back, 0)) / (2 * step);
        worst = std::max(worst, std::abs(f[i] + slope));
    }
    EXPECT_LT(worst, 1e-4 * f.lpNorm<Eigen::Infinity>());
}

TEST(BarrierContact, ConservesMomentumAndAngularMomentum) {
    const Layers layers(0.001);
    BarrierContact contact({.thickness = 0.002, .stiffness = 500, .friction = 0.5});
    contact.begin(layers.problem());

    const VecX f = force_of(contact, layers.x);

    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    for (Index i = 0; i < Index(layers.mass.size()); ++i) {
        sum += vec3(f, i);
        torque += Vec3(vec3(layers.x, i)).cross(Vec3(vec3(f, i)));
    }
    EXPECT_GT(f.norm(), 0);
    EXPECT_LT(sum.norm(), 1e-12 * f.norm());
    EXPECT_LT(torque.norm(), 1e-12 * f.norm());
}

TEST(BarrierContact, APairThatManyElementsShareCountsAsOftenButIsOneSpring) {
    // A vertex 0.001 above the middle of the edge (0, 1) of two faces: both faces and no edge of its own.
    Layers layers(1);
    layers.faces = {{0, 1, 2}, {1, 0, 3}};
    layers.edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}};
    layers.x.head(15) << 0, 0, 0, 1, 0, 0, 0.5, 1, -1, 0.5, -1, -1, 0.4, 0, 0.001;
    for (Index i = 5; i < Index(layers.mass.size()); ++i)
        vec3(layers.x, i) = Vec3(10 + i, 10, 10);
    BarrierContact contact({.thickness = 0.002, .stiffness = 500, .friction = 0});
    contact.begin(layers.problem());
    std::size_t springs = 0;

    const VecX f = force_of(contact, layers.x, &springs);

    EXPECT_EQ(springs, 1U);
    const Barrier barrier{0.002, 500};
    EXPECT_NEAR(f[14], 2 * barrier.force(0.001), 1e-12);
    EXPECT_NEAR(f[2], -0.6 * f[14], 1e-12);
    EXPECT_NEAR(f[5], -0.4 * f[14], 1e-12);
}

TEST(BarrierContact, AWayIsCutBeforeAnythingTouches) {
    const Layers layers(0.001);
    BarrierContact contact({.thickness = 0.002, .stiffness = 500, .friction = 0});
    contact.begin(layers.problem());
    VecX end = layers.x;
    for (Index i = 16; i < 32; ++i)
        vec3(end, i) += Vec3(0.01, 0, -0.01);
    const VecX wanted = end;
    double part = 1;

    const double share = contact.shorten(layers.x, 0, end, part);

    EXPECT_GT(share, 0.01);
    EXPECT_LT(share, 0.2);  // a gap of 0.001 at most is closed after a tenth of the way
    EXPECT_EQ(part, share);
    EXPECT_EQ(end, VecX(layers.x + share * (wanted - layers.x)));
    for (const Triangle& face : layers.faces)
        for (Index v = 0; v < 32; ++v) {
            if (v == face[0] || v == face[1] || v == face[2]) continue;
            CcdQuery query{CcdKind::vertex_face, {}, {}};
            const std::array<Index, 4> corner{v, face[0], face[1], face[2]};
            for (std::size_t k = 0; k < 4; ++k) {
                query.start[k] = vec3(layers.x, corner[k]);
                query.end[k] = vec3(end, corner[k]);
            }
            ASSERT_FALSE(touches(query));
        }
}

TEST(BarrierContact, AFreeWayIsLeftAlone) {
    const Layers layers(0.001);
    BarrierContact contact({.thickness = 0.002, .stiffness = 500, .friction = 0});
    contact.begin(layers.problem());
    VecX end = layers.x;
    for (Index i = 16; i < 32; ++i)
        end[3 * i + 2] += 0.01;
    const VecX wanted = end;
    double part = 1;

    EXPECT_EQ(contact.shorten(layers.x, 0, end, part), 1);
    EXPECT_EQ(end, wanted);
    EXPECT_EQ(part, 1);
}

}  // namespace
}  // namespace taffeta::contact
