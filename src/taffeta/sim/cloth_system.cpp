#include "taffeta/sim/cloth_system.h"

#include <Eigen/Geometry>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/energy/springs.h"

namespace taffeta::sim {

namespace {

constexpr Index rows_per_task = 1024;

/// A = rest over a pattern with more couplings.
void copy_into(const sparse::Matrix3& rest, std::span<const Index> slot, sparse::Matrix3& A) {
    const sparse::BlockPattern& pattern = rest.pattern();
    A.set_zero();
    parallel_for(pattern.rows(), rows_per_task, [&](Index row) {
        for (Index s = pattern.row_begin[std::size_t(row)];
             s < pattern.row_begin[std::size_t(row) + 1]; ++s)
            A.block(slot[std::size_t(s)]) = rest.block(s);
    });
}

}  // namespace

/// A = d D + k K + m M in one pass over the values.
void ClothSystem::combine(const ode::Coefficients& c, sparse::Matrix3& A) const {
    const sparse::BlockPattern& pattern = A.pattern();
    const sparse::Matrix3& K = K_;
    const sparse::Matrix3* const D = D_.empty() ? nullptr : &D_;
    parallel_chunks(pattern.rows(), rows_per_task, [&](Index begin, Index end) {
        const std::size_t first = std::size_t(pattern.row_begin[std::size_t(begin)]) * 9;
        const std::size_t last = std::size_t(pattern.row_begin[std::size_t(end)]) * 9;
        double* a = A.slot(0);
        const double* k = K.slot(0);
        if (D) {
            const double* d = D->slot(0);
            for (std::size_t i = first; i < last; ++i)
                a[i] = c.k * k[i] + c.d * d[i];
        } else {
            for (std::size_t i = first; i < last; ++i)
                a[i] = c.k * k[i];
        }
        if (mass_.empty()) {
            for (Index row = begin; row < end; ++row) {
                auto block = A.block(pattern.diagonal[std::size_t(row)]);
                block.diagonal().array() += c.m * world_.mass[row];
            }
        } else {
            for (Index s = pattern.row_begin[std::size_t(begin)];
                 s < pattern.row_begin[std::size_t(end)]; ++s)
                A.block(s).diagonal().array() += c.m * mass_[std::size_t(s)];
        }
    });
}

/// out += weight * M u.
void ClothSystem::add_mass(double weight, const VecX& u, VecX& out) const {
    if (mass_.empty()) {
        parallel_for(world_.vertex_count(), rows_per_task,
                     [&](Index i) { vec3(out, i) += weight * world_.mass[i] * vec3(u, i); });
        return;
    }
    const sparse::BlockPattern& pattern = K_.pattern();
    parallel_for(pattern.rows(), rows_per_task, [&](Index row) {
        Vec3 sum = Vec3::Zero();
        for (Index s = pattern.row_begin[std::size_t(row)];
             s < pattern.row_begin[std::size_t(row) + 1]; ++s)
            sum += mass_[std::size_t(s)] * vec3(u, pattern.column[std::size_t(s)]);
        vec3(out, row) += weight * sum;
    });
}

/// The consistent mass on the pattern of K, which couples what shares an element.
void ClothSystem::place_mass() {
    if (world_.consistent_mass.empty()) return;
    const sparse::BlockPattern& pattern = K_.pattern();
    mass_.assign(std::size_t(pattern.row_begin.back()), 0);
    for (const auto& [i, j, mass] : world_.consistent_mass) {
        const Index slot = pattern.slot(i, j), mirrored = pattern.slot(j, i);
        if (slot < 0 || mirrored < 0)
            fail_input("mass", "the consistent mass couples vertices that no stiffness couples",
                       "a membrane of triangles does");
        mass_[std::size_t(slot)] += mass;
        if (i != j) mass_[std::size_t(mirrored)] += mass;
    }
}

PhaseTimes& PhaseTimes::operator+=(const PhaseTimes& more) {
    contact += more.contact;
    assembly += more.assembly;
    system += more.system;
    setup += more.setup;
    solve += more.solve;
    other += more.other;
    return *this;
}

ClothSystem::ClothSystem(const World& world, solve::LinearSolver& solver)
    : world_(world),
      solver_(solver),
      assembler_(world.vertex_count(), world.energies),
      K_(assembler_.pattern()),
      A_(assembler_.pattern()),
      filter_(world.vertex_count()) {
    if (assembler_.has_damping()) D_ = sparse::Matrix3(assembler_.pattern());
    place_mass();
    alteration_.setZero(size());
    impulse_.setZero(size());
    target_.setZero(size());
    const double gravity = world.gravity.norm() > 0 ? world.gravity.norm() : 9.81;
    force_scale_ = gravity * world.mass.norm();
}

void ClothSystem::clear_constraints() {
    filter_.clear();
    alteration_.setZero();
    impulse_.setZero();
    repulsion_.clear();
}

void ClothSystem::begin_step(double h) {
    h_ = h;
    filter_.targets(target_);
    filter_.zero_targets();
    altered_ = alteration_.squaredNorm() > 0;
    pushed_ = impulse_.squaredNorm() > 0;
    couple_repulsion();
}

/// Gives A the couplings of the step's springs. Those of earlier steps stay: springs come and go, and a
/// pattern that stays is one that preconditioners which read A need not learn anew. Multigrid reads the
/// rest, which has the pattern of the mesh.
void ClothSystem::couple_repulsion() {
    const ScopedTimer timer(times_.system);
    if (settled_ && extended_.pattern) {
        extended_ = {};
        rest_ = {};
        A_ = sparse::Matrix3(assembler_.pattern());
    }
    settled_ = false;
    if (repulsion_.empty()) return;
    repulsion_.prepare(world_.vertex_count());
    const sparse::StencilSet stencils = repulsion_.stencils();
    if (extended_.pattern && has_couplings(A_.pattern(), stencils)) return;
    sparse::ExtendedPattern wider = extend_pattern(A_.pattern(), stencils);
    if (extended_.pattern) {
        for (Index& slot : extended_.slot)
            slot = wider.slot[std::size_t(slot)];
        extended_.pattern = wider.pattern;
    } else {
        extended_ = std::move(wider);
        rest_ = sparse::Matrix3(assembler_.pattern());
    }
    A_ = sparse::Matrix3(extended_.pattern);
}

void ClothSystem::remember(const VecX& x, const VecX& v, const VecX& f) {
    x_last_ = x;
    v_last_ = v;
    f_last_ = f;
}

void ClothSystem::force(double t, const VecX& x, const VecX& v, VecX& f) {
    const ScopedTimer timer(times_.assembly);
    f.resize(size());
    assembler_.evaluate({t, x, v}, {.force = &f});
    if (pushed_) f += impulse_ / h_;
    if (!repulsion_.empty()) repulsion_.add_force(x, v, f);
    remember(x, v, f);
}

void ClothSystem::linearize(double t, const VecX& x, const VecX& v, VecX* f) {
    const ScopedTimer timer(times_.assembly);
    if (f) f->resize(size());
    assembler_.evaluate({t, x, v},
                        {.force = f, .stiffness = &K_, .damping = D_.empty() ? nullptr : &D_});
    if (!f) return;
    if (pushed_) *f += impulse_ / h_;
    if (!repulsion_.empty()) repulsion_.add_force(x, v, *f);
    remember(x, v, *f);
}

SolveReport ClothSystem::solve_mass(const VecX& f, VecX& a) {
    a.resize(size());
    if (!mass_.empty()) {
        // a = z + u, S M (z + u) = S f
        a.setZero();
        constrain(a, h_);
        VecX rhs = f, u = VecX::Zero(size());
        add_mass(-1, a, rhs);
        const SolveReport report = solve({.m = 1, .d = 0, .k = 0}, rhs, 1e-12, u);
        a += u;
        return report;
    }
    parallel_for(world_.vertex_count(), rows_per_task,
                 [&](Index i) { vec3(a, i) = vec3(f, i) / world_.mass[i]; });
    constrain(a, h_);
    return {};
}

void ClothSystem::apply(const ode::Coefficients& c, const VecX& u, VecX& out) {
    const ScopedTimer timer(times_.system);
    out.resize(size());
    if (c.k != 0) {
        sparse::multiply(K_, u, out);
        if (c.k != 1) out *= c.k;
    } else {
        out.setZero();
    }
    if (c.d != 0 && !D_.empty()) {
        scratch_.resize(size());
        sparse::multiply(D_, u, scratch_);
        out += c.d * scratch_;
    }
    if (!repulsion_.empty()) repulsion_.add_product(c.k, c.d, u, out);
    if (c.m != 0) add_mass(c.m, u, out);
}

/// What the springs are in A: along the normal, and drag across it.
void ClothSystem::name_terms(const ode::Coefficients& c) {
    terms_.clear();
    for (const contact::PairSpring& spring : repulsion_.springs()) {
        const auto add = [&](const Vec3& direction, double k) {
            if (k <= 0) return;
            solve::RankOneTerm term{spring.vertex, {}, k};
            for (std::size_t j = 0; j < 4; ++j)
                term.q[j] = spring.weight[j] * direction;
            terms_.push_back(term);
        };
        const double drag = c.d * spring.drag;
        add(spring.normal, c.k * spring.stiffness + c.d * spring.damping);
        if (drag > 0) {
            const Vec3 across = spring.normal.unitOrthogonal();
            add(across, drag);
            add(spring.normal.cross(across), drag);
        }
    }
}

SolveReport ClothSystem::solve(const ode::Coefficients& c, const VecX& rhs, double tolerance,
                               VecX& u) {
    {
        const ScopedTimer timer(times_.system);
        if (extended_.pattern) {
            combine(c, rest_);
            copy_into(rest_, extended_.slot, A_);
            if (!repulsion_.empty()) repulsion_.add_blocks(c.k, c.d, A_);
            name_terms(c);
            solver_.set_stiff_terms({&rest_, terms_, true});
        } else {
            combine(c, A_);
            solver_.set_stiff_terms({});
        }
    }
    solver_.set_tolerance(tolerance);
    solver_.set_near_kernel({&world_.state.x});
    const SolveReport report = solver_.solve(A_, filter_, rhs, u);
    times_.setup += report.setup_seconds;
    times_.solve += report.solve_seconds;
    return report;
}

void ClothSystem::constrain(VecX& a, double h) {
    for (const sparse::NodeFilter::Entry& entry : filter_.entries()) {
        const Vec3 wanted = (vec3(target_, entry.vertex) - vec3(world_.state.v, entry.vertex)) / h;
        auto here = vec3(a, entry.vertex);
        // a <- S a + (I - S) (v_target - v) / h
        here = entry.projector * (here - wanted).eval() + wanted;
    }
}

ode::SpringSystem* ClothSystem::spring_system() {
    if (!mass_.empty()) return nullptr;  // such methods know the masses of particles alone
    if (inverse_mass_.size() == 0) find_springs();
    return springs_.empty() ? nullptr : this;
}

void ClothSystem::find_springs() {
    inverse_mass_ = world_.mass.cwiseInverse();
    std::vector<energy::EnergySpring> found;
    for (std::size_t e = 0; e < world_.energies.size(); ++e) {
        const energy::Energy& energy = *world_.energies[e];
        const auto vertices = energy.stencils().vertices;
        bool sprung = false;
        for (const Body& body : world_.bodies) {
            const Index end = body.first_vertex + body.mesh.vertex_count();
            if (vertices.empty() || vertices[0] < body.first_vertex || vertices[0] >= end) continue;
            sprung = energy.add_springs(world_.view(body), found);
        }
        if (!sprung) external_.push_back(e);
    }
    energy::merge_springs(found);
    for (const energy::EnergySpring& s : found)
        springs_.push_back({s.i, s.j, s.length, s.stiffness, s.damping});
}

void ClothSystem::external_force(double t, const VecX& x, const VecX& v, VecX& f) {
    const ScopedTimer timer(times_.assembly);
    f.setZero(size());
    for (const std::size_t energy : external_)
        assembler_.add(energy, {t, x, v}, {.force = &f});
    if (pushed_) f += impulse_ / h_;
    if (!repulsion_.empty()) repulsion_.add_force(x, v, f);
}

void ClothSystem::constraint_force(const VecX& a, const VecX& x1, const VecX& v1, VecX& out) {
    out.resize(size());
    // f(x1, v1) = f_last - K (x1 - x_last) - D (v1 - v_last)
    VecX difference = x1 - x_last_;
    if (difference.squaredNorm() > 0) {
        apply({.m = 0, .d = 0, .k = 1}, difference, out);
    } else {
        out.setZero();
    }
    if (!D_.empty() || !repulsion_.empty()) {
        difference = v1 - v_last_;
        VecX damping;
        apply({.m = 0, .d = 1, .k = 0}, difference, damping);
        out += damping;
    }
    if (rayleigh_.rayleigh_mass > 0 || rayleigh_.rayleigh_stiffness > 0) {
        VecX damping;
        apply({.m = rayleigh_.rayleigh_mass, .d = 0, .k = rayleigh_.rayleigh_stiffness}, v1,
              damping);
        out += damping;
    }
    out -= f_last_;
    add_mass(1, a, out);
    filter_.project_complement(out);
}

}  // namespace taffeta::sim
