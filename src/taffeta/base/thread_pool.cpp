#include "taffeta/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace taffeta {

namespace {

using Body = void (*)(const void* context, Index chunk);

/// How long a thread stays awake without a loop.
constexpr auto patience = std::chrono::microseconds(200);
constexpr int looks_a_clock = 64;
constexpr std::size_t cache_line = 64;

thread_local bool in_loop = false;

void spin() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

}  // namespace

/// `state` is whether a loop is open, how many workers are in it, and a number that every loop changes. A
/// worker enters an open loop only; the caller closes it when no chunk is left, and returns when nobody is in it. So
/// nobody reads what the loop is after that.
struct ThreadPool::Shared {
    static constexpr std::uint32_t one_worker = 1, workers = 0xffff, open = 0x10000,
                                   next_loop = 0x20000;

    struct alignas(cache_line) Range {
        std::atomic<Index> next;
        Index end;
    };

    explicit Shared(int count)
        : threads(count),
          crowded(unsigned(count) > std::thread::hardware_concurrency()),
          range(std::size_t(count)) {}

    /// Does chunks of one's own range, then of others.
    void work(std::size_t own) {
        in_loop = true;
        for (std::size_t k = 0; k < range.size(); ++k) {
            Range& from = range[(own + k) % range.size()];
            while (from.next.load(std::memory_order_relaxed) < from.end) {
                const Index chunk = from.next.fetch_add(1, std::memory_order_relaxed);
                if (chunk >= from.end) break;
                try {
                    body(context, chunk);
                } catch (...) {
                    const std::lock_guard lock(failed);
                    if (failed_chunk >= 0 && failed_chunk < chunk) continue;
                    failed_chunk = chunk;
                    failure = std::current_exception();
                }
            }
        }
        in_loop = false;
    }

    /// Until the state is another one: awake, then asleep.
    void wait_for_change(std::uint32_t known) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        do {
            for (int look = 0; look < looks_a_clock; ++look) {
                if (state.load(std::memory_order_relaxed) != known) return;
                crowded ? std::this_thread::yield() : spin();
            }
        } while (Clock::now() - begin < patience);
        ++sleeping;
        state.wait(known, std::memory_order_relaxed);
        --sleeping;
    }

    void live(std::size_t own) {
        std::uint32_t done = 0;  // the loop that this worker was in last
        while (!stopped.load(std::memory_order_relaxed)) {
            std::uint32_t now = state.load(std::memory_order_relaxed);
            if (!(now & open) || now / next_loop == done) {
                wait_for_change(now);
                continue;
            }
            if (!state.compare_exchange_weak(now, now + one_worker, std::memory_order_acquire))
                continue;
            done = now / next_loop;
            work(own);
            state.fetch_sub(one_worker, std::memory_order_release);
        }
    }

    const int threads;
    const bool crowded;  ///< more threads than cores
    alignas(cache_line) std::atomic<std::uint32_t> state{0};
    std::atomic<bool> stopped{false};
    std::atomic<int> sleeping{0};
    std::mutex busy;  ///< a loop is running

    // Of the loop.
    alignas(cache_line) Body body = nullptr;
    const void* context = nullptr;
    std::vector<Range> range;
    std::mutex failed;
    Index failed_chunk = -1;
    std::exception_ptr failure;
};

ThreadPool::ThreadPool(int threads) : shared_(std::make_shared<Shared>(std::max(threads, 1))) {
    try {
        for (int own = 1; own < shared_->threads; ++own)
            std::thread([shared = shared_, own] { shared->live(std::size_t(own)); }).detach();
    } catch (const std::system_error&) {
        // The system has no more threads for us: those that there are do all chunks.
    }
}

ThreadPool::~ThreadPool() {
    shared_->stopped = true;
    shared_->state += Shared::next_loop;
    shared_->state.notify_all();
}

int ThreadPool::sleeping() const {
    return shared_->sleeping;
}

void ThreadPool::run(Index chunks, Body body, const void* context) {
    Shared& shared = *shared_;
    const auto run_alone = [&] {
        for (Index c = 0; c < chunks; ++c)
            body(context, c);
    };
    if (chunks <= 1 || shared.threads == 1 || in_loop) return run_alone();
    const std::unique_lock mine(shared.busy, std::try_to_lock);
    if (!mine) return run_alone();

    shared.body = body;
    shared.context = context;
    const std::size_t threads = shared.range.size();
    for (std::size_t k = 0; k < threads; ++k) {
        const auto cut = [&](std::size_t n) { return Index(std::size_t(chunks) * n / threads); };
        shared.range[k].next.store(cut(k), std::memory_order_relaxed);
        shared.range[k].end = cut(k + 1);
    }
    shared.state.fetch_add(Shared::next_loop + Shared::open, std::memory_order_release);
    shared.state.notify_all();
    shared.work(0);
    shared.state.fetch_and(~Shared::open, std::memory_order_relaxed);
    while (shared.state.load(std::memory_order_acquire) & Shared::workers)
        shared.crowded ? std::this_thread::yield() : spin();
    if (shared.failed_chunk < 0) return;
    shared.failed_chunk = -1;
    std::rethrow_exception(std::exchange(shared.failure, nullptr));
}

}  // namespace taffeta
