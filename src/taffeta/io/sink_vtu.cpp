#include <fmt/format.h>

#include "taffeta/io/atomic_file.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/frame_check.h"
#include "taffeta/io/frame_files.h"

namespace taffeta::io {

namespace {

constexpr std::string_view vtu_extension = ".vtu", index_extension = ".pvd";
constexpr std::uint8_t triangle_cell = 5;  // VTK_TRIANGLE

std::string xml_escaped(const std::string& text) {
    std::string safe;
    for (const char c : text)
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    return safe;
}

/// A block of appended data: its length in eight bytes, then the bytes.
void append_block(std::string& bytes, std::string_view data) {
    append_little(bytes, std::uint64_t(data.size()));
    bytes.append(data);
}

/// Connectivity, offsets and cell types, the same in every frame.
std::string topology_blocks(const mesh::TriMesh& mesh) {
    std::vector<std::int32_t> offset;
    for (Index f = 0; f < mesh.face_count(); ++f)
        offset.push_back(3 * (f + 1));
    std::string bytes;
    append_block(bytes, bytes_of(std::span(mesh.face)));
    append_block(bytes, bytes_of(std::span<const std::int32_t>(offset)));
    append_block(bytes, std::string(mesh.face.size(), char(triangle_cell)));
    return bytes;
}

/// A VTK XML unstructured grid a frame, and the index `<name>.pvd` that gives each its time. The
/// index is renewed after each frame, so a run can be watched.
class VtuSink : public FrameSink {
  public:
    void open(const FrameSeries& series, Index frames_kept) override {
        prepare_directory(series);
        keep_numbered_frames(series, frames_kept, vtu_extension);
        remove_temporaries(series, index_extension);
        check_.start(series, frames_kept);
        series_ = series;
        topology_ = topology_blocks(series.mesh);
        write_index();
    }

    void write(Index frame, const VecX& x, const VecX& v) override {
        check_.next(frame, x, v);
        AtomicFile file(numbered_frame(series_, frame, vtu_extension));
        file.write(header(frame));
        write_block(file, check_.position());
        if (!check_.velocity().empty()) write_block(file, check_.velocity());
        file.write(topology_);
        file.write("\n  </AppendedData>\n</VTKFile>\n");
        file.commit();
        write_index();
    }

    void close() override {}

  private:
    static void write_block(AtomicFile& file, const std::vector<float>& values) {
        const std::uint64_t size = values.size() * sizeof(float);
        file.write(&size, sizeof size);
        file.write(values.data(), size);
    }

    std::string header(Index frame) const {
        const std::uint64_t length = sizeof(std::uint64_t);
        const std::uint64_t vectors = length + 3 * sizeof(float) * std::uint64_t(check_.vertices());
        const std::uint64_t faces = std::uint64_t(series_.mesh.face_count());
        std::uint64_t offset = 0;
        const auto array = [&](std::string_view type, std::string_view rest, std::uint64_t size) {
            const std::string line = fmt::format(
                "        <DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n", type,
                rest, offset);
            offset += size;
            return line;
        };
        std::string text = fmt::format(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n"
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n    </FieldData>\n"
            "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n      <Points>\n",
            frame_time(frame, series_.frame_rate), check_.vertices(), faces);
        text += array("Float32", "Name=\"Points\" NumberOfComponents=\"3\"", vectors);
        text += "      </Points>\n";
        if (!check_.velocity().empty()) {
            text += "      <PointData Vectors=\"velocity\">\n";
            text += array("Float32", "Name=\"velocity\" NumberOfComponents=\"3\"", vectors);
            text += "      </PointData>\n";
        }
        text += "      <Cells>\n";
        text += array("Int32", "Name=\"connectivity\"", length + faces * sizeof(Triangle));
        text += array("Int32", "Name=\"offsets\"", length + faces * sizeof(std::int32_t));
        text += array("UInt8", "Name=\"types\"", length + faces);
        text +=
            "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n"
            "  <AppendedData encoding=\"raw\">\n_";
        return text;
    }

    void write_index() const {
        AtomicFile file(series_file(series_, index_extension));
        file.write(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
            "byte_order=\"LittleEndian\">\n  <Collection>\n");
        for (Index frame = 1; frame <= check_.frames(); ++frame) {
            const std::filesystem::path frame_file = numbered_frame(series_, frame, vtu_extension);
            file.write(fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n",
                                   frame_time(frame, series_.frame_rate),
                                   xml_escaped(frame_file.filename().string())));
        }
        file.write("  </Collection>\n</VTKFile>\n");
        file.commit();
    }

    FrameSeries series_;
    FrameCheck check_;
    std::string topology_;
};

}  // namespace

extern const SinkEntry sink_vtu;
constinit const SinkEntry sink_vtu{
    "vtu", "VTK XML, a file a frame with velocities, and a .pvd index: ParaView",
    SinkProperties{vtu_extension, true, true, true}, field_table<NoOptions>,
    [](const Settings& options) -> std::unique_ptr<FrameSink> {
        read_options<NoOptions>(options);
        return std::make_unique<VtuSink>();
    }};

}  // namespace taffeta::io
