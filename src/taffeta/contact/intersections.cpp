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

AuditBox empty_box() {
    return {Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
}

template <class Corners>
AuditBox box_of(const Corners& corners, std::span<const VecX* const> positions) {
    AuditBox box = empty_box();
    for (const VecX* x : positions)
        for (const Index v : corners)
            box.add(vec3(*x, v));
    return box;
}

/// Boxes in the cells of a grid over the two longest axes, each in every cell that it meets.
class GriddedBoxes {
  public:
    explicit GriddedBoxes(std::vector<AuditBox> boxes) : box_(std::move(boxes)) {
        AuditBox all = empty_box();
        Vec3 extent = Vec3::Zero();
        for (const AuditBox& box : box_) {
            all.add(box.low);
            all.add(box.high);
            extent += (box.high - box.low) / double(box_.size());
        }
        if (box_.empty()) return;
        const Vec3 size = all.high - all.low;
        int shortest = 0;
        size.minCoeff(&shortest);
        for (std::size_t k = 0; k < 2; ++k) {
            axis_[k] = (shortest + 1 + int(k)) % 3;
            // Cells of twice the mean box, but no more of them than boxes.
            const double most = std::ceil(std::sqrt(double(box_.size())));
            const double wanted = size[axis_[k]] / (2 * extent[axis_[k]]);
            count_[k] =
                wanted > 1 ? Index(std::min(wanted, most)) : 1;  // also where it is no number
            origin_[k] = all.low[axis_[k]];
            cells_a_metre_[k] = double(count_[k]) / size[axis_[k]];
        }
        fill();
    }

    /// Calls visit(i) for the boxes that meet the given one, each once.
    template <class Visit>
    void meeting(const AuditBox& wanted, const Visit& visit) const {
        if (box_.empty()) return;
        const Cells range = cells_of(wanted);
        for (Index v = range.low[1]; v <= range.high[1]; ++v)
            for (Index u = range.low[0]; u <= range.high[0]; ++u) {
                const std::size_t cell = std::size_t(v * count_[0] + u);
                for (Index k = begin_[cell]; k < begin_[cell + 1]; ++k) {
                    const Entry& entry = entry_[std::size_t(k)];
                    // In the first cell that both meet.
                    if (u != std::max(range.low[0], entry.low[0]) ||
                        v != std::max(range.low[1], entry.low[1]))
                        continue;
                    if (box(entry.element).meets(wanted)) visit(entry.element);
                }
            }
    }
    const AuditBox& box(Index i) const { return box_[std::size_t(i)]; }

  private:
    struct Cells {
        std::array<Index, 2> low, high;
    };
    struct Entry {
        Index element;
        std::array<Index, 2> low;  ///< its first cell
    };

    /// Never decreasing in x, so boxes that meet have a cell in common.
    Index cell_of(std::size_t k, double x) const {
        const double cell = (x - origin_[k]) * cells_a_metre_[k];
        return cell > 0 ? Index(std::min(cell, double(count_[k] - 1))) : 0;
    }
    Cells cells_of(const AuditBox& box) const {
        Cells cells;
        for (std::size_t k = 0; k < 2; ++k) {
            cells.low[k] = cell_of(k, box.low[axis_[k]]);
            cells.high[k] = cell_of(k, box.high[axis_[k]]);
        }
        return cells;
    }
    template <class Put>
    void for_each_cell(const Put& put) const {
        for (Index i = 0; i < Index(box_.size()); ++i) {
            const Cells range = cells_of(box(i));
            for (Index v = range.low[1]; v <= range.high[1]; ++v)
                for (Index u = range.low[0]; u <= range.high[0]; ++u)
                    put(std::size_t(v * count_[0] + u), Entry{i, range.low});
        }
    }
    void fill() {
        begin_.assign(std::size_t(count_[0]) * std::size_t(count_[1]) + 1, 0);
        for_each_cell([&](std::size_t cell, const Entry&) { ++begin_[cell + 1]; });
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        entry_.resize(std::size_t(begin_.back()));
        std::vector<Index> next(begin_.begin(), begin_.end() - 1);
        for_each_cell([&](std::size_t cell, const Entry& entry) {
            entry_[std::size_t(next[cell]++)] = entry;
        });
    }

    std::vector<AuditBox> box_;
    std::array<int, 2> axis_{};
    std::array<Index, 2> count_{};
    std::array<double, 2> origin_{}, cells_a_metre_{};
    std::vector<Index> begin_;  ///< of each cell's entries
    std::vector<Entry> entry_;
};

template <class Corners>
GriddedBoxes gridded(const std::vector<Corners>& elements, std::span<const VecX* const> positions) {
    std::vector<AuditBox> boxes(elements.size());
    for (std::size_t k = 0; k < elements.size(); ++k)
        boxes[k] = box_of(elements[k], positions);
    return GriddedBoxes(std::move(boxes));
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
    const GriddedBoxes faces = gridded(surfaces.face, positions);
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
    const auto by_second = [](const Crossing& a, const Crossing& b) { return a.second < b.second; };

    const GriddedBoxes faces = gridded(surfaces.face, positions);
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

    const GriddedBoxes edges = gridded(surfaces.edge, positions);
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
