#include "taffeta/solve/sa/options.h"

#include "taffeta/base/parallel.h"

namespace taffeta::solve::sa {

namespace {

/// Above, rotations at once and smaller aggregates cost less than the iterations they save
/// (docs/solver.md).
constexpr double local_below = 20000;
constexpr Index small_below = 2000;

}  // namespace

Recipe Recipe::paper2015() {
    Recipe recipe;
    recipe.spectral_strength = true;
    recipe.special = 0.05;
    recipe.distance_two = false;
    recipe.smooth_kernel = true;
    recipe.energy_steps = 0;
    recipe.chebyshev = true;
    recipe.local_sweeps = 0;
    recipe.lanczos_steps = 10;
    recipe.stiff_terms = false;
    recipe.rebuild = true;
    return recipe;
}

double stiffness_over_mass(const sparse::Matrix3& A) {
    constexpr Index rows_at_once = 1024;
    const sparse::BlockPattern& pattern = A.pattern();
    const auto trace = [&](Index slot) {
        const double* a = A.slot(slot);
        return a[0] + a[4] + a[8];
    };
    const double diagonal = parallel_sum(A.rows(), rows_at_once, [&](Index first, Index last) {
        double sum = 0;
        for (Index i = first; i < last; ++i)
            sum += trace(pattern.diagonal[std::size_t(i)]);
        return sum;
    });
    const double all = parallel_sum(A.rows(), rows_at_once, [&](Index first, Index last) {
        double sum = 0;
        for (Index s = pattern.row_begin[std::size_t(first)];
             s < pattern.row_begin[std::size_t(last)]; ++s)
            sum += trace(s);
        return sum;
    });
    return all > 0 ? diagonal / all : std::numeric_limits<double>::infinity();
}

Recipe Recipe::made_for(const sparse::Matrix3& A) const {
    Recipe made = *this;
    if (!adapt) return made;
    made.translations = stiffness_over_mass(A) < local_below;
    // A small mesh has two levels either way, and aggregates over one edge round more where springs
    // differ by decades.
    if (!made.translations && A.rows() >= small_below) {
        made.strength = 0.25;
        made.distance_two = false;
    }
    return made;
}

Recipe Options::recipe() const {
    Recipe recipe = preset == "paper2015" ? Recipe::paper2015() : Recipe();
    recipe.adapt =
        preset == "fast" && !strength && !distance_two && !aggregate_size && !translations;
    recipe.translations = translations.value_or(recipe.translations);
    recipe.strength = strength.value_or(recipe.strength);
    recipe.spectral_strength = spectral_strength.value_or(recipe.spectral_strength);
    recipe.special = special.value_or(recipe.special);
    recipe.distance_two = distance_two.value_or(recipe.distance_two);
    recipe.aggregate_size = aggregate_size.value_or(recipe.aggregate_size);
    recipe.smooth_kernel = smooth_kernel.value_or(recipe.smooth_kernel);
    recipe.energy_steps = energy_steps.value_or(recipe.energy_steps);
    if (smoother) recipe.chebyshev = *smoother == "chebyshev";
    recipe.fused_product = fused_product.value_or(recipe.fused_product);
    recipe.local_sweeps = local_sweeps.value_or(recipe.local_sweeps);
    recipe.crease = crease.value_or(recipe.crease);
    recipe.chebyshev_degree = chebyshev_degree.value_or(recipe.chebyshev_degree);
    recipe.chebyshev_ratio = chebyshev_ratio.value_or(recipe.chebyshev_ratio);
    recipe.lanczos_steps = lanczos_steps.value_or(recipe.lanczos_steps);
    recipe.coarsest = coarsest.value_or(recipe.coarsest);
    recipe.max_levels = max_levels.value_or(recipe.max_levels);
    recipe.stiff_terms = stiff_terms.value_or(recipe.stiff_terms);
    recipe.rebuild = rebuild.value_or(recipe.rebuild);
    recipe.refresh_cost = refresh_cost.value_or(recipe.refresh_cost);
    recipe.max_age = max_age.value_or(recipe.max_age);
    recipe.constraint_change = constraint_change.value_or(recipe.constraint_change);
    return recipe;
}

Fields<Options> Options::fields() {
    return {
        {"preset", &Options::preset,
         "what the values below are when they are null: fast (what won by measurement) or "
         "paper2015 (the method of [TJM15])",
         one_of({"fast", "paper2015"})},
        {"strength", &Options::strength,
         "strength threshold theta, dimensionless; 0.48 (see translations)", between(0, 1)},
        {"spectral_strength", &Options::spectral_strength,
         "strength by the spectral radius of D_i^-1/2 A_ij D_j^-1/2 (paper2015), not by its "
         "Frobenius norm (fast)"},
        {"special", &Options::special,
         "vertices whose strengths add up to less are left to the smoother; fast 0, paper2015 "
         "0.05",
         at_least(0)},
        {"distance_two", &Options::distance_two,
         "aggregates over two strong edges (fast, see translations), not one (paper2015)"},
        {"aggregate_size", &Options::aggregate_size, "largest distance-2 aggregate; 10",
         at_least(3)},
        {"translations", &Options::translations,
         "the first coarse level takes the translations of its aggregates alone, and rotations "
         "enter "
         "below; null, with the three above null in fast: where stiffness over mass is below "
         "20,000, "
         "and elsewhere theta 0.25 and one edge"},
        {"smooth_kernel", &Options::smooth_kernel,
         "one relaxation of the near kernel before its QR; fast false, paper2015 true"},
        {"energy_steps", &Options::energy_steps,
         "steps of descent that lower the energy of the first prolongator within its pattern; fast "
         "1, paper2015 0",
         between(0, 16)},
        {"smoother", &Options::smoother,
         "gauss_seidel (fast; fused with the residual) or chebyshev (paper2015)",
         one_of({"gauss_seidel", "chebyshev"})},
        {"fused_product", &Options::fused_product,
         "the Gauss-Seidel smoother gives A z, in single precision, with z = M^-1 r, and saves "
         "conjugate gradients their product; true"},
        {"local_sweeps", &Options::local_sweeps,
         "Gauss-Seidel sweeps more where a sheet is creased, before and after the coarse levels, "
         "at most: "
         "fewer, or none, where that is much of it; fast 4, paper2015 0",
         between(0, 16)},
        {"crease", &Options::crease,
         "least 1 / (tr D tr D^-1) of the diagonal block D of a vertex that counts as creased: 0 "
         "where "
         "its normal is soft, 1/9 where no direction is; 0.02",
         between(0, 1)},
        {"chebyshev_degree", &Options::chebyshev_degree, "of the Chebyshev smoother; 2",
         between(1, 16)},
        {"chebyshev_ratio", &Options::chebyshev_ratio,
         "largest over smallest eigenvalue that the Chebyshev smoother damps; 20", at_least(1)},
        {"lanczos_steps", &Options::lanczos_steps,
         "for the largest eigenvalue of D^-1 A; fast 5, paper2015 10", at_least(2)},
        {"coarsest", &Options::coarsest, "coarse vertices solved directly; 48", at_least(1)},
        {"max_levels", &Options::max_levels, "levels at most; 12", at_least(2)},
        {"stiff_terms", &Options::stiff_terms,
         "springs between layers are met in the sweeps where they are soft and solved for apart "
         "where they are stiff; false: they are in the matrix like the rest; fast true, paper2015 "
         "false"},
        {"rebuild", &Options::rebuild,
         "everything anew for every solve; fast false, paper2015 true"},
        {"refresh_cost", &Options::refresh_cost,
         "price of new coarse levels in iterations: they are made anew when old ones have cost "
         "that many; 6",
         at_least(0)},
        {"constraint_change", &Options::constraint_change,
         "share of the vertices whose constraints may differ from those that the coarse levels "
         "were made with; 0.02",
         between(0, 1)},
        {"max_age", &Options::max_age, "solves that one hierarchy may serve; 50", at_least(1)},
    };
}

}  // namespace taffeta::solve::sa
