#include "taffeta/mesh/validate.h"

#include <fmt/format.h>

#include "taffeta/mesh/checks.h"
#include "taffeta/mesh/face_checks.h"
#include "taffeta/mesh/place.h"

namespace taffeta::mesh {

namespace {

/// What must hold before anything can be measured. False: stop here.
bool check_sizes(const TriMesh& mesh, Diagnostics& found) {
    if (mesh.position.size() > std::size_t(largest_count) ||
        mesh.face.size() > std::size_t(largest_count)) {
        found.push_back({Severity::error, mesh_place(mesh),
                         fmt::format("{} vertices and {} faces are too many", mesh.position.size(),
                                     mesh.face.size()),
                         fmt::format("at most {} of each", largest_count)});
        return false;
    }
    if (mesh.position.empty() || mesh.face.empty()) {
        found.push_back({Severity::error, mesh_place(mesh),
                         fmt::format("the mesh is empty: {} and {}",
                                     counted(mesh.position.size(), "vertex", "vertices"),
                                     counted(mesh.face.size(), "face", "faces")),
                         "a mesh needs at least one triangle"});
        return false;
    }
    const std::vector<Index> outside = faces_out_of_range(mesh);
    if (!outside.empty())
        found.push_back({Severity::error, face_place(mesh, outside[0]),
                         fmt::format("{} a vertex outside 0 to {}: face {}",
                                     counted(outside.size(), "face names", "faces name"),
                                     mesh.vertex_count() - 1, first_of(outside)),
                         ""});
    return outside.empty();
}

}  // namespace

Diagnostics validate(const TriMesh& mesh, const ValidateOptions& options) {
    Diagnostics found;
    if (check_sizes(mesh, found) && check_numbers(mesh, found)) {
        const std::vector<Index> kept = check_faces(mesh, options, found);
        check_points(mesh, options, found);
        check_topology(mesh, kept, found);
        check_uv(mesh, found);
    }
    if (options.strict)
        for (Diagnostic& finding : found)
            if (finding.severity == Severity::warning) finding.severity = Severity::error;
    return found;
}

}  // namespace taffeta::mesh
