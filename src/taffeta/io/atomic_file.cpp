#include "taffeta/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "taffeta/base/error.h"

namespace taffeta::io {

namespace {

constexpr std::size_t buffer_size = std::size_t(1) << 18;

[[noreturn]] void fail_write(const std::filesystem::path& path, const char* action, int code) {
    const char* hint = "";
    if (code == ENOSPC || code == EDQUOT) hint = "free some space or choose another folder";
    if (code == EROFS || code == EACCES || code == EPERM) hint = "choose a folder you may write to";
    if (code == ENOENT) hint = "create the folder first";
    fail_io(escaped(path.string()), fmt::format("cannot {}: {}", action, std::strerror(code)),
            hint);
}

/// Opens a new file beside `path`; the name never meets that of another writer.
int open_temporary(const std::filesystem::path& path, std::filesystem::path& temporary) {
    static std::atomic<unsigned> counter{0};
    for (;;) {
        temporary = path;
        temporary += fmt::format(".{}-{}.tmp", ::getpid(), counter++);
        const int descriptor =
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor >= 0) return descriptor;
        if (errno != EEXIST) fail_write(path, "create", errno);
    }
}

/// A rename is on disk only when its folder is. Some file systems cannot sync a folder: then the
/// rename is as durable as they can make it, and there is nothing to report.
void sync_folder(const std::filesystem::path& folder) {
    const int descriptor =
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        fail_io(escaped(path_.string()), "cannot write: exists and is not a regular file",
                "choose another name");
    buffer_.reserve(buffer_size);
    descriptor_ = open_temporary(path_, temporary_);
}

AtomicFile::~AtomicFile() {
    close_and_remove();
}

void AtomicFile::write(const void* data, std::size_t size) {
    TAFFETA_ASSERT(descriptor_ >= 0);
    const char* bytes = static_cast<const char*>(data);
    if (buffer_.size() + size > buffer_size) flush();
    if (size >= buffer_size)
        put(bytes, size);
    else
        buffer_.insert(buffer_.end(), bytes, bytes + size);
}

void AtomicFile::commit() {
    TAFFETA_ASSERT(descriptor_ >= 0);
    flush();
    if (::fsync(descriptor_) != 0) fail_write(path_, "write", errno);
    const int closed = ::close(std::exchange(descriptor_, -1));
    const int close_code = errno;
    if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int code = closed != 0 ? close_code : errno;
        ::unlink(temporary_.c_str());
        fail_write(path_, closed != 0 ? "write" : "rename the finished file", code);
    }
    sync_folder(path_.parent_path());
}

void AtomicFile::flush() {
    put(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void AtomicFile::put(const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(descriptor_, data, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int code = errno;
            close_and_remove();
            fail_write(path_, "write", code);
        }
        data += written;
        size -= std::size_t(written);
    }
}

void AtomicFile::close_and_remove() {
    if (descriptor_ < 0) return;
    ::close(std::exchange(descriptor_, -1));
    ::unlink(temporary_.c_str());
}

}  // namespace taffeta::io
