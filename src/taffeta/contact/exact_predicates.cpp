#include "taffeta/contact/exact_predicates.h"

#include <algorithm>
#include <array>
#include <cmath>

// Compiled with -ffp-contract=off: the error terms below are those of the operations as written.

namespace taffeta::contact {

namespace {

/// A sum of doubles that do not overlap, from the smallest to the largest, without zeros: the last one
/// has the sign of the sum.
class Expansion {
  public:
    /// [Shewchuk97, theorem 10]
    void add(double b) {
        int kept = 0;
        double sum = b;
        for (int i = 0; i < size_; ++i) {
            const double e = part_[std::size_t(i)];
            const double total = sum + e;
            const double shown = total - sum;
            const double lost = (sum - (total - shown)) + (e - shown);
            if (lost != 0) part_[std::size_t(kept++)] = lost;
            sum = total;
        }
        if (sum != 0) part_[std::size_t(kept++)] = sum;
        size_ = kept;
    }
    void add_product(double a, double b) {
        const double product = a * b;
        add(std::fma(a, b, -product));
        add(product);
    }
    int sign() const { return size_ == 0 ? 0 : (part_[std::size_t(size_ - 1)] > 0 ? 1 : -1); }
    int size() const { return size_; }
    double operator[](int i) const { return part_[std::size_t(i)]; }

  private:
    // 8 parts of the product of two differences, twice 8 of a side, 64 of side times difference, 3 of it
    std::array<double, 200> part_;
    int size_ = 0;
};

/// a - b as two doubles
Expansion difference(double a, double b) {
    Expansion d;
    d.add(a);
    d.add(-b);
    return d;
}

void add_product(Expansion& to, const Expansion& a, const Expansion& b, double sign) {
    for (int i = 0; i < a.size(); ++i)
        for (int j = 0; j < b.size(); ++j)
            to.add_product(sign * a[i], b[j]);
}

constexpr double half_ulp = 0x1p-53;
constexpr double bound_2d = (3 + 16 * half_ulp) * half_ulp;
constexpr double bound_3d = (7 + 56 * half_ulp) * half_ulp;

bool overlap(double a, double b, double c, double d) {
    return std::max(a, b) >= std::min(c, d) && std::max(c, d) >= std::min(a, b);
}

/// Of p in the plane of (a, b, c).
bool point_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int axis = 0; axis < 3; ++axis) {
        if (p[axis] < std::min({a[axis], b[axis], c[axis]}) ||
            p[axis] > std::max({a[axis], b[axis], c[axis]}))
            return false;
        const int first = orientation_2d(p, a, b, axis), second = orientation_2d(p, b, c, axis),
                  third = orientation_2d(p, c, a, axis);
        if (std::min({first, second, third}) < 0 && std::max({first, second, third}) > 0)
            return false;
    }
    return true;
}

}  // namespace

int orientation_2d(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double left = (b[u] - a[u]) * (c[v] - a[v]), right = (b[v] - a[v]) * (c[u] - a[u]);
    const double area = left - right;
    if (std::abs(area) > bound_2d * (std::abs(left) + std::abs(right))) return area > 0 ? 1 : -1;
    Expansion exact;
    add_product(exact, difference(b[u], a[u]), difference(c[v], a[v]), 1);
    add_product(exact, difference(b[v], a[v]), difference(c[u], a[u]), -1);
    return exact.sign();
}

int orientation_3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    double volume = 0, size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double left = (b[u] - a[u]) * (c[v] - a[v]), right = (b[v] - a[v]) * (c[u] - a[u]);
        const double height = d[axis] - a[axis];
        volume += (left - right) * height;
        size += (std::abs(left) + std::abs(right)) * std::abs(height);
    }
    if (std::abs(volume) > bound_3d * size) return volume > 0 ? 1 : -1;
    Expansion exact;
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        Expansion side;
        add_product(side, difference(b[u], a[u]), difference(c[v], a[v]), 1);
        add_product(side, difference(b[v], a[v]), difference(c[u], a[u]), -1);
        add_product(exact, side, difference(d[axis], a[axis]), 1);
    }
    return exact.sign();
}

bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
    for (int axis = 0; axis < 3; ++axis)
        if (!overlap(p[axis], q[axis], a[axis], b[axis])) return false;
    if (orientation_3d(p, q, a, b) != 0) return false;
    // In one plane, which at least one axis shows undistorted, and no axis may show them apart.
    for (int axis = 0; axis < 3; ++axis)
        if (orientation_2d(p, q, a, axis) * orientation_2d(p, q, b, axis) > 0 ||
            orientation_2d(a, b, p, axis) * orientation_2d(a, b, q, axis) > 0)
            return false;
    return true;
}

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b,
                            const Vec3& c) {
    const int at_p = orientation_3d(a, b, c, p), at_q = orientation_3d(a, b, c, q);
    if (at_p * at_q > 0) return false;
    if (at_p == 0 && at_q == 0)
        return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) ||
               segments_meet(p, q, c, a) || point_in_triangle(p, a, b, c);
    const int first = orientation_3d(p, q, a, b), second = orientation_3d(p, q, b, c),
              third = orientation_3d(p, q, c, a);
    return std::min({first, second, third}) >= 0 || std::max({first, second, third}) <= 0;
}

bool segment_enters_corner(const Vec3& apex, const Vec3& q, const Vec3& b, const Vec3& c) {
    if (apex == q || orientation_3d(apex, b, c, q) != 0) return false;
    // q in the cone from b to c: of the two turns, none goes against the turn from b to c.
    bool turns = false;
    for (int axis = 0; axis < 3; ++axis) {
        const int whole = orientation_2d(apex, b, c, axis);
        if (whole == 0) continue;
        turns = true;
        if (orientation_2d(apex, b, q, axis) * whole < 0 ||
            orientation_2d(apex, q, c, axis) * whole < 0)
            return false;
    }
    if (turns) return true;
    // A triangle without area is a segment or two on one line: q beyond the apex on their side.
    for (const Vec3* end : {&b, &c}) {
        bool along = *end != apex;
        for (int axis = 0; axis < 3 && along; ++axis)
            along = orientation_2d(apex, *end, q, axis) == 0 &&
                    ((*end)[axis] > apex[axis]) == (q[axis] > apex[axis]) &&
                    ((*end)[axis] < apex[axis]) == (q[axis] < apex[axis]);
        if (along) return true;
    }
    return false;
}

}  // namespace taffeta::contact
