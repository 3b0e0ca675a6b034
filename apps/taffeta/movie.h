#pragma once

#include <filesystem>
#include <functional>

#include "render/image.h"

namespace taffeta::app {

/// The program of that name on PATH, empty when there is none.
std::filesystem::path find_program(const std::string& name);

/// Writes an H.264 MP4 of `pictures` pictures, made one after the other by `picture(0..n-1)`, by
/// way of PNG files in a temporary folder and ffmpeg. Throws bad input where ffmpeg is missing,
/// before any picture is made, and an io error with its exit status where it fails.
void write_movie(const std::filesystem::path& file, int pictures, double frame_rate,
                 const std::function<render::Image(int)>& picture);

}  // namespace taffeta::app
