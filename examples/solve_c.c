/*   example_solve_c
 *
 * Taffeta's solver from C: one implicit step of a sheet of springs, twice.
 *
 * 1. Describe A in 3x3 blocks: M / h^2 and a spring along every edge of the sheet.
 * 2. Make a solver, give it the matrix, the positions and the pins, and solve.
 * 3. The next step has new numbers in the old pattern: the hierarchy stays.
 * 4. Look at what it took.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "taffeta/solve/capi/taffeta_solve.h"

enum { COLUMNS = 60, ROWS = 60, VERTICES = COLUMNS * ROWS, MOST = 7 * VERTICES };

static int32_t row_begin[VERTICES + 1], column[MOST];
static double values[9 * MOST], position[3 * VERTICES];
static double load[3 * VERTICES], motion[3 * VERTICES];

/* k (d d' + I / 100) of the spring between two vertices: stiff along it, a little across. */
static void spring(int from, int to, double k, double block[9]) {
    double d[3], length = 0;
    int i, j;
    for (i = 0; i < 3; ++i) {
        d[i] = position[3 * to + i] - position[3 * from + i];
        length += d[i] * d[i];
    }
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j)
            block[3 * i + j] = k * (d[i] * d[j] / length + (i == j ? 0.01 : 0.0));
}

/* Every vertex is tied to the six around it: left, right, up, down and along one diagonal. */
static void assemble(double stiffness) {
    static const int step[7][2] = {{-1, -1}, {0, -1}, {-1, 0}, {0, 0}, {1, 0}, {0, 1}, {1, 1}};
    int32_t count = 0;
    int vertex, s, k;
    for (vertex = 0; vertex < VERTICES; ++vertex) {
        double diagonal[9] = {50, 0, 0, 0, 50, 0, 0, 0, 50}; /* m / h^2 */
        int32_t own = 0;
        row_begin[vertex] = count;
        for (s = 0; s < 7; ++s) {
            const int x = vertex % COLUMNS + step[s][0], y = vertex / COLUMNS + step[s][1];
            if (x < 0 || x >= COLUMNS || y < 0 || y >= ROWS) continue;
            column[count] = y * COLUMNS + x;
            if (s == 3) {
                own = count;
            } else {
                double block[9];
                spring(vertex, column[count], stiffness, block);
                for (k = 0; k < 9; ++k) {
                    values[9 * count + k] = -block[k];
                    diagonal[k] += block[k];
                }
            }
            ++count;
        }
        for (k = 0; k < 9; ++k)
            values[9 * own + k] = diagonal[k];
    }
    row_begin[VERTICES] = count;
}

static void check(const taffeta_solver* solver, taffeta_status status) {
    if (status == TAFFETA_CONVERGED) return;
    fprintf(stderr, "%s: %s\n", taffeta_status_name(status), taffeta_solver_message(solver));
    exit(1);
}

static void print_statistics(taffeta_solver* solver, const char* title) {
    taffeta_statistics all;
    check(solver, taffeta_solver_statistics(solver, &all));
    printf("%s: %d iterations, residual %.1e, %.4f s set-up, %.4f s solve, %.1f MB\n", title,
           (int)all.iterations, all.residual, all.setup_s, all.solve_s, (double)all.bytes / 1e6);
    printf("hierarchies: %d built, %d updated, %d kept\n", (int)all.hierarchies_built,
           (int)all.hierarchies_updated, (int)all.hierarchies_kept);
}

int main(void) {
    const int corner = COLUMNS - 1;
    taffeta_statistics all;
    int i;

    /* 1. A sheet of 1.2 m with a wave in it, under gravity. */
    for (i = 0; i < VERTICES; ++i) {
        position[3 * i] = 0.02 * (i % COLUMNS);
        position[3 * i + 1] = 0.02 * (i / COLUMNS);
        position[3 * i + 2] = 0.02 * sin(0.3 * (i % COLUMNS));
        load[3 * i + 2] = -9.81 * 1e-3;
    }
    assemble(2000);

    /* 2. One corner is held, the other one may only move along z. */
    taffeta_solver* solver = taffeta_solver_create();
    taffeta_constraint pins[2] = {{0}};
    pins[0].vertex = 0;
    pins[0].forbidden = 3;
    pins[1].vertex = corner;
    pins[1].forbidden = 2;
    pins[1].direction[0][0] = 1;
    pins[1].direction[1][1] = 1;
    pins[1].target[0] = 0.001; /* and is pulled a millimetre along x */

    check(solver, taffeta_solver_set_options(solver, "preconditioner=sa tolerance=1e-6"));
    check(solver, taffeta_solver_set_matrix_bsr(solver, VERTICES, row_begin, column, values,
                                                TAFFETA_ROW_MAJOR));
    check(solver, taffeta_solver_set_coordinates(solver, VERTICES, position));
    check(solver, taffeta_solver_set_constraints(solver, 2, pins));
    check(solver, taffeta_solver_solve(solver, load, motion));
    print_statistics(solver, "first step");

    /* 3. Stiffer by a tenth; `motion` is the guess now. */
    assemble(2200);
    check(solver, taffeta_solver_update_values(solver, values));
    check(solver, taffeta_solver_solve(solver, load, motion));
    print_statistics(solver, "second step");

    /* 4. */
    check(solver, taffeta_solver_statistics(solver, &all));
    printf("%s", all.levels);
    printf("the corner moves by (%.6f, %.6f, %.6f) m\n", motion[3 * corner], motion[3 * corner + 1],
           motion[3 * corner + 2]);
    taffeta_solver_destroy(solver);
    return motion[3 * corner] == 0.001 && motion[3 * corner + 2] < 0 ? 0 : 1;
}
