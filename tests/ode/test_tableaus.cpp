#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ode/problems.h"
#include "taffeta/ode/collocation.h"

/// Tableaus: their order by rooted trees, their files, and the collocation tableaus in closed form.
namespace taffeta::ode {
namespace {

using namespace testing;

class TableauFile : public ::testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove(path()); }
    static std::string path() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        return ::testing::TempDir() + "tableau_" + info->name() + ".txt";
    }
    static Tableau read(const std::string& text) {
        std::ofstream(path()) << text;
        return read_explicit_tableau(path());
    }
    /// `file:line`, message and hint of the error, with the file left out.
    static std::string complaint(const std::string& text) {
        try {
            read(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            EXPECT_EQ(error.where().substr(0, path().size()), path());
            return error.where().substr(path().size()) + ' ' + error.message() + ' ' + error.hint();
        }
        return "none";
    }
    static std::unique_ptr<Integrator> integrator(const std::string& text) {
        std::ofstream(path()) << text;
        Settings settings = Settings::object();
        settings["file"] = Settings::of(path());
        return find_entry(integrators(), "integrator", "explicit_tableau").make(settings);
    }
};

constexpr const char* classical =
    "# Kutta 1901\n"
    "stages 4\n"
    "c 0 1/2 0.5 1\n"
    "a 0 0 0 0\n"
    "a 1/2 0 0 0   # half a step\n"
    "\n"
    "a 0 1/2 0 0\n"
    "a 0 0 1 0\n"
    "b 1/6 1/3 1/3 1/6\n";

constexpr const char* heun_euler = "stages 2\nc 0 1\na 0 0\na 1 0\nb 1/2 1/2\nb_hat 1 0\n";

TEST_F(TableauFile, GivesTheMethodInIt) {
    const Tableau tableau = read(classical);

    EXPECT_EQ(tableau.stages(), 4U);
    EXPECT_EQ(tableau.c[2], 0.5);
    EXPECT_EQ(tableau.at(2, 1), 0.5);
    EXPECT_EQ(tableau.b[0], 1.0 / 6);
    EXPECT_EQ(order_of(tableau, tableau.b), 4);
    const Problem problem = chain(0.5);
    const auto classical_method = fresh(find_entry(integrators(), "integrator", "rk4"));
    EXPECT_LE(
        distance(run(*integrator(classical), problem, 20), run(*classical_method, problem, 20)),
        1e-14);
}

TEST_F(TableauFile, MayHoldAnEmbeddedMethod) {
    // With b - b_hat = (-1/2, 1/2) the estimate is h/2 (k2 - k1), of power two.
    const auto heun = integrator(heun_euler);
    Problem problem = oscillator(9, 2);
    State state = problem.start;

    ASSERT_TRUE(heun->step(problem.system, state, 0.1).ok());

    const ErrorEstimate* error = heun->local_error();
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->power, 2);
    const double a1 = -9 - 2 * 0.5, x2 = 1 + 0.1 * 0.5, v2 = 0.5 + 0.1 * a1;
    EXPECT_NEAR(error->x[0], 0.05 * (v2 - 0.5), 1e-15);
    EXPECT_NEAR(error->v[0], 0.05 * (-9 * x2 - 2 * v2 - a1), 1e-14);
}

TEST_F(TableauFile, WithoutEstimateHasNone) {
    const auto method = integrator(classical);
    Problem problem = oscillator(9, 2);

    method->step(problem.system, problem.start, 0.1);

    EXPECT_EQ(method->local_error(), nullptr);
}

TEST_F(TableauFile, SaysWhereItIsWrong) {
    const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"stages 2\nc 0 1\nd 0 0\n", ":3 ", "unknown word 'd'"},
        {"stages 2\nc 0 1\na 0 0\na 1 0\nb_hot 1 0\n", ":5 ", "did you mean 'b_hat'?"},
        {"c 0 1\nstages 2\n", ":1 ", "'c' before 'stages'"},
        {"stages two\n", ":1 ", "'stages' has the value 'two'"},
        {"stages 0\n", ":1 ", "from 1 to 64"},
        {"stages 1e9\n", ":1 ", "from 1 to 64"},
        {"stages 2 3\n", ":1 ", "'stages' has the value '2 3'"},
        {"stages\n", ":1 ", "'stages' has the value ''"},
        {"stages 2\nstages 2\n", ":2 ", "'stages' is there twice"},
        {"stages 2\nc 0 1 2\n", ":2 ", "'c' has 3 numbers for 2 stages"},
        {"stages 2\nc 0 1\nc 0 1\n", ":3 ", "'c' is there twice"},
        {"stages 2\nc 0 x1\n", ":2 ", "'x1' is no number"},
        {"stages 2\nc 0 1/0\n", ":2 ", "'1/0' is no number"},
        {"stages 2\nc 0 1/\n", ":2 ", "'1/' is no number"},
        {"stages 2\nc 0 nan\n", ":2 ", "'nan' is no number"},
        {"stages 2\nc 0 1\na 0\n", ":3 ", "write the zeros on and above the diagonal too"},
        {"stages 2\nc 0 1\na 0 0\na 0.5 0.5\n", ":4 ", "stage 2 has the weight 0.5 on stage 2"},
        {"stages 2\nc 0 1\na 0 1\n", ":3 ", "stage 1 has the weight 1 on stage 2"},
        {"stages 1\nc 0\na 0\na 0\nb 1\n", ":4 ", "a row 'a' more than the 1 stages"},
        {"stages 2\nc 0 1\na 0 0\nb 1 0\n", ":4 ", "the file has 1 rows 'a' for 2 stages"},
        {"stages 2\nc 0 1\na 0 0\na 0.9 0\nb 1 0\n", ":4 ", "row 2 of A sums to 0.9, but c is 1"},
        {"stages 2\nc 0 1\na 0 0\na 1 0\nb 1 0.1\n", ":5 ", "the weights b sum to 1.1"},
        {"stages 2\nc 0 1\na 0 0\na 1 0\nb 0 1\nb_hat 1 1\n", ":6 ", "the weights b_hat sum to 2"},
        {"stages 2\nc 0 1\na 0 0\na 1 0\nb 0 1\nb_hat 0 1\n", ":6 ", "b_hat equals b"},
        {"stages 2\na 0 0\na 1 0\nb 0 1\n", ":4 ", "the file has no 'c'"},
        {"stages 2\nc 0 1\na 0 0\na 1 0\n", ":4 ", "the file has no 'b'"},
        {"", ":1 ", "the file has no 'stages'"},
        {"# nothing\n\n", ":2 ", "the file has no 'stages'"},
    };
    for (const auto& [text, where, what] : cases) {
        const std::string found = complaint(text);

        EXPECT_EQ(found.substr(0, 3), where) << text << found;
        EXPECT_NE(found.find(what), std::string::npos) << text << found;
    }
}

TEST_F(TableauFile, IsSoughtBesideTheFileThatNamesItAndNowhereElse) {
    const std::filesystem::path folder = ::testing::TempDir() + "tableau_folder";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "scene.json") << "{}";
    std::ofstream(folder / "heun.txt") << heun_euler;
    const IntegratorEntry& entry = find_entry(integrators(), "integrator", "explicit_tableau");
    const auto named = [&](const std::string& name) {
        Settings settings = Settings::object(), file = Settings::of(name);
        file.set_location({(folder / "scene.json").string(), 1, 1});
        settings["file"] = file;
        return settings;
    };

    EXPECT_NE(entry.make(named("heun.txt")), nullptr);
    EXPECT_THROW(entry.make(named("../tableau_folder/heun.txt")), Error);
    EXPECT_THROW(entry.make(named((folder / "heun.txt").string())), Error);
    EXPECT_THROW(entry.make(named("missing.txt")), Error);
    std::filesystem::remove_all(folder);
}

TEST_F(TableauFile, ThatIsMissingIsAnInputOutputError) {
    try {
        read_explicit_tableau("no/such/file.txt");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
        EXPECT_EQ(error.where(), "no/such/file.txt");
    }
}

TEST(TableauOrder, OfOneConditionMissedIsLower) {
    // Each method meets every condition below its order and misses one of the next.
    const Tableau euler{.c = {0}, .a = {{}}, .b = {1}, .b_hat = {}};
    const Tableau inconsistent{.c = {0}, .a = {{}}, .b = {0.9}, .b_hat = {}};
    // c = (0, 2/3), b = (1/4, 3/4) meets b c^2 = 1/3 too, but not b A c = 1/6
    const Tableau ralston{.c = {0, 2. / 3}, .a = {{}, {2. / 3}}, .b = {0.25, 0.75}, .b_hat = {}};

    EXPECT_EQ(order_of(euler, euler.b), 1);
    EXPECT_EQ(order_of(inconsistent, inconsistent.b), 0);
    EXPECT_EQ(order_of(ralston, ralston.b), 2);
}

TEST(TableauOrder, OfCollocationIsThatOfItsQuadrature) {
    EXPECT_EQ(order_of(collocation_tableau({0.5}), {1}), 2);
    for (const int stages : {2, 3}) {
        const Tableau gauss = collocation_tableau(gauss_nodes(stages));
        const Tableau radau = collocation_tableau(radau_nodes(stages));

        EXPECT_EQ(order_of(gauss, gauss.b, 8), 2 * stages);
        EXPECT_EQ(order_of(radau, radau.b, 8), 2 * stages - 1);
    }
}

TEST(TableauOrder, OfTheSixStageFehlbergPairIsFourAndFive) {
    const Tableau pair{.c = {0, 1. / 4, 3. / 8, 12. / 13, 1, 1. / 2},
                       .a = {{},
                             {1. / 4},
                             {3. / 32, 9. / 32},
                             {1932. / 2197, -7200. / 2197, 7296. / 2197},
                             {439. / 216, -8, 3680. / 513, -845. / 4104},
                             {-8. / 27, 2, -3544. / 2565, 1859. / 4104, -11. / 40}},
                       .b = {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0},
                       .b_hat = {16. / 135, 0, 6656. / 12825, 28561. / 56430, -9. / 50, 2. / 55}};

    EXPECT_EQ(order_of(pair, pair.b), 4);
    EXPECT_EQ(order_of(pair, pair.b_hat), 5);
}

void expect_tableau(const Tableau& tableau, const std::vector<std::vector<double>>& a,
                    const std::vector<double>& b) {
    for (std::size_t i = 0; i < b.size(); ++i) {
        EXPECT_NEAR(tableau.b[i], b[i], 4e-16);
        for (std::size_t j = 0; j < b.size(); ++j)
            EXPECT_NEAR(tableau.at(i, j), a[i][j], 4e-16) << i << ' ' << j;
    }
}

TEST(CollocationTableau, IsTheClosedForm) {
    const double s3 = std::sqrt(3.0), s15 = std::sqrt(15.0), s6 = std::sqrt(6.0);

    expect_tableau(collocation_tableau(gauss_nodes(2)),
                   {{1. / 4, 1. / 4 - s3 / 6}, {1. / 4 + s3 / 6, 1. / 4}}, {0.5, 0.5});
    expect_tableau(collocation_tableau(gauss_nodes(3)),
                   {{5. / 36, 2. / 9 - s15 / 15, 5. / 36 - s15 / 30},
                    {5. / 36 + s15 / 24, 2. / 9, 5. / 36 - s15 / 24},
                    {5. / 36 + s15 / 30, 2. / 9 + s15 / 15, 5. / 36}},
                   {5. / 18, 4. / 9, 5. / 18});
    expect_tableau(collocation_tableau(radau_nodes(2)), {{5. / 12, -1. / 12}, {3. / 4, 1. / 4}},
                   {3. / 4, 1. / 4});
    expect_tableau(collocation_tableau(radau_nodes(3)),
                   {{(88 - 7 * s6) / 360, (296 - 169 * s6) / 1800, (-2 + 3 * s6) / 225},
                    {(296 + 169 * s6) / 1800, (88 + 7 * s6) / 360, (-2 - 3 * s6) / 225},
                    {(16 - s6) / 36, (16 + s6) / 36, 1. / 9}},
                   {(16 - s6) / 36, (16 + s6) / 36, 1. / 9});
}

TEST(CollocationTableau, OfGaussIsSymplectic) {
    // b_i a_ij + b_j a_ji = b_i b_j
    for (const int stages : {2, 3}) {
        const Tableau t = collocation_tableau(gauss_nodes(stages));
        for (std::size_t i = 0; i < t.stages(); ++i)
            for (std::size_t j = 0; j < t.stages(); ++j)
                EXPECT_NEAR(t.b[i] * t.at(i, j) + t.b[j] * t.at(j, i), t.b[i] * t.b[j], 1e-16);
    }
}

}  // namespace
}  // namespace taffeta::ode
