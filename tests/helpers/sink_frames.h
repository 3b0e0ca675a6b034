#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "taffeta/io/frame_sink.h"
#include "taffeta/mesh/generators.h"

/// A small moving sheet and a folder of its own, for the tests of frame sinks and readers.
namespace taffeta::io {

/// A folder that is empty at first and gone at last.
class ScratchFolder {
  public:
    ScratchFolder() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(test->test_suite_name()) + "_" + test->name();
        for (char& c : name)
            if (c == '/') c = '_';
        path_ = std::filesystem::path(testing::TempDir()) /
                ("taffeta_" + name + "_" + std::to_string(::getpid()));
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void put(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Every file below a folder, by its path in there.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            found[entry.path().lexically_relative(folder).string()] = content(entry.path());
    return found;
}

inline VecX sheet_positions(const FrameSeries& series, Index frame) {
    VecX x(3 * series.mesh.vertex_count());
    for (Index i = 0; i < series.mesh.vertex_count(); ++i) {
        const Vec3& rest = series.mesh.position[std::size_t(i)];
        vec3(x, i) = Vec3(rest.x(), rest.y(), 0.1 * std::sin(3 * rest.x() + 0.7 * frame));
    }
    return x;
}

inline VecX sheet_velocities(const FrameSeries& series, Index frame) {
    VecX v(3 * series.mesh.vertex_count());
    for (Index i = 0; i < series.mesh.vertex_count(); ++i)
        vec3(v, i) = Vec3(0, 0.25, std::cos(series.mesh.position[std::size_t(i)].x() + frame));
    return v;
}

inline FrameSeries sheet_series(const std::filesystem::path& directory, Index cells = 4) {
    FrameSeries series;
    series.name = "cloth";
    series.directory = directory;
    series.mesh = mesh::grid(cells, cells, 1, 1, mesh::Tessellation::regular);
    const VecX first = sheet_positions(series, 1);
    for (Index i = 0; i < series.mesh.vertex_count(); ++i)
        series.mesh.position[std::size_t(i)] = vec3(first, i);
    return series;
}

inline std::unique_ptr<FrameSink> make_sink(std::string_view key) {
    return find_entry(frame_sinks(), "frame sink", key).make(Settings::object());
}

inline void write_sheet(FrameSink& sink, const FrameSeries& series, Index from, Index to) {
    for (Index frame = from; frame <= to; ++frame)
        sink.write(frame, sheet_positions(series, frame), sheet_velocities(series, frame));
}

}  // namespace taffeta::io
