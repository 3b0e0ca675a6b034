#include <cmath>
#include <complex>

#include "taffeta/ode/first_order.h"
#include "taffeta/ode/study/small_system.h"

/// Dahlquist's equation and the examples of [Hauth03] section 2, as corrected: example 2 is
/// y'' = -2.5 y - 5 y' (the caption of its figure 5 has another constant), example 3 the mass on a
/// damped spring z'' = -1000 z - 10 z' - 1010 from z = -1, z' = -5, and the "wave equation" of figure
/// 7 is y'' = -5 y, for which y(0) = 1, y'(0) = 0 and the end are our choice.
namespace taffeta::ode::study {

namespace {

/// y' = lambda y in one real unknown, or for complex lambda in two.
class LinearRate final : public FirstOrderSystem {
  public:
    explicit LinearRate(double lambda) : A_(Eigen::MatrixXd::Constant(1, 1, lambda)) {}
    explicit LinearRate(std::complex<double> lambda) : A_(2, 2) {
        A_ << lambda.real(), -lambda.imag(), lambda.imag(), lambda.real();
    }

    Eigen::Index size() const override { return A_.rows(); }
    void rate(double, const VecX& y, VecX& f) override { f.noalias() = A_ * y; }
    void jacobian(double, const VecX&, Eigen::MatrixXd& J) override { J = A_; }

  private:
    Eigen::MatrixXd A_;
};

/// The adapter together with what it adapts.
struct OwnedRate {
    explicit OwnedRate(auto lambda) : rate(lambda), system(rate) {}
    LinearRate rate;
    FirstOrderAdapter system;
};

std::unique_ptr<Problem> decay(auto lambda, const VecX& y0, double end) {
    auto problem = std::make_unique<Problem>();
    const auto owned = std::make_shared<OwnedRate>(lambda);
    problem->system = std::shared_ptr<SecondOrderSystem>(owned, &owned->system);
    problem->start = owned->system.state(0, y0);
    problem->end = end;
    const double n = double(y0.size());
    problem->cost = small_cost(n, 2 * n * n - n);
    problem->names =
        y0.size() == 1 ? std::vector<std::string>{"y"} : std::vector<std::string>{"Re y", "Im y"};
    problem->exact = [=](double t) {
        const std::complex<double> factor = std::exp(std::complex<double>(lambda) * t);
        State state{t, VecX::Zero(y0.size()), y0};
        if (y0.size() == 1) {
            state.v *= factor.real();
        } else {
            const std::complex<double> y = factor * std::complex<double>(y0[0], y0[1]);
            state.v << y.real(), y.imag();
        }
        return state;
    };
    return problem;
}

struct DahlquistOptions {
    double real = -1, imaginary = 2, end = 4;

    static Fields<DahlquistOptions> fields() {
        return {
            {"real", &DahlquistOptions::real, "Re lambda, 1/s", between(-1e6, 10)},
            {"imaginary", &DahlquistOptions::imaginary, "Im lambda, 1/s", between(-1e6, 1e6)},
            {"end", &DahlquistOptions::end, "duration, s", between(1e-3, 1e3)},
        };
    }
};

std::unique_ptr<Problem> make_dahlquist(const Settings& settings) {
    const auto options = read_options<DahlquistOptions>(settings);
    return decay(std::complex<double>(options.real, options.imaginary), VecX::Unit(2, 0),
                 options.end);
}

template <int lambda>
std::unique_ptr<Problem> make_hauth_1(const Settings& settings) {
    read_options<NoOptions>(settings);
    return decay(double(lambda), VecX::Ones(1), 1);
}

std::unique_ptr<Problem> make_hauth_2(const Settings& settings) {
    read_options<NoOptions>(settings);
    auto problem = linear_oscillator(2.5, 5, 0, 0, 1, 10);
    problem->names = {"y"};
    return problem;
}

std::unique_ptr<Problem> make_hauth_3(const Settings& settings) {
    read_options<NoOptions>(settings);
    auto problem = linear_oscillator(1000, 10, -1.01, -1, -5, 2);
    problem->names = {"z"};
    return problem;
}

std::unique_ptr<Problem> make_wave(const Settings& settings) {
    read_options<NoOptions>(settings);
    auto problem = linear_oscillator(5, 0, 0, 1, 0, 10);
    problem->names = {"y"};
    return problem;
}

}  // namespace

extern const ProblemEntry entry_dahlquist, entry_hauth_1a, entry_hauth_1b, entry_hauth_2,
    entry_hauth_3, entry_wave;

constinit const ProblemEntry entry_dahlquist{
    .key = "dahlquist",
    .doc = "y' = lambda y for any complex lambda. [Hauth03] section 2.2",
    .properties = {.first_order = true, .damped = true},
    .fields = &field_table<DahlquistOptions>,
    .make = &make_dahlquist,
};
constinit const ProblemEntry entry_hauth_1a{
    .key = "hauth_1a",
    .doc = "y' = 2 y, growth. [Hauth03] example 1",
    .properties = {.first_order = true, .damped = true, .first_steps = 10},
    .fields = &field_table<NoOptions>,
    .make = &make_hauth_1<2>,
};
constinit const ProblemEntry entry_hauth_1b{
    .key = "hauth_1b",
    .doc = "y' = -15 y, decay. [Hauth03] example 1",
    .properties = {.first_order = true, .damped = true, .first_steps = 10},
    .fields = &field_table<NoOptions>,
    .make = &make_hauth_1<-15>,
};
constinit const ProblemEntry entry_hauth_2{
    .key = "hauth_2",
    .doc = "y'' = -2.5 y - 5 y', overdamped. [Hauth03] example 2",
    .properties = {.damped = true, .first_steps = 50},
    .fields = &field_table<NoOptions>,
    .make = &make_hauth_2,
};
constinit const ProblemEntry entry_hauth_3{
    .key = "hauth_3",
    .doc = "z'' = -1000 z - 10 z' - 1010, mass on a stiff damped spring. [Hauth03] example 3",
    .properties = {.damped = true, .first_steps = 200},
    .fields = &field_table<NoOptions>,
    .make = &make_hauth_3,
};
constinit const ProblemEntry entry_wave{
    .key = "wave",
    .doc = "y'' = -5 y, one mode of the undamped wave equation. [Hauth03] figure 7",
    .properties = {.first_steps = 50},
    .fields = &field_table<NoOptions>,
    .make = &make_wave,
};

}  // namespace taffeta::ode::study
