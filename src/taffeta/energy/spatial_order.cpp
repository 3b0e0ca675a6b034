#include "taffeta/energy/spatial_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taffeta::energy {

namespace {

/// The lowest 21 bits of a number, two zeros between any two of them.
std::uint64_t spread(std::uint64_t bits) {
    std::uint64_t spread_bits = 0;
    for (int b = 0; b < 21; ++b)
        spread_bits |= ((bits >> b) & 1u) << (3 * b);
    return spread_bits;
}

}  // namespace

std::vector<Index> spatial_order(std::span<const Vec3> centers) {
    std::vector<Index> order(centers.size());
    std::iota(order.begin(), order.end(), 0);
    if (centers.empty()) return order;

    Vec3 low = centers[0], high = centers[0];
    for (const Vec3& center : centers) {
        low = low.cwiseMin(center);
        high = high.cwiseMax(center);
    }
    const double extent = (high - low).maxCoeff();
    if (!(extent > 0) || !std::isfinite(extent)) return order;

    std::vector<std::uint64_t> code(centers.size());
    for (std::size_t i = 0; i < centers.size(); ++i) {
        const Vec3 cell = (centers[i] - low) * (double((1 << 21) - 1) / extent);
        code[i] = spread(std::uint64_t(cell.x())) | spread(std::uint64_t(cell.y())) << 1 |
                  spread(std::uint64_t(cell.z())) << 2;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return code[std::size_t(a)] < code[std::size_t(b)]; });
    return order;
}

namespace {

template <std::size_t N>
std::vector<Index> center_order(const std::vector<Vec3>& position,
                                const std::vector<std::array<Index, N>>& elements) {
    std::vector<Vec3> centers;
    centers.reserve(elements.size());
    for (const std::array<Index, N>& element : elements) {
        Vec3 sum = Vec3::Zero();
        for (const Index vertex : element)
            sum += position[std::size_t(vertex)];
        centers.push_back(sum / double(N));
    }
    return spatial_order(centers);
}

}  // namespace

std::vector<Index> face_order(const mesh::TriMesh& mesh) {
    return center_order(mesh.position, mesh.face);
}
std::vector<Index> tet_order(const mesh::TetMesh& mesh) {
    return center_order(mesh.position, mesh.tet);
}

}  // namespace taffeta::energy
