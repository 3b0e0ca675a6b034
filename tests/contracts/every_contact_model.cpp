#include <gtest/gtest.h>

#include "../helpers/particles.h"
#include "taffeta/base/parallel.h"

// What holds for every registered contact model.
namespace taffeta::contact {
namespace {

class EveryContactModel : public testing::TestWithParam<const ContactModelEntry*> {
  protected:
    /// A sheet of loose particles above a ball on the floor, some inside and some pinned.
    Particles make() {
        std::vector<Vec3> position;
        for (int i = 0; i < 60; ++i)
            for (int j = 0; j < 60; ++j)
                position.emplace_back(0.02 * (i - 30), 0.45 + 0.001 * ((i * 7 + j * 3) % 11),
                                      0.02 * (j - 30));
        Particles particles(position, GetParam()->key);
        Settings ball = Settings::object();
        ball["radius"] = Settings::of(0.4);
        ball["motion"]["angular_velocity"] = vector_setting(Vec3(0, 2, 0.3));
        particles.add("sphere", ball, 0.3);
        particles.add_plane(Vec3(0, 1, 0), 0.6);
        for (std::size_t i = 0; i < position.size(); i += 97)
            particles.pinned[i] = 1;
        return particles;
    }

    void TearDown() override { set_thread_count(0); }
};

TEST_P(EveryContactModel, FarAwayNothingIsAsked) {
    Particles particles({Vec3(0, 5, 0), Vec3(0, 6, 0)}, GetParam()->key);
    particles.add_plane(Vec3(0, 1, 0), 0.3);

    particles.advance(3);

    EXPECT_TRUE(particles.constrained.empty());
    EXPECT_EQ(particles.alteration.norm(), 0);
    EXPECT_EQ(particles.friction.norm(), 0);
    EXPECT_EQ(particles.report.contacts, 0);
}

TEST_P(EveryContactModel, DemandsAreConsistentAndLeavePinsAlone) {
    Particles particles = make();
    for (int k = 0; k < 60; ++k) {
        particles.advance();
        for (const auto& entry : particles.constrained) {
            ASSERT_FALSE(particles.pinned[std::size_t(entry.vertex)]);
            // z lies in range(I - S), S is a projector
            ASSERT_LT((entry.projector * entry.target).norm(), 1e-12 * (1 + entry.target.norm()));
            ASSERT_LT((entry.projector * entry.projector - entry.projector).norm(), 1e-12);
        }
        for (Index i = 0; i < Index(particles.mass.size()); ++i)
            if (particles.pinned[std::size_t(i)]) {
                ASSERT_EQ(Vec3(vec3(particles.alteration, i)), Vec3::Zero());
                ASSERT_EQ(Vec3(vec3(particles.friction, i)), Vec3::Zero());
            }
    }
    ASSERT_TRUE(particles.x.allFinite());
}

TEST_P(EveryContactModel, SameBitsForAnyNumberOfThreads) {
    set_thread_count(1);
    Particles reference = make();
    reference.advance(60);
    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        Particles particles = make();

        particles.advance(60);

        EXPECT_EQ(particles.x, reference.x) << threads << " threads";
        EXPECT_EQ(particles.v, reference.v) << threads << " threads";
        EXPECT_EQ(particles.model->save(), reference.model->save());
    }
}

TEST_P(EveryContactModel, MemoryContinuesToTheSameBits) {
    Particles whole = make();
    whole.advance(45);
    Particles resumed = make();
    resumed.x = whole.x;
    resumed.v = whole.v;
    resumed.time = whole.time;

    resumed.model->load(whole.model->save());
    whole.advance(20);
    resumed.advance(20);

    EXPECT_EQ(whole.x, resumed.x);
    EXPECT_EQ(whole.v, resumed.v);
}

TEST_P(EveryContactModel, AStepThatIsRetriedStartsFromTheSavedMemory) {
    Particles straight = make();
    straight.advance(45);
    Particles retried = make();
    retried.advance(44);
    const std::vector<char> memory = retried.model->save();
    const VecX x = retried.x, v = retried.v;
    const double time = retried.time;

    retried.advance(2);
    retried.model->load(memory);
    retried.x = x;
    retried.v = v;
    retried.time = time;
    retried.advance();

    EXPECT_EQ(straight.x, retried.x);
    EXPECT_EQ(straight.v, retried.v);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryContactModel, testing::ValuesIn(contact_models()),
                         [](const auto& parameter) { return std::string(parameter.param->key); });

}  // namespace
}  // namespace taffeta::contact
