#include <fmt/format.h>

#include "taffeta/io/atomic_file.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/file_bytes.h"
#include "taffeta/io/format.h"
#include "taffeta/io/ply_reader.h"

namespace taffeta::io {

namespace {

/// Where uv stand: with the vertices when each vertex has one, else with the corners of the faces.
enum class UvPlace { none, vertex, corner };

UvPlace uv_place(const mesh::TriMesh& mesh) {
    if (mesh.uv.empty()) return UvPlace::none;
    const bool same_count = mesh.uv.size() == mesh.position.size();
    if (same_count && (mesh.face_uv == mesh.face || mesh.face_uv.empty())) return UvPlace::vertex;
    return mesh.face_uv.size() == mesh.face.size() ? UvPlace::corner : UvPlace::none;
}

std::string header_of(const mesh::TriMesh& mesh, UvPlace uv) {
    return fmt::format(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\n"
        "property double y\nproperty double z\n{}element face {}\n"
        "property list uchar int vertex_indices\n{}end_header\n",
        mesh.position.size(), uv == UvPlace::vertex ? "property double s\nproperty double t\n" : "",
        mesh.face.size(), uv == UvPlace::corner ? "property list uchar double texcoord\n" : "");
}

void append_vertex(std::string& bytes, const mesh::TriMesh& mesh, std::size_t v, UvPlace uv) {
    for (int axis = 0; axis < 3; ++axis)
        append_little(bytes, mesh.position[v][axis]);
    if (uv != UvPlace::vertex) return;
    append_little(bytes, mesh.uv[v].x());
    append_little(bytes, mesh.uv[v].y());
}

void append_face(std::string& bytes, const mesh::TriMesh& mesh, std::size_t f, UvPlace uv) {
    append_little(bytes, std::uint8_t(3));
    for (const Index vertex : mesh.face[f])
        append_little(bytes, vertex);
    if (uv != UvPlace::corner) return;
    const Triangle& corner = mesh.face_uv[f];
    const bool complete = corner[0] >= 0 && corner[1] >= 0 && corner[2] >= 0;
    append_little(bytes, std::uint8_t(complete ? 6 : 0));
    if (!complete) return;
    for (const Index k : corner) {
        append_little(bytes, mesh.uv[std::size_t(k)].x());
        append_little(bytes, mesh.uv[std::size_t(k)].y());
    }
}

/// Binary, little endian, in doubles: what is read again has the same bits. Groups and loose edges
/// have no place in the format and are left out.
class PlyFormat final : public MeshFormat {
  public:
    mesh::TriMesh read(const std::filesystem::path& file, Diagnostics& diagnostics) const override {
        const FileBytes bytes(file);
        return read_ply(bytes.view(), file.string(), diagnostics);
    }

    void write(const std::filesystem::path& file, const mesh::TriMesh& mesh) const override {
        AtomicFile target(file);
        const UvPlace uv = uv_place(mesh);
        target.write(header_of(mesh, uv));
        std::string bytes;
        const auto pass_on = [&] {
            target.write(bytes);
            bytes.clear();
        };
        for (std::size_t v = 0; v < mesh.position.size(); ++v) {
            append_vertex(bytes, mesh, v, uv);
            if (bytes.size() > block) pass_on();
        }
        for (std::size_t f = 0; f < mesh.face.size(); ++f) {
            append_face(bytes, mesh, f, uv);
            if (bytes.size() > block) pass_on();
        }
        pass_on();
        target.commit();
    }

  private:
    static constexpr std::size_t block = std::size_t(1) << 16;
};

}  // namespace

extern const FormatEntry entry_ply;
constinit const FormatEntry entry_ply{
    "ply",
    "Stanford PLY: ASCII and binary in, binary out",
    {".ply", true, 0},
    [] { return FieldTable{}; },
    [](const Settings&) -> std::unique_ptr<MeshFormat> { return std::make_unique<PlyFormat>(); }};

}  // namespace taffeta::io
