#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "taffeta/mesh/garment_rows.h"

/// Two panels that hang over the shoulders and around the body as on a rounded box.
///
/// A row at the distance s from the shoulder seam, measured along the middle of the panel, starts on
/// a quarter cylinder of radius R over the shoulders; below, panels slant outward: the plane of the
/// front is at z = b(s). Across, u runs along the flat front to a(s), around a corner of radius r and
/// along the side to the seam at z = 0:
///
///        z   ___________
///           |     a     \ r       w(s) = a + pi r/2 + b - r
///         b |            |
///           |____________|_ x
///
/// Both are isometric but for the slant, which shears the sides by a few per cent.
namespace taffeta::mesh {

namespace {
namespace tunic_pattern {

constexpr double over_shoulder = 0.125;  ///< R, m
constexpr double seam_y = 1.507;         ///< of the shoulder seam, m
constexpr double arc = over_shoulder * std::numbers::pi / 2;
constexpr double corner = 0.05;                    ///< r, m
constexpr double flat = 0.155, flat_slant = 0.02;  ///< a and its growth
constexpr double slant = 0.1;                      ///< growth of b
constexpr double underarm = 0.34, hem = 0.68;      ///< s, m
constexpr double neck_width = 0.08;                ///< half of it, at the seam, m
constexpr double shoulder_width = 0.125;           ///< from the middle to the armhole, m
constexpr double armhole_straight = 0.12;          ///< s where the armhole begins to widen, m

double depth(double s) {
    return over_shoulder + slant * std::max(0.0, s - arc);
}
double flat_width(double s) {
    return flat + flat_slant * std::max(0.0, s - arc);
}
double side_seam(double s) {
    return flat_width(s) + std::numbers::pi / 2 * corner + depth(s) - corner;
}

/// Where a panel ends at the side: the armhole, then the seam.
double outer_end(double s) {
    if (s >= underarm) return side_seam(s);
    const double part = std::max(0.0, (s - armhole_straight) / (underarm - armhole_straight));
    return shoulder_width + (side_seam(underarm) - shoulder_width) * part * part;
}

/// The point (u >= 0, s) of the front.
Vec3 on_body(double u, double s) {
    const double turn = std::min(s, arc) / over_shoulder, below = std::max(0.0, s - arc);
    const double y = seam_y - over_shoulder + over_shoulder * std::cos(turn) -
                     below * std::sqrt(1 - slant * slant);
    const double z = s < arc ? over_shoulder * std::sin(turn) : depth(s);
    const double a = flat_width(s);
    if (u <= a) return {u, y, z};
    const double quarter = std::numbers::pi / 2 * corner;
    if (u >= a + quarter) return {a + corner, y, z - corner - (u - a - quarter)};
    const double angle = (u - a) / corner;
    return {a + corner * std::sin(angle), y, z - corner * (1 - std::cos(angle))};
}

struct TunicPlan {
    double edge;  ///< for the height of the pattern
    Index upper_rows, rows;

    explicit TunicPlan(const GarmentSize& size) {
        check_garment(size);
        edge = size.edge * pattern_height / size.height;
        upper_rows = pieces(underarm, row_distance * edge);
        rows = upper_rows + pieces(hem - underarm, row_distance * edge);
    }
    double s(Index row) const {
        if (row <= upper_rows) return underarm * double(row) / double(upper_rows);
        return underarm + (hem - underarm) * double(row - upper_rows) / double(rows - upper_rows);
    }
    /// Half the width of the neck: V-necks, deeper in front. A slit narrower than an edge is closed.
    double inner_end(Index row, bool front) const {
        const double width = neck_width * (1 - s(row) / (front ? 0.14 : 0.1));
        return width < 0.35 * edge ? 0 : width;
    }
    Index columns(Index row, bool front) const {
        return pieces(outer_end(s(row)) - inner_end(row, front), edge);
    }
};

/// Halves of the panels, in the order of `half`: the person's right and left of the front, then of the
/// back. Points of a half run from the middle outward.
class TunicMaker {
  public:
    explicit TunicMaker(const GarmentSize& size)
        : plan_(size), scale_(size.height / pattern_height) {}

    TriMesh make() {
        std::array<PanelRow, 4> above;
        for (Index row = 0; row <= plan_.rows; ++row) {
            std::array<PanelRow, 4> here;
            for (int half = 0; half < 4; ++half)
                add_half(row, half, here);
            for (std::size_t half = 0; half < 4 && row > 0; ++half)
                fill_strip(leftmost_first(above[half], half), leftmost_first(here[half], half),
                           mesh_);
            above = here;
        }
        return std::move(mesh_);
    }

  private:
    static bool is_front(int half) { return half < 2; }
    static bool is_left(int half) { return half % 2 == 1; }  ///< of the person: x > 0

    /// Seen from outside, the person's left is to the right of the front and to the left of the back.
    static bool runs_right(std::size_t half) { return half == 1 || half == 2; }
    static PanelRow leftmost_first(PanelRow row, std::size_t half) {
        if (runs_right(half)) return row;
        std::reverse(row.vertex.begin(), row.vertex.end());
        std::reverse(row.uv.begin(), row.uv.end());
        return row;
    }

    void add_half(Index row, int half, std::array<PanelRow, 4>& here) {
        const bool front = is_front(half);
        const double s = plan_.s(row), from = plan_.inner_end(row, front), to = outer_end(s);
        const Index columns = plan_.columns(row, front);
        PanelRow& panel = here[std::size_t(half)];
        for (Index k = 0; k <= columns; ++k) {
            const double u = from + (to - from) * double(k) / double(columns);
            const PanelRow* twin = &here[std::size_t(half - half % 2)];
            const bool middle = k == 0 && from == 0 && half % 2 == 1;
            if (middle) {
                panel.vertex.push_back(twin->vertex[0]);
                panel.uv.push_back(twin->uv[0]);
                continue;
            }
            panel.uv.push_back(Index(mesh_.uv.size()));
            // The back of the pattern lies beside the front.
            const double right = runs_right(std::size_t(half)) ? u : -u;
            mesh_.uv.emplace_back(scale_ * (right + (front ? 0 : 0.8)), -scale_ * s);
            const bool shoulder = row == 0, side = k == columns && row >= plan_.upper_rows;
            if (!front && (shoulder || side)) {
                const PanelRow& sewn = here[std::size_t(half - 2)];
                panel.vertex.push_back(side && !shoulder ? sewn.vertex.back()
                                                         : sewn.vertex[std::size_t(k)]);
                continue;
            }
            panel.vertex.push_back(mesh_.vertex_count());
            if (shoulder) mesh_.group["shoulders"].push_back(mesh_.vertex_count());
            if (row == plan_.rows) mesh_.group["hem"].push_back(mesh_.vertex_count());
            Vec3 p = scale_ * on_body(u, s);
            if (!is_left(half)) p.x() = -p.x();
            if (!front) p.z() = -p.z();
            mesh_.position.push_back(p);
        }
    }

    TunicPlan plan_;
    double scale_;
    TriMesh mesh_;
};

}  // namespace tunic_pattern
}  // namespace

Index tunic_vertices(const GarmentSize& size) {
    using namespace tunic_pattern;
    const TunicPlan plan(size);
    Index count = 0;
    for (Index row = 0; row <= plan.rows; ++row)
        for (const bool front : {true, false}) {
            const Index half = plan.columns(row, front) + 1;
            const Index own = row == 0 ? (front ? half : 0)
                                       : (!front && row >= plan.upper_rows ? half - 1 : half);
            count += 2 * own - (plan.inner_end(row, front) == 0 ? 1 : 0);
        }
    return count;
}

TriMesh tunic(const GarmentSize& size) {
    using namespace tunic_pattern;
    return TunicMaker(size).make();
}

}  // namespace taffeta::mesh
