#include "taffeta/io/obj_writer.h"

#include <string>

#include "taffeta/io/atomic_file.h"
#include "taffeta/io/text_block.h"

namespace taffeta::io {

namespace {

/// Which groups each vertex is in, as rows of numbers into the list of names.
class GroupWriter {
  public:
    explicit GroupWriter(const mesh::TriMesh& mesh)
        : mesh_(mesh), of_vertex_(mesh.group.empty() ? 0 : mesh.position.size()) {
        for (const auto& [name, vertices] : mesh.group) {
            for (const Index vertex : vertices)
                of_vertex_[std::size_t(vertex)].push_back(Index(name_.size()));
            name_.push_back(name);
            for (char& c : name_.back())
                if (c == ' ' || c == '\t' || c == '\n' || c == '\r') c = '_';
        }
    }

    /// Writes a `g` line where the groups of face f differ from those of the face before.
    void before_face(const Triangle& face, TextBlock& text) {
        if (of_vertex_.empty()) return;
        std::vector<Index> groups;
        for (const Index group : of_vertex_[std::size_t(face[0])])
            if (has(face[1], group) && has(face[2], group)) groups.push_back(group);
        if (groups == current_) return;
        current_ = groups;
        text << "g";
        for (const Index group : groups)
            text << " " << name_[std::size_t(group)];
        text << "\n";
    }

  private:
    bool has(Index vertex, Index group) const {
        const std::vector<Index>& groups = of_vertex_[std::size_t(vertex)];
        return std::binary_search(groups.begin(), groups.end(), group);
    }

    const mesh::TriMesh& mesh_;
    std::vector<std::vector<Index>> of_vertex_;
    std::vector<std::string> name_;
    std::vector<Index> current_;
};

}  // namespace

void write_obj(const std::filesystem::path& path, const mesh::TriMesh& mesh) {
    AtomicFile file(path);
    TextBlock text([&](std::string_view block) { file.write(block); });
    for (const Vec3& x : mesh.position)
        text << "v " << x.x() << " " << x.y() << " " << x.z() << "\n";
    const bool has_uv = mesh.face_uv.size() == mesh.face.size() && !mesh.uv.empty();
    if (has_uv)
        for (const Vec2& uv : mesh.uv)
            text << "vt " << uv.x() << " " << uv.y() << "\n";

    GroupWriter groups(mesh);
    for (std::size_t f = 0; f < mesh.face.size(); ++f) {
        groups.before_face(mesh.face[f], text);
        text << "f";
        for (std::size_t k = 0; k < 3; ++k) {
            text << " " << Index(mesh.face[f][k] + 1);
            if (has_uv && mesh.face_uv[f][k] >= 0) text << "/" << Index(mesh.face_uv[f][k] + 1);
        }
        text << "\n";
    }
    for (const Edge& edge : mesh.loose_edge)
        text << "l " << Index(edge[0] + 1) << " " << Index(edge[1] + 1) << "\n";
    for (const mesh::Stitch& stitch : mesh.stitch)
        text << "stitch " << stitch.vertex << " " << stitch.start << " " << stitch.end << " "
             << stitch.part << "\n";
    text.flush();
    file.commit();
}

}  // namespace taffeta::io
