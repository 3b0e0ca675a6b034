#include "taffeta/sparse/constraint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::sparse {

ConstraintRow vertex_face_row(Index vertex, const Triangle& face, const Vec3& weights,
                              const Vec3& direction, double value) {
    return {{vertex, face[0], face[1], face[2]},
            {direction, -weights[0] * direction, -weights[1] * direction, -weights[2] * direction},
            value};
}

ConstraintRow edge_edge_row(const Edge& a, const Edge& b, double s, double t, const Vec3& direction,
                            double value) {
    return {{a[0], a[1], b[0], b[1]},
            {(1 - s) * direction, s * direction, (t - 1) * direction, -t * direction},
            value};
}

void check_rows(std::span<const ConstraintRow> rows, Index vertices) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const ConstraintRow& row = rows[k];
        const auto refuse = [&](std::string what, std::string hint = {}) {
            fail_input(fmt::format("constraint row {}", k), std::move(what), std::move(hint));
        };
        if (row.vertices.empty()) refuse("it names no vertex");
        if (row.vertices.size() != row.coefficients.size())
            refuse(fmt::format("it has {} vertices, but {} coefficients", row.vertices.size(),
                               row.coefficients.size()));
        if (!std::isfinite(row.value)) refuse(fmt::format("its value is {}", row.value));
        double largest = 0;
        for (std::size_t i = 0; i < row.vertices.size(); ++i) {
            const Index vertex = row.vertices[i];
            const Vec3& c = row.coefficients[i];
            if (vertex < 0 || vertex >= vertices)
                refuse(fmt::format("it names vertex {} of {}", vertex, vertices));
            if (std::find(row.vertices.begin(), row.vertices.begin() + std::ptrdiff_t(i), vertex) !=
                row.vertices.begin() + std::ptrdiff_t(i))
                refuse(fmt::format("it names vertex {} twice", vertex),
                       "add up the coefficients of a vertex");
            if (!c.allFinite())
                refuse(fmt::format("the coefficients of vertex {} are ({}, {}, {})", vertex, c[0],
                                   c[1], c[2]));
            largest = std::max(largest, c.cwiseAbs().maxCoeff());
        }
        if (largest == 0) refuse("all its coefficients are zero", "leave the row out");
    }
}

}  // namespace taffeta::sparse
