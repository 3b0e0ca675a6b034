#include "taffeta/io/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "taffeta/base/error.h"

namespace taffeta::io {

namespace {

constexpr std::size_t largest_file = std::size_t(16) << 30;

class Descriptor {
  public:
    /// Non-blocking, or opening a pipe without a writer would wait for one.
    explicit Descriptor(const std::filesystem::path& path)
        : number(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number;
};

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path) {
    const std::string where = escaped(path.string());
    // Asked before opening: opening some devices has an effect.
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        fail_input(where, fmt::format("cannot read: {}", std::strerror(errno)));
    if (!S_ISREG(status.st_mode))
        fail_input(where, fmt::format("cannot read: it is {}", kind_of(status.st_mode)),
                   "give a regular file");
    const Descriptor file(path);
    if (file.number < 0 || ::fstat(file.number, &status) != 0)
        fail_input(where, fmt::format("cannot read: {}", std::strerror(errno)));
    if (!S_ISREG(status.st_mode)) fail_input(where, "cannot read: it is no longer a regular file");
    if (status.st_size == 0) fail_input(where, "the file is empty");
    if (std::size_t(status.st_size) > largest_file)
        fail_input(where, fmt::format("{} bytes are too many", status.st_size), "at most 16 GiB");

    bytes_ = std::make_unique_for_overwrite<char[]>(std::size_t(status.st_size));
    while (size_ < std::size_t(status.st_size)) {
        const ssize_t got =
            ::read(file.number, bytes_.get() + size_, std::size_t(status.st_size) - size_);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_io(where, fmt::format("cannot read: {}", std::strerror(errno)));
        if (got == 0) break;
        size_ += std::size_t(got);
    }
    if (size_ == 0) fail_input(where, "the file is empty");
}

}  // namespace taffeta::io
