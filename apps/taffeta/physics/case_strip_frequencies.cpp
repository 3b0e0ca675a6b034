#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "physics/findings.h"
#include "physics/strip.h"

namespace taffeta::app::physics {

namespace {

void measure_strip_frequencies(const Effort&, Findings& findings) {
    constexpr double beta[] = {1.87510407, 4.69409113, 7.85475744};
    Strip strip;
    strip.length = 0.5, strip.width = 0.1, strip.columns = 32, strip.bending = 1e-5;
    for (const BendingChoice& choice : bending_choices()) {
        const scene::BuiltScene built = built_scene(strip.scene(choice));
        const std::vector<double> found = frequencies(built.world, 2, 40);
        for (int k = 0; k < 3; ++k) {
            const double published = beta[k] * beta[k] /
                                     (2 * std::numbers::pi * strip.length * strip.length) *
                                     std::sqrt(strip.bending / strip.density);
            // Twisting modes lie between; the bending mode is the nearest frequency.
            double nearest = found[0];
            for (const double f : found)
                if (std::abs(f - published) < std::abs(nearest - published)) nearest = f;
            findings.within(fmt::format("bending f{}, Hz", k + 1),
                            fmt::format("{}, {} 32 x 4", choice.name, choice.tessellation),
                            published, nearest, 0.01);
        }
    }
    // Along itself, without the bending's clamp: L is the whole grid.
    strip.columns = 31, strip.length = 0.5 * 31.5 / 32;
    for (const BendingChoice& choice : bending_choices()) {
        const scene::BuiltScene built =
            built_scene(strip.scene(choice), {"bodies[0].pins=[{\"region\": \"u_min\"}]"});
        const std::vector<double> found = frequencies(built.world, 0, 1);
        findings.within("stretching f1, Hz", fmt::format("{} 32 x 4", choice.tessellation),
                        std::sqrt(strip.stretch / strip.density) / (4 * 0.5), found[0], 0.01);
    }
}

}  // namespace

extern const CaseEntry case_strip_frequencies;
constinit const CaseEntry case_strip_frequencies{
    "strip_frequencies", "Frequencies of a strip",
    "Small vibrations of a clamped strip: across itself f_i = β_i²/(2π L²) √(B/ρ) with β = 1.8751, "
    "4.6941, 7.8548, along itself √(k/ρ)/(4 L). Eigenvalues of K with the lumped mass.",
    measure_strip_frequencies};

}  // namespace taffeta::app::physics
