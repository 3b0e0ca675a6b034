#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "commands.h"
#include "taffeta/base/error.h"
#include "taffeta/io/format.h"
#include "taffeta/io/frame_files.h"
#include "taffeta/io/frame_reader.h"
#include "taffeta/io/frame_sink.h"

namespace taffeta::app {

namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
    std::string input, output, mesh;
    std::string up = "y";
    double frame_rate = 0;  ///< 0: what the input says, else 24
    Index frame = 0;        ///< a single frame; 0: all
};

void print(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics)
        fmt::print(stderr, "{}\n", diagnostic.text());
}

bool is_mesh_file(const fs::path& file) {
    for (const io::FormatEntry* entry : io::mesh_formats())
        if (entry->properties.extension == file.extension().string()) return true;
    return false;
}

/// The sink of the output's extension; the index of a VTU series stands for the series.
const io::SinkEntry& sink_for(const fs::path& output) {
    std::string extension = output.extension().string();
    if (extension == ".pvd") extension = ".vtu";
    std::string known;
    for (const io::SinkEntry* entry : io::frame_sinks()) {
        if (entry->properties.extension == extension) return *entry;
        known += (known.empty() ? "" : ", ") + std::string(entry->properties.extension);
    }
    fail_input(output.string(), fmt::format("frames cannot be written as '{}'", escaped(extension)),
               "known: " + known);
}

bool names_frames(const fs::path& file) {
    return io::numbered_name(file).frame >= 0 || io::pattern_prefix(file).has_value();
}

/// One file into one file? Not when both names carry frame numbers.
bool is_single(const ConvertOptions& options) {
    const fs::path input = options.input, output = options.output;
    return fs::is_regular_file(input) && is_mesh_file(input) && is_mesh_file(output) &&
           !(names_frames(input) && names_frames(output));
}

void convert_mesh(const ConvertOptions& options) {
    Diagnostics diagnostics;
    const mesh::TriMesh mesh = io::read_mesh(options.input, diagnostics);
    print(diagnostics);
    io::write_mesh(options.output, mesh);
    fmt::print("{}: {} vertices, {} triangles\n", options.output, mesh.vertex_count(),
               mesh.face_count());
}

/// The mesh whose points the frames move: `--mesh`, or that of the sequence's first frame.
mesh::TriMesh topology_of(const ConvertOptions& options, const io::FrameReader& reader) {
    mesh::TriMesh mesh;
    if (!options.mesh.empty()) {
        Diagnostics diagnostics;
        mesh = io::read_mesh(options.mesh, diagnostics);
        print(diagnostics);
        if (mesh.vertex_count() != reader.vertices())
            fail_input(options.mesh,
                       fmt::format("{} vertices, the frames of {} have {}", mesh.vertex_count(),
                                   options.input, reader.vertices()));
    } else if (reader.topology()) {
        mesh = *reader.topology();
    } else {
        mesh.position.resize(std::size_t(reader.vertices()));
    }
    return mesh;
}

void require_triangles(const ConvertOptions& options, const io::FrameReader& reader) {
    if (options.mesh.empty() && !reader.topology())
        fail_input(options.input, "a cache holds points only, the output needs triangles",
                   "name the mesh whose points these are: --mesh FILE");
}

void set_positions(mesh::TriMesh& mesh, const VecX& x) {
    for (Index i = 0; i < mesh.vertex_count(); ++i)
        mesh.position[std::size_t(i)] = vec3(x, i);
}

void extract_frame(const ConvertOptions& options, io::FrameReader& reader) {
    if (options.frame > reader.frames())
        fail_input(options.input,
                   fmt::format("--frame {}: there are {} frames", options.frame, reader.frames()));
    require_triangles(options, reader);
    mesh::TriMesh mesh = topology_of(options, reader);
    VecX x;
    reader.read(options.frame, x);
    set_positions(mesh, x);
    io::write_mesh(options.output, mesh);
    fmt::print("{}: frame {} of {}\n", options.output, options.frame, reader.frames());
}

/// A sink drops old frames of its name when it opens: before the first frame is read.
void refuse_overwriting_input(const io::FrameReader& reader, const io::FrameSeries& series,
                              const io::SinkProperties& sink) {
    const fs::path target = series.directory.empty() ? "." : series.directory;
    for (const fs::path& file : reader.files()) {
        const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
        std::error_code code;
        if (file.extension().string() == sink.extension && io::series_name(file) == series.name &&
            fs::equivalent(folder, target, code))
            fail_input(file.string(), "would be overwritten while it is being read",
                       "choose another name or folder for the output");
    }
}

void convert_frames(const ConvertOptions& options, io::FrameReader& reader) {
    const io::SinkEntry& entry = sink_for(options.output);
    if (entry.properties.triangles) require_triangles(options, reader);
    io::FrameSeries series;
    series.name = io::series_name(options.output);
    series.directory = fs::path(options.output).parent_path();
    series.mesh = topology_of(options, reader);
    series.frames = reader.frames();
    series.z_up = options.up == "z";
    if (reader.frame_rate() > 0) series.frame_rate = reader.frame_rate();
    if (options.frame_rate > 0) series.frame_rate = options.frame_rate;
    refuse_overwriting_input(reader, series, entry.properties);

    const std::unique_ptr<io::FrameSink> sink = entry.make(Settings::object());
    const VecX no_velocities;
    VecX x;
    for (Index frame = 1; frame <= reader.frames(); ++frame) {
        reader.read(frame, x);
        if (frame == 1) {
            set_positions(series.mesh, x);
            sink->open(series, 0);
        }
        sink->write(frame, x, no_velocities);
    }
    sink->close();
    const fs::path first = entry.properties.sequence
                               ? io::numbered_frame(series, 1, entry.properties.extension)
                               : io::series_file(series, entry.properties.extension);
    fmt::print("{}: {} frames of {} vertices\n", first.string(), reader.frames(),
               reader.vertices());
}

void convert(const ConvertOptions& options) {
    if (options.frame == 0 && is_single(options)) {
        convert_mesh(options);
        return;
    }
    const std::unique_ptr<io::FrameReader> reader = io::FrameReader::open(options.input);
    print(reader->diagnostics());
    if (options.frame > 0)
        extract_frame(options, *reader);
    else
        convert_frames(options, *reader);
}

}  // namespace

void add_convert_command(Command app, int& exit_status) {
    Command command = app.subcommand("convert", "Convert a mesh, or recorded frames");
    const auto options = std::make_shared<ConvertOptions>();
    command
        .option("input", options->input,
                "mesh, cache (.pc2, .mdd) or sequence: its first "
                "file, a pattern or a folder")
        .required();
    command
        .option("output", options->output,
                "the extension chooses the format; frames of "
                "the same name there are replaced")
        .required();
    command.option("--mesh", options->mesh, "mesh whose points the frames of a cache move");
    command.option("--frame", options->frame, "write this frame only, as a mesh (from 1)")
        .positive();
    command
        .option("--frame-rate", options->frame_rate,
                "frames per second (default: as in the input, else 24)")
        .positive();
    command.option("--up", options->up, "up axis to note in .usda")
        .one_of({"y", "z"})
        .show_default();
    command.footer(
        "Positions are kept to single precision, velocities are not carried over.\n"
        "Examples:\n"
        "  taffeta convert shirt.ply shirt.obj\n"
        "  taffeta convert out/frames/cloth.0001.ply cloth.usda\n"
        "  taffeta convert cloth.pc2 --mesh rest.obj frames/cloth.vtu\n"
        "  taffeta convert cloth.pc2 --mesh rest.obj --frame 12 pose.obj");
    command.action([options, &exit_status] {
        convert(*options);
        exit_status = 0;
    });
}

}  // namespace taffeta::app
