#include "taffeta/ode/spring_laplacian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"

namespace taffeta::ode {

namespace {

constexpr Index laplacian_grain = 512;

/// k + c/h
double spring_weight(const Spring& spring, double h) {
    return spring.stiffness + spring.damping / h;
}

}  // namespace

SolveReport SpringLaplacian::prepare(std::span<const Spring> springs, const Mobility& mobility,
                                     double h) {
    const VecX& inverse_mass = mobility.inverse_mass();
    const bool same_springs =
        std::ranges::equal(springs, springs_) && inverse_mass.size() == inverse_mass_.size();
    if (factored_ && same_springs && h == h_ && inverse_mass == inverse_mass_) return {};
    springs_.assign(springs.begin(), springs.end());
    inverse_mass_ = inverse_mass;
    h_ = h;
    if (!same_springs) connect(Index(inverse_mass.size()));
    return factor();
}

void SpringLaplacian::connect(Index particles) {
    end_begin_.assign(std::size_t(particles) + 1, 0);
    for (const Spring& s : springs_) {
        ++end_begin_[std::size_t(s.i) + 1];
        ++end_begin_[std::size_t(s.j) + 1];
    }
    for (std::size_t i = 0; i < std::size_t(particles); ++i)
        end_begin_[i + 1] += end_begin_[i];
    end_.resize(2 * springs_.size());
    std::vector<Index> next(end_begin_.begin(), end_begin_.end() - 1);
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        end_[std::size_t(next[std::size_t(springs_[k].i)]++)] = Index(2 * k);
        end_[std::size_t(next[std::size_t(springs_[k].j)]++)] = Index(2 * k + 1);
    }
    force_.resize(springs_.size());
}

SolveReport SpringLaplacian::factor() {
    using Triplet = Eigen::Triplet<double>;
    const Index particles = Index(inverse_mass_.size());
    factored_ = false;
    free_.assign(std::size_t(particles), -1);
    free_count_ = 0;
    std::vector<Triplet> entries;
    for (Index i = 0; i < particles; ++i) {
        if (inverse_mass_[i] == 0) continue;
        free_[std::size_t(i)] = free_count_;
        entries.emplace_back(free_count_, free_count_, 1 / (inverse_mass_[i] * h_ * h_));
        ++free_count_;
    }
    for (const Spring& s : springs_) {
        const double w = spring_weight(s, h_);
        const Index i = free_[std::size_t(s.i)], j = free_[std::size_t(s.j)];
        if (i == j) continue;  // both held, or no spring
        if (i >= 0) entries.emplace_back(i, i, w);
        if (j >= 0) entries.emplace_back(j, j, w);
        if (i >= 0 && j >= 0) entries.emplace_back(std::max(i, j), std::min(i, j), -w);
    }
    Eigen::SparseMatrix<double> A(free_count_, free_count_);
    A.setFromTriplets(entries.begin(), entries.end());
    nonzeros_ = 2 * long(A.nonZeros()) - free_count_;
    ++factorisations_;
    SolveReport report;
    if (free_count_ > 0) {
        cholesky_.compute(A);
        if (cholesky_.info() != Eigen::Success) {
            report.status = SolveStatus::indefinite;
            report.message = fmt::format(
                "the matrix of projective dynamics over {} free particles has no Cholesky factor "
                "at h = {:.3g} s",
                free_count_, h_);
            return report;
        }
        take_factor();
    }
    factored_ = true;
    return report;
}

void SpringLaplacian::take_factor() {
    const auto& L = cholesky_.matrixL().nestedExpression();
    const auto& order = cholesky_.permutationP().indices();
    unknown_.setZero(4, free_count_);
    column_begin_.assign(1, 0);
    row_.clear();
    value_.clear();
    inverse_diagonal_.resize(std::size_t(free_count_));
    for (Index j = 0; j < free_count_; ++j) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(L, j); entry; ++entry) {
            if (entry.row() == j) {
                inverse_diagonal_[std::size_t(j)] = 1 / entry.value();
            } else {
                row_.push_back(Index(entry.row()));
                value_.push_back(entry.value());
            }
        }
        column_begin_.push_back(Index(row_.size()));
    }
    for (Index& number : free_)
        if (number >= 0) number = order[number];
}

void SpringLaplacian::residual(const VecX& target, const VecX& start, const VecX& x, VecX& r,
                               VecX& forces) {
    // The local step: p = l n is the place of d on the sphere of the rest length, k (p - d) the force.
    parallel_for(Index(springs_.size()), laplacian_grain, [&](Index k) {
        const Spring& s = springs_[std::size_t(k)];
        const Vec3 d = vec3(x, s.i) - vec3(x, s.j);
        const double length = d.norm();
        if (!(length > 0)) {
            force_[std::size_t(k)].setZero();
            return;
        }
        const Vec3 n = d / length;
        double tension = s.stiffness * (length - s.length);
        if (s.damping > 0)
            tension += s.damping / h_ * n.dot(d - vec3(start, s.i) + vec3(start, s.j));
        force_[std::size_t(k)] = -tension * n;
    });
    r.resize(x.size());
    forces.resize(x.size());
    parallel_for(Index(inverse_mass_.size()), laplacian_grain, [&](Index i) {
        Vec3 sum = Vec3::Zero();
        for (Index e = end_begin_[std::size_t(i)]; e < end_begin_[std::size_t(i) + 1]; ++e) {
            const Index end = end_[std::size_t(e)];
            const Vec3& force = force_[std::size_t(end / 2)];
            sum += end % 2 == 0 ? force : Vec3(-force);
        }
        vec3(forces, i) = sum;
        if (free_[std::size_t(i)] < 0)
            vec3(r, i).setZero();
        else
            vec3(r, i) = sum - (vec3(x, i) - vec3(target, i)) / (inverse_mass_[i] * h_ * h_);
    });
}

void SpringLaplacian::apply(const VecX& u, VecX& out) const {
    out.resize(u.size());
    parallel_for(Index(inverse_mass_.size()), laplacian_grain, [&](Index i) {
        if (free_[std::size_t(i)] < 0) {
            vec3(out, i).setZero();
            return;
        }
        Vec3 sum = vec3(u, i) / (inverse_mass_[i] * h_ * h_);
        for (Index e = end_begin_[std::size_t(i)]; e < end_begin_[std::size_t(i) + 1]; ++e) {
            const Index end = end_[std::size_t(e)];
            const Spring& s = springs_[std::size_t(end / 2)];
            const Index other = end % 2 == 0 ? s.j : s.i;
            sum += spring_weight(s, h_) * (vec3(u, i) - vec3(u, other));
        }
        vec3(out, i) = sum;
    });
}

void SpringLaplacian::solve(const VecX& r, VecX& u) {
    u.setZero(r.size());
    for (std::size_t i = 0; i < free_.size(); ++i)
        if (free_[i] >= 0) unknown_.col(free_[i]).head<3>() = vec3(r, Index(i));
    // L y = r
    for (Index j = 0; j < free_count_; ++j) {
        const Eigen::Vector4d y = inverse_diagonal_[std::size_t(j)] * unknown_.col(j);
        unknown_.col(j) = y;
        for (Index s = column_begin_[std::size_t(j)]; s < column_begin_[std::size_t(j) + 1]; ++s)
            unknown_.col(row_[std::size_t(s)]) -= value_[std::size_t(s)] * y;
    }
    // L' u = y
    for (Index j = free_count_; j-- > 0;) {
        Eigen::Vector4d sum = unknown_.col(j);
        for (Index s = column_begin_[std::size_t(j)]; s < column_begin_[std::size_t(j) + 1]; ++s)
            sum -= value_[std::size_t(s)] * unknown_.col(row_[std::size_t(s)]);
        unknown_.col(j) = inverse_diagonal_[std::size_t(j)] * sum;
    }
    for (std::size_t i = 0; i < free_.size(); ++i)
        if (free_[i] >= 0) vec3(u, Index(i)) = unknown_.col(free_[i]).head<3>();
}

SolveReport SpringLaplacian::solve_filtered(SecondOrderSystem& system, const VecX& r, VecX& u) {
    constexpr int most = 200;
    constexpr double goal = 1e-10;
    SolveReport report;
    u.setZero(r.size());
    rest_ = r;
    solve(rest_, z_);
    system.project(z_);
    p_ = z_;
    double rz = rest_.dot(z_);
    const double first = rz;
    for (; report.iterations < most && rz > goal * goal * first; ++report.iterations) {
        apply(p_, q_);
        system.project(q_);
        const double alpha = rz / p_.dot(q_);
        u += alpha * p_;
        rest_ -= alpha * q_;
        solve(rest_, z_);
        system.project(z_);
        const double next = rest_.dot(z_);
        p_ = z_ + (next / rz) * p_;
        rz = next;
    }
    if (rz > goal * goal * first) {
        report.status = SolveStatus::max_iterations;
        report.message = fmt::format(
            "the system of the springs' constant matrix is at {:.3g} of its residual after {} "
            "iterations of conjugate gradients",
            std::sqrt(rz / first), most);
    }
    return report;
}

}  // namespace taffeta::ode
