#include "ccd_queries.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "taffeta/base/error.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/file_bytes.h"
#if TAFFETA_LZMA
#include <lzma.h>
#endif

namespace taffeta::app {

namespace {

constexpr std::size_t record_bytes = 200;
constexpr std::string_view xz_magic(
    "\xFD"
    "7zXZ\0",
    6);

#if TAFFETA_LZMA

/// What a compressed file may unpack to: 20 million queries. A small file can claim much more.
constexpr std::size_t most_unpacked = std::size_t(4) << 30;
constexpr std::uint64_t most_decoder_memory = std::uint64_t(256) << 20;

std::string unpacked(const std::string& file, std::string_view packed) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, most_decoder_memory, LZMA_CONCATENATED) != LZMA_OK)
        fail_io(file, "cannot prepare to unpack it");
    std::string bytes;
    std::string piece(std::size_t(1) << 20, '\0');
    stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream.avail_in = packed.size();
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK && bytes.size() <= most_unpacked) {
        stream.next_out = reinterpret_cast<std::uint8_t*>(piece.data());
        stream.avail_out = piece.size();
        status = lzma_code(&stream, LZMA_FINISH);
        bytes.append(piece, 0, piece.size() - stream.avail_out);
    }
    lzma_end(&stream);
    if (bytes.size() > most_unpacked) fail_input(file, "unpacks to more than 4 GiB");
    if (status == LZMA_MEMLIMIT_ERROR) fail_input(file, "needs more than 256 MiB to be unpacked");
    if (status != LZMA_STREAM_END)
        fail_input(file, "is damaged or cut short: it cannot be unpacked");
    return bytes;
}

#else

std::string unpacked(const std::string& file, std::string_view) {
    fail_input(file, "is compressed by xz, and this build has no liblzma",
               "unpack it first:  xz -dk " + file);
}

#endif

LabelledQuery parse_query(const std::string& file, std::size_t number, const char* record) {
    const auto fail = [&](const std::string& what) {
        fail_input(file, fmt::format("query {}: {}", number, what));
    };
    const auto kind = io::read_little<std::int32_t>(record);
    const auto label = io::read_little<std::int32_t>(record + 4);
    if (kind != 0 && kind != 1)
        fail(fmt::format("its kind is {}; 0 is vertex and face, 1 two edges", kind));
    if (label != 0 && label != 1) fail(fmt::format("its label is {}; it must be 0 or 1", label));
    LabelledQuery query;
    query.query.kind = kind == 1 ? contact::CcdKind::edge_edge : contact::CcdKind::vertex_face;
    query.touch = label == 1;
    const char* at = record + 8;
    for (auto* points : {&query.query.start, &query.query.end})
        for (Vec3& point : *points)
            for (int axis = 0; axis < 3; ++axis, at += sizeof(double)) {
                point[axis] = io::read_little<double>(at);
                if (!std::isfinite(point[axis]))
                    fail(fmt::format("a coordinate is {}", point[axis]));
            }
    return query;
}

}  // namespace

std::vector<LabelledQuery> read_ccd_queries(const std::string& file) {
    const io::FileBytes content(file);
    std::string plain;
    std::string_view bytes = content.view();
    if (bytes.starts_with(xz_magic)) {
        plain = unpacked(file, bytes);
        bytes = plain;
    }
    if (bytes.empty() || bytes.size() % record_bytes != 0)
        fail_input(file, fmt::format("has {} bytes, which is not a multiple of {}, a query's size",
                                     bytes.size(), record_bytes));
    std::vector<LabelledQuery> queries;
    queries.reserve(bytes.size() / record_bytes);
    for (std::size_t k = 0; k < bytes.size() / record_bytes; ++k)
        queries.push_back(parse_query(file, k, bytes.data() + k * record_bytes));
    return queries;
}

}  // namespace taffeta::app
