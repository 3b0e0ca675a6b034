#include "physics/strip.h"

#include <fmt/format.h>

namespace taffeta::app::physics {

const std::vector<BendingChoice>& bending_choices() {
    static const std::vector<BendingChoice> choices = {
        {"morley", "regular", R"("type": "morley", "psd": "exact")"},
        {"morley", "irregular", R"("type": "morley", "psd": "exact")"},
        {"plate", "regular", R"("type": "plate", "variant": "plate", "psd": "exact")"},
    };
    return choices;
}

std::string Strip::scene(const BendingChoice& choice) const {
    return fmt::format(
        R"({{"up_axis": "Z", "gravity": [0, 0, {}],
          "time": {{"frame_rate": 24, "frames": 1, "quasistatic": {{"max_iterations": 2000, "tolerance": 1e-6}}}},
          "solver": "ldlt",
          "bodies": [{{"mesh": {{"grid": {{"columns": {}, "rows": {}, "width": {}, "height": {},
                                          "tessellation": "{}", "seed": {}, "straight_columns": 2}}}},
                      "material": "strip", "transform": {{"translate": [{}, 0, 0]}},
                      "pins": [{{"box": {{"max": [{}, 1e3, 1e3]}}}}]}}],
          "materials": {{"strip": {{"density": {},
            "membrane": {{"type": "baraff_witkin", "stretch_warp": {}, "stretch_weft": {},
                          "shear": {}, "psd": "exact"}},
            "bending": {{"stiffness": {}, {}}}}}}}}})",
        -gravity, columns + 1, rows, length + dx() / 2, width, choice.tessellation, seed, -dx() / 2,
        dx(), density, stretch, stretch, shear, bending, choice.options);
}

std::vector<Index> Strip::end() const {
    std::vector<Index> found;
    for (Index j = 0; j <= rows; ++j)
        found.push_back(j * (columns + 2) + columns + 1);
    return found;
}

Vec3 mean_position(const Statics& statics, const std::vector<Index>& vertices) {
    Vec3 sum = Vec3::Zero();
    for (const Index vertex : vertices)
        sum += statics.position(vertex);
    return sum / double(vertices.size());
}

}  // namespace taffeta::app::physics
