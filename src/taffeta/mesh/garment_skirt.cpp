#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "taffeta/mesh/garment_rows.h"

/// A part of an elliptic cone about the vertical, cut along rulings into gores.
///
/// With the apex as origin and the drop t, points are t P(a), P(a) = (A sin a, -1, B cos a). A cone is
/// developable: in the plane the ruling at a lies at the angle psi(a), psi' = |P x P'| / |P|^2, and
/// points on it at the distance t |P(a)| from the apex, so the gores are exact and the skirt starts
/// without any strain.
namespace taffeta::mesh {

namespace {
namespace skirt_pattern {

constexpr double cone_x = 0.28, cone_z = 0.233;        ///< A, B
constexpr double waist_drop = 0.536, hem_drop = 1.12;  ///< t of the first row and the last, m
constexpr double waist_y = 1.04;                       ///< m
constexpr Index gores = 6;

Vec3 ruling(double a) {
    return {cone_x * std::sin(a), -1, cone_z * std::cos(a)};
}

/// Length of the curve P and angle psi in the plane, as tables over a in [-pi, pi].
class Development {
  public:
    Development() : length_(samples + 1), angle_(samples + 1) {
        for (std::size_t k = 0; k < samples; ++k) {
            // The middle of the piece: second order, and the tables are fine.
            const double a = parameter(double(k) + 0.5);
            const Vec3 rate(cone_x * std::cos(a), 0, -cone_z * std::sin(a));
            const double step = 2 * std::numbers::pi / samples;
            length_[k + 1] = length_[k] + step * rate.norm();
            angle_[k + 1] =
                angle_[k] + step * ruling(a).cross(rate).norm() / ruling(a).squaredNorm();
        }
    }
    double length() const { return length_.back(); }

    struct Place {
        double a, angle;
    };
    /// Where the curve P has run through a length.
    Place at(double length) const {
        const auto next = std::upper_bound(length_.begin() + 1, length_.end() - 1, length);
        const auto k = std::size_t(next - length_.begin()) - 1;
        const double part = (length - length_[k]) / (length_[k + 1] - length_[k]);
        return {parameter(double(k) + part), angle_[k] + part * (angle_[k + 1] - angle_[k])};
    }

  private:
    static constexpr std::size_t samples = 3600;
    static double parameter(double k) { return std::numbers::pi * (2 * k / double(samples) - 1); }
    std::vector<double> length_, angle_;
};

struct SkirtPlan {
    double edge;  ///< for the height of the pattern
    Index rows;
    double gore_length;

    SkirtPlan(const GarmentSize& size, double length) {
        check_garment(size);
        edge = size.edge * pattern_height / size.height;
        rows = pieces((hem_drop - waist_drop) * ruling(0.7).norm(), row_distance * edge);
        gore_length = length / double(gores);
    }
    double drop(Index row) const {
        return waist_drop + (hem_drop - waist_drop) * double(row) / double(rows);
    }
    Index columns(Index row) const { return pieces(drop(row) * gore_length, edge); }
};

}  // namespace skirt_pattern
}  // namespace

Index skirt_vertices(const GarmentSize& size) {
    using namespace skirt_pattern;
    const SkirtPlan plan(size, Development().length());
    Index count = 0;
    for (Index row = 0; row <= plan.rows; ++row)
        count += gores * plan.columns(row);
    return count;
}

TriMesh skirt(const GarmentSize& size) {
    using namespace skirt_pattern;
    const Development development;
    const SkirtPlan plan(size, development.length());
    const double scale = size.height / pattern_height;
    // Between the gores of the pattern, m: they must not overlap in the plane.
    const double pitch = 1.2 * plan.gore_length * hem_drop;
    TriMesh mesh;
    std::vector<PanelRow> above(gores), here(gores);
    for (Index row = 0; row <= plan.rows; ++row) {
        const double drop = plan.drop(row);
        const Index columns = plan.columns(row), first = mesh.vertex_count();
        for (Index gore = 0; gore < gores; ++gore) {
            PanelRow& panel = here[std::size_t(gore)];
            panel = {};
            const double middle = development.at((double(gore) + 0.5) * plan.gore_length).angle;
            for (Index k = 0; k <= columns; ++k) {
                const auto [a, angle] =
                    development.at((double(gore) + double(k) / double(columns)) * plan.gore_length);
                if (k < columns) {
                    const Vec3 from_apex = drop * ruling(a);
                    mesh.position.push_back(scale * (from_apex + Vec3(0, waist_y + waist_drop, 0)));
                }
                panel.vertex.push_back(first + (gore * columns + k) % (gores * columns));
                panel.uv.push_back(Index(mesh.uv.size()));
                const double way = drop * ruling(a).norm();
                mesh.uv.emplace_back(
                    scale * (double(gore) * pitch + way * std::sin(angle - middle)),
                    -scale * way * std::cos(angle - middle));
            }
            if (row > 0) fill_strip(above[std::size_t(gore)], panel, mesh);
        }
        if (row == 0 || row == plan.rows)
            for (Index vertex = first; vertex < mesh.vertex_count(); ++vertex)
                mesh.group[row == 0 ? "waist" : "hem"].push_back(vertex);
        std::swap(above, here);
    }
    return mesh;
}

}  // namespace taffeta::mesh
