#include "taffeta/mesh/place.h"

#include <fmt/format.h>

#include "taffeta/base/error.h"

namespace taffeta::mesh {

namespace {

std::string line_place(const TriMesh& mesh, const std::vector<int>& line, Index element) {
    if (mesh.source.empty() || std::size_t(element) >= line.size()) return mesh_place(mesh);
    return fmt::format("{}:{}", mesh_place(mesh), line[std::size_t(element)]);
}

}  // namespace

std::string mesh_place(const TriMesh& mesh) {
    return mesh.source.empty() ? "mesh" : escaped(mesh.source);
}

std::string face_place(const TriMesh& mesh, Index face) {
    return line_place(mesh, mesh.face_line, face);
}

std::string vertex_place(const TriMesh& mesh, Index vertex) {
    return line_place(mesh, mesh.position_line, vertex);
}

std::string counted(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string first_of(const std::vector<Index>& elements) {
    constexpr std::size_t shown = 5;
    std::string text;
    for (std::size_t i = 0; i < elements.size() && i < shown; ++i) {
        if (i > 0) text += i + 1 == elements.size() ? " and " : ", ";
        text += fmt::format("{}", elements[i]);
    }
    if (elements.size() > shown) text += fmt::format(", ... ({} in all)", elements.size());
    return text;
}

std::string point_text(const Vec3& point) {
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", point.x(), point.y(), point.z());
}

}  // namespace taffeta::mesh
