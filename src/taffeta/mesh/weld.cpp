#include "taffeta/mesh/weld.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace taffeta::mesh {

namespace {

using Cell = std::array<std::int64_t, 3>;

/// Chained hash of the kept points by cell.
class PointTable {
  public:
    PointTable(const std::vector<Vec3>& position, double tolerance)
        : position_(position),
          tolerance_sq_(tolerance * tolerance),
          tolerance_(tolerance),
          cell_size_(2 * tolerance),
          head_(std::bit_ceil(position.size() + 1), -1),
          next_(position.size(), -1) {}

    /// The earliest kept point near vertex v, or -1. A cell is two tolerances wide, so only the
    /// neighbours that the tolerance reaches into need a look: at most eight cells.
    Index find(Index v) const {
        const Vec3& point = position_[std::size_t(v)];
        const Cell low = cell_of(point - Vec3::Constant(tolerance_));
        const Cell high = cell_of(point + Vec3::Constant(tolerance_));
        Index best = -1;
        Cell cell;
        for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0])
            for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
                for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
                    for (Index i = head_[slot(cell)]; i >= 0; i = next_[std::size_t(i)]) {
                        const double distance_sq =
                            (position_[std::size_t(i)] - point).squaredNorm();
                        if (distance_sq <= tolerance_sq_ && (best < 0 || i < best)) best = i;
                    }
        return best;
    }

    void keep(Index v) {
        Index& head = head_[slot(cell_of(position_[std::size_t(v)]))];
        next_[std::size_t(v)] = head;
        head = v;
    }

  private:
    Cell cell_of(const Vec3& point) const {
        Cell cell;
        for (int axis = 0; axis < 3; ++axis)
            cell[std::size_t(axis)] = std::int64_t(std::floor(point[axis] / cell_size_));
        return cell;
    }

    std::size_t slot(const Cell& cell) const {
        std::uint64_t hash = 0;
        for (const std::int64_t index : cell) {
            hash = (hash ^ std::uint64_t(index)) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        return std::size_t(hash) & (head_.size() - 1);
    }

    const std::vector<Vec3>& position_;
    double tolerance_sq_, tolerance_, cell_size_;
    std::vector<Index> head_, next_;
};

}  // namespace

std::vector<Index> weld_map(const std::vector<Vec3>& position, double tolerance) {
    double largest = 0;
    for (const Vec3& point : position)
        largest = std::max(largest, point.lpNorm<Eigen::Infinity>());
    // Finer than the rounding of the coordinates makes no sense, and cells must count in 64 bits.
    tolerance = std::max({tolerance, 1e-15 * largest, 1e-300});

    std::vector<Index> map(position.size());
    PointTable table(position, tolerance);
    for (Index v = 0; v < Index(position.size()); ++v) {
        const Index found = table.find(v);
        map[std::size_t(v)] = found >= 0 ? found : v;
        if (found < 0) table.keep(v);
    }
    return map;
}

}  // namespace taffeta::mesh
