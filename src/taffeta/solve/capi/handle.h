#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "taffeta/solve/capi/taffeta_solve.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/sparse/compressed_rows.h"

namespace taffeta::capi {

/// A call that is refused, with the status that it returns.
struct Refusal : std::runtime_error {
    Refusal(taffeta_status why, const std::string& text) : std::runtime_error(text), status(why) {}
    taffeta_status status;
};

[[noreturn]] void refuse(taffeta_status status, const std::string& text);

/// How the caller lays out the numbers of A.
struct Source {
    sparse::Pattern pattern;
    std::optional<sparse::BlockGather> gather;  ///< from scalar rows; none: blocks
    bool row_major = true;                      ///< of the numbers of a block

    void check(const double* values) const;  ///< refuses NaN and infinity
    void fill(const double* values, sparse::Matrix3& A) const;

  private:
    std::int64_t count() const;
    std::string place(std::int64_t k) const;
};

/// (S, z) from a caller's constraints; refuses with the number of the first one that is none.
sparse::NodeFilter make_filter(Index vertices, Index count, const taffeta_constraint* constraints);

}  // namespace taffeta::capi

/// All that a solver of the C interface holds.
struct taffeta_solver {
    taffeta_solver();

    void use(std::unique_ptr<taffeta::solve::LinearSolver> other);
    void set_matrix(taffeta::capi::Source from, const double* values);
    void set_coordinates(taffeta::VecX values);  ///< none when empty
    taffeta_status solve(const double* b, double* x);
    taffeta_statistics statistics() const;

    std::unique_ptr<taffeta::solve::LinearSolver> solver;
    double tolerance = 0;  ///< 0: that of the options
    taffeta::capi::Source source;
    taffeta::sparse::Matrix3 A;
    taffeta::sparse::NodeFilter filter;

    const char* message = "";  ///< the sentence below, or a text that needs no memory
    std::string sentence;

  private:
    taffeta::VecX coordinates_, right_side_, solution_;
    taffeta::SolveReport report_;
    std::string levels_;
};
