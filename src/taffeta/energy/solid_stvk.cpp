#include "taffeta/energy/solid.h"

namespace taffeta::energy {

namespace {

/// St. Venant and Kirchhoff: psi = mu G : G + lambda/2 (tr G)^2, G = (F'F - I)/2, P = F S.
///
/// In singular values psi_k = s_k (mu (s_k^2 - 1) + lambda tr G), so
///     A_kk = 3 mu s_k^2 - mu + lambda tr G + lambda s_k^2,   A_kl = lambda s_k s_l,
///     flip, twist = mu (s_k^2 +- s_k s_l + s_l^2 - 1) + lambda tr G.
/// Compressed far enough it weakens, and it does not resist being turned inside out.
class StVenantKirchhoffSolid {
  public:
    static constexpr std::string_view key = "stvk";

    explicit StVenantKirchhoffSolid(const SolidOptions& options)
        : mu_(options.mu()), lambda_(options.lambda()) {}

    template <class Real>
    Matrix33<Real> at(const Matrix33<Real>& F) const {
        return F;
    }
    template <class Real>
    Real psi(const Matrix33<Real>& F) const {
        const Symmetric33<Real> G = strain(F);
        const Real trace = G.xx + G.yy + G.zz;
        const Real square = G.xx * G.xx + G.yy * G.yy + G.zz * G.zz +
                            2.0 * (G.xy * G.xy + G.xz * G.xz + G.yz * G.yz);
        return mu_ * square + (lambda_ / 2) * trace * trace;
    }
    template <class Real>
    Matrix33<Real> stress(const Matrix33<Real>& F) const {
        const Symmetric33<Real> G = strain(F);
        return F * full((2 * mu_) * G + scaled_identity(lambda_ * (G.xx + G.yy + G.zz)));
    }
    template <class Real>
    SolidHessian<Real> hessian(const Matrix33<Real>& F, PsdRule rule) const {
        const SingularValues<Real> svd = singular_values(F);
        const Vector3<Real>& s = svd.s;
        const Real x = s.x * s.x, y = s.y * s.y, z = s.z * s.z;
        const Real all = (lambda_ / 2) * (x + y + z - 3.0) - mu_;
        const double own = 3 * mu_ + lambda_;
        const Real yz = s.y * s.z, xz = s.x * s.z, xy = s.x * s.y;
        return solid_hessian<Real>(
            svd,
            {{own * x + all, lambda_ * xy, lambda_ * xz, own * y + all, lambda_ * yz,
              own * z + all},
             {mu_ * (y + yz + z) + all, mu_ * (x + xz + z) + all, mu_ * (x + xy + y) + all},
             {mu_ * (y - yz + z) + all, mu_ * (x - xz + z) + all, mu_ * (x - xy + y) + all}},
            rule);
    }

  private:
    template <class Real>
    static Symmetric33<Real> strain(const Matrix33<Real>& F) {
        return {0.5 * (dot(F.x, F.x) - 1.0), 0.5 * dot(F.x, F.y), 0.5 * dot(F.x, F.z),
                0.5 * (dot(F.y, F.y) - 1.0), 0.5 * dot(F.y, F.z), 0.5 * (dot(F.z, F.z) - 1.0)};
    }

    double mu_, lambda_;
};

}  // namespace

extern const EnergyEntry entry_solid_stvk;
constinit const EnergyEntry entry_solid_stvk{
    StVenantKirchhoffSolid::key,
    "St. Venant and Kirchhoff: linear in Green's strain; weakens in compression",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SolidOptions>,
    make_solid<StVenantKirchhoffSolid>};

}  // namespace taffeta::energy
