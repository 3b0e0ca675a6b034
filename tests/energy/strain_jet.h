#pragma once

#include <array>

#include "taffeta/energy/lanes.h"

/// A function of the three strains (G11, G22, G12) with its first and second derivatives, so that tests
/// state an energy alone. Forward differentiation: exact to rounding, about ten numbers for one.
namespace taffeta::energy {

template <class Real>
struct StrainJet {
    Real value;
    std::array<Real, 3> d;   ///< by G11, G22, G12
    std::array<Real, 6> dd;  ///< 11, 12, 13, 22, 23, 33

    static StrainJet constant(Real value) {
        const Real o = broadcast<Real>(0);
        return {value, {o, o, o}, {o, o, o, o, o, o}};
    }
    static StrainJet variable(std::size_t index, Real value) {
        StrainJet jet = constant(value);
        jet.d[index] = broadcast<Real>(1);
        return jet;
    }
    /// f(a), from f, f' and f'' at its value.
    StrainJet through(Real f, Real f1, Real f2) const {
        StrainJet jet;
        jet.value = f;
        std::size_t k = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            jet.d[i] = f1 * d[i];
            for (std::size_t j = i; j < 3; ++j, ++k)
                jet.dd[k] = f1 * dd[k] + f2 * d[i] * d[j];
        }
        return jet;
    }
};

template <class Real>
StrainJet<Real> operator+(const StrainJet<Real>& a, const StrainJet<Real>& b) {
    StrainJet<Real> sum = a;
    sum.value = a.value + b.value;
    for (std::size_t i = 0; i < 3; ++i)
        sum.d[i] = a.d[i] + b.d[i];
    for (std::size_t k = 0; k < 6; ++k)
        sum.dd[k] = a.dd[k] + b.dd[k];
    return sum;
}
template <class Real>
StrainJet<Real> operator*(double s, const StrainJet<Real>& a) {
    StrainJet<Real> scaled = a;
    scaled.value = s * a.value;
    for (Real& d : scaled.d)
        d = s * d;
    for (Real& dd : scaled.dd)
        dd = s * dd;
    return scaled;
}
template <class Real>
StrainJet<Real> operator-(const StrainJet<Real>& a, const StrainJet<Real>& b) {
    return a + (-1.0) * b;
}
template <class Real>
StrainJet<Real> operator+(const StrainJet<Real>& a, double b) {
    StrainJet<Real> sum = a;
    sum.value = a.value + b;
    return sum;
}
template <class Real>
StrainJet<Real> operator*(const StrainJet<Real>& a, const StrainJet<Real>& b) {
    StrainJet<Real> product;
    product.value = a.value * b.value;
    std::size_t k = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        product.d[i] = a.value * b.d[i] + b.value * a.d[i];
        for (std::size_t j = i; j < 3; ++j, ++k)
            product.dd[k] =
                a.value * b.dd[k] + b.value * a.dd[k] + a.d[i] * b.d[j] + a.d[j] * b.d[i];
    }
    return product;
}
template <class Real>
StrainJet<Real> square_root(const StrainJet<Real>& a) {
    const Real root = square_root(a.value), first = 0.5 / root;
    return a.through(root, first, -0.5 * first / a.value);
}
template <class Real>
StrainJet<Real> reciprocal(const StrainJet<Real>& a) {
    const Real r = 1.0 / a.value, r2 = r * r;
    return a.through(r, -r2, 2.0 * r2 * r);
}
template <class Mask, class Real>
StrainJet<Real> select(Mask condition, const StrainJet<Real>& a, const StrainJet<Real>& b) {
    StrainJet<Real> chosen;
    chosen.value = select(condition, a.value, b.value);
    for (std::size_t i = 0; i < 3; ++i)
        chosen.d[i] = select(condition, a.d[i], b.d[i]);
    for (std::size_t k = 0; k < 6; ++k)
        chosen.dd[k] = select(condition, a.dd[k], b.dd[k]);
    return chosen;
}

}  // namespace taffeta::energy
