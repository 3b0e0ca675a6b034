#include "taffeta/scene/frame_output.h"

#include <fmt/format.h>

#include "taffeta/scene/jsonl.h"
#include "taffeta/sim/energy_audit.h"

namespace taffeta::scene {

FrameOutput::FrameOutput(const sim::World& world, const Options& options, int frames_done)
    : every_(options.every) {
    const Index kept = frames_done < 0 ? 0 : frames_done / options.every + 1;
    for (std::size_t b = 0; b < world.bodies.size(); ++b)
        for (const std::string& format : options.formats) {
            const sim::Body& body = world.bodies[b];
            io::FrameSeries series;
            series.name = body.name;
            series.directory = options.directory;
            series.mesh = sim::shown_mesh(body);
            series.frame_rate = options.frame_rate / options.every;
            series.frames = options.frames / options.every + 1;
            series.z_up = options.z_up;
            series.color = body.color;
            auto sink = find_entry(io::frame_sinks(), "frame format", format).make(Settings());
            sink->open(series, kept);
            series_.push_back({std::move(sink), b});
        }
    index_.open(options.index, bytes_of_lines(options.index, kept));
}

void FrameOutput::on_frame(const sim::World& world, int frame) {
    if (frame % every_ != 0) return;
    const Index number = frame / every_ + 1;
    for (const Series& series : series_) {
        sim::shown_part(world.bodies[series.body], world.state.x, x_);
        sim::shown_part(world.bodies[series.body], world.state.v, v_);
        series.sink->write(number, x_, v_);
    }
    index_.append(fmt::format("{{\"frame\":{},\"t\":{},\"hash\":\"{:016x}\"}}\n", number,
                              world.state.t, sim::state_hash(world)));
}

void FrameOutput::close() {
    for (const Series& series : series_)
        series.sink->close();
    index_.close();
}

}  // namespace taffeta::scene
