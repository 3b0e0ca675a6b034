#include "taffeta/contact/broad_phase.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "taffeta/base/error.h"

namespace taffeta::contact {

namespace {

constexpr Index leaves_a_chunk = 16;

/// Around the motion of some vertices.
template <class Corners>
FloatBox motion_box(const Corners& corners, const VecX& x0, const VecX& x1, double margin) {
    Vec3 low = vec3(x0, corners[0]), high = low;
    for (const Index v : corners)
        for (const VecX* x : {&x0, &x1}) {
            low = low.cwiseMin(vec3(*x, v));
            high = high.cwiseMax(vec3(*x, v));
        }
    return FloatBox::around(low, high, margin);
}

template <class Elements>
std::vector<Vec3> centers_of(const Elements& elements, const VecX& x) {
    std::vector<Vec3> centers;
    centers.reserve(elements.size());
    for (const auto& corners : elements) {
        Vec3 sum = Vec3::Zero();
        for (const Index v : corners)
            sum += vec3(x, v);
        centers.push_back(sum / double(corners.size()));
    }
    return centers;
}

}  // namespace

BroadPhase::BroadPhase(std::vector<Triangle> faces, std::vector<Edge> edges, Index vertices)
    : face_(std::move(faces)), edge_(std::move(edges)), vertices_(vertices) {}

void BroadPhase::order(const VecX& x) {
    std::vector<std::array<Index, 1>> vertex(static_cast<std::size_t>(vertices_));
    for (Index v = 0; v < vertices_; ++v)
        vertex[std::size_t(v)] = {v};
    vertex_tree_.build(centers_of(vertex, x));
    face_tree_.build(centers_of(face_, x));
    edge_tree_.build(centers_of(edge_, x));
}

void BroadPhase::refit(const VecX& x0, const VecX& x1, double distance,
                       std::span<const char> active) {
    TAFFETA_ASSERT(vertex_tree_.size() == vertices_);  // order() was called
    TAFFETA_ASSERT(active.empty() || Index(active.size()) == vertices_);
    const double margin = 0.5 * distance;
    const auto fit = [&](BoxTree& tree, const auto& corners_of) {
        tree.refit([&](Index i) { return motion_box(corners_of(i), x0, x1, margin); },
                   [&](Index i) {
                       if (active.empty()) return true;
                       for (const Index v : corners_of(i))
                           if (active[std::size_t(v)] != 0) return true;
                       return false;
                   });
    };
    fit(vertex_tree_, [](Index v) { return std::array<Index, 1>{v}; });
    fit(face_tree_, [&](Index f) -> const Triangle& { return face_[std::size_t(f)]; });
    fit(edge_tree_, [&](Index e) -> const Edge& { return edge_[std::size_t(e)]; });
}

/// Chunks of leaves find their pairs side by side and count the rows' lengths; then the pairs go to
/// their rows in any order, and each row is sorted. `add(i, j, found)` appends what is wanted.
template <class Add>
void BroadPhase::find(const BoxTree& first, const BoxTree& second, const Add& add,
                      CandidateRows& rows) {
    const Index chunks = (first.leaves() + leaves_a_chunk - 1) / leaves_a_chunk;
    if (Index(found_.size()) < chunks) found_.resize(std::size_t(chunks));
    rows.begin.assign(std::size_t(first.size()) + 1, 0);
    parallel_for(chunks, 1, [&](Index c) {
        std::vector<Pair>& found = found_[std::size_t(c)];
        found.clear();
        const Index begin = c * leaves_a_chunk;
        first.meet(begin, std::min(begin + leaves_a_chunk, first.leaves()), second,
                   [&](Index i, Index j) { add(i, j, found); });
        for (const Pair& pair : found)
            std::atomic_ref(rows.begin[std::size_t(pair.first) + 1])
                .fetch_add(1, std::memory_order_relaxed);
    });
    for (std::size_t i = 1; i < rows.begin.size(); ++i)
        rows.begin[i] += rows.begin[i - 1];
    rows.second.resize(std::size_t(rows.begin.back()));
    cursor_.assign(rows.begin.begin(), rows.begin.end());
    parallel_for(chunks, 1, [&](Index c) {
        for (const Pair& pair : found_[std::size_t(c)]) {
            const Index place = std::atomic_ref(cursor_[std::size_t(pair.first)])
                                    .fetch_add(1, std::memory_order_relaxed);
            rows.second[std::size_t(place)] = pair.second;
        }
    });
    parallel_for(first.size(), 1024, [&](Index i) {
        std::sort(rows.second.begin() + rows.begin[std::size_t(i)],
                  rows.second.begin() + rows.begin[std::size_t(i) + 1]);
    });
}

const CandidateRows& BroadPhase::find_vertex_face() {
    find(
        vertex_tree_, face_tree_,
        [&](Index v, Index f, std::vector<Pair>& found) {
            const Triangle& face = face_[std::size_t(f)];
            if (face[0] != v && face[1] != v && face[2] != v) found.push_back({v, f});
        },
        vertex_face_);
    return vertex_face_;
}

const CandidateRows& BroadPhase::find_edge_edge() {
    find(
        edge_tree_, edge_tree_,
        [&](Index e, Index other, std::vector<Pair>& found) {
            const Edge &a = edge_[std::size_t(e)], &b = edge_[std::size_t(other)];
            if (a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1])
                found.push_back({std::min(e, other), std::max(e, other)});
        },
        edge_edge_);
    return edge_edge_;
}

}  // namespace taffeta::contact
