#pragma once

#include <filesystem>

#include "render/image.h"

namespace taffeta::render {

/// Writes an 8-bit RGB PNG with an sRGB chunk, atomically: a temporary file beside it, then a
/// rename. Throws an io error that names the file.
void write_png(const std::filesystem::path& file, const Image& image);

}  // namespace taffeta::render
