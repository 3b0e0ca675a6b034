#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <set>

#include "commands.h"
#include "movie.h"
#include "render/png.h"
#include "render/renderer.h"
#include "render/sheet.h"
#include "run_frames.h"
#include "taffeta/base/parallel.h"

namespace taffeta::app {

namespace {

namespace fs = std::filesystem;

struct RenderArguments {
    std::string directory, output, scene_folder;
    int frame = 0;  ///< 0: the last
    bool sheet = false;
    std::vector<int> frames;
    std::string size;
    int samples = 0, threads = 0;  ///< 0: not given
    std::vector<double> camera, target;
    double fov = 0;
    bool quiet = false;
};

constexpr int sheet_pictures = 6;
constexpr int framing_pictures = 40;  ///< frames looked at to frame a movie

/// `WxH` in pixels.
void read_size(const std::string& text, render::RenderOptions& options) {
    const char* end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, options.width);
    const bool has_x = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
    const auto height = has_x ? std::from_chars(width.ptr + 1, end, options.height) : width;
    if (!has_x || height.ec != std::errc() || height.ptr != end)
        fail_input("--size", fmt::format("'{}' is no size", escaped(text)),
                   "width x height in pixels, such as 1280x720");
}

/// `count` frames from the first to the last, evenly spread.
std::vector<int> spread_frames(int frames, int count) {
    std::set<int> chosen;
    for (int k = 0; k < count; ++k)
        chosen.insert(count == 1 ? frames : 1 + int(std::int64_t(frames - 1) * k / (count - 1)));
    return {chosen.begin(), chosen.end()};
}

bool is_movie(const std::string& output) {
    return fs::path(output).extension() == ".mp4";
}

/// The frames that the arguments ask for.
std::vector<int> chosen_frames(const RenderArguments& arguments, const RunFrames& run) {
    std::vector<int> frames = arguments.frames;
    if (arguments.frame != 0) frames.push_back(arguments.frame);
    if (frames.empty()) {
        if (is_movie(arguments.output)) return spread_frames(run.frames(), run.frames());
        return spread_frames(run.frames(), arguments.sheet ? sheet_pictures : 1);
    }
    for (int frame : frames)
        if (frame < 1 || frame > run.frames())
            fail_input("--frame", fmt::format("there is no frame {}", frame),
                       fmt::format("the run has frames 1 to {}", run.frames()));
    return frames;
}

/// One stage for all the pictures: the same camera and floor, and cloth that changes.
class Studio {
  public:
    Studio(RunFrames& run, const std::vector<int>& frames, const RenderArguments& arguments,
           const render::RenderOptions& options)
        : run_(run), options_(options) {
        render::Outline outline;
        const std::size_t stride = 1 + frames.size() / framing_pictures;
        for (std::size_t f = 0; f < frames.size(); f += stride)
            outline.add(run.outline(frames[f]));
        outline.add(run.outline(frames.back()));

        stage_.up = run.up();
        stage_.floor_height = run.floor_height(outline);
        stage_.camera =
            render::fit_camera(outline, stage_.up, double(options.width) / options.height);
        if (!arguments.target.empty())
            stage_.camera.target = Eigen::Map<const Vec3>(arguments.target.data());
        if (!arguments.camera.empty())
            stage_.camera.eye = Eigen::Map<const Vec3>(arguments.camera.data());
        if (arguments.fov > 0) stage_.camera.vertical_fov = arguments.fov;
        if (stage_.camera.eye == stage_.camera.target)
            fail_input("--camera", "the camera stands in its target");
    }

    render::Image picture(int frame) {
        stage_.meshes = run_.meshes(frame);
        return render::render(stage_, options_);
    }

  private:
    RunFrames& run_;
    const render::RenderOptions& options_;
    render::Stage stage_;
};

void write_sheet(const fs::path& file, const std::vector<int>& frames, RunFrames& run,
                 Studio& studio) {
    std::vector<render::Image> pictures;
    std::vector<std::string> labels;
    for (int frame : frames) {
        pictures.push_back(studio.picture(frame));
        labels.push_back(fmt::format("{:.2f} s", run.time(frame)));
    }
    render::write_png(file, render::contact_sheet(pictures, labels));
}

void render_run(const RenderArguments& arguments) {
    set_thread_count(arguments.threads);
    const bool sheet = arguments.sheet || arguments.frames.size() > 1;
    const fs::path directory = arguments.directory;
    const fs::path file = !arguments.output.empty()
                              ? fs::path(arguments.output)
                              : directory / (sheet ? "sheet.png" : "render.png");
    if (!is_movie(arguments.output) && file.extension() != ".png")
        fail_input(escaped(file.string()), "pictures are .png or .mp4");

    render::RenderOptions options;
    if (sheet) options = {.width = 640, .height = 400};
    if (is_movie(arguments.output)) options.samples = 16;
    if (!arguments.size.empty()) read_size(arguments.size, options);
    if (arguments.samples > 0) options.samples = arguments.samples;

    RunFrames run(directory, arguments.scene_folder);
    const std::vector<int> frames = chosen_frames(arguments, run);
    Studio studio(run, frames, arguments, options);
    if (is_movie(arguments.output))
        write_movie(file, int(frames.size()), run.frame_rate(),
                    [&](int p) { return studio.picture(frames[std::size_t(p)]); });
    else if (sheet)
        write_sheet(file, frames, run, studio);
    else
        render::write_png(file, studio.picture(frames.front()));
    if (!arguments.quiet) fmt::print("{}\n", escaped(file.string()));
}

}  // namespace

void add_render_command(Command app, int&) {
    auto arguments = std::make_shared<RenderArguments>();
    Command command = app.subcommand("render", "Draw the frames of a run");
    command.option("directory", arguments->directory, "folder of the run").required();
    command.option("-o,--output", arguments->output,
                   "a .png, or a .mp4 (needs ffmpeg); DIR/render.png or DIR/sheet.png");
    const Option frame = command.option("--frame", arguments->frame,
                                        "frame to draw, from 1; the last when not given");
    Option sheet =
        command.flag("--sheet", arguments->sheet, "several frames in a grid, with their times");
    Option frames = command.option("--frames", arguments->frames,
                                   "frames of the sheet or the movie, as in 1,12,24");
    frames.comma_separated().excludes(frame);
    sheet.excludes(frame);
    command.option("--size", arguments->size, "of a picture; 1280x720, in a sheet 640x400");
    command.option("--samples", arguments->samples, "paths per pixel; 32, in a movie 16")
        .within(1, 65536);
    command.option("--camera", arguments->camera, "where the camera stands, x,y,z in m")
        .comma_separated()
        .values(3);
    command.option("--target", arguments->target, "what it looks at, x,y,z in m")
        .comma_separated()
        .values(3);
    command.option("--fov", arguments->fov, "vertical field of view, degrees").within(1.0, 170.0);
    command.option("--scene-folder", arguments->scene_folder,
                   "where the scene's files are, when they have moved since the run");
    command.option("--threads", arguments->threads, "threads; all cores when not given")
        .within(1, 1024);
    command.flag("--quiet", arguments->quiet, "print nothing");
    command.footer("Example:  taffeta render out/sphere --sheet --frames 1,12,24,48");
    command.action([arguments] { render_run(*arguments); });
}

}  // namespace taffeta::app
