#include "taffeta/io/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "taffeta/base/error.h"

namespace taffeta::io {

namespace {

constexpr std::size_t block_size = std::size_t(1) << 20;

[[noreturn]] void fail(const std::filesystem::path& path, const char* action, int code) {
    fail_io(escaped(path.string()), fmt::format("cannot {}: {}", action, std::strerror(code)),
            code == ENOSPC ? "free some space, then resume the run" : "");
}

}  // namespace

GrowingFile::~GrowingFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void GrowingFile::open(const std::filesystem::path& path, std::uint64_t bytes_kept) {
    close();
    path_ = path;
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        fail_io(escaped(path.string()), "cannot write: exists and is not a regular file",
                "choose another name");
    const int create = bytes_kept == 0 ? O_CREAT : 0;
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | create, 0666);
    if (descriptor_ < 0) fail(path_, "open", errno);
    if (::ftruncate(descriptor_, off_t(bytes_kept)) != 0) fail(path_, "cut to length", errno);
    size_ = bytes_kept;
}

void GrowingFile::append(const void* data, std::size_t size) {
    put(size_, static_cast<const char*>(data), size);
    size_ += size;
}

void GrowingFile::overwrite(std::uint64_t offset, const void* data, std::size_t size) {
    TAFFETA_ASSERT(offset + size <= size_);
    put(offset, static_cast<const char*>(data), size);
}

void GrowingFile::sync() {
    TAFFETA_ASSERT(descriptor_ >= 0);
    // EINVAL: a file system that cannot sync; the bytes are as durable as they get.
    if (::fdatasync(descriptor_) != 0 && errno != EINVAL) fail(path_, "write", errno);
}

void GrowingFile::close() {
    if (descriptor_ < 0) return;
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, "close", errno);
}

void GrowingFile::put(std::uint64_t offset, const char* data, std::size_t size) {
    TAFFETA_ASSERT(descriptor_ >= 0);
    while (size > 0) {
        const ssize_t written = ::pwrite(descriptor_, data, size, off_t(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(path_, "write", errno);
        data += written;
        size -= std::size_t(written);
        offset += std::uint64_t(written);
    }
}

std::uint64_t file_size_or_zero(const std::filesystem::path& path) {
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    return code ? 0 : std::uint64_t(size);
}

void copy_bytes(const std::filesystem::path& path, std::uint64_t offset, std::uint64_t size,
                const ByteTarget& target) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, "open", errno);
    file.seekg(std::streamoff(offset));
    std::vector<char> block(std::size_t(std::min<std::uint64_t>(size, block_size)));
    while (size > 0) {
        const std::size_t wanted = std::size_t(std::min<std::uint64_t>(size, block.size()));
        if (!file.read(block.data(), std::streamsize(wanted)))
            fail_io(escaped(path.string()), fmt::format("ends {} bytes too early", size));
        target(block.data(), wanted);
        size -= wanted;
    }
}

}  // namespace taffeta::io
