#include "taffeta/contact/broad_phase.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <set>

#include "taffeta/mesh/generators.h"
#include "taffeta/mesh/topology.h"

namespace taffeta::contact {
namespace {

using Pairs = std::set<std::pair<Index, Index>>;

struct Cloth {
    std::vector<Triangle> face;
    std::vector<Edge> edge;
    VecX x0, x1;
};

/// A sheet crumpled at random, and moved at random.
Cloth crumpled(int cells, double roughness, double motion, unsigned seed) {
    const mesh::TriMesh mesh = mesh::grid(cells, cells, 1, 1, mesh::Tessellation::regular);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Cloth cloth;
    cloth.face = mesh.face;
    cloth.edge = mesh::make_topology(mesh).edge;
    cloth.x0.resize(3 * mesh.vertex_count());
    for (Index v = 0; v < mesh.vertex_count(); ++v)
        for (int k = 0; k < 3; ++k)
            cloth.x0[3 * v + k] = mesh.position[std::size_t(v)][k] + roughness * normal(random);
    cloth.x1 = cloth.x0;
    for (double& x : cloth.x1)
        x += motion * normal(random);
    return cloth;
}

template <class Corners>
Eigen::AlignedBox3d box_of(const Cloth& cloth, const Corners& corners) {
    Eigen::AlignedBox3d box;
    for (const Index v : corners) {
        box.extend(Vec3(vec3(cloth.x0, v)));
        box.extend(Vec3(vec3(cloth.x1, v)));
    }
    return box;
}

/// Pairs without a common vertex whose boxes are no further apart than `distance` on any axis.
template <class First, class Second>
Pairs near_pairs(const Cloth& cloth, const First& first, const Second& second, double distance,
                 const std::vector<char>& active) {
    const auto is_active = [&](const auto& corners) {
        for (const Index v : corners)
            if (active.empty() || active[std::size_t(v)]) return true;
        return false;
    };
    Pairs pairs;
    for (std::size_t i = 0; i < first.size(); ++i)
        for (std::size_t j = 0; j < second.size(); ++j) {
            if (std::is_same_v<First, Second> && j <= i) continue;
            bool shared = false;
            for (const Index a : first[i])
                for (const Index b : second[j])
                    shared = shared || a == b;
            if (shared || !(is_active(first[i]) || is_active(second[j]))) continue;
            const auto a = box_of(cloth, first[i]), b = box_of(cloth, second[j]);
            const double gap = (a.min() - b.max()).cwiseMax(b.min() - a.max()).maxCoeff();
            if (gap <= distance) pairs.emplace(Index(i), Index(j));
        }
    return pairs;
}

Pairs pairs_of(const CandidateRows& rows) {
    Pairs pairs;
    for (Index i = 0; i + 1 < Index(rows.begin.size()); ++i)
        for (const Index j : rows.of(i))
            EXPECT_TRUE(pairs.emplace(i, j).second) << "twice: " << i << " " << j;
    return pairs;
}

bool contains(const Pairs& all, const Pairs& part) {
    return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

void check(const Cloth& cloth, BroadPhase& broad, double distance,
           const std::vector<char>& active = {}) {
    std::vector<std::array<Index, 1>> vertex;
    for (Index v = 0; v < Index(cloth.x0.size() / 3); ++v)
        vertex.push_back({v});
    broad.refit(cloth.x0, cloth.x1, distance, active);
    // All that are within the distance, and none that are a millionth further.
    for (const double sign : {-1.0, 1.0}) {
        const double limit = sign < 0 ? distance : distance + 1e-6;
        const Pairs faces = near_pairs(cloth, vertex, cloth.face, limit, active);
        const Pairs edges = near_pairs(cloth, cloth.edge, cloth.edge, limit, active);
        const Pairs found_faces = pairs_of(broad.find_vertex_face());
        const Pairs found_edges = pairs_of(broad.find_edge_edge());
        EXPECT_TRUE(sign < 0 ? contains(found_faces, faces) : contains(faces, found_faces));
        EXPECT_TRUE(sign < 0 ? contains(found_edges, edges) : contains(edges, found_edges));
        EXPECT_TRUE(cloth.face.size() < 10 || !faces.empty());
    }
}

TEST(BroadPhase, FindsWhatTestingEveryPairFinds) {
    for (const int cells : {1, 2, 7, 17}) {
        const Cloth cloth = crumpled(cells, 0.05, 0.02, unsigned(cells));
        BroadPhase broad(cloth.face, cloth.edge, Index(cloth.x0.size() / 3));
        broad.order(cloth.x0);
        for (const double distance : {0.0, 0.03}) {
            SCOPED_TRACE(cells);
            check(cloth, broad, distance);
        }
    }
}

/// The order is that of another shape, and the boxes are new: the pairs are the same.
TEST(BroadPhase, RefittingFindsAllPairsOfAnotherMotion) {
    const Cloth first = crumpled(12, 0, 0, 1), second = crumpled(12, 0.3, 0.1, 2);
    BroadPhase broad(first.face, first.edge, Index(first.x0.size() / 3));
    broad.order(first.x0);
    broad.refit(first.x0, first.x1, 0);

    check(second, broad, 0.01);
}

TEST(BroadPhase, OnlyPairsWithAnActiveVertexAreFound) {
    const Cloth cloth = crumpled(12, 0.1, 0.02, 4);
    BroadPhase broad(cloth.face, cloth.edge, Index(cloth.x0.size() / 3));
    broad.order(cloth.x0);
    std::vector<char> active(static_cast<std::size_t>(cloth.x0.size() / 3), 0);
    active[5] = active[90] = 1;

    check(cloth, broad, 0, active);
    std::fill(active.begin(), active.end(), 0);
    broad.refit(cloth.x0, cloth.x1, 0, active);
    EXPECT_EQ(broad.find_vertex_face().pairs(), 0);
    EXPECT_EQ(broad.find_edge_edge().pairs(), 0);
}

TEST(BroadPhase, RowsAreTheSameForAnyNumberOfThreads) {
    const Cloth cloth = crumpled(40, 0.02, 0.02, 5);
    std::vector<std::vector<Index>> rows;
    for (const int threads : {1, 2, 4}) {
        set_thread_count(threads);
        BroadPhase broad(cloth.face, cloth.edge, Index(cloth.x0.size() / 3));
        broad.order(cloth.x0);
        broad.refit(cloth.x0, cloth.x1, 0.01);
        rows.push_back(broad.find_edge_edge().second);
        rows.push_back(broad.find_vertex_face().second);
    }
    set_thread_count(0);

    for (std::size_t k = 2; k < rows.size(); ++k)
        EXPECT_EQ(rows[k], rows[k - 2]);
    EXPECT_GT(rows[0].size(), 1000u);
}

TEST(BroadPhase, BoxesContainWhatTheyAreMadeOf) {
    std::mt19937_64 random(8);
    for (int k = 0; k < 10000; ++k) {
        const double size = std::ldexp(1.0, int(random() % 300) - 150);
        const double value = size * (double(random()) / 1e19 - 0.9);
        const FloatBox box = FloatBox::around(Vec3::Constant(value), Vec3::Constant(value), 0);
        if (std::abs(value) < 1e37) {
            ASSERT_LT(double(box.low[0]), value);
            ASSERT_GT(double(box.high[0]), value);
        }
        ASSERT_LE(box.low[0], box.high[0]);
    }
}

TEST(BroadPhase, NothingToFindIsFine) {
    BroadPhase none({}, {}, 0);
    none.order(VecX());
    none.refit(VecX(), VecX(), 1);

    EXPECT_EQ(none.find_vertex_face().pairs(), 0);
    EXPECT_EQ(none.find_edge_edge().pairs(), 0);
}

}  // namespace
}  // namespace taffeta::contact
