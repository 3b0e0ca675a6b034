#include "taffeta/mesh/garment.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <set>

#include "taffeta/mesh/charts.h"
#include "taffeta/mesh/rest_shape.h"
#include "taffeta/mesh/validate.h"

namespace taffeta::mesh {
namespace {

TriMesh make(const std::string& piece, const GarmentSize& size = {}) {
    return piece == "tunic" ? tunic(size) : skirt(size);
}

Index count(const std::string& piece, const GarmentSize& size) {
    return piece == "tunic" ? tunic_vertices(size) : skirt_vertices(size);
}

class Garments : public testing::TestWithParam<const char*> {};

TEST_P(Garments, AreSoundAtEverySize) {
    for (const GarmentSize& size : {GarmentSize{}, GarmentSize{1.75, 0.06}, GarmentSize{1.2, 0.02},
                                    GarmentSize{1.75, 0.0123}}) {
        const TriMesh mesh = make(GetParam(), size);

        EXPECT_EQ(mesh.vertex_count(), count(GetParam(), size));
        EXPECT_EQ(mesh.face_uv.size(), mesh.face.size());
        for (const Diagnostic& finding : validate(mesh))
            if (finding.severity != Severity::note) ADD_FAILURE() << finding.text();
    }
}

TEST_P(Garments, StartWithinTenPerCentOfTheirPanels) {
    const TriMesh mesh = make(GetParam());
    const RestShape rest = rest_from_uv(mesh, make_topology(mesh), 1);
    double least = 1, most = 1, skew = 0;
    for (std::size_t f = 0; f < mesh.face.size(); ++f) {
        // F maps the panel to the world; its singular values are the stretches.
        Eigen::Matrix<double, 3, 2> world;
        Eigen::Matrix2d panel;
        for (int k = 0; k < 2; ++k) {
            world.col(k) = mesh.position[std::size_t(mesh.face[f][std::size_t(k) + 1])] -
                           mesh.position[std::size_t(mesh.face[f][0])];
            panel.col(k) = rest.face_uv[f][std::size_t(k) + 1] - rest.face_uv[f][0];
        }
        const Eigen::Matrix<double, 3, 2> F = world * panel.inverse();
        const Eigen::Vector2d stretch =
            Eigen::JacobiSVD<Eigen::Matrix<double, 3, 2>>(F).singularValues();
        least = std::min(least, stretch[1]);
        most = std::max(most, stretch[0]);
        skew = std::max(skew, std::abs(F.col(0).dot(F.col(1))));
    }

    EXPECT_GT(least, 0.9);
    EXPECT_LT(most, 1.1);
    RecordProperty("least", std::to_string(least));
    RecordProperty("most", std::to_string(most));
    RecordProperty("skew", std::to_string(skew));
}

TEST_P(Garments, TrianglesAreOfNearlyOneSize) {
    const GarmentSize size;
    const TriMesh mesh = make(GetParam(), size);
    const Topology topology = make_topology(mesh);
    std::vector<double> length;
    for (const Edge& edge : topology.edge)
        length.push_back(
            (mesh.position[std::size_t(edge[0])] - mesh.position[std::size_t(edge[1])]).norm());
    std::sort(length.begin(), length.end());

    EXPECT_NEAR(length[length.size() / 2], size.edge, 0.12 * size.edge);
    EXPECT_GT(length.front(), 0.3 * size.edge);
    EXPECT_LT(length[length.size() * 99 / 100], 1.6 * size.edge);
    EXPECT_LT(length.back(), 2.6 * size.edge);
}

TEST_P(Garments, ScaleWithTheWearer) {
    const TriMesh adult = make(GetParam(), {1.75, 0.02}), child = make(GetParam(), {0.875, 0.01});
    ASSERT_EQ(adult.vertex_count(), child.vertex_count());
    for (Index i = 0; i < adult.vertex_count(); ++i)
        EXPECT_LT((adult.position[std::size_t(i)] - 2 * child.position[std::size_t(i)]).norm(),
                  1e-12);
}

TEST_P(Garments, ImpossibleSizesAreErrors) {
    EXPECT_THROW(make(GetParam(), {0, 0.01}), Error);
    EXPECT_THROW(make(GetParam(), {1.75, 0.2}), Error);
    EXPECT_THROW(make(GetParam(), {1.75, 1e-5}), Error);
}

INSTANTIATE_TEST_SUITE_P(Pieces, Garments, testing::Values("tunic", "skirt"),
                         [](const auto& parameter) { return std::string(parameter.param); });

/// Loops of boundary edges.
int boundary_loops(const TriMesh& mesh) {
    std::map<Index, Index> next;
    const Topology topology = make_topology(mesh);
    std::set<Edge> inner;
    std::map<std::pair<Index, Index>, int> uses;
    for (const Triangle& face : mesh.face)
        for (std::size_t k = 0; k < 3; ++k)
            ++uses[{face[k], face[(k + 1) % 3]}];
    for (const auto& [edge, number] : uses)
        if (!uses.count({edge.second, edge.first})) next[edge.first] = edge.second;
    int loops = 0;
    while (!next.empty()) {
        ++loops;
        Index at = next.begin()->first;
        while (next.count(at)) {
            const Index to = next[at];
            next.erase(at);
            at = to;
        }
    }
    return loops;
}

TEST(Tunic, IsTwoPanelsWithFourOpenings) {
    const TriMesh mesh = tunic({});
    const Topology topology = make_topology(mesh);

    // Neck, two armholes, hem; a sphere with four holes.
    EXPECT_EQ(boundary_loops(mesh), 4);
    EXPECT_EQ(mesh.vertex_count() - Index(topology.edge.size()) + mesh.face_count(), 2 - 4);
    EXPECT_EQ(uv_charts(topology, rest_from_uv(mesh, topology, 1).face_uv).count, 2);
}

TEST(Skirt, IsSixGoresAndATube) {
    const TriMesh mesh = skirt({});
    const Topology topology = make_topology(mesh);

    EXPECT_EQ(boundary_loops(mesh), 2);
    EXPECT_EQ(mesh.vertex_count() - Index(topology.edge.size()) + mesh.face_count(), 0);
    EXPECT_EQ(uv_charts(topology, rest_from_uv(mesh, topology, 1).face_uv).count, 6);
    for (const Index vertex : mesh.group.at("waist"))
        EXPECT_NEAR(mesh.position[std::size_t(vertex)].y(), 1.04, 1e-12);
}

}  // namespace
}  // namespace taffeta::mesh
