// The broad phase against a plain sweep and Embree's collide: milliseconds to find all pairs.
//
//   build/release/bin/bench_broad_phase --vertices 40401 --repeats 5
//
// A sheet of 1 m folded into ten layers 4 mm apart, pulled along itself, so that every box moves; pairs
// within 2 mm, without those that share a vertex. Each method takes the same boxes and gives the same
// pairs. "refit" is what follows a new motion; "sweep" sorts boxes along the longest axis;
// Embree (where it was found) refits its own trees and calls rtcCollide, which takes all threads.
// Medians.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/contact/broad_phase.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/mesh/topology.h"
#if TAFFETA_EMBREE
#include <embree3/rtcore.h>
#endif

namespace {

using namespace taffeta;
using contact::FloatBox;

constexpr double distance = 0.002;

struct Cloth {
    std::vector<Triangle> face;
    std::vector<Edge> edge;
    Index vertices = 0;
    VecX x0, x1;
};

/// The sheet winds to and fro: half circles join the layers.
Vec3 folded(double s, double y, double shift) {
    constexpr double layer = 0.1, gap = 0.004, bend = 3.14159265358979323846 * gap / 2;
    s += shift;
    const double period = layer + bend;
    const double k = std::floor(s / period), along = s - k * period;
    const bool back = std::fmod(std::abs(k), 2) == 1;
    if (along < layer) return {back ? layer - along : along, y, k * gap};
    const double angle = (along - layer) / bend * 3.14159265358979323846;
    const double out = 0.5 * gap * std::sin(angle);
    return {back ? -out : layer + out, y, k * gap + 0.5 * gap * (1 - std::cos(angle))};
}

Cloth make_cloth(Index vertices) {
    const Index cells = std::max<Index>(2, Index(std::lround(std::sqrt(double(vertices)))) - 1);
    const mesh::TriMesh sheet = mesh::grid(cells, cells, 1, 1, mesh::Tessellation::irregular);
    Cloth cloth;
    cloth.face = sheet.face;
    cloth.edge = mesh::make_topology(sheet).edge;
    cloth.vertices = sheet.vertex_count();
    cloth.x0.resize(3 * cloth.vertices);
    cloth.x1.resize(3 * cloth.vertices);
    for (Index v = 0; v < cloth.vertices; ++v) {
        const Vec3& p = sheet.position[std::size_t(v)];
        vec3(cloth.x0, v) = folded(p.x(), p.y(), 0);
        vec3(cloth.x1, v) = folded(p.x(), p.y(), 0.003);
    }
    return cloth;
}

template <class Corners>
FloatBox box_of(const Corners& corners, const Cloth& cloth) {
    Vec3 low = vec3(cloth.x0, corners[0]), high = low;
    for (const Index v : corners)
        for (const VecX* x : {&cloth.x0, &cloth.x1}) {
            low = low.cwiseMin(vec3(*x, v));
            high = high.cwiseMax(vec3(*x, v));
        }
    return FloatBox::around(low, high, 0.5 * distance);
}

struct Boxes {
    std::vector<FloatBox> vertex, face, edge;
};

Boxes make_boxes(const Cloth& cloth) {
    Boxes boxes;
    for (Index v = 0; v < cloth.vertices; ++v)
        boxes.vertex.push_back(box_of(std::array{v}, cloth));
    for (const Triangle& f : cloth.face)
        boxes.face.push_back(box_of(f, cloth));
    for (const Edge& e : cloth.edge)
        boxes.edge.push_back(box_of(e, cloth));
    return boxes;
}

bool keep_face(const Cloth& cloth, Index v, Index f) {
    const Triangle& face = cloth.face[std::size_t(f)];
    return face[0] != v && face[1] != v && face[2] != v;
}
bool keep_edges(const Cloth& cloth, Index e, Index o) {
    const Edge &a = cloth.edge[std::size_t(e)], &b = cloth.edge[std::size_t(o)];
    return e < o && a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1];
}

bool meet(const FloatBox& a, const FloatBox& b) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (a.low[axis] > b.high[axis] || b.low[axis] > a.high[axis]) return false;
    return true;
}

/// Boxes sorted along one axis, each tested against those that begin within it; one thread.
template <class Keep>
long sweep(const std::vector<FloatBox>& first, const std::vector<FloatBox>& second, bool same,
           std::size_t axis, const Keep& keep) {
    std::vector<std::pair<float, Index>> start;
    for (std::size_t i = 0; i < first.size(); ++i)
        start.emplace_back(first[i].low[axis], Index(i));
    if (!same)
        for (std::size_t i = 0; i < second.size(); ++i)
            start.emplace_back(second[i].low[axis], Index(first.size() + i));
    std::sort(start.begin(), start.end());
    const Index count = Index(first.size());
    const auto box = [&](Index i) -> const FloatBox& {
        return i < count ? first[std::size_t(i)] : second[std::size_t(i - count)];
    };
    long pairs = 0;
    for (std::size_t k = 0; k < start.size(); ++k) {
        const Index i = start[k].second;
        const float end = box(i).high[axis];
        for (std::size_t l = k + 1; l < start.size() && start[l].first <= end; ++l) {
            const Index j = start[l].second;
            if (!same && (i < count) == (j < count)) continue;
            if (!meet(box(i), box(j))) continue;
            if (same)
                pairs += keep(std::min(i, j), std::max(i, j));
            else
                pairs += keep(std::min(i, j), std::max(i, j) - count);
        }
    }
    return pairs;
}

#if TAFFETA_EMBREE

struct EmbreeScene {
    EmbreeScene(RTCDevice device, const std::vector<FloatBox>& from) : boxes(&from) {
        scene = rtcNewScene(device);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, unsigned(from.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
        rtcSetGeometryBoundsFunction(
            geometry,
            [](const RTCBoundsFunctionArguments* a) {
                const auto& box =
                    (*static_cast<EmbreeScene*>(a->geometryUserPtr)->boxes)[a->primID];
                *a->bounds_o = {box.low[0],  box.low[1],  box.low[2],  0,
                                box.high[0], box.high[1], box.high[2], 0};
            },
            nullptr);
        rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments*) {});
        rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments*) {});
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
    }
    ~EmbreeScene() {
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
    }
    void refit() const {
        rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(geometry);
        rtcCommitScene(scene);
    }
    const std::vector<FloatBox>* boxes;
    RTCScene scene;
    RTCGeometry geometry;
};

template <class Keep>
long embree_pairs(const EmbreeScene& first, const EmbreeScene& second, const Keep& keep) {
    struct Context {
        const EmbreeScene *first, *second;
        const Keep* keep;
        std::atomic<long> pairs{0};
    } context{&first, &second, &keep, {}};
    rtcCollide(
        first.scene, second.scene,
        [](void* data, RTCCollision* found, unsigned count) {
            auto& c = *static_cast<Context*>(data);
            long pairs = 0;
            for (unsigned k = 0; k < count; ++k)
                // Leaves hold several boxes, and Embree leaves testing them to us.
                pairs +=
                    (*c.keep)(Index(found[k].primID0), Index(found[k].primID1)) &&
                    meet((*c.first->boxes)[found[k].primID0], (*c.second->boxes)[found[k].primID1]);
            c.pairs += pairs;
        },
        &context);
    return context.pairs;
}

#endif

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print_row(const std::string& name, int threads, const std::vector<double>& refit,
               const std::vector<double>& faces, const std::vector<double>& edges, long face_pairs,
               long edge_pairs) {
    fmt::print("{:<12} {:>7} {:>9.2f} {:>12.2f} {:>10.2f} {:>9.2f} {:>12} {:>10}\n", name, threads,
               1e3 * median(refit), 1e3 * median(faces), 1e3 * median(edges),
               1e3 * (median(refit) + median(faces) + median(edges)), face_pairs, edge_pairs);
}

}  // namespace

int main(int count, char** words) {
    Index vertices = 40401;
    int repeats = 5;
    for (int k = 1; k + 1 < count; k += 2) {
        if (std::string(words[k]) == "--vertices") vertices = Index(std::atoi(words[k + 1]));
        if (std::string(words[k]) == "--repeats") repeats = std::atoi(words[k + 1]);
    }
    if (count % 2 == 0 || vertices < 9 || repeats < 1) {
        fmt::print(stderr, "usage: bench_broad_phase [--vertices N] [--repeats N]\n");
        return 2;
    }
    const Cloth cloth = make_cloth(vertices);
    const auto face_keep = [&](Index v, Index f) { return keep_face(cloth, v, f); };
    const auto edge_keep = [&](Index a, Index b) { return keep_edges(cloth, a, b); };
    fmt::print("{} vertices, {} faces, {} edges\n", cloth.vertices, cloth.face.size(),
               cloth.edge.size());
    fmt::print("{:<12} {:>7} {:>9} {:>12} {:>10} {:>9} {:>12} {:>10}\n", "", "threads", "refit ms",
               "vertex-face", "edge-edge", "all ms", "pairs", "pairs");
    std::vector<double> refit, faces, edges;
    const auto clear = [&] {
        refit.clear();
        faces.clear();
        edges.clear();
    };
    long face_pairs = 0, edge_pairs = 0;
    Timer timer;

    contact::BroadPhase broad(cloth.face, cloth.edge, cloth.vertices);
    broad.order(cloth.x0);
    const double order_seconds = timer.restart();
    for (const int threads : {1, 2}) {
        set_thread_count(threads);
        clear();
        for (int k = -1; k < repeats; ++k) {
            timer.restart();
            broad.refit(cloth.x0, cloth.x1, distance);
            const double fitted = timer.restart();
            face_pairs = broad.find_vertex_face().pairs();
            const double found = timer.restart();
            edge_pairs = broad.find_edge_edge().pairs();
            const double found_edges = timer.restart();
            if (k < 0) continue;
            refit.push_back(fitted);
            faces.push_back(found);
            edges.push_back(found_edges);
        }
        print_row("tree", threads, refit, faces, edges, face_pairs, edge_pairs);
    }

    clear();
    for (int k = 0; k < repeats; ++k) {
        timer.restart();
        const Boxes boxes = make_boxes(cloth);
        refit.push_back(timer.restart());
        face_pairs = sweep(boxes.vertex, boxes.face, false, 1, face_keep);
        faces.push_back(timer.restart());
        edge_pairs = sweep(boxes.edge, boxes.edge, true, 1, edge_keep);
        edges.push_back(timer.restart());
    }
    print_row("sweep", 1, refit, faces, edges, face_pairs, edge_pairs);

#if TAFFETA_EMBREE
    for (const int threads : {1, 2}) {
        RTCDevice device = rtcNewDevice(fmt::format("threads={}", threads).c_str());
        Boxes boxes = make_boxes(cloth);
        {
            const EmbreeScene vertex(device, boxes.vertex), face(device, boxes.face),
                edge(device, boxes.edge);
            clear();
            for (int k = -1; k < repeats; ++k) {
                timer.restart();
                boxes = make_boxes(cloth);
                vertex.refit();
                face.refit();
                edge.refit();
                const double fitted = timer.restart();
                face_pairs = embree_pairs(vertex, face, face_keep);
                const double found = timer.restart();
                edge_pairs = embree_pairs(edge, edge, edge_keep);
                const double found_edges = timer.restart();
                if (k < 0) continue;
                refit.push_back(fitted);
                faces.push_back(found);
                edges.push_back(found_edges);
            }
            print_row("embree", threads, refit, faces, edges, face_pairs, edge_pairs);
        }
        rtcReleaseDevice(device);
    }
#endif
    fmt::print("order, once: {:.1f} ms\n", 1e3 * order_seconds);
    return 0;
}
