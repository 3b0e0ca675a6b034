#include "render/png.h"

#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "taffeta/base/error.h"

namespace taffeta::render {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// libpng leaves by longjmp on an error: nothing with a destructor may live in this function.
bool encode(std::FILE* file, const Image& image, const png_byte* const* rows) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    if (!png) return false;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, png_uint_32(image.width()), png_uint_32(image.height()), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < image.height(); ++y)
        png_write_row(png, rows[y]);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

}  // namespace

void write_png(const std::filesystem::path& file, const Image& image) {
    std::vector<const png_byte*> rows;
    for (int y = 0; y < image.height(); ++y)
        rows.push_back(image.row(y));
    std::filesystem::path temporary = file;
    temporary += ".part";

    errno = 0;
    File out(std::fopen(temporary.c_str(), "wb"));
    if (!out) fail_io(file.string(), std::string("cannot write: ") + std::strerror(errno));
    const bool encoded = encode(out.get(), image, rows.data());
    const bool closed = std::fclose(out.release()) == 0;

    std::error_code error;
    if (encoded && closed) std::filesystem::rename(temporary, file, error);
    if (!encoded || !closed || error) {
        const std::string reason = error ? error.message() : std::strerror(errno);
        std::filesystem::remove(temporary, error);
        fail_io(file.string(), "cannot write the picture: " + reason);
    }
}

}  // namespace taffeta::render
