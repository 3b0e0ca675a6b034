#pragma once

#include <array>
#include <string>

#include "taffeta/base/settings.h"
#include "taffeta/mesh/tri_mesh.h"

/// Cases of bending with known answers, measured with any bending term on any family of meshes: for
/// tests, for bench_bending, and for whoever wants the numbers. Everything is in units of the case
/// (lengths of the strip, loads as Gamma), so that answers are pure numbers.
namespace taffeta::bending_cases {

/// A bending term: its key, and its options but the stiffness, which the case sets. `poisson` is set
/// where the term has it.
struct Term {
    std::string key;
    Settings options = Settings::object();
};

enum class Family {
    regular,      ///< one diagonal
    alternating,  ///< diagonals in turn
    irregular,    ///< jittered by a quarter of a cell, Delaunay
    delaunay,     ///< shuffled until nothing is left of the grid, Delaunay
};
const char* name_of(Family family);

/// nx x ny cells on [0, width] x [0, height], uv = (x, y); the first columns of vertices stay straight.
mesh::TriMesh sheet(Family family, Index nx, Index ny, double width, double height,
                    Index straight_columns = 0, std::uint64_t seed = 1);

/// Small deflections of the unit square with n x n cells: the load of a known surface, which is also held
/// to it along three rows of vertices at the edge. Relative error of the others in the L2 norm.
enum class Surface {
    cylinder,  ///< cos(2 u + 0.3 v)
    cap,       ///< a Gaussian dome beside the middle
    twist,     ///< sin(1.5 u) sin(1.5 v)
};
double surface_error(const Term& term, Family family, Index n, Surface surface,
                     std::uint64_t seed = 1);

/// The strips are clamped at 0 by two columns of vertices at -+dx/2, dx = L/(nx + 1/2), and are nx/5
/// cells wide, L/5.
struct Strip {
    Family family = Family::regular;
    Index nx = 20;
    std::uint64_t seed = 1;
};

/// Tip deflection under a small uniform load over q L^4/(8 B), nu = 0: 1.
double small_deflection(const Term& term, const Strip& strip);

/// The first three bending frequencies over those of a beam, f_i = b_i^2/(2 pi L^2) sqrt(B/rho), with
/// lumped masses and nu = 0: 1, 1, 1.
std::array<double, 3> strip_frequencies(const Term& term, const Strip& strip);

/// W/L and H/L of the tip under the weight Gamma = rho g L^3/B, nu = 0, with a membrane so stiff that
/// the weight stretches the strip by `stretch` (a stiffer one locks on coarse irregular meshes, which cannot
/// roll up without stretching). Not finite when no equilibrium was found.
Vec2 heavy_cantilever(const Term& term, const Strip& strip, double gamma, double stretch = 2.5e-4);

/// u/L and w/L of the tip under a force P at the tip, alpha = P L^2/(E I), for the strip of [Sze04]: E =
/// 1.2e6 Pa, nu = 0, 10 x 1 x 0.1 m; alpha = 4 is its full load.
Vec2 tip_loaded_cantilever(const Term& term, const Strip& strip, double alpha);

/// Gamma at which a strip in a vertical plane, clamped at one end, buckles sideways under its own weight;
/// for narrow strips 18.178 (1 - nu) sqrt(1 + nu). `slenderness` is its height over its length.
double lateral_buckling(const Term& term, const Strip& strip, double poisson, double slenderness);

}  // namespace taffeta::bending_cases
