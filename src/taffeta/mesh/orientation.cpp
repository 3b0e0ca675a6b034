#include "taffeta/mesh/orientation.h"

#include <Eigen/Geometry>

namespace taffeta::mesh {

namespace {

/// Walks one part from its first face and gives every face a side: 0 as the first face runs, 1
/// against it.
class Walker {
  public:
    Walker(const std::vector<Triangle>& face, const HalfEdges& half_edges, Orientation& result)
        : face_(face), half_edges_(half_edges), result_(result) {}

    void walk(Index first) {
        const Index part = Index(result_.part.size());
        Orientation::Part found;
        found.first_face = first;
        set(first, part, 0);
        front_.assign(1, first);
        while (!front_.empty()) {
            const Index f = front_.back();
            front_.pop_back();
            ++found.faces;
            found.turned += side(f);
            for (Index k = 0; k < 3; ++k)
                cross(3 * f + k, part, found);
        }
        result_.part.push_back(found);
    }

  private:
    char& side(Index f) { return result_.turned[std::size_t(f)]; }

    void set(Index f, Index part, char value) {
        result_.part_of[std::size_t(f)] = part;
        side(f) = value;
    }

    void cross(Index h, Index part, Orientation::Part& found) {
        const auto fan = half_edges_.of_edge(half_edges_.edge_of[std::size_t(h)]);
        if (fan.size() != 2) {
            found.closed = false;
            return;
        }
        const Index other = fan[0] == h ? fan[1] : fan[0];
        const Index f = half_edge_face(h), g = half_edge_face(other);
        const bool same_way = half_edge_from(face_, h) == half_edge_from(face_, other);
        const char wanted = same_way ? char(1 - side(f)) : side(f);
        if (result_.part_of[std::size_t(g)] >= 0) {
            if (side(g) != wanted) found.orientable = false;
            return;
        }
        set(g, part, wanted);
        front_.push_back(g);
    }

    const std::vector<Triangle>& face_;
    const HalfEdges& half_edges_;
    Orientation& result_;
    std::vector<Index> front_;
};

/// The side with more faces is the right one.
void settle_majority(Orientation& result) {
    std::vector<char> swap(result.part.size(), 0);
    for (std::size_t p = 0; p < result.part.size(); ++p) {
        Orientation::Part& part = result.part[p];
        if (2 * std::int64_t(part.turned) <= part.faces) continue;
        swap[p] = 1;
        part.turned = part.faces - part.turned;
    }
    for (std::size_t f = 0; f < result.turned.size(); ++f)
        result.turned[f] = char(result.turned[f] ^ swap[std::size_t(result.part_of[f])]);
}

void measure(const std::vector<Vec3>& position, const std::vector<Triangle>& face,
             Orientation& result) {
    for (Orientation::Part& part : result.part)
        part.low = part.high = position[std::size_t(face[std::size_t(part.first_face)][0])];
    for (std::size_t f = 0; f < face.size(); ++f) {
        Orientation::Part& part = result.part[std::size_t(result.part_of[f])];
        const Vec3& origin = position[std::size_t(face[std::size_t(part.first_face)][0])];
        const Vec3& a = position[std::size_t(face[f][0])];
        const Vec3& b = position[std::size_t(face[f][1])];
        const Vec3& c = position[std::size_t(face[f][2])];
        const double volume = (a - origin).dot((b - origin).cross(c - origin)) / 6;
        part.volume += result.turned[f] ? -volume : volume;
        for (const Vec3* x : {&a, &b, &c}) {
            part.low = part.low.cwiseMin(*x);
            part.high = part.high.cwiseMax(*x);
        }
    }
    for (Orientation::Part& part : result.part)
        if (!part.closed) part.volume = 0;
}

}  // namespace

Orientation find_orientation(const std::vector<Vec3>& position, const std::vector<Triangle>& face,
                             const HalfEdges& half_edges) {
    Orientation result;
    result.part_of.assign(face.size(), -1);
    result.turned.assign(face.size(), 0);
    Walker walker(face, half_edges, result);
    for (std::size_t f = 0; f < face.size(); ++f)
        if (result.part_of[f] < 0) walker.walk(Index(f));
    settle_majority(result);
    measure(position, face, result);
    return result;
}

std::vector<Index> inverted_parts(const Orientation& orientation) {
    const auto size = [](const Orientation::Part& part) { return (part.high - part.low).prod(); };
    Index largest = -1;
    for (std::size_t p = 0; p < orientation.part.size(); ++p) {
        const Orientation::Part& part = orientation.part[p];
        if (!part.closed) continue;
        if (largest < 0 || size(part) > size(orientation.part[std::size_t(largest)]))
            largest = Index(p);
    }
    std::vector<Index> found;
    for (std::size_t p = 0; p < orientation.part.size(); ++p) {
        const Orientation::Part& part = orientation.part[p];
        if (!part.closed || !part.orientable || !(part.volume < 0)) continue;
        const Orientation::Part& outer = orientation.part[std::size_t(largest)];
        const bool inside = Index(p) != largest && (part.low.array() > outer.low.array()).all() &&
                            (part.high.array() < outer.high.array()).all();
        if (!inside) found.push_back(Index(p));
    }
    return found;
}

}  // namespace taffeta::mesh
