#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

/// Matrices to test on, and their dense twins.
namespace taffeta::testing {

/// Uniform in [low, high], the same sequence with every standard library.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform(double low = -1, double high = 1) {
        return low + (high - low) * double(engine_() >> 11) * 0x1p-53;
    }
    Index index(Index count) { return Index(engine_() % std::uint64_t(count)); }
    Vec3 vector() { return {uniform(), uniform(), uniform()}; }
    Vec3 direction() {
        Vec3 v = vector();
        while (v.norm() < 0.1)
            v = vector();
        return v.normalized();
    }
    VecX field(Index vertices) {
        VecX x(3 * Eigen::Index(vertices));
        for (double& value : x)
            value = uniform();
        return x;
    }

  private:
    std::mt19937_64 engine_;
};

inline Eigen::MatrixXd dense(const sparse::Matrix3& A) {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * A.rows(), 3 * A.rows());
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s)
            full.block<3, 3>(3 * i, 3 * A.pattern().column[std::size_t(s)]) = A.block(s);
    return full;
}

/// S as a matrix.
inline Eigen::MatrixXd dense(const sparse::NodeFilter& filter) {
    Eigen::MatrixXd S = Eigen::MatrixXd::Identity(3 * filter.vertices(), 3 * filter.vertices());
    for (const auto& entry : filter.entries())
        S.block<3, 3>(3 * entry.vertex, 3 * entry.vertex) = entry.projector;
    return S;
}

///   o---o---o     columns x rows vertices, springs along the edges and one diagonal of each
///   | \ | \ |     square; a spring of stiffness k and direction d adds k dd' (1 -1; -1 1). The
///   o---o---o     stiffness varies over `decades` powers of ten, the mass of a vertex is 1.
inline sparse::Matrix3 grid_matrix(Index columns, Index rows, double stiffness, double decades,
                                   std::uint64_t seed) {
    std::vector<Index> springs;
    for (Index j = 0; j < rows; ++j)
        for (Index i = 0; i < columns; ++i) {
            const Index v = j * columns + i;
            if (i + 1 < columns) springs.insert(springs.end(), {v, v + 1});
            if (j + 1 < rows) springs.insert(springs.end(), {v, v + columns});
            if (i + 1 < columns && j + 1 < rows)
                springs.insert(springs.end(), {v, v + columns + 1});
        }
    const sparse::StencilSet stencils{2, springs};
    sparse::Matrix3 A(sparse::make_pattern(columns * rows, {&stencils, 1}));
    const std::vector<Index> slots = sparse::make_slots(A.pattern(), stencils);
    Random random(seed);
    for (std::size_t e = 0; e < springs.size() / 2; ++e) {
        const Vec3 d = random.direction();
        const double k = stiffness * std::pow(10, decades * random.uniform(-0.5, 0.5));
        const Mat3 outer = d * d.transpose();
        const Mat3 block = k * outer;  // k (d d') in one go would not be symmetric to the bit
        for (int a = 0; a < 4; ++a)
            A.block(slots[4 * e + std::size_t(a)]) += (a == 0 || a == 3) ? block : Mat3(-block);
    }
    for (Index i = 0; i < A.rows(); ++i)
        A.block(A.pattern().diagonal[std::size_t(i)]) += Mat3::Identity();
    return A;
}

/// One vertex in five constrained: in turn one, two and three directions, with targets.
inline sparse::NodeFilter mixed_filter(Index vertices, std::uint64_t seed) {
    sparse::NodeFilter filter(vertices);
    Random random(seed);
    for (Index v = 0; v < vertices; v += 5) {
        if (v % 3 == 0)
            filter.fix(v);
        else
            for (Index k = 0; k < v % 3; ++k)
                filter.forbid(v, random.direction());
        filter.set_target(v, random.vector());
    }
    return filter;
}

}  // namespace taffeta::testing
