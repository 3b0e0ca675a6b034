#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace taffeta::io {

/// A file that grows frame by frame and can be cut back to a known length: what caches and the
/// parts of a text file are written to. Each `append` goes to the system at once, so that a killed
/// process leaves a prefix of the bytes it appended. Failures throw io errors with the system's
/// reason. Destruction only closes.
class GrowingFile {
  public:
    GrowingFile() = default;
    ~GrowingFile();
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    /// Opens, cut to its first `bytes_kept` bytes; 0 also creates.
    void open(const std::filesystem::path& path, std::uint64_t bytes_kept);
    void append(const void* data, std::size_t size);
    void append(std::string_view text) { append(text.data(), text.size()); }
    /// Writes over bytes that are already there.
    void overwrite(std::uint64_t offset, const void* data, std::size_t size);
    /// Waits until the bytes are on the disk.
    void sync();
    void close();

    bool is_open() const { return descriptor_ >= 0; }
    std::uint64_t size() const { return size_; }
    const std::filesystem::path& path() const { return path_; }

  private:
    void put(std::uint64_t offset, const char* data, std::size_t size);

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

/// Bytes of a regular file, 0 when there is none.
std::uint64_t file_size_or_zero(const std::filesystem::path& path);

using ByteTarget = std::function<void(const char* data, std::size_t size)>;

/// Hands `size` bytes of a file, from `offset` on, to `target` in blocks. A file that ends earlier
/// throws an io error.
void copy_bytes(const std::filesystem::path& path, std::uint64_t offset, std::uint64_t size,
                const ByteTarget& target);

}  // namespace taffeta::io
