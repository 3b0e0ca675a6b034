#include <gtest/gtest.h>

#include <random>

#include "taffeta/contact/ccd.h"
#include "taffeta/contact/ccd_exact.h"

#if TAFFETA_GMP
#include <gmpxx.h>

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

/// Continuous collision detection against an independent exact computation: rational polynomials by
/// GMP, roots by Sturm's theorem, and the textbook inside tests with normals and projections instead of
/// signs in the coordinate planes.
namespace taffeta::contact {
namespace {

using Rational = mpq_class;
using Polynomial = std::vector<Rational>;  ///< lowest coefficient first, the last not zero
using PolynomialVector = std::array<Polynomial, 3>;

void normalise(Polynomial& p) {
    while (!p.empty() && p.back() == 0)
        p.pop_back();
}
Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial sum(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        sum[i] += a[i];
    for (std::size_t i = 0; i < b.size(); ++i)
        sum[i] += b[i];
    normalise(sum);
    return sum;
}
Polynomial operator-(const Polynomial& a) {
    Polynomial negative = a;
    for (Rational& c : negative)
        c = -c;
    return negative;
}
Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    return a + -b;
}
Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    if (a.empty() || b.empty()) return {};
    Polynomial product(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
            product[i + j] += a[i] * b[j];
    normalise(product);
    return product;
}
Polynomial dot(const PolynomialVector& a, const PolynomialVector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
PolynomialVector minus(const PolynomialVector& a, const PolynomialVector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
PolynomialVector cross(const PolynomialVector& a, const PolynomialVector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Rational value(const Polynomial& p, const Rational& t) {
    Rational sum = 0;
    for (std::size_t i = p.size(); i-- > 0;)
        sum = sum * t + p[i];
    return sum;
}
Polynomial derivative(const Polynomial& p) {
    Polynomial d;
    for (std::size_t i = 1; i < p.size(); ++i)
        d.push_back(p[i] * long(i));
    return d;
}
Polynomial remainder_of(Polynomial a, const Polynomial& b) {
    while (a.size() >= b.size()) {
        const Rational factor = a.back() / b.back();
        const std::size_t shift = a.size() - b.size();
        for (std::size_t i = 0; i < b.size(); ++i)
            a[shift + i] -= factor * b[i];
        a.pop_back();
        normalise(a);
    }
    return a;
}
Polynomial quotient(Polynomial a, const Polynomial& b) {
    Polynomial q(a.size() - b.size() + 1);
    while (a.size() >= b.size()) {
        const Rational factor = a.back() / b.back();
        const std::size_t shift = a.size() - b.size();
        q[shift] = factor;
        for (std::size_t i = 0; i < b.size(); ++i)
            a[shift + i] -= factor * b[i];
        a.pop_back();
        normalise(a);
    }
    return q;
}
Polynomial common_factor(Polynomial a, Polynomial b) {
    while (!b.empty()) {
        Polynomial r = remainder_of(a, b);
        a = std::move(b);
        b = std::move(r);
    }
    return a;
}

/// With every root once: only then do the signs at a root that is an end of an interval count.
Polynomial square_free(const Polynomial& p) {
    return quotient(p, common_factor(p, derivative(p)));
}

/// Distinct roots of p in (low, high], p not zero.
int roots_between(const Polynomial& p, const Rational& low, const Rational& high) {
    const Polynomial simple = square_free(p);
    std::vector<Polynomial> chain{simple, derivative(simple)};
    while (!chain.back().empty())
        chain.push_back(-remainder_of(chain[chain.size() - 2], chain.back()));
    const auto variations = [&](const Rational& t) {
        int changes = 0, last = 0;
        for (const Polynomial& one : chain) {
            const int s = sgn(value(one, t));
            if (s == 0) continue;
            changes += last != 0 && s != last;
            last = s;
        }
        return changes;
    };
    return variations(low) - variations(high);
}

/// A root of p, the only one in (low, high].
struct Root {
    Polynomial p;
    Rational low, high;

    int sign(const Polynomial& q) const {
        if (q.empty()) return 0;
        const Polynomial shared = common_factor(p, q);
        if (shared.size() > 1 && roots_between(shared, low, high) > 0) return 0;
        Root finer = *this;
        while (roots_between(q, finer.low, finer.high) > 0)
            finer.halve();
        return sgn(value(q, finer.high));
    }
    void halve() {
        const Rational middle = (low + high) / 2;
        if (roots_between(p, low, middle) > 0)
            high = middle;
        else
            low = middle;
    }
};

void roots_in(const Polynomial& p, const Rational& low, const Rational& high,
              std::vector<Root>& roots) {
    const int inside = roots_between(p, low, high);
    if (inside == 0) return;
    if (inside == 1) {
        roots.push_back({p, low, high});
        return;
    }
    const Rational middle = (low + high) / 2;
    roots_in(p, low, middle, roots);
    roots_in(p, middle, high, roots);
}

using Sign = std::function<int(const Polynomial&)>;

class Reference {
  public:
    explicit Reference(const CcdQuery& query) : faces_(query.kind == CcdKind::vertex_face) {
        for (std::size_t i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k) {
                const Rational a = query.start[i][k], b = query.end[i][k];
                x_[i][std::size_t(k)] = {a, b - a};
                normalise(x_[i][std::size_t(k)]);
            }
    }

    /// The earliest touching time.
    std::optional<Root> first() {
        const Polynomial volume =
            dot(minus(x_[1], x_[0]), cross(minus(x_[2], x_[0]), minus(x_[3], x_[0])));
        std::vector<Polynomial> events{volume};
        if (volume.empty()) {
            const Sign collect = [&](const Polynomial& q) {
                if (!q.empty()) events.push_back(q);
                return 0;
            };
            for (general_ = 0; general_ < 2; ++general_)
                touch(collect);
            general_ = -1;
            events.push_back({0, 1});   // t = 0
            events.push_back({-1, 1});  // t = 1
        }
        std::optional<Root> best;
        for (const Polynomial& event : events) {
            if (event.empty()) continue;
            const Polynomial simple = square_free(event);
            std::vector<Root> roots;
            roots_in(simple, -1, 1, roots);
            for (Root& root : roots) {
                if (root.sign({0, 1}) < 0) continue;
                if (!touch([&](const Polynomial& q) { return root.sign(q); })) continue;
                if (!best || earlier(root, *best)) best = root;
            }
        }
        return best;
    }

  private:
    static bool earlier(Root a, Root b) {
        const Polynomial shared = common_factor(a.p, b.p);
        while (a.low < b.high && b.low < a.high) {
            if (shared.size() > 1 &&
                roots_between(shared, std::max(a.low, b.low), std::min(a.high, b.high)) > 0)
                return false;  // the same
            a.halve();
            b.halve();
        }
        return a.high <= b.low;
    }

    /// Of points in one plane. While events are collected, all polynomials of one branch are asked.
    bool touch(const Sign& sign) const { return faces_ ? vertex_in_face(sign) : edges_cross(sign); }
    bool nonzero(const PolynomialVector& n, const Sign& sign) const {
        bool any = false;
        for (const Polynomial& c : n)
            any = sign(c) != 0 || any;
        return general_ < 0 ? any : general_ == 1;
    }
    bool all_collected() const { return general_ >= 0; }

    bool on_segment(const PolynomialVector& p, const PolynomialVector& a, const PolynomialVector& b,
                    const Sign& sign) const {
        bool on = true;
        for (const Polynomial& c : cross(minus(p, a), minus(b, a)))
            on = sign(c) == 0 && on;
        return sign(dot(minus(p, a), minus(p, b))) <= 0 && on;
    }

    bool vertex_in_face(const Sign& sign) const {
        const auto &v = x_[0], &a = x_[1], &b = x_[2], &c = x_[3];
        const PolynomialVector n = cross(minus(b, a), minus(c, a));
        if (nonzero(n, sign)) {
            bool inside = true;
            for (const auto& [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
                inside = sign(dot(n, cross(minus(p, v), minus(q, v)))) >= 0 && inside;
            return inside;
        }
        bool on = false;
        for (const auto& [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
            on = on_segment(v, p, q, sign) || on;
        return on;
    }

    bool edges_cross(const Sign& sign) const {
        const PolynomialVector d = minus(x_[1], x_[0]), e = minus(x_[3], x_[2]);
        const PolynomialVector n = cross(d, e);
        if (nonzero(n, sign)) {
            const PolynomialVector r = minus(x_[2], x_[0]);
            const Polynomial whole = dot(n, n);
            bool inside = true;
            for (const Polynomial& part : {dot(n, cross(r, e)), dot(n, cross(r, d))}) {
                inside = sign(part) >= 0 && inside;
                inside = sign(whole - part) >= 0 && inside;
            }
            return inside;
        }
        bool on = on_segment(x_[0], x_[2], x_[3], sign);
        on = on_segment(x_[1], x_[2], x_[3], sign) || on;
        on = on_segment(x_[2], x_[0], x_[1], sign) || on;
        return on_segment(x_[3], x_[0], x_[1], sign) || on;
    }

    bool faces_;
    int general_ = -1;  ///< which branch is collected
    std::array<PolynomialVector, 4> x_;
};

CcdQuery random_query(std::mt19937& random, int size) {
    CcdQuery query;
    query.kind = random() % 2 ? CcdKind::vertex_face : CcdKind::edge_edge;
    const bool flat = random() % 4 == 0;
    for (auto* points : {&query.start, &query.end})
        for (Vec3& p : *points)
            for (int k = 0; k < 3; ++k)
                p[k] = flat && k == 2 ? 0 : int(random() % unsigned(2 * size + 1)) - size;
    if (random() % 6 == 0) query.end = query.start;
    if (random() % 4 == 0) {  // the plane of a flat motion turns
        const int a = int(random() % 5) - 2, b = int(random() % 5) - 2;
        for (Vec3& p : query.end)
            p.z() += a * p.x() + b * p.y();
    }
    return query;
}

std::string text(const CcdQuery& query) {
    std::string all = query.kind == CcdKind::vertex_face ? "vertex and face:" : "edges:";
    for (const auto* points : {&query.start, &query.end})
        for (const Vec3& p : *points)
            all += fmt::format(" ({}, {}, {})", p.x(), p.y(), p.z());
    return all;
}

/// Small integers make every degenerate case common: contacts at both ends, at corners, on edges and in
/// planes, double roots, points and segments instead of faces and edges.
TEST(CcdReference, AgreesOnSmallIntegers) {
    std::mt19937 random(2718);
    int touching = 0, flat = 0;
    for (int k = 0; k < 3000; ++k) {
        const CcdQuery query = random_query(random, 1 + k % 4);
        const std::optional<Root> expected = Reference(query).first();
        flat += query.start[0].z() == 0 && query.end[0].z() == 0;

        ASSERT_EQ(touches(query), expected.has_value()) << text(query);
        ASSERT_EQ(touches_exactly(query), expected.has_value()) << text(query);
        const std::optional<double> time = first_contact(query);
        ASSERT_EQ(time.has_value(), expected.has_value()) << text(query);
        if (!expected) continue;
        ++touching;
        // low <= t < low + 2^-32
        const Rational low = *time;
        ASSERT_GE(expected->sign({-low, 1}), 0) << text(query);
        ASSERT_LT(expected->sign({-low - Rational(1, 1L << 32), 1}), 0) << text(query);
    }
    EXPECT_GT(touching, 500);
    EXPECT_GT(flat, 250);
}

}  // namespace
}  // namespace taffeta::contact

#else

TEST(CcdReference, AgreesOnSmallIntegers) {
    GTEST_SKIP() << "built without GMP (libgmp-dev), which the reference computes with";
}

#endif
