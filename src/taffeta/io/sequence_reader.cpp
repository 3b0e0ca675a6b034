#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>

#include "taffeta/io/format.h"
#include "taffeta/io/frame_files.h"
#include "taffeta/io/frame_reader.h"

namespace taffeta::io {

namespace {

namespace fs = std::filesystem;

using Sequence = std::map<Index, fs::path>;               ///< by frame number
using SequenceKey = std::pair<std::string, std::string>;  ///< prefix and extension

[[noreturn]] void fail(const fs::path& path, const std::string& what,
                       const std::string& hint = {}) {
    fail_input(escaped(path.string()), what, hint);
}

bool is_mesh_extension(const std::string& extension) {
    for (const FormatEntry* entry : mesh_formats())
        if (entry->properties.extension == extension) return true;
    return false;
}

/// The numbered mesh files of a folder.
std::map<SequenceKey, Sequence> sequences_in(const fs::path& folder) {
    std::map<SequenceKey, Sequence> found;
    std::error_code code;
    const fs::path place = folder.empty() ? "." : folder;
    for (fs::directory_iterator entry(place, code), end; !code && entry != end;
         entry.increment(code)) {
        const fs::path file = folder / entry->path().filename();
        const NumberedName name = numbered_name(file);
        if (name.frame < 0 || !is_mesh_extension(name.extension)) continue;
        Sequence& sequence = found[{name.prefix, name.extension}];
        if (!sequence.emplace(name.frame, file).second)
            fail(file, fmt::format("two files have the frame number {}", name.frame));
    }
    if (code) fail_io(escaped(place.string()), fmt::format("cannot list: {}", code.message()));
    return found;
}

/// The sequence that a predicate on prefix and extension picks; there must be exactly one.
template <class Picks>
Sequence pick(const fs::path& asked, const fs::path& folder, const Picks& picks) {
    std::string names;
    int count = 0;
    Sequence chosen;
    for (auto& [key, sequence] : sequences_in(folder))
        if (picks(key.first, key.second)) {
            names += (count++ == 0 ? "" : ", ") + key.first + "####" + key.second;
            chosen = std::move(sequence);
        }
    if (count == 0)
        fail(asked, "no such file, and no sequence of frames of that name",
             "name a file, its folder, or a pattern such as frames/cloth.####.ply");
    if (count > 1)
        fail(asked, fmt::format("{} sequences fit: {}", count, names),
             "name the first file of one");
    return chosen;
}

Sequence find_sequence(const fs::path& path) {
    std::error_code code;
    const fs::path folder = path.parent_path();
    if (fs::is_directory(path, code))
        return pick(path, path, [](const auto&, const auto&) { return true; });
    const NumberedName name = numbered_name(path);
    if (fs::exists(path, code)) {
        if (name.frame < 0 || !is_mesh_extension(name.extension)) return {{1, path}};
        return pick(path, folder, [&](const std::string& prefix, const std::string& extension) {
            return prefix == name.prefix && extension == name.extension;
        });
    }
    if (const std::optional<std::string> marked = pattern_prefix(path))
        return pick(path, folder, [&](const std::string& prefix, const std::string& extension) {
            return prefix == *marked && extension == path.extension().string();
        });
    const std::string wanted = path.filename().string();
    if (wanted.empty() || is_mesh_extension(path.extension().string()) ||
        (!folder.empty() && !fs::is_directory(folder, code)))
        fail(path, "no such file");
    return pick(path, folder, [&](const std::string& prefix, const std::string&) {
        return prefix.size() == wanted.size() + 1 && prefix.starts_with(wanted);
    });
}

/// A mesh file a frame. The first gives the topology; all must have as many vertices.
class SequenceReader : public FrameReader {
  public:
    SequenceReader(const fs::path& path, Index stride) {
        const Sequence sequence = find_sequence(path);
        for (const auto& [number, file] : sequence) {
            const Index expected = sequence.begin()->first + stride * Index(files_.size());
            if (number > expected)
                fail(file, fmt::format("frame {} of this sequence is missing", number - stride));
            if (number < expected)
                fail(file,
                     fmt::format("frame {} lies between those of a sequence that goes up by {}",
                                 number, stride),
                     "is its stride smaller?");
            files_.push_back(file);
        }
        first_ = read_mesh(files_.front(), diagnostics_);
        frames_ = Index(files_.size());
        vertices_ = first_.vertex_count();
    }

    const mesh::TriMesh* topology() const override { return &first_; }
    Diagnostics diagnostics() const override { return diagnostics_; }

    void read(Index frame, VecX& x) override {
        TAFFETA_ASSERT(frame >= 1 && frame <= frames_);
        if (frame == 1) {
            copy(first_, x);
            return;
        }
        const fs::path& file = files_[std::size_t(frame - 1)];
        // The findings in a later frame are those of the first: same topology.
        Diagnostics repeated;
        const mesh::TriMesh mesh = read_mesh(file, repeated);
        if (mesh.vertex_count() != vertices_)
            fail(file, fmt::format("{} vertices, the first frame has {}", mesh.vertex_count(),
                                   vertices_));
        if (mesh.face != first_.face)
            fail(file,
                 mesh.face_count() != first_.face_count()
                     ? fmt::format("{} faces, the first frame has {}", mesh.face_count(),
                                   first_.face_count())
                     : std::string("its faces are not those of the first frame"),
                 "all frames must have the same topology");
        copy(mesh, x);
    }

  private:
    static void copy(const mesh::TriMesh& mesh, VecX& x) {
        x.resize(3 * Eigen::Index(mesh.vertex_count()));
        for (Index i = 0; i < mesh.vertex_count(); ++i)
            vec3(x, i) = mesh.position[std::size_t(i)];
    }

    mesh::TriMesh first_;
    Diagnostics diagnostics_;
};

}  // namespace

std::unique_ptr<FrameReader> open_sequence(const fs::path& path, Index stride) {
    return std::make_unique<SequenceReader>(path, stride);
}

}  // namespace taffeta::io
