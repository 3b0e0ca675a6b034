#include <fmt/format.h>

#include <cmath>

#include "taffeta/mesh/checks.h"
#include "taffeta/mesh/face_checks.h"
#include "taffeta/mesh/place.h"
#include "taffeta/mesh/weld.h"

namespace taffeta::mesh {

namespace {

std::string corners_text(const TriMesh& mesh, Index f) {
    const auto& [a, b, c] = mesh.face[std::size_t(f)];
    return fmt::format("vertices {}, {}, {} near {}", a, b, c,
                       point_text(mesh.position[std::size_t(a)]));
}

void report_faces(const TriMesh& mesh, const std::vector<Index>& faces, Severity severity,
                  const char* one, const char* many, const char* hint, Diagnostics& found) {
    if (faces.empty()) return;
    found.push_back({severity, face_place(mesh, faces[0]),
                     fmt::format("{}: face {}; the first has {}", counted(faces.size(), one, many),
                                 first_of(faces), corners_text(mesh, faces[0])),
                     hint});
}

/// The faces in neither list; both ascend.
std::vector<Index> without(Index count, const std::vector<Index>& one,
                           const std::vector<Index>& other) {
    std::vector<char> drop(std::size_t(count), 0);
    for (const Index f : one)
        drop[std::size_t(f)] = 1;
    for (const Index f : other)
        drop[std::size_t(f)] = 1;
    std::vector<Index> kept;
    for (Index f = 0; f < count; ++f)
        if (!drop[std::size_t(f)]) kept.push_back(f);
    return kept;
}

void check_zero_length(const TriMesh& mesh, const std::vector<Index>& kept, Diagnostics& found) {
    std::vector<Index> faces;
    for (const Index f : kept) {
        const Triangle& face = mesh.face[std::size_t(f)];
        for (std::size_t k = 0; k < 3; ++k)
            if (mesh.position[std::size_t(face[k])] ==
                mesh.position[std::size_t(face[(k + 1) % 3])]) {
                faces.push_back(f);
                break;
            }
    }
    report_faces(mesh, faces, Severity::error, "face has an edge of length 0",
                 "faces have an edge of length 0",
                 "weld the vertices at its ends with `taffeta check FILE --repair OUT --weld 1e-6`",
                 found);
}

void check_areas(const TriMesh& mesh, const std::vector<Index>& kept,
                 const ValidateOptions& options, Diagnostics& found) {
    const std::vector<double> aspects = face_aspects(mesh.position, mesh.face);
    std::vector<Index> flat, sliver;
    for (const Index f : kept) {
        const double value = aspects[std::size_t(f)];
        if (std::isinf(value))
            flat.push_back(f);
        else if (value > options.sliver_aspect)
            sliver.push_back(f);
    }
    const bool many = flat.size() * 100 > mesh.face.size();
    report_faces(mesh, flat, many ? Severity::error : Severity::warning, "face has no area",
                 "faces have no area",
                 many ? "more than 1 % of the faces: mend the mesh, or drop them with `taffeta "
                        "check FILE --repair OUT`"
                      : "dropped",
                 found);
    if (!sliver.empty())
        found.push_back(
            {Severity::warning, face_place(mesh, sliver[0]),
             fmt::format(
                 "{} longer than {:.3g} times the height: face {}; the first {:.3g} times, {}",
                 counted(sliver.size(), "sliver", "slivers"), options.sliver_aspect,
                 first_of(sliver), aspects[std::size_t(sliver[0])], corners_text(mesh, sliver[0])),
             "slivers make the system hard to solve: remesh there"});
}

}  // namespace

std::vector<Index> check_faces(const TriMesh& mesh, const ValidateOptions& options,
                               Diagnostics& found) {
    const std::vector<Index> repeated = faces_with_repeated_vertex(mesh.face);
    std::vector<Index> duplicate;
    for (const Index f : duplicate_faces(mesh.face)) {
        const auto& [a, b, c] = mesh.face[std::size_t(f)];
        if (a != b && b != c && c != a) duplicate.push_back(f);
    }
    report_faces(mesh, repeated, Severity::warning, "face names a vertex twice",
                 "faces name a vertex twice", "dropped", found);
    report_faces(mesh, duplicate, Severity::warning, "face repeats an earlier face",
                 "faces repeat an earlier face", "dropped", found);
    const std::vector<Index> kept = without(mesh.face_count(), repeated, duplicate);
    check_zero_length(mesh, kept, found);
    check_areas(mesh, kept, options, found);
    return kept;
}

void check_points(const TriMesh& mesh, const ValidateOptions& options, Diagnostics& found) {
    const std::vector<Index> map = weld_map(mesh.position, options.weld_tolerance);
    std::vector<Index> coinciding;
    for (Index v = 0; v < mesh.vertex_count(); ++v)
        if (map[std::size_t(v)] != v) coinciding.push_back(v);
    if (!coinciding.empty()) {
        const Index first = coinciding[0];
        found.push_back(
            {Severity::warning, vertex_place(mesh, first),
             fmt::format("{} with an earlier one: vertex {}; the first with vertex {} at {}",
                         counted(coinciding.size(), "vertex coincides", "vertices coincide"),
                         first_of(coinciding), map[std::size_t(first)],
                         point_text(mesh.position[std::size_t(first)])),
             "the mesh may be open there; if it should not be, weld with `taffeta check FILE "
             "--repair OUT --weld 1e-6`"});
    }

    std::vector<char> used(mesh.position.size(), 0);
    for (const Triangle& face : mesh.face)
        for (const Index vertex : face)
            used[std::size_t(vertex)] = 1;
    for (const Edge& edge : mesh.loose_edge)
        for (const Index vertex : edge)
            if (vertex >= 0 && vertex < mesh.vertex_count()) used[std::size_t(vertex)] = 1;
    for (const Stitch& stitch : mesh.stitch)
        for (const Index vertex : {stitch.vertex, stitch.start, stitch.end})
            if (vertex >= 0 && vertex < mesh.vertex_count()) used[std::size_t(vertex)] = 1;
    std::vector<Index> unused;
    for (Index v = 0; v < mesh.vertex_count(); ++v)
        if (!used[std::size_t(v)]) unused.push_back(v);
    if (!unused.empty())
        found.push_back(
            {Severity::warning, vertex_place(mesh, unused[0]),
             fmt::format("{} in no face: vertex {}; the first at {}",
                         counted(unused.size(), "vertex is", "vertices are"), first_of(unused),
                         point_text(mesh.position[std::size_t(unused[0])])),
             "dropped; the map of the kept vertices goes with the output"});
}

}  // namespace taffeta::mesh
