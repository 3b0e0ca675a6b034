#include "taffeta/ode/study/step_map.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <cstdint>
#include <limits>

namespace taffeta::ode::study {

namespace {

constexpr int most_memory = 8;

/// Arbitrary numbers, the same on every machine. [Steele14] SplitMix
class Arbitrary {
  public:
    explicit Arbitrary(std::uint64_t seed) : state_(seed) {}
    /// In (-1, 1).
    double operator()() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return double((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
    }

  private:
    std::uint64_t state_;
};

double largest_modulus(const std::vector<std::complex<double>>& roots) {
    if (roots.empty()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const std::complex<double>& root : roots)
        largest = std::max(largest, std::abs(root));
    return largest;
}

}  // namespace

class StepMap::System final : public SecondOrderSystem {
  public:
    System(int unknowns, const Coefficient& c) : n_(unknowns), c_(c) {}
    void set(const Coefficient& c) { c_ = c; }

    Eigen::Index size() const override { return n_; }
    void force(double, const VecX& x, const VecX& v, VecX& f) override {
        f.noalias() = -(c_.K.topLeftCorner(n_, n_) * x);
        f.noalias() -= c_.D.topLeftCorner(n_, n_) * v;
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f;
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = c.m * u;
        if (c.k != 0) out.noalias() += c.k * (c_.K.topLeftCorner(n_, n_) * u);
        if (c.d != 0) out.noalias() += c.d * (c_.D.topLeftCorner(n_, n_) * u);
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        SolveReport report;
        const Mat2 A = c.m * Mat2::Identity() + c.k * c_.K + c.d * c_.D;
        if (n_ == 1) {
            u = rhs / A(0, 0);
        } else {
            const double a = A(0, 0), b = A(0, 1), d = A(1, 1), e = A(1, 0);
            const double det = a * d - b * e, p = rhs[0], q = rhs[1];
            u.resize(2);
            u << (d * p - b * q) / det, (a * q - e * p) / det;
        }
        if (!u.allFinite()) {
            report.status = SolveStatus::singular;
            report.message = "m - d z is zero: a pole of the method";
        }
        return report;
    }
    bool force_persists() const override { return true; }

  private:
    int n_;
    Coefficient c_;
};

StepMap::Coefficient StepMap::dahlquist(std::complex<double> z) {
    Coefficient c;
    c.D << -z.real(), z.imag(), -z.imag(), -z.real();
    return c;
}

StepMap::Coefficient StepMap::oscillator(double w, double zeta) {
    Coefficient c;
    c.K(0, 0) = w * w;
    c.D(0, 0) = 2 * zeta * w;
    return c;
}

StepMap::Coefficient StepMap::arbitrary(double a, double b) const {
    return equation_ == Equation::dahlquist ? dahlquist({0.6 * a - 0.3, 0.8 * b})
                                            : oscillator(0.5 + 0.4 * a, 0.1 + 0.1 * b);
}

State StepMap::state_of(const Vec2& y) const {
    if (equation_ == Equation::dahlquist) return {0, VecX::Zero(2), y};
    return {0, y.head<1>(), y.tail<1>()};
}

Vec2 StepMap::vector_of(const State& state) const {
    if (equation_ == Equation::dahlquist) return state.v;
    return {state.x[0], state.v[0]};
}

StepMap::StepMap(const ChosenMethod& method, Equation equation)
    : method_(method), equation_(equation) {
    const bool first = equation == Equation::dahlquist;
    const Coefficient probes[] = {first ? dahlquist({-0.31, 0.42}) : oscillator(0.43, 0.1),
                                  first ? dahlquist({-0.17, 0.11}) : oscillator(0.21, 0)};
    // From a fresh start first: some methods keep the slopes of the place where they began, and a
    // past on another equation would be one on another method.
    bool memoryless = true;
    for (const Coefficient& probe : probes)
        memoryless = memoryless && repeats_its_first_step(probe);
    if (memoryless) memory_ = 1;
    for (int k = 1; k <= most_memory && memory_ == 0; ++k) {
        double worst = 0;
        for (const Coefficient& probe : probes) {
            double residual = 0;
            if (!recurrence(probe, k, residual)) residual = 1;
            worst = std::max(worst, residual);
        }
        if (worst <= 1e-9) memory_ = k;
    }
}

std::vector<Vec2> StepMap::sequence(const Coefficient& c, int past, int skipped, int kept,
                                    unsigned seed) const {
    Arbitrary arbitrary_number(seed);
    System system(equation_ == Equation::dahlquist ? 2 : 1, c);
    const auto integrator = method_.make({.max_iterations = 20, .tolerance = 1e-8});
    const double y0 = arbitrary_number(), y1 = arbitrary_number();
    State state = state_of({y0, y1});
    std::vector<Vec2> states;
    for (int i = 0; i < past + skipped + kept - 1; ++i) {
        if (i < past) {
            const double a = arbitrary_number(), b = arbitrary_number();
            system.set(arbitrary(a, b));
        } else {
            system.set(c);
        }
        if (i >= past + skipped) states.push_back(vector_of(state));
        if (!integrator->step(system, state, 1).ok()) return {};
    }
    states.push_back(vector_of(state));
    return states;
}

std::optional<Eigen::MatrixXd> StepMap::recurrence(const Coefficient& c, int k,
                                                   double& residual) const {
    // A run gives 4 pairs of k states and the next; 2 k pairs are needed, more are taken.
    constexpr int pairs = 4;
    const int runs = k + 2;
    Eigen::MatrixXd past(2 * k, runs * pairs), next(2, runs * pairs);
    for (int r = 0; r < runs; ++r) {
        const std::vector<Vec2> states = sequence(c, k + 1, k + 1, k + pairs, 17u + unsigned(r));
        if (states.empty()) return std::nullopt;
        for (int p = 0; p < pairs; ++p) {
            const int column = r * pairs + p;
            for (int j = 0; j < k; ++j)
                past.block(2 * j, column, 2, 1) = states[std::size_t(p + k - 1 - j)];
            next.col(column) = states[std::size_t(p + k)];
            const double size = past.col(column).norm();
            if (!(size > 0) || !std::isfinite(size)) {
                past.col(column).setZero();
                next.col(column).setZero();
                continue;
            }
            past.col(column) /= size;
            next.col(column) /= size;
        }
    }
    // What a few steps have damped away to rounding has no say: the least solution leaves it out.
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
    factors.setThreshold(1e-11);
    factors.compute(past.transpose());
    Eigen::MatrixXd C = factors.solve(next.transpose()).transpose();
    residual =
        (C * past - next).cwiseAbs().maxCoeff() / std::max(1e-300, next.cwiseAbs().maxCoeff());
    return C;
}

bool StepMap::repeats_its_first_step(const Coefficient& c) const {
    const auto A = one_step(c);
    // A multistep method may begin with one-step methods.
    const int steps = method_.properties.starting_steps + 5;
    const std::vector<Vec2> states = sequence(c, 0, 0, steps, 5);
    if (!A || states.empty()) return false;
    for (std::size_t i = 0; i + 1 < states.size(); ++i)
        if (!((*A * states[i] - states[i + 1]).norm() <= 1e-10 * states[i].norm())) return false;
    return true;
}

std::optional<Mat2> StepMap::one_step(const Coefficient& c) const {
    System system(equation_ == Equation::dahlquist ? 2 : 1, c);
    Mat2 A;
    for (int j = 0; j < 2; ++j) {
        const auto integrator = method_.make({.max_iterations = 20, .tolerance = 1e-8});
        State state = state_of(Vec2::Unit(j));
        if (!integrator->step(system, state, 1).ok()) return std::nullopt;
        A.col(j) = vector_of(state);
    }
    return A;
}

std::vector<std::complex<double>> StepMap::roots_of(const Coefficient& c) const {
    Eigen::MatrixXd companion;
    if (memory_ == 1) {
        const auto A = one_step(c);
        if (!A) return {};
        companion = *A;
    } else {
        const int k = std::max(1, memory_);
        double residual = 0;
        const auto C = recurrence(c, k, residual);
        if (!C) return {};
        companion = Eigen::MatrixXd::Zero(2 * k, 2 * k);
        companion.topRows(2) = *C;
        companion.bottomLeftCorner(2 * k - 2, 2 * k - 2).setIdentity();
    }
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(companion, false);
    const Eigen::VectorXcd values = solver.eigenvalues();
    return {values.data(), values.data() + values.size()};
}

std::vector<std::complex<double>> StepMap::roots(std::complex<double> z) const {
    TAFFETA_ASSERT(equation_ == Equation::dahlquist);
    return roots_of(dahlquist(z));
}

std::vector<std::complex<double>> StepMap::roots(double w, double zeta) const {
    TAFFETA_ASSERT(equation_ == Equation::oscillator);
    return roots_of(oscillator(w, zeta));
}

double StepMap::radius(std::complex<double> z) const {
    return largest_modulus(roots(z));
}

double StepMap::radius(double w, double zeta) const {
    return largest_modulus(roots(w, zeta));
}

std::optional<Mat2> StepMap::oscillator_matrix(double w, double zeta) const {
    if (memory_ != 1) return std::nullopt;
    return one_step(oscillator(w, zeta));
}

}  // namespace taffeta::ode::study
