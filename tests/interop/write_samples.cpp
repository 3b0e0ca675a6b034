#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "taffeta/base/error.h"
#include "taffeta/io/frame_sink.h"
#include "taffeta/mesh/generators.h"

// Writes twelve frames of a sheet of 9 x 9 vertices in every registered format, for the readers of
// other programs (tests/interop/*.py), which compute the same motion and compare:
//
//     vertex i = (column, row) = (i % 9, i / 9),  u = column / 8,  w = row / 8,  t = (frame - 1) / 24
//     position (u, w, 0.2 sin(2 pi (u + t)) + 0.1 w t),  velocity its derivative by t
//
//     write_samples FOLDER
namespace taffeta::io {
namespace {

constexpr Index side = 9, frames = 12;
constexpr double frame_rate = 24, pi = 3.14159265358979323846;

void move(Index frame, VecX& x, VecX& v) {
    x.resize(3 * side * side);
    v.resize(3 * side * side);
    const double t = (frame - 1) / frame_rate;
    for (Index i = 0; i < side * side; ++i) {
        const double u = (i % side) / double(side - 1);
        const double w = (i / side) / double(side - 1);
        vec3(x, i) = Vec3(u, w, 0.2 * std::sin(2 * pi * (u + t)) + 0.1 * w * t);
        vec3(v, i) = Vec3(0, 0, 0.4 * pi * std::cos(2 * pi * (u + t)) + 0.1 * w);
    }
}

void write_samples(const std::filesystem::path& folder) {
    FrameSeries series;
    series.name = "sheet";
    series.directory = folder;
    series.frames = frames;
    series.frame_rate = frame_rate;
    series.mesh = mesh::grid(side - 1, side - 1, 1, 1, mesh::Tessellation::regular);
    VecX x, v;
    move(1, x, v);
    for (Index i = 0; i < series.mesh.vertex_count(); ++i)
        series.mesh.position[std::size_t(i)] = vec3(x, i);

    for (const SinkEntry* entry : frame_sinks()) {
        const std::unique_ptr<FrameSink> sink = entry->make(Settings::object());
        sink->open(series, 0);
        for (Index frame = 1; frame <= frames; ++frame) {
            move(frame, x, v);
            sink->write(frame, x, v);
        }
        sink->close();
    }
}

}  // namespace
}  // namespace taffeta::io

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: write_samples FOLDER\n");
        return 2;
    }
    try {
        taffeta::io::write_samples(argv[1]);
    } catch (const taffeta::Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
