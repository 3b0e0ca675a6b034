#pragma once

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

/// Calls `body(context, begin, end)` once for every chunk of `grain` indices of [0, size), in
/// parallel. One function for all loops: the scheduler's templates are compiled once.
void run_chunks(Index size, Index grain, void (*body)(const void* context, Index begin, Index end),
                const void* context);

/// Calls `body(begin, end)` once for every chunk of `grain` indices of [0, size), in parallel.
template <class Body>
void parallel_chunks(Index size, Index grain, const Body& body) {
    run_chunks(
        size, grain,
        [](const void* context, Index begin, Index end) {
            (*static_cast<const Body*>(context))(begin, end);
        },
        &body);
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
/// of threads. `Value` needs a zero-initialised state and +=. `partial` is scratch for the sums of the
/// chunks: nothing is allocated once it has its size.
template <class Value, class Part>
Value parallel_sum(Index size, Index grain, std::vector<Value>& partial, const Part& part) {
    partial.resize(static_cast<std::size_t>((size + grain - 1) / grain));
    parallel_chunks(size, grain, [&](Index begin, Index end) {
        partial[static_cast<std::size_t>(begin / grain)] = part(begin, end);
    });
    Value total{};
    for (const Value& value : partial)
        total += value;
    return total;
}

/// The same with scratch of its own.
template <class Value = double, class Part>
Value parallel_sum(Index size, Index grain, const Part& part) {
    const Index chunks = (size + grain - 1) / grain;
    if (chunks <= 1) return size > 0 ? part(Index(0), size) : Value{};
    std::vector<Value> partial;
    return parallel_sum(size, grain, partial, part);
}

}  // namespace taffeta
