#include <gtest/gtest.h>

#include "../energy/sheet.h"
#include "taffeta/base/parallel.h"
#include "taffeta/energy/strain_projection.h"

/// What every registered bound of strain that acts after a step promises.
namespace taffeta::energy::test {
namespace {

constexpr double step = 0.01;

/// A sheet of 24 x 20 cells that turns, flies and has been stretched by a sixth, and by more here and there.
Body torn_about() {
    Body body(mesh::grid(24, 20, 0.6, 0.5, mesh::Tessellation::irregular));
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        vec3(body.x, i) = 1.17 * (some_rotation() * Vec3(vec3(body.x, i))) + Vec3(2, -1, 3);
        vec3(body.v, i) = Vec3(1, -2, 0.5) + Vec3(3, 1, -2).cross(Vec3(vec3(body.x, i)));
    }
    body.perturb(4e-4, 0.1);
    return body;
}

struct Momentum {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    double size = 0, moment = 0;  ///< sums of the sizes of their parts
};
Momentum momentum_of(const Body& body) {
    Momentum sum;
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        const Vec3 x = vec3(body.x, i), p = body.mass[std::size_t(i)] * vec3(body.v, i);
        sum.linear += p;
        sum.angular += x.cross(p);
        sum.size += p.norm();
        sum.moment += x.norm() * p.norm();
    }
    return sum;
}

class EveryStrainProjection : public testing::TestWithParam<const StrainProjectionEntry*> {
  protected:
    std::unique_ptr<StrainProjection> made(const Body& body, const Settings& settings) const {
        auto projection = GetParam()->make(settings);
        projection->bind(body.view());
        return projection;
    }
    /// The state of a body after the projection, with an unconstrained filter or another.
    ProjectionReport project(Body& body, const Settings& settings,
                             const sparse::NodeFilter* filter = nullptr) const {
        const sparse::NodeFilter none(body.mesh.vertex_count());
        return made(body, settings)->project(filter ? *filter : none, step, body.x, body.v);
    }
};

const Settings tight = options({{"max", 1.1}, {"min", 0.9}, {"tolerance", 1e-5}, {"sweeps", 5e3}});

TEST_P(EveryStrainProjection, KeepsBothMomentaToRounding) {
    Body body = torn_about();
    const Momentum before = momentum_of(body);

    const ProjectionReport report = project(body, tight);

    EXPECT_GT(report.sweeps, 1);
    EXPECT_LE(report.excess, 1e-5);
    const Momentum after = momentum_of(body);
    EXPECT_LT((after.linear - before.linear).norm(), 1e-13 * before.size);
    EXPECT_LT((after.angular - before.angular).norm(), 1e-13 * before.moment);
}

TEST_P(EveryStrainProjection, MovesNothingThatIsWithinItsBounds) {
    Body body = torn_about();
    const VecX x = body.x, v = body.v;

    const ProjectionReport report = project(body, options({{"max", 2.0}, {"min", 0.2}}));

    EXPECT_EQ(report.sweeps, 0);
    EXPECT_EQ(report.excess, 0);
    EXPECT_EQ(body.x, x);
    EXPECT_EQ(body.v, v);
}

TEST_P(EveryStrainProjection, MovesHeldVerticesInTheirFreeDirectionsOnly) {
    Body body = torn_about();
    const VecX x = body.x, v = body.v;
    sparse::NodeFilter filter(body.mesh.vertex_count());
    filter.fix(30), filter.fix(31), filter.fix(200);
    filter.forbid(60, Vec3(0, 1, 2));

    const ProjectionReport report = project(body, tight, &filter);

    EXPECT_GT(report.sweeps, 0);
    for (const Index i : {30, 31, 200}) {
        EXPECT_EQ(Vec3(vec3(body.x, i)), Vec3(vec3(x, i)));
        EXPECT_EQ(Vec3(vec3(body.v, i)), Vec3(vec3(v, i)));
    }
    const Vec3 change = vec3(body.x, 60) - vec3(x, 60);
    EXPECT_GT(change.norm(), 1e-6);
    EXPECT_NEAR(change.dot(Vec3(0, 1, 2)), 0, 1e-13);
}

TEST_P(EveryStrainProjection, LeavesAloneWhatPinsAloneHold) {
    Body body = torn_about();
    const VecX x = body.x;
    sparse::NodeFilter filter(body.mesh.vertex_count());
    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        filter.fix(i);

    const ProjectionReport report = project(body, tight, &filter);

    EXPECT_EQ(report.sweeps, 0);
    EXPECT_EQ(body.x, x);
}

TEST_P(EveryStrainProjection, HasTheSameBitsForAnyNumberOfThreads) {
    set_thread_count(1);
    Body reference = torn_about();
    project(reference, tight);
    for (const int threads : {2, 4}) {
        set_thread_count(threads);
        Body body = torn_about();

        project(body, tight);

        EXPECT_EQ(body.x, reference.x) << threads;
        EXPECT_EQ(body.v, reference.v) << threads;
    }
    set_thread_count(0);
}

TEST_P(EveryStrainProjection, SaysHowFarItCame) {
    Body body = torn_about();

    const ProjectionReport report =
        project(body, options({{"max", 1.1}, {"tolerance", 1e-5}, {"sweeps", 2.0}}));

    EXPECT_EQ(report.sweeps, 2);
    EXPECT_GT(report.excess, 1e-5);
}

TEST_P(EveryStrainProjection, FieldsAreDocumented) {
    EXPECT_FALSE(GetParam()->doc.empty());
    for (const FieldInfo& field : GetParam()->fields())
        EXPECT_FALSE(field.doc.empty()) << field.key;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryStrainProjection,
                         testing::ValuesIn(strain_projections().begin(),
                                           strain_projections().end()),
                         [](const auto& test) { return std::string(test.param->key); });

}  // namespace
}  // namespace taffeta::energy::test
