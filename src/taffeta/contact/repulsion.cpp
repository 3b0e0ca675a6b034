#include "taffeta/contact/repulsion.h"

#include <algorithm>

#include "taffeta/base/parallel.h"

namespace taffeta::contact {
namespace {

constexpr Index spring_grain = 256;

/// sum_j w_j u_j
Vec3 across(const PairSpring& spring, const VecX& u) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t j = 0; j < 4; ++j)
        sum += spring.weight[j] * vec3(u, spring.vertex[j]);
    return sum;
}

/// Damping along the normal and drag across it, of a relative velocity: d n n' + phi T.
Vec3 damped(const PairSpring& spring, const Vec3& velocity) {
    const double normal = spring.normal.dot(velocity);
    return (spring.damping - spring.drag) * normal * spring.normal + spring.drag * velocity;
}

}  // namespace

void Repulsion::clear() {
    springs_.clear();
    vertex_.clear();
    stencil_.clear();
}

void Repulsion::prepare(Index vertices) {
    stencil_.resize(4 * springs_.size());
    vertex_.clear();
    std::vector<Index> count(std::size_t(vertices) + 1, 0);
    for (std::size_t s = 0; s < springs_.size(); ++s)
        for (std::size_t j = 0; j < 4; ++j) {
            stencil_[4 * s + j] = springs_[s].vertex[j];
            ++count[std::size_t(springs_[s].vertex[j])];
        }
    begin_.assign(1, 0);
    for (Index v = 0; v < vertices; ++v) {
        Index& here = count[std::size_t(v)];
        if (here == 0) continue;
        vertex_.push_back(v);
        begin_.push_back(begin_.back() + here);
        here = begin_[begin_.size() - 2];  // from now on: where the next one goes
    }
    corner_.resize(stencil_.size());
    for (Index s = 0; s < Index(springs_.size()); ++s)
        for (Index j = 0; j < 4; ++j) {
            const Index v = springs_[std::size_t(s)].vertex[std::size_t(j)];
            corner_[std::size_t(count[std::size_t(v)]++)] = {s, j};
        }
    force_.resize(springs_.size());
}

sparse::StencilSet Repulsion::stencils() const {
    return {4, stencil_};
}

/// Calls body(vertex, corners).
template <class Body>
void Repulsion::for_each_vertex(const Body& body) const {
    parallel_for(Index(vertex_.size()), spring_grain, [&](Index i) {
        const std::size_t k = std::size_t(i);
        body(vertex_[k], std::span(corner_.data() + begin_[k], corner_.data() + begin_[k + 1]));
    });
}

double Repulsion::value(const VecX& x) const {
    double sum = 0;
    for (const PairSpring& spring : springs_) {
        const double open = spring.rest - spring.normal.dot(across(spring, x));
        sum += 0.5 * spring.stiffness * open * open;
    }
    return sum;
}

void Repulsion::add_force(const VecX& x, const VecX& v, VecX& f) const {
    parallel_for(Index(springs_.size()), spring_grain, [&](Index s) {
        const PairSpring& spring = springs_[std::size_t(s)];
        const double open = spring.rest - spring.normal.dot(across(spring, x));
        force_[std::size_t(s)] = spring.stiffness * open * spring.normal -
                                 damped(spring, across(spring, v) - spring.against);
    });
    for_each_vertex([&](Index vertex, std::span<const Corner> corners) {
        for (const Corner& corner : corners)
            vec3(f, vertex) +=
                springs_[std::size_t(corner.spring)].weight[std::size_t(corner.place)] *
                force_[std::size_t(corner.spring)];
    });
}

void Repulsion::add_product(double k, double d, const VecX& u, VecX& out) const {
    parallel_for(Index(springs_.size()), spring_grain, [&](Index s) {
        const PairSpring& spring = springs_[std::size_t(s)];
        const Vec3 difference = across(spring, u);
        force_[std::size_t(s)] =
            k * spring.stiffness * spring.normal.dot(difference) * spring.normal +
            d * damped(spring, difference);
    });
    for_each_vertex([&](Index vertex, std::span<const Corner> corners) {
        for (const Corner& corner : corners)
            vec3(out, vertex) +=
                springs_[std::size_t(corner.spring)].weight[std::size_t(corner.place)] *
                force_[std::size_t(corner.spring)];
    });
}

void Repulsion::add_blocks(double k, double d, sparse::Matrix3& A) const {
    for_each_vertex([&](Index vertex, std::span<const Corner> corners) {
        for (const Corner& corner : corners) {
            const PairSpring& spring = springs_[std::size_t(corner.spring)];
            const double drag = d * spring.drag;
            const double normal = k * spring.stiffness + d * spring.damping - drag;
            const Mat3 block =
                normal * spring.normal * spring.normal.transpose() + drag * Mat3::Identity();
            const double weight = spring.weight[std::size_t(corner.place)];
            for (std::size_t j = 0; j < 4; ++j)
                A.block(A.pattern().slot(vertex, spring.vertex[j])) +=
                    weight * spring.weight[j] * block;
        }
    });
}

}  // namespace taffeta::contact
