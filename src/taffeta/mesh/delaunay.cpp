#include "taffeta/mesh/delaunay.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/mesh/half_edges.h"

namespace taffeta::mesh {

namespace {

__extension__ using Quad = __float128;

/// The determinant of the lifted differences, and the sum of the sizes of its terms.
template <class Real>
std::pair<Real, Real> lifted_determinant(const Vec3& a, const Vec3& b, const Vec3& c,
                                         const Vec3& d) {
    const auto size = [](Real value) { return value < 0 ? -value : value; };
    const Real ax = Real(a.x()) - Real(d.x()), ay = Real(a.y()) - Real(d.y());
    const Real bx = Real(b.x()) - Real(d.x()), by = Real(b.y()) - Real(d.y());
    const Real cx = Real(c.x()) - Real(d.x()), cy = Real(c.y()) - Real(d.y());
    const Real al = ax * ax + ay * ay, bl = bx * bx + by * by, cl = cx * cx + cy * cy;
    return {al * (bx * cy - cx * by) + bl * (cx * ay - ax * cy) + cl * (ax * by - bx * ay),
            al * (size(bx * cy) + size(cx * by)) + bl * (size(cx * ay) + size(ax * cy)) +
                cl * (size(ax * by) + size(bx * ay))};
}

/// The triangulation while it is flipped: `twin[3 f + k]` is the half-edge on the other side of
/// the edge opposite corner k, or -1 on the boundary.
class Flipper {
  public:
    Flipper(const std::vector<Vec3>& position, std::vector<Triangle>& face)
        : position_(position), face_(face), twin_(3 * face.size(), -1) {
        const HalfEdges half_edges = make_half_edges(face, Index(position.size()));
        for (Index e = 0; e < Index(half_edges.edge.size()); ++e) {
            const auto fan = half_edges.of_edge(e);
            if (fan.size() == 2) pair(fan[0], fan[1]);
        }
    }

    void run() {
        std::vector<Index> suspect(twin_.size());
        for (std::size_t h = 0; h < suspect.size(); ++h)
            suspect[h] = Index(suspect.size() - 1 - h);
        while (!suspect.empty()) {
            const Index h = suspect.back();
            suspect.pop_back();
            if (!must_flip(h)) continue;
            for (const Index outer : flip(h))
                suspect.push_back(outer);
        }
    }

  private:
    const Vec3& corner(Index f, Index k) const {
        return position_[std::size_t(face_[std::size_t(f)][std::size_t(k)])];
    }

    bool must_flip(Index h) const {
        const Index other = twin_[std::size_t(h)];
        if (other < 0) return false;
        const Index f = half_edge_face(h);
        return in_circle(corner(f, 0), corner(f, 1), corner(f, 2),
                         corner(half_edge_face(other), half_edge_corner(other))) > 0;
    }

    ///      r                 r
    ///    / | \             / g \        f = (p, q, r), g = (s, r, q), shared edge q r
    ///   p f|g s    ->     p --- s       becomes f = (p, q, s), g = (p, s, r)
    ///    \ | /             \ f /
    ///      q                 q
    std::array<Index, 4> flip(Index h) {
        const Index other = twin_[std::size_t(h)];
        const Index f = half_edge_face(h), g = half_edge_face(other);
        const auto turn = [](Index half, Index by) { return half / 3 * 3 + (half % 3 + by) % 3; };
        const Index rp = twin_[std::size_t(turn(h, 1))], pq = twin_[std::size_t(turn(h, 2))];
        const Index qs = twin_[std::size_t(turn(other, 1))],
                    sr = twin_[std::size_t(turn(other, 2))];
        const Index p = face_[std::size_t(f)][std::size_t(half_edge_corner(h))];
        const Index q = half_edge_from(face_, h), r = half_edge_to(face_, h);
        const Index s = face_[std::size_t(g)][std::size_t(half_edge_corner(other))];

        face_[std::size_t(f)] = {p, q, s};
        face_[std::size_t(g)] = {p, s, r};
        pair(3 * f + 0, qs);
        pair(3 * f + 1, 3 * g + 2);
        pair(3 * f + 2, pq);
        pair(3 * g + 0, sr);
        pair(3 * g + 1, rp);
        return {3 * f + 0, 3 * f + 2, 3 * g + 0, 3 * g + 1};
    }

    void pair(Index a, Index b) {
        twin_[std::size_t(a)] = b;
        if (b >= 0) twin_[std::size_t(b)] = a;
    }

    const std::vector<Vec3>& position_;
    std::vector<Triangle>& face_;
    std::vector<Index> twin_;
};

}  // namespace

double in_circle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    // Rounding of the double determinant is below 16 epsilon times the sum of its terms.
    const auto [rough, terms] = lifted_determinant<double>(a, b, c, d);
    if (std::abs(rough) > 16 * std::numeric_limits<double>::epsilon() * terms) return rough;
    // Differences of doubles are exact in 113 bits here; what is left is rounding of products.
    const auto [fine, fine_terms] = lifted_determinant<Quad>(a, b, c, d);
    return fine > Quad(1e-31) * fine_terms || fine < Quad(-1e-31) * fine_terms ? double(fine) : 0.0;
}

void make_delaunay(const std::vector<Vec3>& position, std::vector<Triangle>& face) {
    Flipper(position, face).run();
    for (Triangle& corners : face)
        std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()),
                    corners.end());
    std::sort(face.begin(), face.end());
}

}  // namespace taffeta::mesh
