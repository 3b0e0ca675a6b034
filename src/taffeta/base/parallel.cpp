#include "taffeta/base/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

#include <memory>

namespace taffeta {

namespace {

int threads_in_use = 0;  // 0: not chosen yet
std::unique_ptr<oneapi::tbb::global_control> limit;
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

oneapi::tbb::task_arena& thread_arena() {
    thread_count();
    return *arena;
}

}  // namespace taffeta
