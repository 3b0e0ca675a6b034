#include "viewer_content.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "taffeta/scene/json.h"

namespace taffeta::app {

namespace {

constexpr int bounds_frames = 60;                 ///< frames looked at for the bounds
constexpr std::streamoff stats_limit = 64 << 20;  ///< bytes of statistics sent at most

std::string mime_type(std::string_view name) {
    if (name.ends_with(".html")) return "text/html; charset=utf-8";
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    return "text/javascript; charset=utf-8";
}

/// The number behind a prefix: `/frame/12`. Digits only, no sign, no blank.
std::optional<int> number_behind(std::string_view target, std::string_view prefix) {
    if (!target.starts_with(prefix)) return std::nullopt;
    target.remove_prefix(prefix.size());
    if (target.empty() || target.front() == '-') return std::nullopt;
    int number = 0;
    const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), number);
    if (error != std::errc() || end != target.data() + target.size()) return std::nullopt;
    return number;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    // The machines this runs on are little-endian, as the page expects.
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string face_bytes(const render::RenderMesh& mesh) {
    std::vector<std::uint32_t> indices;
    indices.reserve(3 * mesh.face.size());
    for (const Triangle& face : mesh.face)
        indices.insert(indices.end(), face.begin(), face.end());
    return bytes_of(indices);
}

Settings array_of(const Vec3& v) {
    Settings array = Settings::array();
    for (int i = 0; i < 3; ++i)
        array.items().push_back(Settings::of(v[i]));
    return array;
}

}  // namespace

ViewerContent::ViewerContent(const std::filesystem::path& directory,
                             const std::filesystem::path& scene_folder)
    : directory_(directory), run_(directory, scene_folder) {
    meshes_ = run_.meshes(1);
    const int stride = 1 + run_.frames() / bounds_frames;
    for (int frame = 1; frame <= run_.frames(); frame += stride)
        bounds_.add(run_.outline(frame));
    bounds_.add(run_.outline(run_.frames()));
}

std::optional<ViewerContent::Content> ViewerContent::find(std::string_view target) {
    if (target == "/") target = "/index.html";
    for (const ViewerPage& page : viewer_pages())
        if (target.substr(1) == page.name)
            return Content{mime_type(page.name), std::string(page.text)};
    if (target == "/manifest.json") return Content{"application/json", manifest()};
    if (target == "/stats.jsonl") return Content{"text/plain; charset=utf-8", stats()};
    const std::string binary = "application/octet-stream";
    if (const auto id = number_behind(target, "/mesh/"); id && *id < int(meshes_.size()))
        return Content{binary, face_bytes(meshes_[std::size_t(*id)])};
    if (const auto frame = number_behind(target, "/frame/");
        frame && *frame >= 1 && *frame <= run_.frames())
        return Content{binary, frame_bytes(*frame)};
    return std::nullopt;
}

std::string ViewerContent::manifest() const {
    Settings manifest = Settings::object();
    manifest["name"] = Settings::of(run_.name());
    manifest["up_axis"] = Settings::of(std::string(run_.up().z() > 0.5 ? "Z" : "Y"));
    manifest["frames"] = Settings::of(double(run_.frames()));
    manifest["frame_rate"] = Settings::of(run_.frame_rate());
    manifest["floor"] = Settings::of(run_.floor_height(bounds_));
    manifest["low"] = array_of(bounds_.low());
    manifest["high"] = array_of(bounds_.high());
    Settings& meshes = manifest["meshes"] = Settings::array();
    for (std::size_t m = 0; m < meshes_.size(); ++m) {
        Settings mesh = Settings::object();
        mesh["id"] = Settings::of(double(m));
        mesh["vertices"] = Settings::of(double(meshes_[m].position.size()));
        mesh["color"] = array_of(meshes_[m].color);
        mesh["cloth"] = Settings::of(meshes_[m].finish == render::Finish::cloth);
        meshes.items().push_back(std::move(mesh));
    }
    return scene::write_json(manifest);
}

std::string ViewerContent::frame_bytes(int frame) {
    const std::lock_guard lock(reading_);
    std::vector<float> positions;
    for (const render::RenderMesh& mesh : run_.meshes(frame))
        for (const Vec3& p : mesh.position)
            positions.insert(positions.end(), {float(p.x()), float(p.y()), float(p.z())});
    return bytes_of(positions);
}

std::string ViewerContent::stats() const {
    std::ifstream file(directory_ / "stats.jsonl", std::ios::binary);
    std::string text;
    if (!file.seekg(0, std::ios::end)) return text;
    const std::streamoff size = std::min<std::streamoff>(file.tellg(), stats_limit);
    text.resize(std::size_t(size));
    file.seekg(0);
    file.read(text.data(), size);
    text.resize(std::size_t(file.gcount()));
    return text;
}

}  // namespace taffeta::app
