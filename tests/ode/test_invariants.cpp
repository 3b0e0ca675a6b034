#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>

#include "ode/problems.h"

/// A hundred thousand steps of every symplectic method: the energy stays in the band of the first tenth,
/// momentum and angular momentum are those of the start.
namespace taffeta::ode {
namespace {

using namespace testing;

constexpr int long_run = 100000;

/// Two particles that attract each other by a potential of their distance; the first may be held at the
/// origin, and is then not part of the state.
///
///     o ~~~~ o        V = k/2 (r - 1)^2 or -k/r
class Pair final : public SecondOrderSystem {
  public:
    enum class Law { spring, gravity };
    Pair(Law law, double k, std::vector<double> masses)
        : law_(law), k_(k), mass_(std::move(masses)) {}

    double potential(double r) const {
        return law_ == Law::spring ? k_ * (r - 1) * (r - 1) / 2 : -k_ / r;
    }
    Vec3 along(const VecX& x) const {
        return mass_.size() == 1 ? Vec3(x) : Vec3(x.tail<3>() - x.head<3>());
    }

    Eigen::Index size() const override { return 3 * Eigen::Index(mass_.size()); }
    void force(double, const VecX& x, const VecX&, VecX& f) override {
        const Vec3 d = along(x), pull = -slope(d.norm()) / d.norm() * d;
        f.resize(size());
        f.tail<3>() = pull;
        if (mass_.size() == 2) f.head<3>() = -pull;
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f;
        for (std::size_t i = 0; i < mass_.size(); ++i)
            a.segment<3>(3 * Eigen::Index(i)) /= mass_[i];
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        const Vec3 d = along(x);
        const double r = d.norm();
        const Mat3 direct = d * d.transpose() / (r * r);
        K_ = curvature(r) * direct + slope(r) / r * (Mat3::Identity() - direct);
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = u;
        for (std::size_t i = 0; i < mass_.size(); ++i)
            out.segment<3>(3 * Eigen::Index(i)) *= c.m * mass_[i];
        const Vec3 push = c.k * (K_ * along(u));
        out.tail<3>() += push;
        if (mass_.size() == 2) out.head<3>() -= push;
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        u.resize(size());
        if (mass_.size() == 1) {
            u = (c.m * mass_[0] * Mat3::Identity() + c.k * K_).partialPivLu().solve(Vec3(rhs));
            return {};
        }
        Eigen::Matrix<double, 6, 6> A;
        A << c.m * mass_[0] * Mat3::Identity() + c.k * K_, -c.k * K_, -c.k * K_,
            c.m * mass_[1] * Mat3::Identity() + c.k * K_;
        u = A.partialPivLu().solve(Eigen::Matrix<double, 6, 1>(rhs));
        return {};
    }
    bool force_persists() const override { return true; }
    double force_scale() const override { return 1; }

    double energy(const State& state) const {
        double sum = potential(along(state.x).norm());
        for (std::size_t i = 0; i < mass_.size(); ++i)
            sum += mass_[i] * state.v.segment<3>(3 * Eigen::Index(i)).squaredNorm() / 2;
        return sum;
    }
    Vec3 momentum(const State& state) const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < mass_.size(); ++i)
            sum += mass_[i] * state.v.segment<3>(3 * Eigen::Index(i));
        return sum;
    }
    Vec3 angular_momentum(const State& state) const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < mass_.size(); ++i) {
            const Eigen::Index at = 3 * Eigen::Index(i);
            sum += mass_[i] * Vec3(state.x.segment<3>(at)).cross(Vec3(state.v.segment<3>(at)));
        }
        return sum;
    }

  private:
    double slope(double r) const { return law_ == Law::spring ? k_ * (r - 1) : k_ / (r * r); }
    double curvature(double r) const { return law_ == Law::spring ? k_ : -2 * k_ / (r * r * r); }

    const Law law_;
    const double k_;
    const std::vector<double> mass_;
    Mat3 K_;
};

/// theta'' = -sin theta
class Pendulum final : public SecondOrderSystem {
  public:
    Eigen::Index size() const override { return 1; }
    void force(double, const VecX& x, const VecX&, VecX& f) override { f = -x.array().sin(); }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f;
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        k_ = std::cos(x[0]);
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = (c.m + c.k * k_) * u;
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        u = rhs / (c.m + c.k * k_);
        return {};
    }
    bool force_persists() const override { return true; }
    double force_scale() const override { return 1; }
    double energy(const State& state) const {
        return state.v.squaredNorm() / 2 - std::cos(state.x[0]);
    }

  private:
    double k_ = 0;
};

/// Of the energy, over the first tenth and over all of a long run; and the greatest change of momenta.
struct Drift {
    double early = 0, whole = 0, momentum = 0, angular = 0, centre = 0;
};

template <class System, class Momenta>
Drift drift_of(const IntegratorEntry& entry, System& system, State state, double h,
               const Momenta& momenta) {
    const auto integrator = entry.make(Settings());
    integrator->set_newton({.max_iterations = 50, .tolerance = 1e-13});
    const double energy = system.energy(state);
    Drift drift;
    for (int i = 0; i < long_run; ++i) {
        const StepReport report = integrator->step(system, state, h);
        if (!report.ok()) throw std::runtime_error(report.solve.message);
        drift.whole = std::max(drift.whole, std::abs(system.energy(state) - energy));
        if (10 * (i + 1) == long_run) drift.early = drift.whole;
        if (i % 100 == 0) momenta(state, drift);
    }
    return drift;
}

class LongRunOfASymplecticMethod : public ::testing::TestWithParam<const IntegratorEntry*> {
  protected:
    /// An error of the energy, E h^p: of less than this share of what is at stake.
    double band(double of_first_order, double of_second) const {
        return GetParam()->properties.order == 1 ? of_first_order : of_second;
    }
};

TEST_P(LongRunOfASymplecticMethod, KeepsAPlanetOnItsOrbit) {
    // Eccentricity 0.37, 5000 units of time: some 470 revolutions.
    Pair sun(Pair::Law::gravity, 1, {1});
    const State start{0, Vec3(1, 0, 0), Vec3(0, 1.1, 0.4)};
    const Vec3 angular = sun.angular_momentum(start);

    const Drift drift = drift_of(*GetParam(), sun, start, 0.05, [&](const State& at, Drift& d) {
        d.angular = std::max(d.angular, (sun.angular_momentum(at) - angular).norm());
    });

    EXPECT_LE(drift.whole, 1.02 * drift.early + 1e-9);
    EXPECT_LE(drift.whole, band(0.05, 0.02));
    EXPECT_LE(drift.angular, 1e-9);
}

TEST_P(LongRunOfASymplecticMethod, KeepsAPendulumSwinging) {
    Pendulum pendulum;
    const State start{0, scalar(2), scalar(0.3)};

    const Drift drift =
        drift_of(*GetParam(), pendulum, start, 0.1, [](const State&, const Drift&) {});

    EXPECT_LE(drift.whole, 1.02 * drift.early + 1e-9);
    EXPECT_LE(drift.whole, band(0.15, 0.01));
}

TEST_P(LongRunOfASymplecticMethod, KeepsTheMomentaOfTwoParticlesOnASpring) {
    // Stretched, turning, and drifting slowly: h omega = 0.34 for sqrt(k (1 + 1/2)) = 6.7.
    Pair spring(Pair::Law::spring, 30, {1, 2});
    State start{0, VecX(6), VecX(6)};
    start.x << 0, 0, 0, 0.7, 0.9, 0.3;
    start.v << 0.8, -1.1, 0.5, -0.399, 0.551, -0.252;
    const Vec3 momentum = spring.momentum(start), angular = spring.angular_momentum(start);
    const Vec3 centre = (start.x.head<3>() + 2 * start.x.tail<3>()) / 3;

    const Drift drift = drift_of(*GetParam(), spring, start, 0.05, [&](const State& at, Drift& d) {
        d.momentum = std::max(d.momentum, (spring.momentum(at) - momentum).norm());
        d.angular = std::max(d.angular, (spring.angular_momentum(at) - angular).norm());
        const Vec3 here = (at.x.head<3>() + 2 * at.x.tail<3>()) / 3;
        d.centre = std::max(d.centre, (here - centre - at.t * momentum / 3).norm());
    });

    EXPECT_LE(drift.whole, 1.05 * drift.early + 1e-9);
    EXPECT_LE(drift.whole, band(2, 0.4));
    EXPECT_LE(drift.momentum, 1e-10);
    EXPECT_LE(drift.angular, 1e-9);
    EXPECT_LE(drift.centre, 1e-8);
}

std::vector<const IntegratorEntry*> that_are_symplectic() {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : integrators())
        if (entry->properties.symplectic) entries.push_back(entry);
    return entries;
}

INSTANTIATE_TEST_SUITE_P(Registered, LongRunOfASymplecticMethod,
                         ::testing::ValuesIn(that_are_symplectic()),
                         [](const auto& tested) { return std::string(tested.param->key); });

TEST(LongRun, OfRungeKuttaDrifts) {
    // That the bands above are none that any accurate method keeps.
    Pair sun(Pair::Law::gravity, 1, {1});
    const State start{0, Vec3(1, 0, 0), Vec3(0, 1.1, 0.4)};
    const Vec3 angular = sun.angular_momentum(start);

    const Drift drift = drift_of(find_entry(integrators(), "integrator", "rk4"), sun, start, 0.05,
                                 [&](const State& at, Drift& d) {
                                     d.angular = (sun.angular_momentum(at) - angular).norm();
                                 });

    EXPECT_GE(drift.whole, 3 * drift.early);
    EXPECT_GE(drift.angular, 1e-6);
}

}  // namespace
}  // namespace taffeta::ode
