/* Taffeta's solver for C and for whatever can call C: A x = b, sparse, symmetric, positive definite,
 * in 3x3 blocks, with constraints on vertices, by conjugate gradients with multigrid.
 *
 *     taffeta_solver* solver = taffeta_solver_create();
 *     taffeta_solver_set_options(solver, "preconditioner=sa tolerance=1e-6");
 *     taffeta_solver_set_matrix_bsr(solver, n, row_begin, column, values, TAFFETA_ROW_MAJOR);
 *     taffeta_solver_set_coordinates(solver, n, xyz);
 *     if (taffeta_solver_solve(solver, b, x) != TAFFETA_CONVERGED)
 *         puts(taffeta_solver_message(solver));
 *     taffeta_solver_update_values(solver, new_values);   // the next time step
 *
 * Every array is copied, and may be freed or changed after the call. Indices count from 0. A call
 * that fails says why in taffeta_solver_message and changes nothing; the exception is
 * taffeta_solver_solve, which leaves its best iterate. No call ends the program or prints. What no
 * call can check is that a pointer which is not null points to as many numbers as it should.
 *
 * One thread at a time may use a solver, and one solver at a time should run: they share the
 * threads of the process. The numbers in x are the same bits for any number of threads.
 */
#ifndef TAFFETA_SOLVE_H
#define TAFFETA_SOLVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum taffeta_status {
    TAFFETA_CONVERGED = 0,      /* also: the call did what it should */
    TAFFETA_MAX_ITERATIONS = 1, /* x holds the best iterate */
    TAFFETA_INDEFINITE = 2,     /* A is not positive definite, or not symmetric */
    TAFFETA_NOT_FINITE = 3,     /* NaN or infinity in the input or on the way */
    TAFFETA_BREAKDOWN = 4,      /* rounding is the limit, or the preconditioner failed */
    TAFFETA_BAD_FILTER = 5,     /* a constraint that is none */
    TAFFETA_SINGULAR = 6,       /* a diagonal block without an inverse, or a zero pivot */
    TAFFETA_BAD_SIZE = 7,       /* a size that is wrong in itself or against the matrix */
    TAFFETA_BAD_ARGUMENT = 8, /* a null pointer, a bad pattern, an unknown option, no matrix yet */
    TAFFETA_OUT_OF_MEMORY = 9,
    TAFFETA_INTERNAL = 10 /* our mistake */
} taffeta_status;

typedef enum taffeta_block_order {
    TAFFETA_ROW_MAJOR = 0, /* a00 a01 a02 a10 ... */
    TAFFETA_COLUMN_MAJOR = 1
} taffeta_block_order;

/* Vertex `vertex` may not move along `forbidden` (1, 2 or 3) directions: its unknown is `target` in
 * them. The directions are unit vectors, not parallel; with three forbidden they are not looked at.
 * Of `target` only the part in the forbidden directions counts; all zero: it stays at zero. */
typedef struct taffeta_constraint {
    int32_t vertex;
    int32_t forbidden;
    double direction[2][3];
    double target[3];
} taffeta_constraint;

/* Of the last call of taffeta_solver_solve, and counts since the last taffeta_solver_set_options. */
typedef struct taffeta_statistics {
    taffeta_status status;
    int32_t iterations;
    double residual; /* final over initial norm, in the norm that the solver stops on */
    double setup_s, solve_s;
    uint64_t bytes;              /* memory of the solver, the matrix not counted */
    int32_t vertices;            /* of the matrix; it has 3 * vertices rows */
    int32_t constrained;         /* vertices with a constraint */
    int32_t hierarchies_built;   /* set-ups of multigrid that made everything */
    int32_t hierarchies_updated; /* set-ups that gave all levels new values */
    int32_t hierarchies_kept;    /* set-ups that kept the coarse levels */
    const char* levels;          /* the hierarchy as a table, or ""; until the next call */
} taffeta_statistics;

typedef struct taffeta_solver taffeta_solver;

/* Null when there is no memory. Destroying null does nothing. */
taffeta_solver* taffeta_solver_create(void);
void taffeta_solver_destroy(taffeta_solver* solver);

/* key=value pairs between blanks; "" gives the defaults. The keys are those of a scene's solver
 * (docs/scene_format.md, "solver"); an unknown one is refused with the nearest name.
 *     "type=ldlt"                                              a direct solve
 *     "preconditioner=sa tolerance=1e-6 max_iterations=500"
 *     "preconditioner=sa preconditioner.aggregate_size=8"
 * The matrix and all that belongs to it stay; what was kept from earlier solves goes. */
taffeta_status taffeta_solver_set_options(taffeta_solver* solver, const char* options);

/* The stop of the next solves, instead of that of the options; 0 returns to the options. */
taffeta_status taffeta_solver_set_tolerance(taffeta_solver* solver, double tolerance);

/* A in 3x3 blocks, `order` is a taffeta_block_order: row_begin has vertices + 1 numbers, column row_begin[vertices], values 9 for each
 * column. Columns ascend within a row; both triangles and every diagonal block must be there.
 * Constraints and coordinates stay when the number of vertices does, and are forgotten otherwise. */
taffeta_status taffeta_solver_set_matrix_bsr(taffeta_solver* solver, int32_t vertices,
                                             const int32_t* row_begin, const int32_t* column,
                                             const double* values, int32_t order);

/* The same from scalar compressed rows; `rows` is a multiple of 3, rows 3 i, 3 i + 1 and 3 i + 2
 * belong to vertex i. They may have different columns: the blocks are filled up with zeros. */
taffeta_status taffeta_solver_set_matrix_csr(taffeta_solver* solver, int32_t rows,
                                             const int32_t* row_begin, const int32_t* column,
                                             const double* values);

/* The same two from 64-bit row starts, with columns of 32 or of 64 bits. Inside, indices have 32 bits:
 * up to 715,827,882 vertices, and up to 2,147,483,647 entries of `column`, more of either is
 * TAFFETA_BAD_SIZE, found from `row_begin` alone. Columns are compared with the size before they are
 * shortened, so none can turn into another one. */
taffeta_status taffeta_solver_set_matrix_bsr_64_32(taffeta_solver* solver, int64_t vertices,
                                                   const int64_t* row_begin, const int32_t* column,
                                                   const double* values, int32_t order);
taffeta_status taffeta_solver_set_matrix_bsr_64_64(taffeta_solver* solver, int64_t vertices,
                                                   const int64_t* row_begin, const int64_t* column,
                                                   const double* values, int32_t order);
taffeta_status taffeta_solver_set_matrix_csr_64_32(taffeta_solver* solver, int64_t rows,
                                                   const int64_t* row_begin, const int32_t* column,
                                                   const double* values);
taffeta_status taffeta_solver_set_matrix_csr_64_64(taffeta_solver* solver, int64_t rows,
                                                   const int64_t* row_begin, const int64_t* column,
                                                   const double* values);

/* New numbers in the places of the last set_matrix, in its order: the pattern stays, and so does
 * whatever of the multigrid hierarchy still serves. */
taffeta_status taffeta_solver_update_values(taffeta_solver* solver, const double* values);

/* Where the vertices are, x0 y0 z0 x1 ...: multigrid then knows the rotations that A nearly maps to
 * zero. Without (null and 0) it knows the translations only. */
taffeta_status taffeta_solver_set_coordinates(taffeta_solver* solver, int32_t vertices,
                                              const double* coordinates);

/* Replaces all constraints; count 0 (and null) removes them. */
taffeta_status taffeta_solver_set_constraints(taffeta_solver* solver, int32_t count,
                                              const taffeta_constraint* constraints);

/* x: the guess on entry (zeros for none), the best iterate on return; b and x have 3 * vertices
 * numbers. When the input is refused x is left as it was. */
taffeta_status taffeta_solver_solve(taffeta_solver* solver, const double* b, double* x);

/* Forgets what was kept from earlier solves, so that the next one depends on its input only. */
taffeta_status taffeta_solver_reset(taffeta_solver* solver);

taffeta_status taffeta_solver_statistics(taffeta_solver* solver, taffeta_statistics* statistics);

/* A sentence about the last call that failed, "" when the last call did not; never null. */
const char* taffeta_solver_message(const taffeta_solver* solver);

/* "converged", "bad_size", ...; never null. */
const char* taffeta_status_name(taffeta_status status);

/* Threads of the whole process, 1 to 1024, 0: all cores. Not while a solver runs. */
taffeta_status taffeta_set_thread_count(int32_t threads);
int32_t taffeta_thread_count(void);

#ifdef __cplusplus
}
#endif

#endif
