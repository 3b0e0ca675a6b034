#include "taffeta/base/parallel.h"

#include <memory>
#include <thread>

#include "taffeta/base/thread_pool.h"

namespace taffeta {

namespace {

int threads_in_use = 0;  // 0: not chosen yet
std::unique_ptr<ThreadPool> pool;

}  // namespace

void set_thread_count(int threads) {
    const int cores = std::max(1, int(std::thread::hardware_concurrency()));
    const int wanted = threads > 0 ? threads : cores;
    if (wanted == threads_in_use) return;
    pool = std::make_unique<ThreadPool>(wanted);
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
    pool->run(
        chunks, [](const void* of, Index c) { (*static_cast<const decltype(run)*>(of))(c); }, &run);
}

}  // namespace taffeta
