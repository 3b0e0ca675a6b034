#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "taffeta/base/error.h"
#include "taffeta/mesh/counted_random.h"
#include "taffeta/mesh/delaunay.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/mesh/topology.h"

namespace taffeta::mesh {
namespace {

double area(const TriMesh& mesh, const Triangle& face) {
    const Vec3 p = mesh.position[std::size_t(face[1])] - mesh.position[std::size_t(face[0])];
    const Vec3 q = mesh.position[std::size_t(face[2])] - mesh.position[std::size_t(face[0])];
    return (p.x() * q.y() - p.y() * q.x()) / 2;
}

double total_area(const TriMesh& mesh) {
    return std::accumulate(mesh.face.begin(), mesh.face.end(), 0.0,
                           [&](double sum, const Triangle& f) { return sum + area(mesh, f); });
}

/// Locally Delaunay at every interior edge is globally Delaunay (Delaunay's lemma).
int edges_not_delaunay(const TriMesh& mesh) {
    int count = 0;
    for (const Hinge& hinge : make_topology(mesh).hinge) {
        const auto at = [&](int i) {
            return mesh.position[std::size_t(hinge.vertex[std::size_t(i)])];
        };
        if (in_circle(at(0), at(1), at(2), at(3)) > 0) ++count;
    }
    return count;
}

int largest_valence(const TriMesh& mesh) {
    std::vector<int> valence(mesh.position.size(), 0);
    for (const Edge& edge : make_topology(mesh).edge)
        for (const Index vertex : edge)
            ++valence[std::size_t(vertex)];
    return *std::max_element(valence.begin(), valence.end());
}

TEST(CountedRandom, GivesThePrintedNumbers) {
    EXPECT_EQ(counted_random(0, 0, 1), .5665615751722809);
    EXPECT_EQ(counted_random(1, 0, 1), .9710027535867962);
    EXPECT_EQ(counted_random(2, 0, 1), .44426470082635805);
    EXPECT_EQ(counted_random(3, 0, 1), .877348686764173);
    EXPECT_EQ(counted_random(0, 1, 1), .7457817572627011);
    EXPECT_EQ(counted_random(1, 1, 1), .4443592170557721);
    EXPECT_EQ(counted_random(2, 1, 1), .762894391911761);
    EXPECT_EQ(counted_random(3, 1, 1), .5230671798509814);
}

///  2---3---... row 1 (first vertex m)      faces of cell 0: (0, 1, m+1), (0, m+1, m)
///  0---1---... row 0
TEST(Grid, RegularFacesComeInCellOrder) {
    const TriMesh mesh = grid(2, 2, 1, 2, Tessellation::regular);

    EXPECT_EQ(mesh.vertex_count(), 9);
    EXPECT_EQ(mesh.position[5], Vec3(1, 1, 0));
    EXPECT_EQ(mesh.uv[7], Vec2(.5, 2));
    ASSERT_EQ(mesh.face_count(), 8);
    EXPECT_EQ(mesh.face[0], (Triangle{0, 1, 4}));
    EXPECT_EQ(mesh.face[1], (Triangle{0, 4, 3}));
    EXPECT_EQ(mesh.face[2], (Triangle{1, 2, 5}));
    EXPECT_EQ(mesh.face_uv, mesh.face);
}

TEST(Grid, AlternatingTurnsOddCells) {
    const TriMesh mesh = grid(2, 2, 1, 1, Tessellation::alternating);

    EXPECT_EQ(mesh.face[0], (Triangle{0, 1, 4}));
    EXPECT_EQ(mesh.face[2], (Triangle{1, 2, 4}));
    EXPECT_EQ(mesh.face[3], (Triangle{2, 5, 4}));
}

TEST(Grid, SmallestBenchmarkMeshHasThePrintedCounts) {
    const TriMesh mesh = grid(30, 30, 1, 1, Tessellation::regular);

    const Topology topology = make_topology(mesh);

    EXPECT_EQ(mesh.vertex_count(), 961);
    EXPECT_EQ(mesh.face_count(), 1800);
    EXPECT_EQ(topology.hinge.size(), 2640u);
    EXPECT_EQ(topology.boundary_vertex.size(), 120u);
}

TEST(Grid, IrregularHasThePrintedCoordinates) {
    const TriMesh mesh = grid(30, 30, 1, 1, Tessellation::irregular);

    EXPECT_NEAR(mesh.position[32].x(), .03685984795370242, 1e-16);
    EXPECT_NEAR(mesh.position[32].y(), .029812303291845164, 1e-16);
    EXPECT_NEAR(mesh.position[480].x(), .49959781818105947, 1e-16);
    EXPECT_NEAR(mesh.position[480].y(), .5058217952708246, 2e-16);
    Vec2 sum = Vec2::Zero();
    for (const Vec2& uv : mesh.uv)
        sum += uv;
    EXPECT_NEAR(sum.x(), 480.2901848391185, 1e-11);
    EXPECT_NEAR(sum.y(), 480.241282753153, 1e-11);
}

TEST(Grid, IrregularIsDelaunayWithThePrintedQuality) {
    const TriMesh mesh = grid(30, 30, 1, 1, Tessellation::irregular);
    double smallest = 1;
    for (const Triangle& face : mesh.face)
        smallest = std::min(smallest, area(mesh, face));

    EXPECT_NEAR(smallest / (1.0 / 1800), .338, 5e-4);
    EXPECT_LE(largest_valence(mesh), 8);
    EXPECT_EQ(edges_not_delaunay(mesh), 0);
    EXPECT_NEAR(total_area(mesh), 1, 1e-13);
    EXPECT_EQ(make_topology(mesh).boundary_vertex.size(), 120u);
}

TEST(Grid, IrregularHasEmptyCirclesAgainstEveryVertex) {
    const TriMesh mesh = grid(9, 7, 1, .8, Tessellation::irregular, 5);

    for (const auto& [a, b, c] : mesh.face)
        for (const Vec3& point : mesh.position)
            EXPECT_LE(in_circle(mesh.position[std::size_t(a)], mesh.position[std::size_t(b)],
                                mesh.position[std::size_t(c)], point),
                      0);
}

TEST(Grid, StraightColumnsAreThoseOfTheRegularGridAndTheRestIsJittered) {
    const TriMesh jittered = grid(9, 7, 1, .8, Tessellation::irregular, 5);
    const TriMesh straight = grid(9, 7, 1, .8, Tessellation::irregular, 5, 3);

    for (std::size_t i = 0; i < straight.position.size(); ++i) {
        const std::size_t column = i % 10, row = i / 10;
        if (column < 3)
            EXPECT_EQ(straight.position[i], Vec3(double(column) / 9, .8 * double(row) / 7, 0));
        else
            EXPECT_EQ(straight.position[i], jittered.position[i]);
        EXPECT_EQ(straight.uv[i], Vec2(straight.position[i].head<2>()));
    }
    EXPECT_EQ(edges_not_delaunay(straight), 0);
}

TEST(Grid, BadSizesAreRefused) {
    EXPECT_THROW(grid(0, 3, 1, 1, Tessellation::regular), Error);
    EXPECT_THROW(grid(3, 3, -1, 1, Tessellation::regular), Error);
    EXPECT_THROW(grid(2000000000, 2000000000, 1, 1, Tessellation::regular), Error);
}

TEST(Delaunay, MillionVerticesTakeSeconds) {
    const std::clock_t start = std::clock();

    const TriMesh mesh = grid(1000, 1000, 1, 1, Tessellation::irregular);

    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 15);
    EXPECT_EQ(mesh.vertex_count(), 1002001);
    EXPECT_EQ(mesh.face_count(), 2000000);
    EXPECT_NEAR(total_area(mesh), 1, 1e-9);
}

/// d on the unit circle through a, b, c, one last bit outside, one inside.
TEST(InCircle, DecidesLastBits) {
    const Vec3 a(1, 0, 0), b(0, 1, 0), c(-1, 0, 0);
    const double last_bit = 0x1p-53;

    EXPECT_EQ(in_circle(a, b, c, Vec3(0, -1, 0)), 0);
    EXPECT_GT(in_circle(a, b, c, Vec3(0, -1 + last_bit, 0)), 0);
    EXPECT_LT(in_circle(a, b, c, Vec3(0, -1 - 2 * last_bit, 0)), 0);
}

///  +--+          cut: the cells at the upper right corner
///  |  |
///  |  +--+
///  |     |
///  +-----+
TEST(LShape, BenchmarkSizesHaveExactlySquareCounts) {
    for (const Index m : {31, 41, 61, 81, 101, 151, 201, 301, 401, 601, 801, 1001}) {
        const auto [nx, ny, a, b] = l_shape_size(m);

        EXPECT_EQ(std::int64_t(nx + 1) * (ny + 1) - std::int64_t(a) * b, std::int64_t(m) * m);
    }
    const TriMesh mesh = l_shape(33, 33, 13, 15, Tessellation::irregular);
    EXPECT_EQ(mesh.vertex_count(), 961);
    EXPECT_EQ(mesh.face_count(), 2 * (33 * 33 - 13 * 15));
    EXPECT_EQ(edges_not_delaunay(mesh), 0);
    EXPECT_NEAR(total_area(mesh), 1 - 13.0 * 15 / (33 * 33), 1e-13);
}

TEST(LShape, CutEdgesStayStraightAndHaveTheirCount) {
    const TriMesh mesh = l_shape(33, 33, 13, 15, Tessellation::irregular);
    const double cut_u = 20.0 / 33, cut_v = 18.0 / 33;

    const auto on_cut = std::count_if(mesh.uv.begin(), mesh.uv.end(), [&](const Vec2& uv) {
        return (uv.x() == cut_u && uv.y() >= cut_v) || (uv.y() == cut_v && uv.x() >= cut_u);
    });

    EXPECT_EQ(on_cut, 13 + 15 + 1);
}

TEST(LShape, OtherSizesMinimiseTheMeasure) {
    const auto measure = [](const LShapeSize& s) {
        return std::abs(2.0 * s.a / s.nx - 1) + std::abs(2.0 * s.b / s.ny - 1) +
               1.5 * std::abs(double(s.nx) / s.ny - 1);
    };
    const auto smallest = [&](Index m) {
        double best = 10;
        for (Index nx = 2; nx < 2 * m; ++nx)
            for (Index ny = 2; ny < 2 * m; ++ny)
                for (Index a = 1; a < nx; ++a) {
                    const Index removed = (nx + 1) * (ny + 1) - m * m;
                    if (removed <= 0 || removed % a != 0 || removed / a >= ny) continue;
                    best = std::min(best, measure({nx, ny, a, removed / a}));
                }
        return best;
    };

    for (const Index m : {20, 31, 41, 50})
        EXPECT_NEAR(measure(l_shape_size(m)), smallest(m), 1e-12);
    EXPECT_THROW(l_shape_size(2), Error);
}

}  // namespace
}  // namespace taffeta::mesh
