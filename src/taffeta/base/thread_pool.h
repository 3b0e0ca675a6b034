#pragma once

#include <memory>

#include "taffeta/base/types.h"

namespace taffeta {

/// Threads that wait for loops awake: a loop of ten microseconds is worth two of them, where what begins and ends it
/// takes half of one. After a while without a loop they sleep.
///
/// A loop is cut into one range of chunks for each thread, so that a thread meets the same ones again in the
/// next loop, and takes what others have left of theirs when its own is done. The caller needs no other thread: it
/// would do all chunks. So loops also end in a process that was forked, which has no threads but the one.
class ThreadPool {
  public:
    /// The caller of a loop is one of the threads.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Calls `body(context, c)` once for each c of [0, chunks). One that throws stops no other; what the first one
    /// of them threw, in the order of the chunks, is thrown when all are done. Inside of a loop, and while another
    /// thread has one running, all are done by the caller.
    void run(Index chunks, void (*body)(const void* context, Index chunk), const void* context);

    /// How many of the other threads have gone to sleep.
    int sleeping() const;

  private:
    struct Shared;
    /// Workers keep it, not the pool: nobody waits for them to end.
    std::shared_ptr<Shared> shared_;
};

}  // namespace taffeta
