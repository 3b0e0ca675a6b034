#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "taffeta/energy/energy.h"

namespace taffeta::energy {

/// The grid that a sheet is: vertex (i, j) at material coordinates (u0 + i du, v0 + j dv).
struct Lattice {
    Index columns = 0, rows = 0;  ///< cells along u and v
    double du = 0, dv = 0;        ///< m
    std::vector<Index> vertex;    ///< of the world, row by row

    Index at(Index i, Index j) const {
        return vertex[std::size_t(j) * std::size_t(columns + 1) + std::size_t(i)];
    }
};

/// What of a line of cells along line k of 0 to n belongs to the sheet: half of it on the rim.
inline double rim_share(Index k, Index n) {
    return k == 0 || k == n ? 0.5 : 1.0;
}

/// The lattice of a body in one panel whose vertices fill a rectangular grid, two triangles a cell; nothing
/// for any other mesh.
std::optional<Lattice> find_lattice(const BodyView& body);
/// The same; throws bad input that names the law for a mesh that is none.
Lattice require_lattice(const BodyView& body, std::string_view law);

}  // namespace taffeta::energy
