#include "taffeta/io/frame_sink.h"

namespace taffeta::io {

// `sink_obj`, not `entry_obj`: that is the mesh format of the same key.
#define TAFFETA_ENTRY(key) extern const SinkEntry sink_##key;
#include "taffeta/io/sinks.inc"
#undef TAFFETA_ENTRY

Registry<SinkEntry> frame_sinks() {
#define TAFFETA_ENTRY(key) &sink_##key,
    static constexpr const SinkEntry* table[] = {
#include "taffeta/io/sinks.inc"
    };
#undef TAFFETA_ENTRY
    return table;
}

}  // namespace taffeta::io
