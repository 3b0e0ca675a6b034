#include "taffeta/ode/study/reference.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace taffeta::ode::study {

namespace {

// n = 2, 4, ..., 12. More would magnify the rounding of forces: eight columns 119 times, six 26 times.
constexpr int columns = 6;
constexpr long most_parts = 1 << 17;

/// (x, v)' = (v, M^-1 f) as one vector.
class Extrapolation {
  public:
    explicit Extrapolation(Problem& problem) : problem_(problem) {}

    State to(double end, long parts) {
        const State& start = problem_.start;
        const Eigen::Index n = start.x.size();
        const double H = (end - start.t) / double(parts);
        y_.resize(2 * n);
        y_ << start.x, start.v;
        for (long i = 0; i < parts && y_.allFinite(); ++i)
            part(start.t + double(i) * H, H);
        return {end, y_.head(n), y_.tail(n)};
    }

  private:
    void slope(double t, const VecX& y, VecX& out) {
        const Eigen::Index n = y.size() / 2;
        x_ = y.head(n);
        v_ = y.tail(n);
        problem_.system->force(t, x_, v_, f_);
        problem_.system->solve_mass(f_, a_);
        out.resize(y.size());
        out << v_, a_;
    }
    /// y(t) -> y(t + H).
    void part(double t, double H) {
        if (problem_.prepare)
            problem_.prepare({t, y_.head(y_.size() / 2), y_.tail(y_.size() / 2)}, H);
        slope(t, y_, first_);
        for (int i = 0; i < columns; ++i) {
            const int count = 2 * (i + 1);
            const double h = H / count;
            before_ = y_;
            now_ = y_ + h * first_;
            for (int k = 1; k < count; ++k) {
                slope(t + k * h, now_, rate_);
                before_ += 2 * h * rate_;
                before_.swap(now_);
            }
            slope(t + H, now_, rate_);
            // T(i, k+1) = T(i, k) + (T(i, k) - T(i-1, k))/((n_i/n_{i-k-1})^2 - 1)
            VecX value = 0.5 * (now_ + before_ + h * rate_);
            for (int k = 0; k < i; ++k) {
                const double ratio = double(count) / (2 * (i - k));
                VecX next = value + (value - row_[std::size_t(k)]) / (ratio * ratio - 1);
                row_[std::size_t(k)].swap(value);
                value.swap(next);
            }
            row_[std::size_t(i)].swap(value);
        }
        y_ = row_[columns - 1];
    }

    Problem& problem_;
    VecX y_, first_, before_, now_, rate_, x_, v_, f_, a_;
    std::array<VecX, columns> row_;  ///< the last row of the table
};

}  // namespace

Reference reference_state(Problem& problem, double t, double tolerance) {
    Reference reference;
    if (problem.exact) {
        reference.state = problem.exact(t);
        reference.closed_form = true;
        return reference;
    }
    if (t == problem.start.t) {
        reference.state = problem.start;
        return reference;
    }
    Extrapolation extrapolation(problem);
    State coarse = extrapolation.to(t, 4);
    double best = std::numeric_limits<double>::infinity();
    for (long parts = 8; parts <= most_parts; parts *= 2) {
        State fine = extrapolation.to(t, parts);
        const double apart = problem.distance(coarse, fine) / problem.size(fine);
        if (apart < best) {
            best = apart;
            reference.state = fine;
        }
        reference.error = best;
        if (best <= tolerance) return reference;
        // Once rounding is all that is left, halving makes it worse.
        if (best < 1e-8 && apart > best) return reference;
        coarse = std::move(fine);
    }
    reference.ok = false;
    reference.message = fmt::format(
        "the reference solution at t = {:.6g} s is known to {:.1e} only, {:.1e} was wanted", t,
        best, tolerance);
    return reference;
}

}  // namespace taffeta::ode::study
