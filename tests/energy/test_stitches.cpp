#include <gtest/gtest.h>

#include "references.h"

// Threads that sew: force, slope, momentum, and how they get shorter.
namespace taffeta::energy::test {
namespace {

/// The corner 0 of the sheet is sewn to a point between two others.
Body sewn_sheet() {
    mesh::TriMesh mesh = mesh::grid(5, 4, 0.26, 0.2, mesh::Tessellation::irregular);
    mesh.stitch = {{0, 5, 9, 0.25}};
    return Body(std::move(mesh));
}

Vec3 gap(const VecX& x) {
    return vec3(x, 0) - 0.75 * vec3(x, 5) - 0.25 * vec3(x, 9);
}

Evaluated at_time(std::unique_ptr<Energy>& stitches, const VecX& x, double time) {
    const VecX still = VecX::Zero(x.size());
    return evaluate(std::span(&stitches, 1), Index(x.size() / 3), {time, x, still});
}

TEST(Stitches, PullWithWhatTheThreadIsTooShort) {
    const Body body = sewn_sheet();
    auto stitches = bound(load_terms(), "stitches",
                          options({{"stiffness", 50.0}, {"closing_time", 2.0}}), body);
    const Vec3 d = gap(body.x);

    // A quarter of the time is a quarter of the thread.
    const VecX f = at_time(stitches, body.x, 0.5).force;

    EXPECT_LT((vec3(f, 0) + 50 * 0.25 * d).norm(), 1e-12);
    EXPECT_LT((vec3(f, 5) - 0.75 * 50 * 0.25 * d).norm(), 1e-12);
    EXPECT_LT((vec3(f, 9) - 0.25 * 50 * 0.25 * d).norm(), 1e-12);
    EXPECT_LT(unbalance(body.x, f).maxCoeff(), 1e-12);
}

TEST(Stitches, AreSlackAtTheStartAndOfNoLengthInTheEnd) {
    const Body body = sewn_sheet();
    auto stitches = bound(load_terms(), "stitches",
                          options({{"stiffness", 50.0}, {"closing_time", 2.0}}), body);

    EXPECT_LT(at_time(stitches, body.x, 0).force.norm(), 1e-12);
    EXPECT_LT((vec3(at_time(stitches, body.x, 7).force, 0) + 50 * gap(body.x)).norm(), 1e-12);
}

TEST(Stitches, StiffnessIsTheSlopeAndPositive) {
    const Body body = sewn_sheet();
    auto stitches = bound(load_terms(), "stitches",
                          options({{"stiffness", 50.0}, {"closing_time", 2.0}}), body);
    const VecX d = random_direction(body.x.size());
    constexpr double step = 1e-6;

    const MatX K = at_time(stitches, body.x, 0.5).K;
    const VecX slope = (at_time(stitches, body.x + step * d, 0.5).force -
                        at_time(stitches, body.x - step * d, 0.5).force) /
                       (2 * step);

    EXPECT_LT((K * d + slope).norm(), 1e-7 * slope.norm());
    EXPECT_GE(smallest_eigenvalue(K), -1e-12 * K.norm());
}

}  // namespace
}  // namespace taffeta::energy::test
