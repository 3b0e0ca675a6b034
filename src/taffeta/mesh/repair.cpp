#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "taffeta/mesh/face_checks.h"
#include "taffeta/mesh/half_edges.h"
#include "taffeta/mesh/orientation.h"
#include "taffeta/mesh/place.h"
#include "taffeta/mesh/validate.h"
#include "taffeta/mesh/weld.h"

namespace taffeta::mesh {

namespace {

/// The mesh under repair, and the record of what was done to it.
class Repairer {
  public:
    explicit Repairer(const TriMesh& mesh) : mesh_(mesh), vertex_map_(mesh.position.size()) {
        std::iota(vertex_map_.begin(), vertex_map_.end(), 0);
        face_id_.resize(mesh.face.size());
        std::iota(face_id_.begin(), face_id_.end(), 0);
    }

    void weld(double tolerance) {
        const std::vector<Index> map = weld_map(mesh_.position, tolerance);
        std::vector<Index> merged;
        for (Index v = 0; v < mesh_.vertex_count(); ++v)
            if (map[std::size_t(v)] != v) merged.push_back(v);
        if (merged.empty()) return;
        record(vertex_place(mesh_, merged[0]),
               fmt::format("{} within {} m of an earlier one: vertex {}",
                           counted(merged.size(), "vertex welded", "vertices welded"), tolerance,
                           first_of(merged)));
        vertex_map_ = map;
        for (Triangle& face : mesh_.face)
            for (Index& vertex : face)
                vertex = map[std::size_t(vertex)];
        for (Edge& edge : mesh_.loose_edge)
            for (Index& vertex : edge)
                vertex = map[std::size_t(vertex)];
        renumber_stitches(map);
    }

    void drop_faces(const std::vector<Index>& faces, const char* why) {
        if (faces.empty()) return;
        std::vector<Index> ids;
        for (const Index f : faces)
            ids.push_back(face_id_[std::size_t(f)]);
        record(face_place(mesh_, faces[0]),
               fmt::format("{} {}: face {}",
                           counted(ids.size(), "face dropped that", "faces dropped that"), why,
                           first_of(ids)));
        std::vector<char> drop(mesh_.face.size(), 0);
        for (const Index f : faces)
            drop[std::size_t(f)] = 1;
        keep(mesh_.face, drop);
        keep(mesh_.face_uv, drop);
        keep(mesh_.face_line, drop);
        keep(face_id_, drop);
    }

    void drop_flat_faces() {
        const std::vector<double> aspects = face_aspects(mesh_.position, mesh_.face);
        std::vector<Index> flat;
        for (std::size_t f = 0; f < aspects.size(); ++f)
            if (std::isinf(aspects[f])) flat.push_back(Index(f));
        drop_faces(flat, "had no area");
    }

    void orient() {
        const HalfEdges half_edges = make_half_edges(mesh_.face, mesh_.vertex_count());
        const Orientation orientation = find_orientation(mesh_.position, mesh_.face, half_edges);
        std::vector<char> inverted(orientation.part.size(), 0);
        for (const Index p : inverted_parts(orientation))
            inverted[std::size_t(p)] = 1;
        std::vector<Index> turned, turned_parts;
        for (std::size_t f = 0; f < mesh_.face.size(); ++f) {
            const std::size_t part = std::size_t(orientation.part_of[f]);
            if (!orientation.part[part].orientable) continue;
            if (orientation.turned[f]) turned.push_back(Index(f));
            if (bool(orientation.turned[f]) != bool(inverted[part])) turn(f);
        }
        for (std::size_t p = 0; p < inverted.size(); ++p)
            if (inverted[p]) turned_parts.push_back(orientation.part[p].first_face);
        record_faces(turned, "face turned that was", "faces turned that were",
                     "wound against the others");
        record_faces(turned_parts, "closed part turned that was", "closed parts turned that were",
                     "inside out, the first with");
    }

    void drop_unused_vertices() {
        std::vector<char> used(mesh_.position.size(), 0);
        std::erase_if(mesh_.loose_edge, [](const Edge& edge) { return edge[0] == edge[1]; });
        for (const Triangle& face : mesh_.face)
            for (const Index vertex : face)
                used[std::size_t(vertex)] = 1;
        for (const Edge& edge : mesh_.loose_edge)
            for (const Index vertex : edge)
                used[std::size_t(vertex)] = 1;
        for (const Stitch& stitch : mesh_.stitch)
            for (const Index vertex : {stitch.vertex, stitch.start, stitch.end})
                used[std::size_t(vertex)] = 1;

        std::vector<Index> number(mesh_.position.size(), -1), unused;
        std::vector<char> drop(mesh_.position.size(), 0);
        Index count = 0;
        for (std::size_t v = 0; v < used.size(); ++v) {
            drop[v] = char(!used[v]);
            if (used[v]) number[v] = count++;
            if (!used[v] && vertex_map_[v] == Index(v)) unused.push_back(Index(v));
        }
        if (!unused.empty())
            record(vertex_place(mesh_, unused[0]),
                   fmt::format("{} in no face: vertex {}",
                               counted(unused.size(), "vertex dropped", "vertices dropped"),
                               first_of(unused)));
        renumber(number, drop);
    }

    Repaired result() && { return {std::move(mesh_), std::move(vertex_map_), std::move(changes_)}; }
    const std::vector<Triangle>& face() const { return mesh_.face; }

  private:
    void record(std::string where, std::string message) {
        changes_.push_back({Severity::warning, std::move(where), std::move(message), ""});
    }

    void record_faces(const std::vector<Index>& faces, const char* one, const char* many,
                      const char* why) {
        if (faces.empty()) return;
        std::vector<Index> ids;
        for (const Index f : faces)
            ids.push_back(face_id_[std::size_t(f)]);
        record(face_place(mesh_, faces[0]),
               fmt::format("{} {}: face {}", counted(ids.size(), one, many), why, first_of(ids)));
    }

    template <class T>
    static void keep(std::vector<T>& list, const std::vector<char>& drop) {
        if (list.size() != drop.size()) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (!drop[i]) list[kept++] = list[i];
        list.resize(kept);
    }

    void turn(std::size_t f) {
        std::swap(mesh_.face[f][1], mesh_.face[f][2]);
        if (f < mesh_.face_uv.size()) std::swap(mesh_.face_uv[f][1], mesh_.face_uv[f][2]);
    }

    void renumber(const std::vector<Index>& number, const std::vector<char>& drop) {
        const bool uv_per_vertex = mesh_.face_uv.empty() && mesh_.uv.size() == drop.size();
        if (uv_per_vertex) keep(mesh_.uv, drop);
        keep(mesh_.position, drop);
        keep(mesh_.position_line, drop);
        for (Triangle& face : mesh_.face)
            for (Index& vertex : face)
                vertex = number[std::size_t(vertex)];
        for (Edge& edge : mesh_.loose_edge)
            for (Index& vertex : edge)
                vertex = number[std::size_t(vertex)];
        renumber_stitches(number);
        for (Index& vertex : vertex_map_)
            vertex = number[std::size_t(vertex)];
        for (auto& [name, vertices] : mesh_.group) {
            for (Index& vertex : vertices)
                vertex = vertex_map_[std::size_t(vertex)];
            std::erase(vertices, -1);
            std::sort(vertices.begin(), vertices.end());
            vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        }
    }

    void renumber_stitches(const std::vector<Index>& number) {
        for (Stitch& stitch : mesh_.stitch)
            for (Index* vertex : {&stitch.vertex, &stitch.start, &stitch.end})
                *vertex = number[std::size_t(*vertex)];
    }

    TriMesh mesh_;
    std::vector<Index> vertex_map_, face_id_;
    Diagnostics changes_;
};

void require_indices(const TriMesh& mesh) {
    const std::vector<Index> outside = faces_out_of_range(mesh);
    if (!outside.empty())
        fail_input(face_place(mesh, outside[0]),
                   fmt::format("face {} names a vertex outside the mesh", outside[0]));
    for (Index v = 0; v < mesh.vertex_count(); ++v)
        if (!mesh.position[std::size_t(v)].allFinite())
            fail_input(vertex_place(mesh, v), fmt::format("vertex {} is not finite", v));
    const auto inside = [&](Index v) { return v >= 0 && v < mesh.vertex_count(); };
    for (const Edge& edge : mesh.loose_edge)
        if (!inside(edge[0]) || !inside(edge[1]))
            fail_input(mesh_place(mesh), "a loose edge names a vertex outside the mesh");
    for (const Stitch& stitch : mesh.stitch)
        if (!inside(stitch.vertex) || !inside(stitch.start) || !inside(stitch.end))
            fail_input(mesh_place(mesh), "a stitch names a vertex outside the mesh");
    for (const auto& [name, vertices] : mesh.group)
        for (const Index vertex : vertices)
            if (!inside(vertex))
                fail_input(mesh_place(mesh),
                           fmt::format("group '{}' names vertex {} outside the mesh", escaped(name),
                                       vertex));
}

}  // namespace

Repaired repair(const TriMesh& mesh, const ValidateOptions& options) {
    require_indices(mesh);
    Repairer repairer(mesh);
    if (options.weld_tolerance > 0) repairer.weld(options.weld_tolerance);
    repairer.drop_faces(faces_with_repeated_vertex(repairer.face()), "named a vertex twice");
    repairer.drop_faces(duplicate_faces(repairer.face()), "repeated an earlier one");
    repairer.drop_flat_faces();
    repairer.orient();
    repairer.drop_unused_vertices();
    return std::move(repairer).result();
}

}  // namespace taffeta::mesh
