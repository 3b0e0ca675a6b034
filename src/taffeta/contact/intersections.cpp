#include "taffeta/contact/intersections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "taffeta/base/parallel.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/exact_predicates.h"

namespace taffeta::contact {

namespace {

constexpr Index audit_grain = 256;
/// Of the motion: fine enough to see most pairs apart by one direction, the rest goes to the integers.
constexpr double audit_tolerance = 1.0 / 16;

struct AuditBox {
    Vec3 low, high;

    void add(const Vec3& p) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    bool meets(const AuditBox& other) const {
        for (int axis = 0; axis < 3; ++axis)
            if (low[axis] > other.high[axis] || other.low[axis] > high[axis]) return false;
        return true;
    }
};

template <class Corners>
AuditBox box_of(const Corners& corners, std::span<const VecX* const> positions) {
    AuditBox box{Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
    for (const VecX* x : positions)
        for (const Index v : corners)
            box.add(vec3(*x, v));
    return box;
}

/// Boxes in the order of their low ends along one axis, in one stretch of memory.
class SweptBoxes {
  public:
    SweptBoxes(std::vector<AuditBox> boxes, int axis) : axis_(axis), of_element_(std::move(boxes)) {
        order_.resize(of_element_.size());
        std::iota(order_.begin(), order_.end(), Index(0));
        std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
            const double p = box(a).low[axis_], q = box(b).low[axis_];
            return p != q ? p < q : a < b;
        });
        for (const Index i : order_) {
            swept_.push_back(box(i));
            widest_ = std::max(widest_, box(i).high[axis] - box(i).low[axis]);
        }
        widest_ *= 1 + 1e-12;  // the difference is rounded
    }

    /// Calls visit(i) for the boxes that meet the given one.
    template <class Visit>
    void meeting(const AuditBox& wanted, const Visit& visit) const {
        const auto end = std::upper_bound(
            swept_.begin(), swept_.end(), wanted.high[axis_],
            [&](double limit, const AuditBox& other) { return limit < other.low[axis_]; });
        const double first = wanted.low[axis_] - widest_ - 1e-12 * std::abs(wanted.low[axis_]);
        for (auto k = end - swept_.begin(); k-- > 0;) {
            const AuditBox& other = swept_[std::size_t(k)];
            if (other.low[axis_] < first) break;
            if (other.meets(wanted)) visit(order_[std::size_t(k)]);
        }
    }
    const AuditBox& box(Index i) const { return of_element_[std::size_t(i)]; }

  private:
    int axis_;
    std::vector<AuditBox> of_element_, swept_;
    std::vector<Index> order_;
    double widest_ = 0;
};

int longest_axis(std::span<const VecX* const> positions) {
    AuditBox all{Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
    for (const VecX* x : positions)
        for (Index v = 0; v < Index(x->size() / 3); ++v)
            all.add(vec3(*x, v));
    int axis = 0;
    (all.high - all.low).maxCoeff(&axis);
    return axis;
}

template <class Corners>
SweptBoxes swept(const std::vector<Corners>& elements, std::span<const VecX* const> positions,
                 int axis) {
    std::vector<AuditBox> boxes(elements.size());
    for (std::size_t k = 0; k < elements.size(); ++k)
        boxes[k] = box_of(elements[k], positions);
    return {std::move(boxes), axis};
}

/// Runs find(begin, end, found) over chunks and joins what was found, in order.
template <class Found, class Find>
std::vector<Found> collect(Index size, const Find& find) {
    std::vector<std::vector<Found>> part(std::size_t(size / audit_grain + 1));
    parallel_chunks(size, audit_grain, [&](Index begin, Index end) {
        std::vector<Found>& found = part[std::size_t(begin / audit_grain)];
        for (Index i = begin; i < end; ++i)
            find(i, found);
    });
    std::vector<Found> all;
    for (const auto& found : part)
        all.insert(all.end(), found.begin(), found.end());
    return all;
}

bool both_fixed(const Surfaces& surfaces, Index a, Index b) {
    const auto fixed = [&](Index v) {
        return surfaces.fixed[std::size_t(surfaces.part[std::size_t(v)])];
    };
    return fixed(a) && fixed(b);
}

bool edge_meets_face(const Edge& edge, const Triangle& face, const VecX& x) {
    int shared = 0, corner = 0, end = 0;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            if (edge[std::size_t(i)] == face[std::size_t(k)]) {
                ++shared;
                end = i;
                corner = k;
            }
    if (shared == 2) return false;
    const auto at = [&](int k) -> Vec3 { return vec3(x, face[std::size_t(k % 3)]); };
    if (shared == 1)
        return segment_enters_corner(at(corner), vec3(x, edge[std::size_t(1 - end)]),
                                     at(corner + 1), at(corner + 2));
    return segment_meets_triangle(vec3(x, edge[0]), vec3(x, edge[1]), at(0), at(1), at(2));
}

template <class First, class Second>
bool share_a_corner(const First& first, const Second& second) {
    for (const Index a : first)
        for (const Index b : second)
            if (a == b) return true;
    return false;
}

/// The first contact, nothing when there is none.
template <class First, class Second>
std::optional<double> first_touch(CcdKind kind, const First& first, const Second& second,
                                  const VecX& x0, const VecX& x1) {
    CcdQuery query{kind, {}, {}};
    std::size_t k = 0;
    const auto add = [&](Index v) {
        query.start[k] = vec3(x0, v);
        query.end[k++] = vec3(x1, v);
    };
    for (const Index v : first)
        add(v);
    for (const Index v : second)
        add(v);
    if (!first_within(query, {.distance = 0, .tolerance = audit_tolerance})) return std::nullopt;
    const std::optional<std::int64_t> grid = first_contact_exactly(query);
    if (!grid) return std::nullopt;
    return std::ldexp(double(*grid), -32);
}

}  // namespace

Index Surfaces::add(Index vertices, const std::vector<Triangle>& faces, bool is_fixed) {
    const Index first = Index(part.size()), number = Index(fixed.size());
    part.insert(part.end(), std::size_t(vertices), number);
    fixed.push_back(is_fixed);
    std::vector<Edge> edges;
    for (const Triangle& corners : faces) {
        Triangle moved = corners;
        for (Index& v : moved)
            v += first;
        face.push_back(moved);
        for (std::size_t k = 0; k < 3; ++k)
            edges.push_back(
                {std::min(moved[k], moved[(k + 1) % 3]), std::max(moved[k], moved[(k + 1) % 3])});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    edge.insert(edge.end(), edges.begin(), edges.end());
    return number;
}

std::vector<EdgeFace> find_intersections(const Surfaces& surfaces, const VecX& x) {
    const std::array positions{&x};
    const SweptBoxes faces = swept(surfaces.face, positions, longest_axis(positions));
    return collect<EdgeFace>(Index(surfaces.edge.size()), [&](Index e, auto& found) {
        const Edge& edge = surfaces.edge[std::size_t(e)];
        const std::size_t before = found.size();
        faces.meeting(box_of(edge, positions), [&](Index f) {
            const Triangle& face = surfaces.face[std::size_t(f)];
            if (both_fixed(surfaces, edge[0], face[0])) return;
            if (edge_meets_face(edge, face, x)) found.push_back({e, f});
        });
        std::sort(found.begin() + std::ptrdiff_t(before), found.end(),
                  [](const EdgeFace& a, const EdgeFace& b) { return a.face < b.face; });
    });
}

std::vector<Crossing> find_crossings(const Surfaces& surfaces, const VecX& x0, const VecX& x1) {
    const std::array positions{&x0, &x1};
    const int axis = longest_axis(positions);
    const auto by_second = [](const Crossing& a, const Crossing& b) { return a.second < b.second; };

    const SweptBoxes faces = swept(surfaces.face, positions, axis);
    std::vector<Crossing> all =
        collect<Crossing>(Index(surfaces.part.size()), [&](Index v, auto& found) {
            const std::array vertex{v};
            const std::size_t before = found.size();
            faces.meeting(box_of(vertex, positions), [&](Index f) {
                const Triangle& face = surfaces.face[std::size_t(f)];
                if (both_fixed(surfaces, v, face[0]) || share_a_corner(vertex, face)) return;
                const auto time = first_touch(CcdKind::vertex_face, vertex, face, x0, x1);
                if (time) found.push_back({CcdKind::vertex_face, v, f, *time});
            });
            std::sort(found.begin() + std::ptrdiff_t(before), found.end(), by_second);
        });

    const SweptBoxes edges = swept(surfaces.edge, positions, axis);
    const std::vector<Crossing> between =
        collect<Crossing>(Index(surfaces.edge.size()), [&](Index e, auto& found) {
            const Edge& edge = surfaces.edge[std::size_t(e)];
            const std::size_t before = found.size();
            edges.meeting(edges.box(e), [&](Index other) {
                const Edge& second = surfaces.edge[std::size_t(other)];
                if (other <= e || both_fixed(surfaces, edge[0], second[0]) ||
                    share_a_corner(edge, second))
                    return;
                const auto time = first_touch(CcdKind::edge_edge, edge, second, x0, x1);
                if (time) found.push_back({CcdKind::edge_edge, e, other, *time});
            });
            std::sort(found.begin() + std::ptrdiff_t(before), found.end(), by_second);
        });
    all.insert(all.end(), between.begin(), between.end());
    return all;
}

}  // namespace taffeta::contact
