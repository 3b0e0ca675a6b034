#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "references.h"
#include "taffeta/base/parallel.h"
#include "taffeta/energy/hinge.h"
#include "taffeta/energy/law_baraff_witkin.h"
#include "taffeta/energy/spatial_order.h"

namespace taffeta::energy::test {
namespace {

std::vector<std::unique_ptr<Energy>> cotton(const Body& body) {
    std::vector<std::unique_ptr<Energy>> energies;
    energies.push_back(bound(membrane_laws(), "baraff_witkin",
                             options({{"tau_stretch", 1e-3}, {"tau_shear", 2e-3}}), body));
    energies.push_back(bound(bending_terms(), "hinge", options({{"tau", 1e-3}}), body));
    energies.push_back(bound(bending_terms(), "plate", Settings::object(), body));
    energies.push_back(bound(load_terms(), "gravity", Settings::object(), body));
    energies.push_back(bound(load_terms(), "air", Settings::object(), body));
    return energies;
}

TEST(Assembler, EqualsTheDenseSumOverElements) {
    const Body body = small_sheet();
    std::vector<std::unique_ptr<Energy>> energies;
    energies.push_back(bound(membrane_laws(), "baraff_witkin", Settings::object(), body));
    energies.push_back(bound(bending_terms(), "hinge", options({{"psd", "clamp"}}), body));
    const Eigen::Index n = body.x.size();
    VecX f = VecX::Zero(n);
    MatX K = MatX::Zero(n, n);
    const auto p = [&](Index i) { return lane_vector(vec3(body.x, i)); };
    const BaraffWitkin law;
    for (std::size_t t = 0; t < body.mesh.face.size(); ++t) {
        const Triangle& v = body.mesh.face[t];
        const DeformationMap<double> map = deformation_map(body.rest.face_uv[t]);
        const Deformation<double> F = map.gradient(p(v[0]), p(v[1]), p(v[2]));
        const auto force = corner_forces(map, law.stress(F));
        const MembraneHessian<double> H = law.hessian(F, PsdRule::clamp);
        const double cu[3] = {-map.c1u - map.c2u, map.c1u, map.c2u};
        const double cv[3] = {-map.c1v - map.c2v, map.c1v, map.c2v};
        for (std::size_t i = 0; i < 3; ++i) {
            vec3(f, v[i]) += eigen_vector(force[i]);
            for (std::size_t j = 0; j < 3; ++j)
                K.block<3, 3>(3 * v[i], 3 * v[j]) +=
                    map.area *
                    (cu[i] * cu[j] * eigen_matrix(H.uu) + cv[i] * cv[j] * eigen_matrix(H.vv) +
                     cu[i] * cv[j] * eigen_matrix(H.uv) +
                     cv[i] * cu[j] * eigen_matrix(H.uv).transpose());
        }
    }
    for (std::size_t h = 0; h < body.topology.hinge.size(); ++h) {
        const mesh::Hinge& hinge = body.topology.hinge[h];
        const auto& v = hinge.vertex;
        const std::array<Vec3, 4> x = {vec3(body.x, v[0]), vec3(body.x, v[1]), vec3(body.x, v[2]),
                                       vec3(body.x, v[3])};
        const double k = hinge_stiffness(1e-5, 1, body.rest.hinge_length[h],
                                         body.rest.area[std::size_t(hinge.face[0])] +
                                             body.rest.area[std::size_t(hinge.face[1])]);
        const Dihedral<double> bend = dihedral(p(v[0]), p(v[1]), p(v[2]), p(v[3]));
        const Mat12 H = hinge_hessian(x, k, 0, PsdRule::clamp);
        for (int i = 0; i < 4; ++i) {
            vec3(f, v[std::size_t(i)]) -=
                k * bend.angle * eigen_vector(bend.gradient[std::size_t(i)]);
            for (int j = 0; j < 4; ++j)
                K.block<3, 3>(3 * v[std::size_t(i)], 3 * v[std::size_t(j)]) +=
                    H.block<3, 3>(3 * i, 3 * j);
        }
    }

    const Evaluated result = evaluate(energies, body.mesh.vertex_count(), body.at());

    EXPECT_LT((result.force - f).norm(), 1e-13 * f.norm());
    EXPECT_LT((result.K - K).norm(), 1e-13 * K.norm());
}

TEST(Assembler, SameBitsForAnyNumberOfThreads) {
    Body body(mesh::grid(60, 47, 1, 0.8, mesh::Tessellation::irregular));
    body.perturb(0.004, 0.5);
    const auto energies = cotton(body);
    const Assembler assembler(body.mesh.vertex_count(), energies);
    VecX f, first_f;
    double first_value = 0;
    sparse::Matrix3 K(assembler.pattern()), D(assembler.pattern()), first_K, first_D;
    for (const int threads : {1, 2, 4, 8}) {
        set_thread_count(threads);
        assembler.evaluate(body.at(), {&f, &K, &D});
        const double value = assembler.value(body.x);
        if (threads == 1) {
            first_f = f, first_K = K, first_D = D, first_value = value;
            continue;
        }
        const std::size_t bytes = sizeof(double) * 9 * std::size_t(K.pattern().blocks());
        EXPECT_EQ(std::memcmp(f.data(), first_f.data(), sizeof(double) * std::size_t(f.size())), 0);
        EXPECT_EQ(std::memcmp(K.slot(0), first_K.slot(0), bytes), 0);
        EXPECT_EQ(std::memcmp(D.slot(0), first_D.slot(0), bytes), 0);
        EXPECT_EQ(value, first_value);
    }
    set_thread_count(0);
}

TEST(Assembler, ForcesAloneEqualForcesWithMatrices) {
    const Body body = small_sheet();
    const auto energies = cotton(body);
    const Assembler assembler(body.mesh.vertex_count(), energies);
    sparse::Matrix3 K(assembler.pattern()), D(assembler.pattern());
    VecX alone, with;

    assembler.evaluate(body.at(), {.force = &alone});
    assembler.evaluate(body.at(), {&with, &K, &D});

    EXPECT_LT((alone - with).norm(), 1e-15 * with.norm());
    EXPECT_TRUE(assembler.has_damping());
}

TEST(Assembler, EvaluationOverwritesWhatWasThere) {
    const Body body = small_sheet();
    const auto energies = cotton(body);
    const Assembler assembler(body.mesh.vertex_count(), energies);
    sparse::Matrix3 K(assembler.pattern());
    VecX f;
    assembler.evaluate(body.at(), {.force = &f, .stiffness = &K});
    const VecX once = f;
    const MatX K_once = dense(K);

    assembler.evaluate(body.at(), {.force = &f, .stiffness = &K});

    EXPECT_EQ(f, once);
    EXPECT_EQ(dense(K), K_once);
}

TEST(ScatterPlan, ClustersOfAColourShareNoVertexAndCoverAllElements) {
    const Body body(mesh::grid(40, 40, 1, 1, mesh::Tessellation::irregular));
    for (const auto& [registry, key] : {std::pair(membrane_laws(), "baraff_witkin"),
                                        {bending_terms(), "hinge"},
                                        {bending_terms(), "plate"},
                                        {load_terms(), "gravity"}}) {
        const auto energy = bound(registry, key, Settings::object(), body);
        const sparse::StencilSet stencils = energy->stencils();

        const ScatterPlan plan = make_scatter_plan(body.mesh.vertex_count(), stencils, nullptr);

        std::vector<int> visits(std::size_t(stencils.count()), 0);
        for (std::size_t color = 0; color + 1 < plan.color_begin.size(); ++color) {
            std::vector<Index> owner(std::size_t(body.mesh.vertex_count()), -1);
            for (Index i = plan.color_begin[color]; i < plan.color_begin[color + 1]; ++i) {
                const Index c = plan.cluster[std::size_t(i)];
                for (Index e = plan.element_begin[std::size_t(c)];
                     e < plan.element_begin[std::size_t(c) + 1]; ++e) {
                    ++visits[std::size_t(e)];
                    for (int k = 0; k < stencils.size; ++k) {
                        const Index v = stencils.vertices[std::size_t(e * stencils.size + k)];
                        if (v < 0) continue;
                        Index& held = owner[std::size_t(v)];
                        ASSERT_TRUE(held < 0 || held == c) << key;
                        held = c;
                    }
                }
            }
        }
        for (const int count : visits)
            EXPECT_EQ(count, 1);
        EXPECT_LE(plan.color_begin.size(), 13u) << key;
    }
}

TEST(ScatterPlan, SingleVerticesNeedOneColour) {
    const Body body(mesh::grid(40, 40, 1, 1, mesh::Tessellation::regular));
    const auto gravity = bound(load_terms(), "gravity", Settings::object(), body);

    const ScatterPlan plan =
        make_scatter_plan(body.mesh.vertex_count(), gravity->stencils(), nullptr);

    EXPECT_EQ(plan.color_begin.size(), 2u);
}

TEST(ScatterPlan, ManyElementsAtOneVertexMakeManyColours) {
    // A fan: every cluster holds the hub, so every cluster has its own colour.
    std::vector<Index> vertices;
    const Index triangles = 6000;
    for (Index i = 0; i < triangles; ++i)
        vertices.insert(vertices.end(), {0, i + 1, i + 2});

    const ScatterPlan plan = make_scatter_plan(triangles + 2, {3, vertices}, nullptr);

    EXPECT_EQ(plan.color_begin.size(), plan.element_begin.size());
}

TEST(ScatterPlan, OfNothingIsEmpty) {
    const ScatterPlan plan = make_scatter_plan(10, {}, nullptr);

    EXPECT_EQ(plan.cluster.size(), 0u);
    EXPECT_EQ(plan.color_begin.size(), 1u);
}

TEST(SpatialOrder, IsAPermutationThatKeepsNeighboursTogether) {
    // 64 x 64 points in random order: any 64 consecutive ones lie in a small square.
    std::vector<Vec3> points;
    for (int i = 0; i < 4096; ++i)
        points.emplace_back(i % 64, i / 64, 0.5);
    std::shuffle(points.begin(), points.end(), std::mt19937_64(5));

    const std::vector<Index> order = spatial_order(points);

    EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), points.size());
    double worst = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += 64) {
        Vec3 low = points[std::size_t(order[begin])], high = low;
        for (std::size_t i = begin; i < begin + 64; ++i) {
            low = low.cwiseMin(points[std::size_t(order[i])]);
            high = high.cwiseMax(points[std::size_t(order[i])]);
        }
        worst = std::max(worst, (high - low).maxCoeff());
    }
    EXPECT_LE(worst, 16);
}

TEST(SpatialOrder, LeavesCoincidentPointsInTheirOrder) {
    const std::vector<Vec3> points(5, Vec3(1, 2, 3));

    EXPECT_EQ(spatial_order(points), (std::vector<Index>{0, 1, 2, 3, 4}));
    EXPECT_TRUE(spatial_order({}).empty());
}

}  // namespace
}  // namespace taffeta::energy::test
