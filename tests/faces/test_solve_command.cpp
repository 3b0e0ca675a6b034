#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "faces/command.h"

/// `taffeta solve` from outside, on a system small enough to solve by hand.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

class SolveCommand : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_solve_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        // Two vertices; A = diag(2) with A(0, 3) = -1, symmetric: lower triangle.
        std::ofstream(file("A.mtx")) << "%%MatrixMarket matrix coordinate real symmetric\n6 6 7\n"
                                        "1 1 2\n2 2 2\n3 3 2\n4 4 2\n5 5 2\n6 6 2\n4 1 -1\n";
        std::ofstream(file("b.mtx")) << "%%MatrixMarket matrix array real general\n6 1\n"
                                        "3\n4\n6\n0\n2\n8\n";
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(const char* name) const { return (folder_ / name).string(); }
    std::vector<double> solution() const {
        std::ifstream stream(file("x.mtx"));
        std::string line;
        std::getline(stream, line);
        while (stream.peek() == '%')
            std::getline(stream, line);
        std::getline(stream, line);  // sizes
        std::vector<double> values;
        for (double value = 0; stream >> value;)
            values.push_back(value);
        return values;
    }
    void expect_solution(const std::vector<double>& exact) const {
        const std::vector<double> found = solution();
        ASSERT_EQ(found.size(), exact.size());
        for (std::size_t i = 0; i < exact.size(); ++i)
            EXPECT_NEAR(found[i], exact[i], 1e-9) << i;
    }

    fs::path folder_;
};

TEST_F(SolveCommand, SolvesWithEverySolver) {
    for (const char* solver : {"prefiltered_pcg", "filtered_cg", "pcg", "ldlt"}) {
        std::vector<std::string> words = {"solve",       file("A.mtx"), file("b.mtx"), "-o",
                                          file("x.mtx"), "--solver",    solver};
        if (std::string(solver) != "ldlt") words.insert(words.end(), {"--tolerance", "1e-12"});
        Command solve(words);

        EXPECT_EQ(solve.wait(), 0) << solver << "\n" << solve.text();
        EXPECT_NE(solve.text().find("converged"), std::string::npos) << solve.text();
        expect_solution({2, 2, 3, 1, 1, 4});  // 2 x0 - x3 = 3, -x0 + 2 x3 = 0
    }
}

TEST_F(SolveCommand, HoldsWhatTheFilterForbids) {
    // Vertex 0 is fixed at x = 5, y and z free; so 2 x3 = 5.
    std::ofstream(file("S.mtx")) << "%%MatrixMarket matrix coordinate real general\n6 6 5\n"
                                    "2 2 1\n3 3 1\n4 4 1\n5 5 1\n6 6 1\n";
    std::ofstream(file("z.mtx")) << "%%MatrixMarket matrix array real general\n6 1\n"
                                    "5\n0\n0\n0\n0\n0\n";

    Command solve({"solve", file("A.mtx"), file("b.mtx"), "--filter", file("S.mtx"), "--target",
                   file("z.mtx"), "-o", file("x.mtx"), "--tolerance", "1e-12", "--json"});

    EXPECT_EQ(solve.wait(), 0) << solve.text();
    EXPECT_NE(solve.text().find("\"constrained_vertices\": 1"), std::string::npos) << solve.text();
    expect_solution({5, 2, 3, 2.5, 1, 4});
}

TEST_F(SolveCommand, AnIndefiniteMatrixIsAFailureWithASentence) {
    std::ofstream(file("A.mtx")) << "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n"
                                    "1 1 1\n2 2 1\n3 3 1\n2 1 -2\n";
    std::ofstream(file("b.mtx")) << "%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n";

    Command solve({"solve", file("A.mtx"), file("b.mtx"), "--preconditioner", "identity"});

    EXPECT_EQ(solve.wait(), 1) << solve.text();
    EXPECT_NE(solve.text().find("indefinite"), std::string::npos) << solve.text();
}

TEST_F(SolveCommand, BadFilesAreNamedBeforeAnyWork) {
    std::ofstream(file("short.mtx")) << "%%MatrixMarket matrix array real general\n2 1\n1\n2\n";

    Command size({"solve", file("A.mtx"), file("short.mtx")});
    EXPECT_EQ(size.wait(), 2);
    EXPECT_NE(size.text().find("2 numbers, but the matrix has 6 rows"), std::string::npos)
        << size.text();

    Command missing({"solve", file("none.mtx"), file("b.mtx")});
    EXPECT_NE(missing.wait(), 0);
    EXPECT_NE(missing.text().find("none.mtx"), std::string::npos);

    Command solver({"solve", file("A.mtx"), file("b.mtx"), "--solver", "prefiltered_pgc"});
    EXPECT_EQ(solver.wait(), 2);
    EXPECT_NE(solver.text().find("prefiltered_pcg"), std::string::npos) << solver.text();
}

}  // namespace
}  // namespace taffeta
