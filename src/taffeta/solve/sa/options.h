#pragma once

#include <optional>
#include <string>

#include "taffeta/base/fields.h"
#include "taffeta/sparse/block_matrix.h"

namespace taffeta::solve::sa {

/// How a hierarchy is built and used. The defaults are what won by measurement (docs/solver.md).
struct Recipe {
    double strength = 0.48;          ///< theta of the strength test, dimensionless
    bool spectral_strength = false;  ///< r_ij as a spectral radius; false: the Frobenius norm
    double special = 0;              ///< vertices with sum_j r_ij below it are left to the smoother
    bool distance_two = true;        ///< aggregates over two strong edges; false: over one
    int aggregate_size = 10;         ///< cap on the vertices of a distance-2 aggregate
    bool translations = false;       ///< the first coarse level takes translations alone
    bool adapt = false;              ///< the four above, by how local the system is
    bool smooth_kernel = false;      ///< one relaxation of the near kernel before its QR
    int energy_steps = 1;            ///< of descent for the first prolongator
    bool chebyshev = false;          ///< smoother; false: Gauss-Seidel fused with the residual
    int local_sweeps = 2;            ///< more of Gauss-Seidel where a sheet is creased; 0: none
    double crease = 0.02;            ///< 1 / (tr D tr D^-1) of such a vertex (LocalSweeps)
    int chebyshev_degree = 2;
    bool fused_product = true;    ///< A z from the last sweep, for the Krylov method
    double chebyshev_ratio = 20;  ///< largest over smallest damped eigenvalue
    int lanczos_steps = 5;        ///< for lambda_max(D^-1 A)
    int coarsest = 48;            ///< coarse vertices at which the direct solve takes over
    int max_levels = 12;
    bool stiff_terms = true;  ///< kept out of the levels; false: they are in A, like the rest
    bool rebuild = false;     ///< everything anew for every solve
    int refresh_cost = 6;     ///< price of new coarse levels, in iterations
    int max_age = 50;         ///< solves that a hierarchy may serve at most
    double constraint_change = 0.02;  ///< share of vertices

    /// The method as it is printed in [TJM15], Algorithms 1 to 3, with the mistakes of the print
    /// mended (docs/solver.md lists them).
    static Recipe paper2015();
    /// This recipe, with what `adapt` leaves open chosen for A.
    Recipe made_for(const sparse::Matrix3& A) const;
};

/// How many times stiffness outweighs mass: trace of the diagonal blocks over trace of all blocks.
/// Stiffness does not see translations, so that all blocks add up to the mass; the square root is,
/// but for a factor, the distance in edges over which an impulse is felt.
double stiffness_over_mass(const sparse::Matrix3& A);

/// What a user says: a preset, and what shall differ from it.
struct Options {
    std::string preset = "fast";
    std::optional<double> strength, special, crease, chebyshev_ratio, constraint_change;
    std::optional<bool> spectral_strength, fused_product, distance_two, translations, smooth_kernel,
        stiff_terms, rebuild;
    std::optional<int> aggregate_size, energy_steps, local_sweeps, chebyshev_degree, lanczos_steps,
        coarsest, max_levels, refresh_cost, max_age;
    std::optional<std::string> smoother;

    Recipe recipe() const;
    static Fields<Options> fields();
};

}  // namespace taffeta::solve::sa
