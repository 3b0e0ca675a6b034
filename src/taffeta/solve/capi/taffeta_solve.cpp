#include "taffeta/solve/capi/taffeta_solve.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "taffeta/base/parallel.h"
#include "taffeta/base/settings_text.h"
#include "taffeta/solve/capi/handle.h"
#include "taffeta/solve/capi/wide_rows.h"

/// The boundary: every function is `noexcept`, checks what it is given, and turns what is thrown
/// behind it into a status and a sentence.
namespace {

using namespace taffeta;

static_assert(int(SolveStatus::converged) == TAFFETA_CONVERGED &&
              int(SolveStatus::max_iterations) == TAFFETA_MAX_ITERATIONS &&
              int(SolveStatus::indefinite) == TAFFETA_INDEFINITE &&
              int(SolveStatus::not_finite) == TAFFETA_NOT_FINITE &&
              int(SolveStatus::breakdown) == TAFFETA_BREAKDOWN &&
              int(SolveStatus::bad_filter) == TAFFETA_BAD_FILTER &&
              int(SolveStatus::singular) == TAFFETA_SINGULAR &&
              int(SolveStatus::bad_size) == TAFFETA_BAD_SIZE);
static_assert(sizeof(Index) == sizeof(int32_t));

constexpr int32_t most_threads = 1024;
const char* const no_memory = "out of memory";

/// Runs `body` of a call on a solver, and keeps what went wrong.
template <class Body>
taffeta_status guarded(taffeta_solver* solver, const Body& body) noexcept {
    if (!solver) return TAFFETA_BAD_ARGUMENT;
    const auto say = [&](taffeta_status status, const char* text) {
        try {
            solver->sentence = text;
            solver->message = solver->sentence.c_str();
        } catch (...) {
            solver->message = no_memory;
        }
        return status;
    };
    try {
        solver->message = "";
        return body(*solver);
    } catch (const capi::Refusal& refusal) {
        return say(refusal.status, refusal.what());
    } catch (const Error& error) {
        return say(error.code() == ErrorCode::bad_input ? TAFFETA_BAD_ARGUMENT : TAFFETA_INTERNAL,
                   error.what());
    } catch (const std::bad_alloc&) {
        return say(TAFFETA_OUT_OF_MEMORY, no_memory);
    } catch (const std::length_error&) {
        return say(TAFFETA_OUT_OF_MEMORY, no_memory);
    } catch (const std::exception& error) {
        return say(TAFFETA_INTERNAL, error.what());
    } catch (...) {
        return say(TAFFETA_INTERNAL, "an exception that is none of ours");
    }
}

void need(const void* pointer, const char* name) {
    if (!pointer) capi::refuse(TAFFETA_BAD_ARGUMENT, fmt::format("{} is a null pointer", name));
}

void need_matrix(const taffeta_solver& solver) {
    if (solver.A.empty())
        capi::refuse(TAFFETA_BAD_ARGUMENT,
                     "there is no matrix yet: call taffeta_solver_set_matrix_bsr or _csr first");
}

void need_arrays(const void* row_begin, const void* column, const double* values) {
    need(row_begin, "row_begin");
    need(column, "column");
    need(values, "values");
}

/// So that 3 n fits an Index, and with it every row.
constexpr int64_t most_vertices = std::numeric_limits<Index>::max() / 3;

template <class Size, class Row, class Column>
taffeta_status set_blocks(taffeta_solver* handle, Size vertices, const Row* row_begin,
                          const Column* column, const double* values, int32_t order) noexcept {
    return guarded(handle, [&](taffeta_solver& solver) {
        const Index rows = capi::narrow_size(vertices, most_vertices, "vertices");
        need_arrays(row_begin, column, values);
        if (order != TAFFETA_ROW_MAJOR && order != TAFFETA_COLUMN_MAJOR)
            capi::refuse(TAFFETA_BAD_ARGUMENT,
                         fmt::format("{} is no order of a block's numbers", order));
        const capi::NarrowArray begin = capi::narrow_rows(rows, row_begin);
        const capi::NarrowArray columns = capi::narrow_columns(rows, begin.data, column);
        solver.set_matrix(
            {sparse::copy_pattern(rows, begin.data, columns.data), {}, order == TAFFETA_ROW_MAJOR},
            values);
        return TAFFETA_CONVERGED;
    });
}

template <class Size, class Row, class Column>
taffeta_status set_scalars(taffeta_solver* handle, Size size, const Row* row_begin,
                           const Column* column, const double* values) noexcept {
    return guarded(handle, [&](taffeta_solver& solver) {
        const Index rows = capi::narrow_size(size, 3 * most_vertices, "rows");
        if (rows % 3 != 0)
            capi::refuse(TAFFETA_BAD_SIZE,
                         fmt::format("{} rows are not a multiple of 3: append {} with a 1 on the "
                                     "diagonal",
                                     rows, sparse::padding(rows)));
        need_arrays(row_begin, column, values);
        const capi::NarrowArray begin = capi::narrow_rows(rows, row_begin);
        const capi::NarrowArray columns = capi::narrow_columns(rows, begin.data, column);
        sparse::BlockGather gather(rows, begin.data, columns.data);
        const sparse::Pattern pattern = gather.pattern();
        solver.set_matrix({pattern, std::move(gather), true}, values);
        return TAFFETA_CONVERGED;
    });
}

}  // namespace

taffeta_solver* taffeta_solver_create(void) {
    try {
        return new taffeta_solver;
    } catch (...) {
        return nullptr;
    }
}

void taffeta_solver_destroy(taffeta_solver* solver) {
    delete solver;
}

taffeta_status taffeta_solver_set_options(taffeta_solver* handle, const char* options) {
    return guarded(handle, [&](taffeta_solver& solver) {
        need(options, "options");
        solver.use(solve::make_linear_solver(settings_from_text(options)));
        return TAFFETA_CONVERGED;
    });
}

taffeta_status taffeta_solver_set_tolerance(taffeta_solver* handle, double tolerance) {
    return guarded(handle, [&](taffeta_solver& solver) {
        if (!(tolerance >= 0) || !std::isfinite(tolerance))
            capi::refuse(TAFFETA_BAD_ARGUMENT,
                         fmt::format("the tolerance {} is not a positive number", tolerance));
        solver.tolerance = tolerance;
        solver.solver->set_tolerance(tolerance);
        return TAFFETA_CONVERGED;
    });
}

taffeta_status taffeta_solver_set_matrix_bsr(taffeta_solver* solver, int32_t vertices,
                                             const int32_t* row_begin, const int32_t* column,
                                             const double* values, int32_t order) {
    return set_blocks(solver, vertices, row_begin, column, values, order);
}

taffeta_status taffeta_solver_set_matrix_bsr_64_32(taffeta_solver* solver, int64_t vertices,
                                                   const int64_t* row_begin, const int32_t* column,
                                                   const double* values, int32_t order) {
    return set_blocks(solver, vertices, row_begin, column, values, order);
}

taffeta_status taffeta_solver_set_matrix_bsr_64_64(taffeta_solver* solver, int64_t vertices,
                                                   const int64_t* row_begin, const int64_t* column,
                                                   const double* values, int32_t order) {
    return set_blocks(solver, vertices, row_begin, column, values, order);
}

taffeta_status taffeta_solver_set_matrix_csr(taffeta_solver* solver, int32_t rows,
                                             const int32_t* row_begin, const int32_t* column,
                                             const double* values) {
    return set_scalars(solver, rows, row_begin, column, values);
}

taffeta_status taffeta_solver_set_matrix_csr_64_32(taffeta_solver* solver, int64_t rows,
                                                   const int64_t* row_begin, const int32_t* column,
                                                   const double* values) {
    return set_scalars(solver, rows, row_begin, column, values);
}

taffeta_status taffeta_solver_set_matrix_csr_64_64(taffeta_solver* solver, int64_t rows,
                                                   const int64_t* row_begin, const int64_t* column,
                                                   const double* values) {
    return set_scalars(solver, rows, row_begin, column, values);
}

taffeta_status taffeta_solver_update_values(taffeta_solver* handle, const double* values) {
    return guarded(handle, [&](taffeta_solver& solver) {
        need_matrix(solver);
        need(values, "values");
        solver.source.check(values);
        solver.source.fill(values, solver.A);
        return TAFFETA_CONVERGED;
    });
}

taffeta_status taffeta_solver_set_coordinates(taffeta_solver* handle, int32_t vertices,
                                              const double* coordinates) {
    return guarded(handle, [&](taffeta_solver& solver) {
        if (!coordinates && vertices == 0) {
            solver.set_coordinates(VecX());
            return TAFFETA_CONVERGED;
        }
        need_matrix(solver);
        need(coordinates, "coordinates");
        if (vertices != solver.A.rows())
            capi::refuse(TAFFETA_BAD_SIZE, fmt::format("coordinates of {} vertices, but the matrix "
                                                       "has {}",
                                                       vertices, solver.A.rows()));
        const Eigen::Index size = 3 * Eigen::Index(vertices);
        for (Eigen::Index i = 0; i < size; ++i)
            if (!std::isfinite(coordinates[i]))
                capi::refuse(TAFFETA_NOT_FINITE, fmt::format("coordinates[{}] = {} (vertex {})", i,
                                                             coordinates[i], i / 3));
        solver.set_coordinates(Eigen::Map<const VecX>(coordinates, size));
        return TAFFETA_CONVERGED;
    });
}

taffeta_status taffeta_solver_set_constraints(taffeta_solver* handle, int32_t count,
                                              const taffeta_constraint* constraints) {
    return guarded(handle, [&](taffeta_solver& solver) {
        need_matrix(solver);
        if (count < 0) capi::refuse(TAFFETA_BAD_SIZE, fmt::format("{} constraints", count));
        if (count > 0) need(constraints, "constraints");
        solver.filter = capi::make_filter(solver.A.rows(), count, constraints);
        return TAFFETA_CONVERGED;
    });
}

taffeta_status taffeta_solver_solve(taffeta_solver* handle, const double* b, double* x) {
    return guarded(handle, [&](taffeta_solver& solver) {
        need_matrix(solver);
        need(b, "b");
        need(x, "x");
        return solver.solve(b, x);
    });
}

taffeta_status taffeta_solver_reset(taffeta_solver* handle) {
    return guarded(handle, [&](taffeta_solver& solver) {
        solver.solver->reset();
        return TAFFETA_CONVERGED;
    });
}

taffeta_status taffeta_solver_statistics(taffeta_solver* handle, taffeta_statistics* statistics) {
    return guarded(handle, [&](taffeta_solver& solver) {
        need(statistics, "statistics");
        *statistics = solver.statistics();
        return TAFFETA_CONVERGED;
    });
}

const char* taffeta_solver_message(const taffeta_solver* solver) {
    return solver ? solver->message : "the solver is a null pointer";
}

const char* taffeta_status_name(taffeta_status status) {
    if (status >= TAFFETA_CONVERGED && status <= TAFFETA_BAD_SIZE)
        return to_string(SolveStatus(int(status)));
    if (status == TAFFETA_BAD_ARGUMENT) return "bad_argument";
    if (status == TAFFETA_OUT_OF_MEMORY) return "out_of_memory";
    return status == TAFFETA_INTERNAL ? "internal" : "unknown";
}

taffeta_status taffeta_set_thread_count(int32_t threads) {
    if (threads < 0 || threads > most_threads) return TAFFETA_BAD_ARGUMENT;
    try {
        set_thread_count(threads);
    } catch (...) {
        return TAFFETA_OUT_OF_MEMORY;
    }
    return TAFFETA_CONVERGED;
}

int32_t taffeta_thread_count(void) {
    try {
        return thread_count();
    } catch (...) {
        return 1;
    }
}
