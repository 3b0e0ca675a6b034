#include <gtest/gtest.h>

#include "solve/solve_helpers.h"
#include "taffeta/base/parallel.h"

/// What holds for every registered preconditioner: it is symmetric and positive on range(S), maps
/// range(S) to itself, saves iterations, and has the same bits for any number of threads.
namespace taffeta::solve {
namespace {

using testing::Random;

struct System {
    std::string name;
    sparse::Matrix3 A;
    sparse::NodeFilter filter;
    VecX coordinates;
};

/// Grids whose springs vary over more and more decades, free and constrained.
std::vector<System> graded_systems() {
    std::vector<System> systems;
    for (const double decades : {2.0, 3.0, 4.0, 5.0, 6.0}) {
        const Index columns = 24, rows = 21;
        System system;
        system.name = "springs over " + std::to_string(int(decades)) + " decades";
        system.A = testing::grid_matrix(columns, rows, 1e3, decades, std::uint64_t(decades));
        system.filter = decades == 3 ? sparse::NodeFilter(columns * rows)
                                     : testing::mixed_filter(columns * rows, 7);
        system.coordinates.resize(3 * Eigen::Index(columns) * rows);
        for (Index v = 0; v < columns * rows; ++v)
            vec3(system.coordinates, v) = Vec3(0.01 * (v % columns), 0.01 * (v / columns), 0);
        systems.push_back(std::move(system));
    }
    return systems;
}

class EveryPreconditioner : public ::testing::TestWithParam<const PreconditionerEntry*> {
  protected:
    static void SetUpTestSuite() { systems_ = graded_systems(); }
    static void TearDownTestSuite() { systems_.clear(); }

    std::unique_ptr<Preconditioner> prepared(const System& system) const {
        auto preconditioner = GetParam()->make(Settings::object());
        const SolveReport report =
            preconditioner->setup(system.A, system.filter, {&system.coordinates});
        EXPECT_TRUE(report.ok()) << system.name << ": " << report.message;
        return preconditioner;
    }
    /// Relative rounding errors of an application; the springs differ by up to a million.
    double rounding() const { return GetParam()->properties.single_precision ? 1e-4 : 1e-10; }
    static VecX in_range(const System& system, std::uint64_t seed) {
        VecX u = Random(seed).field(system.A.rows());
        system.filter.project(u);
        return u;
    }

    inline static std::vector<System> systems_;
};

TEST_P(EveryPreconditioner, IsSymmetricAndPositive) {
    if (!GetParam()->properties.spd) GTEST_SKIP() << "does not claim to be";
    for (const System& system : systems_) {
        const auto preconditioner = prepared(system);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const VecX u = in_range(system, seed), v = in_range(system, seed + 100);
            VecX image_u, image_v;

            preconditioner->apply(u, image_u);
            preconditioner->apply(v, image_v);

            EXPECT_NEAR(v.dot(image_u), u.dot(image_v), rounding() * image_u.norm() * v.norm())
                << system.name;
            EXPECT_GT(u.dot(image_u), 0) << system.name;
        }
    }
}

TEST_P(EveryPreconditioner, MapsTheFreeDirectionsToThemselves) {
    for (const System& system : systems_) {
        const auto preconditioner = prepared(system);
        const VecX u = in_range(system, 3);
        VecX image;

        preconditioner->apply(u, image);

        VecX outside = image;
        system.filter.project_complement(outside);
        EXPECT_LE(outside.norm(), 1e-12 * image.norm()) << system.name;
    }
}

TEST_P(EveryPreconditioner, IsLinear) {
    for (const System& system : systems_) {
        const auto preconditioner = prepared(system);
        const VecX u = in_range(system, 3), v = in_range(system, 4);
        VecX image_u, image_v, image_sum;

        preconditioner->apply(u, image_u);
        preconditioner->apply(v, image_v);
        preconditioner->apply(2 * u - v, image_sum);

        EXPECT_LE((image_sum - (2 * image_u - image_v)).norm(), 10 * rounding() * image_sum.norm())
            << system.name;
    }
}

TEST_P(EveryPreconditioner, SavesIterations) {
    if (GetParam()->key == "identity") GTEST_SKIP() << "is what the others are compared with";
    bool saves_somewhere = false;
    for (const System& system : systems_) {
        const VecX b = Random(5).field(system.A.rows());
        const auto iterations = [&](std::string_view key) {
            const auto solver =
                testing::make_solver("prefiltered_pcg", {{"tolerance", 1e-6}}, std::string(key));
            solver->set_near_kernel({&system.coordinates});
            VecX x = VecX::Zero(b.size());
            const SolveReport report = solver->solve(system.A, system.filter, b, x);
            EXPECT_TRUE(report.ok()) << key << ", " << system.name << ": " << report.message;
            return report.iterations;
        };

        // The norms of the two stops differ, so a few iterations more prove nothing.
        const double with = iterations(GetParam()->key), without = iterations("identity");
        EXPECT_LT(with, 1.2 * without) << system.name;
        saves_somewhere = saves_somewhere || with < without;
    }
    EXPECT_TRUE(saves_somewhere);
}

TEST_P(EveryPreconditioner, HasTheSameBitsForAnyNumberOfThreads) {
    const System& system = systems_.back();
    const VecX u = in_range(system, 3);
    set_thread_count(1);
    VecX serial;
    prepared(system)->apply(u, serial);

    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        VecX image;
        prepared(system)->apply(u, image);

        EXPECT_EQ(image, serial) << threads << " threads";
    }
    set_thread_count(0);
}

TEST_P(EveryPreconditioner, CanBeSetUpAgainForAnotherMatrix) {
    const auto reused = GetParam()->make(Settings::object());
    for (const System& system : systems_) {
        const VecX u = in_range(system, 3);
        VecX image, expected;

        ASSERT_TRUE(reused->setup(system.A, system.filter, {&system.coordinates}).ok());
        reused->apply(u, image);

        prepared(system)->apply(u, expected);
        EXPECT_LE((image - expected).norm(), 1e-9 * expected.norm()) << system.name;
    }
}

TEST_P(EveryPreconditioner, RefusesUnknownOptions) {
    Settings settings = Settings::object();
    settings["no_such_option"] = Settings::of(1.0);

    EXPECT_THROW(GetParam()->make(settings), Error);
    EXPECT_FALSE(GetParam()->doc.empty());
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPreconditioner,
                         ::testing::ValuesIn(preconditioners().begin(), preconditioners().end()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::solve
