#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace taffeta::io {

/// The whole content of a regular file, read once.
///
/// Bad input, before a byte is read: no such file, no permission, a folder, a device, a pipe (which
/// would block or never end), an empty file, more than 16 GiB. Read into memory, not mapped: a
/// mapped file that another program shortens kills the process.
class FileBytes {
  public:
    explicit FileBytes(const std::filesystem::path& path);

    std::string_view view() const { return {bytes_.get(), size_}; }

  private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
};

}  // namespace taffeta::io
