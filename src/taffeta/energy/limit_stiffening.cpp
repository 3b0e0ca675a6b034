#include "taffeta/energy/membrane.h"

namespace taffeta::energy {

namespace {

struct StiffeningOptions {
    double warp = 1.1;
    double weft = 1.1;
    double stiffness = 3e4;
    double onset = 0.02;
    std::string psd = "automatic";

    static Fields<StiffeningOptions> fields() {
        using O = StiffeningOptions;
        return {
            {"warp", &O::warp, "stretch of the warp at which it sets in", at_least(1)},
            {"weft", &O::weft, "stretch of the weft at which it sets in", at_least(1)},
            {"stiffness", &O::stiffness, "beyond that, N/m", positive()},
            {"onset", &O::onset, "further stretch over which the stiffness grows to that",
             between(1e-4, 1)},
            {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
        };
    }
    void check(const Settings&) const {}
};

/// A limit of the stretch as a one-sided stiffness: psi = k g(|w_u| - s_u) + k g(|w_v| - s_v), where
///     g(e) = e+^3/(6 d) up to the onset d, (e^2 - d e)/2 + d^2/6 beyond it.
///
/// No force below the limit; the stiffness k g'' grows from none to k over the onset, so that Newton's
/// method does not jump between two linear systems (d = 0 would be the plain (e+)^2/2). The Hessian of each
/// is k g'' a a' + k g'/|w| (I - a a'), positive as it is. Being part of the implicit system, it needs no
/// pass over the mesh after the step that would undo what the solver found.
class StretchLimit {
  public:
    using Options = StiffeningOptions;
    static constexpr std::string_view key = "stiffening";
    static constexpr std::array<std::string_view, 1> part_names{"limit"};

    explicit StretchLimit(const Options& options) : k_(options) {}

    bool has_viscosity() const { return false; }
    Vec2 rest_stretch() const { return Vec2::Ones(); }

    template <class Real>
    std::array<Real, 1> psi(const Deformation<Real>& F) const {
        return {k_.stiffness *
                (onset_energy(excess(F.u, k_.warp)) + onset_energy(excess(F.v, k_.weft)))};
    }
    template <class Real>
    Deformation<Real> stress(const Deformation<Real>& F) const {
        return {ratio(F.u, k_.warp) * F.u, ratio(F.v, k_.weft) * F.v};
    }
    template <class Real>
    MembraneHessian<Real> hessian(const Deformation<Real>& F, PsdRule rule) const {
        const Vector3<Real> none = broadcast<Real>(0) * F.u;
        return {thread(F.u, k_.warp, rule), thread(F.v, k_.weft, rule), {none, none, none}};
    }
    template <class Real>
    MembraneHessian<Real> viscosity(const Deformation<Real>& F) const {
        const Vector3<Real> none = broadcast<Real>(0) * F.u;
        const Symmetric33<Real> zero = scaled_identity(broadcast<Real>(0));
        return {zero, zero, {none, none, none}};
    }
    const char* limit(const Deformation<double>&) const { return nullptr; }

  private:
    template <class Real>
    static Real excess(const Vector3<Real>& w, double limit) {
        return positive_part(square_root(dot(w, w)) - limit);
    }
    template <class Real>
    Real onset_energy(Real e) const {
        const double d = k_.onset;
        return select(e < broadcast<Real>(d), (1 / (6 * d)) * e * e * e,
                      0.5 * (e * e - d * e) + d * d / 6);
    }
    /// k g'/|w|; |w| is beyond the limit, or the product is zero.
    template <class Real>
    Real ratio(const Vector3<Real>& w, double limit) const {
        const double d = k_.onset;
        const Real length = square_root(dot(w, w)), e = positive_part(length - limit);
        const Real slope = select(e < broadcast<Real>(d), (1 / (2 * d)) * e * e, e - d / 2);
        return k_.stiffness * slope / larger(length, broadcast<Real>(limit));
    }
    template <class Real>
    Symmetric33<Real> thread(const Vector3<Real>& w, double limit, PsdRule rule) const {
        const Real length_sq = dot(w, w), zero = broadcast<Real>(0), one = broadcast<Real>(1);
        const Real e = excess(w, limit), part = (1 / k_.onset) * e;
        const Real own = k_.stiffness * select(part < one, part, one);
        const Real across = rule == PsdRule::gauss_newton ? zero : ratio(w, limit);
        const Real along = select(e > zero, (own - across) / length_sq, zero);
        return outer(along, w) + scaled_identity(across);
    }

    Options k_;
};

}  // namespace

extern const EnergyEntry entry_stiffening;
constinit const EnergyEntry entry_stiffening{
    StretchLimit::key, "one-sided stiffness beyond a stretch of warp and weft",
    EnergyProperties{.conservative = true, .internal = true}, field_table<StiffeningOptions>,
    make_membrane<StretchLimit>};

}  // namespace taffeta::energy
