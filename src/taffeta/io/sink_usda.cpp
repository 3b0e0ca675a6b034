#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "taffeta/base/error.h"
#include "taffeta/io/atomic_file.h"
#include "taffeta/io/frame_check.h"
#include "taffeta/io/frame_files.h"
#include "taffeta/io/text_block.h"
#include "taffeta/io/usda_parts.h"

namespace taffeta::io {

namespace {

constexpr std::string_view usda_extension = ".usda";
constexpr std::string_view indent = "        ", sample_indent = "            ";

/// The nearest USD identifier: letters, digits and '_', no digit first.
std::string identifier(const std::string& name) {
    std::string made;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (digit && made.empty()) made += '_';
        made += letter || digit ? c : '_';
    }
    return made;
}

void write_points(TextBlock& text, std::span<const float> values) {
    text << "[";
    for (std::size_t i = 0; i < values.size(); i += 3) {
        if (i > 0) text << ", ";
        text.tuple(values.subspan(i, 3));
    }
    text << "]";
}

/// The two corners of the box around the points.
std::array<float, 6> extent_of(std::span<const float> points) {
    std::array<float, 6> box{};
    for (std::size_t axis = 0; axis < 3 && !points.empty(); ++axis) {
        box[axis] = box[axis + 3] = points[axis];
        for (std::size_t i = axis; i < points.size(); i += 3) {
            box[axis] = std::min(box[axis], points[i]);
            box[axis + 3] = std::max(box[axis + 3], points[i]);
        }
    }
    return box;
}

void write_indices(TextBlock& text, std::string_view declaration,
                   const std::vector<Triangle>& triangles) {
    text << indent << declaration << " = [";
    for (std::size_t f = 0; f < triangles.size(); ++f)
        for (std::size_t corner = 0; corner < 3; ++corner)
            text << (f + corner == 0 ? "" : ", ") << triangles[f][corner];
    text << "]\n";
}

/// One USDA file: a mesh with time samples of points, extent and velocities.
class UsdaSink : public FrameSink {
  public:
    void open(const FrameSeries& series, Index frames_kept) override {
        prepare_directory(series);
        remove_temporaries(series, usda_extension);
        check_.start(series, frames_kept);
        series_ = series;
        path_ = series_file(series, usda_extension);
        parts_.open(path_, frames_kept);
        remove_if_present(path_);
        open_ = true;
    }

    void write(Index frame, const VecX& x, const VecX& v) override {
        check_.next(frame, x, v);
        append(UsdaParts::points, frame, check_.position());
        append(UsdaParts::extent, frame, extent_of(check_.position()));
        if (!check_.velocity().empty()) append(UsdaParts::velocities, frame, check_.velocity());
        parts_.sync();
    }

    void close() override {
        if (!open_) return;
        AtomicFile file(path_);
        TextBlock text([&](std::string_view block) { file.write(block); });
        write_header(text);
        write_topology(text);
        text.flush();
        for (const UsdaParts::Attribute attribute :
             {UsdaParts::points, UsdaParts::extent, UsdaParts::velocities})
            if (parts_.has(attribute)) write_samples(file, attribute);
        write_appearance(text);
        text << "    }\n}\n";
        text.flush();
        file.commit();
        parts_.close_and_remove();
        open_ = false;
    }

  private:
    void append(UsdaParts::Attribute attribute, Index frame, std::span<const float> values) {
        TextBlock text([&](std::string_view block) { parts_.file(attribute).append(block); });
        text << sample_indent << frame << ": ";
        write_points(text, values);
        text << ",\n";
        text.flush();
    }

    void write_header(TextBlock& text) const {
        text << "#usda 1.0\n(\n    defaultPrim = \"World\"\n    startTimeCode = 1\n"
             << "    endTimeCode = " << std::max(check_.frames(), Index(1)) << "\n"
             << "    timeCodesPerSecond = " << series_.frame_rate << "\n"
             << "    framesPerSecond = " << series_.frame_rate << "\n"
             << "    metersPerUnit = 1\n    upAxis = \"" << (series_.z_up ? "Z" : "Y")
             << "\"\n)\n\ndef Xform \"World\"\n{\n    def Mesh \"" << identifier(series_.name)
             << "\"\n    {\n";
    }

    /// Also the points of the first frame as the value outside of time, for readers of stills.
    void write_topology(TextBlock& text) const {
        const mesh::TriMesh& mesh = series_.mesh;
        std::vector<float> first;
        for (const Vec3& p : mesh.position)
            for (const double value : p)
                first.push_back(float(value));
        // A mesh without this is a Catmull-Clark surface.
        text << indent << "uniform token subdivisionScheme = \"none\"\n"
             << indent << "uniform bool doubleSided = 1\n"
             << indent << "int[] faceVertexCounts = [";
        for (Index f = 0; f < mesh.face_count(); ++f)
            text << (f == 0 ? "3" : ", 3");
        text << "]\n";
        write_indices(text, "int[] faceVertexIndices", mesh.face);
        text << indent << "point3f[] points = ";
        write_points(text, first);
        text << "\n" << indent << "float3[] extent = ";
        write_points(text, extent_of(first));
        text << "\n";
    }

    void write_samples(AtomicFile& file, UsdaParts::Attribute attribute) {
        const GrowingFile& part = parts_.file(attribute);
        file.write(indent);
        file.write(UsdaParts::opening(attribute) + "\n");
        copy_bytes(part.path(), 0, part.size(),
                   [&](const char* data, std::size_t size) { file.write(data, size); });
        file.write(indent);
        file.write("}\n");
    }

    void write_appearance(TextBlock& text) const {
        const mesh::TriMesh& mesh = series_.mesh;
        if (!mesh.face_uv.empty()) {
            text << indent << "texCoord2f[] primvars:st = [";
            for (std::size_t i = 0; i < mesh.uv.size(); ++i) {
                const std::array<float, 2> st{float(mesh.uv[i].x()), float(mesh.uv[i].y())};
                text << (i == 0 ? "" : ", ");
                text.tuple(st);
            }
            text << "] (\n            interpolation = \"faceVarying\"\n        )\n";
            write_indices(text, "int[] primvars:st:indices", mesh.face_uv);
        }
        std::array<float, 3> color;
        for (std::size_t i = 0; i < 3; ++i)
            color[i] = float(series_.color[Eigen::Index(i)]);
        text << indent << "color3f[] primvars:displayColor = ";
        write_points(text, color);
        text << " (\n            interpolation = \"constant\"\n        )\n";
    }

    std::filesystem::path path_;
    FrameSeries series_;
    FrameCheck check_;
    UsdaParts parts_;
    bool open_ = false;
};

}  // namespace

extern const SinkEntry sink_usda;
constinit const SinkEntry sink_usda{
    "usda", "USD text with time samples: Houdini, usdview, Maya, Omniverse",
    SinkProperties{usda_extension, false, true, true}, field_table<NoOptions>,
    [](const Settings& options) -> std::unique_ptr<FrameSink> {
        read_options<NoOptions>(options);
        return std::make_unique<UsdaSink>();
    }};

}  // namespace taffeta::io
