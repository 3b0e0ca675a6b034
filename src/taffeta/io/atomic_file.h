#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace taffeta::io {

/// Writes a file all or not at all: bytes go to a temporary file in the same folder, and `commit`
/// gives it its name (flush, fsync, rename, fsync of the folder).
///
/// Whoever reads sees the old file or the whole new one, also after a crash. A file that is
/// destroyed without `commit` leaves nothing behind. Every failure (no such folder, read-only, disk
/// full, target is a folder or a device) throws an io error with the system's reason.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view text) { write(text.data(), text.size()); }
    void write(const void* data, std::size_t size);
    void commit();

    const std::filesystem::path& path() const { return path_; }

  private:
    void flush();
    void put(const char* data, std::size_t size);
    void close_and_remove();

    std::filesystem::path path_, temporary_;
    int descriptor_ = -1;
    std::vector<char> buffer_;
};

}  // namespace taffeta::io
