#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "faces/command.h"

/// `taffeta ode` from outside: rows and columns, files that other programs read, exit statuses.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

class OdeCommand : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_ode_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(const char* name) const { return (folder_ / name).string(); }

    using Row = std::map<std::string, std::string>;

    /// Rows by column; the names in their order go to `columns_`. Cells here have no commas.
    std::vector<Row> csv(const char* name) {
        std::ifstream stream(file(name));
        const auto split = [](const std::string& line) {
            std::vector<std::string> words(1);
            for (const char c : line) {
                if (c == ',') {
                    words.emplace_back();
                } else {
                    words.back() += c;
                }
            }
            return words;
        };
        std::string line;
        std::getline(stream, line);
        columns_ = split(line);
        std::vector<Row> rows;
        while (std::getline(stream, line)) {
            const std::vector<std::string> words = split(line);
            EXPECT_EQ(words.size(), columns_.size()) << line;
            Row row;
            for (std::size_t i = 0; i < std::min(words.size(), columns_.size()); ++i)
                row[columns_[i]] = words[i];
            rows.push_back(row);
        }
        return rows;
    }
    std::string text_of(const char* name) const {
        std::ifstream stream(file(name));
        std::ostringstream text;
        text << stream.rdbuf();
        return text.str();
    }

    fs::path folder_;
    std::vector<std::string> columns_;
};

double number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

TEST_F(OdeCommand, OrderHasARowForEachMethodAndProblem) {
    Command order({"ode", "order", "rk4", "velocity_verlet", "bdf2", "--problems", "wave,hauth_2",
                   "--csv", file("orders.csv")});

    EXPECT_EQ(order.wait(), 0) << order.text();
    const std::vector<Row> rows = csv("orders.csv");
    ASSERT_EQ(rows.size(), 6u);
    const std::vector<std::string> expected = {"method",
                                               "problem",
                                               "declared_order",
                                               "observed_order",
                                               "evaluations_per_step",
                                               "declared_evaluations",
                                               "error",
                                               "pass"};
    ASSERT_GE(columns_.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), columns_.begin()));
    EXPECT_EQ(rows[0].at("method"), "rk4");
    EXPECT_NEAR(number(rows[0].at("observed_order")), 4, 0.1);
    EXPECT_EQ(rows[0].at("evaluations_per_step"), "4");
    for (const Row& row : rows)
        EXPECT_EQ(row.at("pass"), "true");
    // Verlet's order where the force depends on v
    EXPECT_EQ(rows[3].at("problem"), "hauth_2");
    EXPECT_EQ(rows[3].at("declared_order"), "1");
    EXPECT_NEAR(number(rows[3].at("observed_order")), 1, 0.1);
}

TEST_F(OdeCommand, PeersMeetTheToleranceOrAreSaidToBeAbsent) {
    Command peers({"ode", "peers", "spring_1d", "--tolerances", "1e-7", "--repeats", "1", "--csv",
                   file("peers.csv")});

    const int status = peers.wait();
    if (status == 2 && peers.text().find("libsundials-dev") != std::string::npos)
        GTEST_SKIP() << peers.text();
    EXPECT_EQ(status, 0) << peers.text();
    const std::vector<Row> rows = csv("peers.csv");
    EXPECT_EQ(rows.size(), 8u);
    for (const Row& row : rows) {
        EXPECT_LE(number(row.at("error")), 2e-3) << row.at("method");
        EXPECT_GT(number(row.at("error")), 0) << row.at("method");
        EXPECT_GE(number(row.at("evaluations")), number(row.at("steps"))) << row.at("method");
        EXPECT_EQ(row.at("note"), "") << row.at("method");
    }
}

TEST_F(OdeCommand, OrderWritesJson) {
    Command order(
        {"ode", "order", "heun", "--problems", "free_fall,kepler", "--json", file("orders.json")});

    EXPECT_EQ(order.wait(), 0) << order.text();
    // The exact result has no order: null, not NaN.
    const std::string json = text_of("orders.json");
    EXPECT_NE(json.find("\"observed_order\": null"), std::string::npos) << json;
    EXPECT_NE(json.find("\"pass\": true"), std::string::npos) << json;
    // Python's reader is another's.
    const std::string check =
        "python3 -c \"import json, sys; d = json.load(open(sys.argv[1])); "
        "assert [r['problem'] for r in d] == ['free_fall', 'kepler'], d; "
        "assert abs(d[1]['observed_order'] - 2) < 0.1\" " +
        file("orders.json");
    EXPECT_EQ(std::system(check.c_str()), 0);
}

TEST_F(OdeCommand, StabilityHasTheLimitsOfTheTheory) {
    Command stability(
        {"ode", "stability", "rk4", "kutta3", "backward_euler", "--csv", file("limits.csv")});

    EXPECT_EQ(stability.wait(), 0) << stability.text();
    const std::vector<Row> rows = csv("limits.csv");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_NEAR(number(rows[0].at("real_limit")), 2.7852935634, 1e-6);
    EXPECT_NEAR(number(rows[0].at("imaginary_limit")), 2.8284271247, 1e-6);
    EXPECT_NEAR(number(rows[1].at("real_limit")), 2.5127453266, 1e-6);
    EXPECT_EQ(rows[2].at("real_limit"), "inf");
    EXPECT_EQ(rows[2].at("L_stable"), "true");
}

TEST_F(OdeCommand, TakesOptionsOfAMethod) {
    // Newmark's stability limits: 1/sqrt(gamma/2 - beta), none from 2 beta >= gamma on.
    Command stability({"ode", "stability", "newmark:beta=1/6,gamma=1/2",
                       R"({"type": "newmark", "beta": 0, "gamma": 0.5})",
                       "newmark:beta=0.3025,gamma=0.6", "sofa_euler_implicit:trapezoidal=true",
                       "--json", file("limits.json")});
    EXPECT_EQ(stability.wait(), 0) << stability.text();
    const std::string check =
        "python3 -c \"import json, sys; d = json.load(open(sys.argv[1])); "
        "assert [r['method'] for r in d] == ['newmark:beta=1/6,gamma=1/2', "
        "'{\\\"type\\\": \\\"newmark\\\", \\\"beta\\\": 0, \\\"gamma\\\": 0.5}', "
        "'newmark:beta=0.3025,gamma=0.6', 'sofa_euler_implicit:trapezoidal=true'], d; "
        "limits = [r['spring_limit'] for r in d]; "
        "assert abs(limits[0] - 12 ** 0.5) < 1e-6 and abs(limits[1] - 2) < 1e-6, limits; "
        "assert limits[2] == 'inf' and abs(limits[3] - 2) < 1e-6, limits\" " +
        file("limits.json");
    EXPECT_EQ(std::system(check.c_str()), 0);
}

TEST_F(OdeCommand, OptionsOfAMethodGoOnBehindCommas) {
    Command work({"ode", "work-precision", "wave", "--methods",
                  "newmark:beta=0.3025,gamma=0.6,heun,bdf2:newton.type=simplified", "--steps",
                  "800,1600", "--repeats", "1", "--csv", file("work.csv")});

    EXPECT_EQ(work.wait(), 0) << work.text();
    // The label has a comma of its own: a quoted cell.
    const std::string text = text_of("work.csv");
    EXPECT_NE(text.find("\"newmark:beta=0.3025,gamma=0.6\",800"), std::string::npos) << text;
    EXPECT_NE(text.find("heun,800"), std::string::npos) << text;
    EXPECT_NE(text.find("bdf2:newton.type=simplified,1600"), std::string::npos) << text;
}

TEST_F(OdeCommand, TakesAnyTableauFromAFile) {
    std::ofstream(file("ralston3.txt")) << "stages 3\nc 0 1/2 3/4\na 0 0 0\na 1/2 0 0\na 0 3/4 0\n"
                                           "b 2/9 1/3 4/9\n";
    const std::string ralston = "explicit_tableau:file=" + file("ralston3.txt");
    Command order({"ode", "order", ralston, "explicit_tableau:a=[2/3],b=[1/4, 3/4]", "--problems",
                   "kepler", "--json", file("orders.json")});

    EXPECT_EQ(order.wait(), 0) << order.text();
    const std::string check =
        "python3 -c \"import json, sys; d = json.load(open(sys.argv[1])); "
        "assert [r['declared_order'] for r in d] == [3, 2], d; "
        "assert [r['declared_evaluations'] for r in d] == [3, 2], d; "
        "assert all(r['pass'] for r in d), d; "
        "assert d[0]['method'].startswith('explicit_tableau:file='), d\" " +
        file("orders.json");
    EXPECT_EQ(std::system(check.c_str()), 0);
}

TEST_F(OdeCommand, RunsMethodsOnSpringsWhereThereAreSprings) {
    Command energy({"ode", "energy", "spring_sheet", "--set", "side=4", "--methods",
                    "xpbd,pbd,projective_dynamics", "--step", "0.005", "--steps", "20", "--csv",
                    file("energy.csv")});
    EXPECT_EQ(energy.wait(), 0) << energy.text();
    const std::vector<Row> rows = csv("energy.csv");
    ASSERT_EQ(rows.size(), 3u);
    // At rest and flat at height 0 there is no energy at the start to compare with.
    for (const Row& row : rows) {
        EXPECT_EQ(row.at("energy_unit"), "J");
        EXPECT_EQ(row.at("steps"), "20");
    }

    Command order(
        {"ode", "order", "springs", "--problems", "spring_3d,wave", "--csv", file("orders.csv")});
    EXPECT_EQ(order.wait(), 0) << order.text();
    EXPECT_NE(order.text().find("2 of 2 as declared, 4 do not apply"), std::string::npos)
        << order.text();
}

TEST_F(OdeCommand, SaysWhatFailedAndEndsWithOne) {
    Command work({"ode", "work-precision", "kepler", "--methods", "xpbd,rk4", "--steps", "100",
                  "--repeats", "1"});
    EXPECT_EQ(work.wait(), 1);
    EXPECT_NE(work.text().find("xpbd on kepler: 1 of 1 runs failed"), std::string::npos)
        << work.text();

    for (const bool spring : {false, true}) {
        std::vector<std::string> words = {"ode", "stability", "rk4", "projective_dynamics"};
        if (spring) words.emplace_back("--spring");
        Command stability(words);
        EXPECT_EQ(stability.wait(), 1);
        EXPECT_NE(stability.text().find("projective_dynamics: steps springs alone"),
                  std::string::npos)
            << stability.text();
    }

    Command solve({"ode", "solve", "kepler", "--methods", "pbd"});
    EXPECT_EQ(solve.wait(), 1);
    EXPECT_NE(solve.text().find("not made of springs"), std::string::npos) << solve.text();
}

TEST_F(OdeCommand, ListsTheOptionsOfTheMethods) {
    Command options({"ode", "list", "options", "--csv", file("options.csv")});

    EXPECT_EQ(options.wait(), 0) << options.text();
    const std::string text = text_of("options.csv");
    for (const char* row : {"newmark,beta,0.25", "xpbd,substeps,10", "hht_alpha,alpha,0.05",
                            "sofa_euler_implicit,trapezoidal,false", "newton.max_iterations"})
        EXPECT_NE(text.find(row), std::string::npos) << row << "\n" << text;
    Command methods({"ode", "list"});
    EXPECT_EQ(methods.wait(), 0);
    EXPECT_NE(methods.text().find("beta=0.25, gamma=0.5"), std::string::npos) << methods.text();
}

TEST_F(OdeCommand, StabilityTakesWordsForManyMethods) {
    const auto rows_of = [&](const char* word) {
        Command command({"ode", "stability", word, "--spring", "--csv", file("many.csv")});
        EXPECT_EQ(command.wait(), 0) << command.text();
        return csv("many.csv");
    };
    const std::vector<Row> all = rows_of("all"), some = rows_of("explicit"),
                           others = rows_of("implicit");

    EXPECT_EQ(some.size() + others.size(), all.size());
    EXPECT_GT(others.size(), 0u);
    EXPECT_EQ(some.front().at("method"), "explicit_euler");
}

TEST_F(OdeCommand, StabilityOfASpringHasMatrices) {
    Command stability(
        {"ode", "stability", "velocity_verlet", "--spring", "--csv", file("spring.csv")});

    EXPECT_EQ(stability.wait(), 0) << stability.text();
    for (const Row& row : csv("spring.csv")) {
        const double w = number(row.at("h_omega"));
        EXPECT_NEAR(number(row.at("determinant")), 1, 1e-9);
        EXPECT_NEAR(number(row.at("trace")), 2 - w * w, 1e-9);
    }
}

TEST_F(OdeCommand, SolveWritesTheMotion) {
    Command solve({"ode", "solve", "free_fall", "--methods", "velocity_verlet", "--steps", "10",
                   "--csv", file("fall.csv")});

    EXPECT_EQ(solve.wait(), 0) << solve.text();
    const std::vector<Row> rows = csv("fall.csv");
    ASSERT_EQ(rows.size(), 33u);  // 11 states of 3 numbers
    const Row& last = rows.back();
    EXPECT_EQ(last.at("t"), "1");
    EXPECT_NEAR(number(last.at("value")), 2 - 9.81 / 2, 1e-12);
    EXPECT_NEAR(number(last.at("rate")), 2 - 9.81, 1e-12);
}

TEST_F(OdeCommand, SolveTakesOptionsOfAProblem) {
    Command solve({"ode", "solve", "kepler", "--set", "eccentricity=0", "--end", "1.5", "--steps",
                   "200", "--csv", file("circle.csv")});

    EXPECT_EQ(solve.wait(), 0) << solve.text();
    for (const Row& row : csv("circle.csv"))
        if (row.at("component") == "0") {
            EXPECT_NEAR(number(row.at("value")), std::cos(number(row.at("t"))), 1e-7);
        }
}

TEST_F(OdeCommand, EnergyFollowsTheLawOfEulersMethod) {
    Command energy({"ode", "energy", "spring_1d", "--methods", "explicit_euler", "--step", "0.3",
                    "--steps", "50", "--csv", file("energy.csv")});

    EXPECT_EQ(energy.wait(), 0) << energy.text();
    const std::vector<Row> rows = csv("energy.csv");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_NEAR(number(rows[0].at("last_energy")) / std::pow(1.09, 50), 1, 1e-10);
    EXPECT_NEAR(number(rows[0].at("flow_determinant")), std::pow(1.09, 3), 1e-8);
    EXPECT_EQ(rows[0].at("energy_unit"), "|E(0)|");
}

TEST_F(OdeCommand, WorkPrecisionFallsAtTheOrderOfTheMethod) {
    Command work({"ode", "work-precision", "wave", "--methods", "rk4,heun", "--steps", "200,400",
                  "--repeats", "1", "--csv", file("work.csv")});

    EXPECT_EQ(work.wait(), 0) << work.text();
    const std::vector<Row> rows = csv("work.csv");
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].at("evaluations"), "1600");
    EXPECT_NEAR(std::log2(number(rows[0].at("error")) / number(rows[1].at("error"))), 4, 0.1);
    EXPECT_NEAR(std::log2(number(rows[2].at("error")) / number(rows[3].at("error"))), 2, 0.1);
    EXPECT_GT(number(rows[0].at("seconds")), 0);
    EXPECT_GT(number(rows[0].at("flops")), 1600);
}

TEST_F(OdeCommand, WorkPrecisionRunsOnCloth) {
    Command work({"ode", "work-precision", "cloth_sheet", "--set", "side=4", "--set", "end=0.02",
                  "--methods", "rk4,backward_euler", "--steps", "40,80", "--repeats", "1", "--csv",
                  file("cloth.csv")});

    EXPECT_EQ(work.wait(), 0) << work.text();
    const std::vector<Row> rows = csv("cloth.csv");
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_LT(number(rows[1].at("error")), 1e-6);
    EXPECT_NEAR(std::log2(number(rows[2].at("error")) / number(rows[3].at("error"))), 1, 0.25);
}

TEST_F(OdeCommand, AdviseNamesAMethodAndItsReasons) {
    Command advise({"ode", "advise", "kepler", "--csv", file("trials.csv")});

    EXPECT_EQ(advise.wait(), 0) << advise.text();
    EXPECT_NE(advise.text().find(" with h = "), std::string::npos) << advise.text();
    EXPECT_NE(advise.text().find("not stiff"), std::string::npos) << advise.text();
    int advised = 0;
    for (const Row& row : csv("trials.csv"))
        advised += row.at("advised") == "true" ? 1 : 0;
    EXPECT_EQ(advised, 1);
}

TEST_F(OdeCommand, ListsWhatThereIs) {
    Command methods({"ode", "list", "--json", file("methods.json")});
    EXPECT_EQ(methods.wait(), 0);
    EXPECT_NE(methods.text().find("implicit_midpoint"), std::string::npos);
    EXPECT_NE(text_of("methods.json").find("\"symplectic\": true"), std::string::npos);

    Command problems({"ode", "list", "problems"});
    EXPECT_EQ(problems.wait(), 0);
    for (const char* key : {"kepler", "spring_sheet", "cloth_sheet", "hauth_3"})
        EXPECT_NE(problems.text().find(key), std::string::npos) << key;
}

TEST_F(OdeCommand, DrawsPicturesOrSaysWhatIsMissing) {
    for (const char* picture : {"orbit.svg", "orbit.png"}) {
        Command solve({"ode", "solve", "kepler", "--plot", file(picture)});
        const int status = solve.wait();

        if (std::system("command -v gnuplot >/dev/null") == 0) {
            EXPECT_EQ(status, 0) << solve.text();
            EXPECT_GT(fs::file_size(file(picture)), 2000u);
        } else {
            EXPECT_EQ(status, 2);
            EXPECT_NE(solve.text().find("apt install gnuplot-nox"), std::string::npos);
        }
    }
}

TEST_F(OdeCommand, RefusesBadInputBeforeAnyWork) {
    struct Bad {
        std::vector<std::string> words;
        const char* says;
    };
    for (const auto& [words, says] : std::vector<Bad>{
             {{"ode", "order", "rk5"}, "did you mean"},
             {{"ode", "order"}, "no method is named"},
             {{"ode", "order", "newmark:betta=0.1"}, "did you mean 'beta'"},
             {{"ode", "order", "newmark:beta=2"}, "in [0, 1]"},
             {{"ode", "order", "newmark:beta=a"}, "beta"},
             {{"ode", "order", "newmark:"}, "has no option=value"},
             {{"ode", "order", "rk4:beta=1"}, "beta"},
             {{"ode", "order", "beta=1"}, "is an option without a method before it"},
             {{"ode", "order", "rk4,,heun"}, "a method is missing"},
             {{"ode", "order", "explicit:beta=1"}, "options are of one method"},
             {{"ode", "order", "bdf2:newton.tolerence=1"}, "did you mean 'tolerance'"},
             {{"ode", "order", "bdf2:newton=simplified"}, "newton"},
             {{"ode", "order", R"({"beta": 1})"}, "has no 'type'"},
             {{"ode", "order", R"({"type": "newmark", "beta": )"}, "type"},
             {{"ode", "order", "explicit_tableau:a=[1],b=[1]"}, "'a' has 1 numbers, 'b' 1"},
             {{"ode", "order", "explicit_tableau:a=[1],b=[1,1]"}, "do not sum to 1"},
             {{"ode", "order", "rk4", "--problems", "keppler"}, "kepler"},
             {{"ode", "solve", "kepler", "--set", "eccentricty=0.1"}, "eccentricity"},
             {{"ode", "solve", "kepler", "--set", "eccentricity=2"}, "eccentricity"},
             {{"ode", "solve", "kepler", "--component", "7"}, "0 to 1"},
             {{"ode", "solve", "kepler", "--step", "-1"}, "--step: '-1' is no number above 0"},
             {{"ode", "solve", "kepler", "--steps", "0"}, "'0' is no number above 0"},
             {{"ode", "solve", "kepler", "--step", "inf"}, "'inf' is no number"},
             {{"ode", "solve", "wave", "--step", "1e-300"}, "1e-300 s in 10 s would be"},
             {{"ode", "solve", "wave", "--step", "100"}, "100 s in 10 s would be 0.1 steps"},
             {{"ode", "solve", "kepler", "--end", "nan"}, "'nan' is no number"},
             {{"ode", "energy", "kepler", "--step", "0.1,0"}, "'0' is no number above 0"},
             {{"ode", "energy", "kepler", "--step", "-1"}, "'-1' is no number above 0"},
             {{"ode", "work-precision", "wave", "--steps", "-4"}, "'-4' is no number above 0"},
             {{"ode", "work-precision", "wave", "--newton", "nan"}, "'nan' is not within"},
             {{"ode", "work-precision", "wave", "--threads", "-1"}, "--threads"},
             {{"ode", "advise", "kepler", "--tolerance", "nan"}, "'nan' is not within"},
             {{"ode", "energy", "hauth_1a"}, "no energy"},
             {{"ode", "stability", "rk4", "--plot", "x.pdf"}, ".svg or .png"},
             {{"ode", "work-precision", "wave", "--work", "calories"}, "--work"},
             {{"ode", "advise"}, "problem"},
             {{"ode"}, "subcommand"}}) {
        Command command(words);

        EXPECT_EQ(command.wait(), 2) << words.back() << "\n" << command.text();
        EXPECT_NE(command.text().find(says), std::string::npos) << command.text();
    }
}

TEST_F(OdeCommand, EverySubcommandHasAnExample) {
    for (const char* name :
         {"list", "solve", "order", "stability", "energy", "work-precision", "advise", "peers"}) {
        Command help({"ode", name, "--help"});

        EXPECT_EQ(help.wait(), 0);
        EXPECT_NE(help.text().find("Example:  taffeta ode " + std::string(name)), std::string::npos)
            << name;
    }
}

}  // namespace
}  // namespace taffeta
