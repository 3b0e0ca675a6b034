#include "taffeta/io/file_bytes.h"
#include "taffeta/io/format.h"
#include "taffeta/io/obj_reader.h"
#include "taffeta/io/obj_writer.h"

namespace taffeta::io {

namespace {

class ObjFormat final : public MeshFormat {
  public:
    mesh::TriMesh read(const std::filesystem::path& file, Diagnostics& diagnostics) const override {
        const FileBytes bytes(file);
        return read_obj(bytes.view(), file.string(), diagnostics);
    }
    void write(const std::filesystem::path& file, const mesh::TriMesh& mesh) const override {
        write_obj(file, mesh);
    }
};

}  // namespace

extern const FormatEntry entry_obj;
constinit const FormatEntry entry_obj{
    "obj",
    "Wavefront OBJ: polygons, uv, groups, loose edges",
    {".obj", true, 0},
    [] { return FieldTable{}; },
    [](const Settings&) -> std::unique_ptr<MeshFormat> { return std::make_unique<ObjFormat>(); }};

}  // namespace taffeta::io
