#include "taffeta/base/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <memory>

namespace taffeta {

namespace {

int threads_in_use = 0;  // 0: not chosen yet
std::unique_ptr<oneapi::tbb::global_control> limit;
/// All loops run in it: it has as many threads as asked for, also beyond the cores.
std::unique_ptr<oneapi::tbb::task_arena> arena;

}  // namespace

void set_thread_count(int threads) {
    const int wanted = threads > 0 ? threads : oneapi::tbb::info::default_concurrency();
    if (wanted == threads_in_use) return;
    arena.reset();
    limit.reset();
    limit = std::make_unique<oneapi::tbb::global_control>(
        oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(wanted));
    arena = std::make_unique<oneapi::tbb::task_arena>(wanted);
    threads_in_use = wanted;
}

int thread_count() {
    if (threads_in_use == 0) set_thread_count(0);
    return threads_in_use;
}

void run_chunks(Index size, Index grain, void (*body)(const void*, Index, Index),
                const void* context) {
    const Index chunks = (size + grain - 1) / grain;
    const auto run = [&](Index c) { body(context, c * grain, std::min(size, (c + 1) * grain)); };
    if (chunks <= 1 || thread_count() == 1) {
        for (Index c = 0; c < chunks; ++c)
            run(c);
        return;
    }
    arena->execute([&] {
        oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<Index>(0, chunks),
                                  [&](const oneapi::tbb::blocked_range<Index>& range) {
                                      for (Index c = range.begin(); c != range.end(); ++c)
                                          run(c);
                                  });
    });
}

}  // namespace taffeta
