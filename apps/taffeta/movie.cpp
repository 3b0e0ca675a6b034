#include "movie.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "render/png.h"
#include "taffeta/base/error.h"

extern char** environ;

namespace taffeta::app {

namespace {

namespace fs = std::filesystem;

/// A folder of its own beside the movie, removed with all it holds.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const fs::path& beside) {
        std::string pattern = (beside / ".taffeta-frames-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            fail_io(beside.string(), std::string("cannot make a folder: ") + std::strerror(errno));
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// Runs a program without a shell and returns its exit status.
int run_program(const fs::path& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);

    pid_t child = 0;
    const int error =
        posix_spawn(&child, program.c_str(), nullptr, nullptr, pointers.data(), environ);
    if (error != 0)
        fail_io(program.string(), std::string("does not start: ") + std::strerror(error));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail_io(program.string(), std::strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

fs::path find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        std::error_code ignored;
        if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

void write_movie(const fs::path& file, int pictures, double frame_rate,
                 const std::function<render::Image(int)>& picture) {
    const fs::path ffmpeg = find_program("ffmpeg");
    if (ffmpeg.empty())
        fail_input(escaped(file.string()), "a movie needs ffmpeg, which is not on PATH",
                   "install it (Debian: apt install ffmpeg), or ask for a .png");

    const fs::path folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
    const TemporaryFolder temporary(folder);
    for (int p = 0; p < pictures; ++p)
        render::write_png(temporary.path() / fmt::format("{:06}.png", p + 1), picture(p));

    // yuv420p, which every player takes, wants even sizes: pad by a pixel where one is odd.
    const fs::path encoded = temporary.path() / "movie.mp4";
    const int status = run_program(ffmpeg, {"-hide_banner",
                                            "-loglevel",
                                            "error",
                                            "-nostdin",
                                            "-y",
                                            "-framerate",
                                            fmt::format("{}", frame_rate),
                                            "-i",
                                            (temporary.path() / "%06d.png").string(),
                                            "-vf",
                                            "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                            "-c:v",
                                            "libx264",
                                            "-crf",
                                            "18",
                                            "-pix_fmt",
                                            "yuv420p",
                                            "-movflags",
                                            "+faststart",
                                            encoded.string()});
    if (status != 0)
        fail_io(escaped(file.string()), fmt::format("ffmpeg failed with exit status {}", status));
    std::error_code error;
    fs::rename(encoded, file, error);
    if (error) fail_io(escaped(file.string()), "cannot write the movie: " + error.message());
}

}  // namespace taffeta::app
