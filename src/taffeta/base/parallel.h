#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <vector>

#include "taffeta/base/types.h"

/// Threads, deterministically: the work is cut into chunks that depend on the problem only, never
/// on the number of threads, so a loop writes the same bits and a sum adds in the same order for
/// 1..N threads. (A reduction that follows the scheduler, as OpenMP's does, would not.)
namespace taffeta {

/// Threads used from now on by every parallel loop; 0 means all cores.
void set_thread_count(int threads);
int thread_count();

/// The arena that all loops run in: it has as many threads as asked for, also beyond the cores.
oneapi::tbb::task_arena& thread_arena();

/// Calls `body(begin, end)` once for every chunk of `grain` indices of [0, size), in parallel.
template <class Body>
void parallel_chunks(Index size, Index grain, const Body& body) {
    const Index chunks = (size + grain - 1) / grain;
    const auto run = [&](Index c) { body(c * grain, std::min(size, (c + 1) * grain)); };
    if (chunks <= 1 || thread_count() == 1) {
        for (Index c = 0; c < chunks; ++c)
            run(c);
        return;
    }
    thread_arena().execute([&] {
        oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<Index>(0, chunks),
                                  [&](const oneapi::tbb::blocked_range<Index>& range) {
                                      for (Index c = range.begin(); c != range.end(); ++c)
                                          run(c);
                                  });
    });
}

/// Calls `body(i)` for every i of [0, size), in parallel, `grain` of them a task.
template <class Body>
void parallel_for(Index size, Index grain, const Body& body) {
    parallel_chunks(size, grain, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
            body(i);
    });
}

/// Sum of `part(begin, end)` over the chunks, added in chunk order: the same bits for any number
/// of threads. `Value` needs a zero-initialised state and +=.
template <class Value = double, class Part>
Value parallel_sum(Index size, Index grain, const Part& part) {
    const Index chunks = (size + grain - 1) / grain;
    if (chunks <= 1) return size > 0 ? part(Index(0), size) : Value{};
    std::vector<Value> partial(static_cast<std::size_t>(chunks));
    parallel_chunks(size, grain, [&](Index begin, Index end) {
        partial[static_cast<std::size_t>(begin / grain)] = part(begin, end);
    });
    Value total{};
    for (const Value& value : partial)
        total += value;
    return total;
}

}  // namespace taffeta
