#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "taffeta/ode/study/chosen_method.h"

namespace taffeta::ode::study {

/// What one step h = 1 of a method does to a linear equation, found by stepping: either Dahlquist's
/// y' = z y, or the oscillator x'' = -w^2 x - 2 zeta w x'.
///
/// A method whose next state depends on the last k is a linear recurrence, and its growth is the
/// spectral radius of the companion matrix
///
///     [ C1 C2 .. Ck ]         y(n+1) = C1 y(n) + C2 y(n-1) + ... + Ck y(n-k+1)
///     [ 1             ]
///     [    1          ]       with real 2 x 2 blocks C: of (Re y, Im y), or of (x, v).
///
/// Histories of integrators are theirs, so the C are found by least squares from runs whose first
/// steps are taken on other, arbitrary equations: such a past excites every mode. k is the smallest
/// number with which two arbitrary equations are predicted to rounding. For k = 1, which is tried
/// first and from a fresh start, the matrix is what a step makes of the two unit vectors.
class StepMap {
  public:
    enum class Equation { dahlquist, oscillator };

    StepMap(const ChosenMethod& method, Equation equation);

    /// k, or 0 where no recurrence of up to 8 states describes the method.
    int memory() const { return memory_; }

    /// For `dahlquist`: z. Empty where a step fails, at a pole for instance.
    std::vector<std::complex<double>> roots(std::complex<double> z) const;
    /// For `oscillator`.
    std::vector<std::complex<double>> roots(double w, double zeta = 0) const;

    /// The largest modulus of a root; infinite at a pole.
    double radius(std::complex<double> z) const;
    double radius(double w, double zeta = 0) const;

    /// The matrix of (x, v) -> (x+, v+) where there is no more memory than that.
    std::optional<Mat2> oscillator_matrix(double w, double zeta = 0) const;

  private:
    /// x'' = -K x - D x' in two unknowns (Dahlquist's equation: v = y) or one.
    struct Coefficient {
        Mat2 K = Mat2::Zero(), D = Mat2::Zero();
    };
    class System;

    static Coefficient dahlquist(std::complex<double> z);
    static Coefficient oscillator(double w, double zeta);
    /// A coefficient for the arbitrary past of a run, from two numbers in (-1, 1).
    Coefficient arbitrary(double a, double b) const;
    State state_of(const Vec2& y) const;
    Vec2 vector_of(const State& state) const;

    /// The states of one run after an arbitrary past; empty where a step failed.
    std::vector<Vec2> sequence(const Coefficient& c, int past, int skipped, int kept,
                               unsigned seed) const;
    /// [C1 .. Ck], and how far it is from predicting the runs; nothing where a step failed.
    std::optional<Eigen::MatrixXd> recurrence(const Coefficient& c, int k, double& residual) const;
    /// Whether every step from a fresh start is the linear map that the first one is.
    bool repeats_its_first_step(const Coefficient& c) const;
    std::optional<Mat2> one_step(const Coefficient& c) const;
    std::vector<std::complex<double>> roots_of(const Coefficient& c) const;

    const ChosenMethod method_;
    Equation equation_;
    int memory_ = 0;
};

}  // namespace taffeta::ode::study
