#include "taffeta/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "taffeta/base/parallel.h"

namespace taffeta {
namespace {

template <class Body>
void run(ThreadPool& pool, Index chunks, const Body& body) {
    pool.run(
        chunks, [](const void* of, Index c) { (*static_cast<const Body*>(of))(c); }, &body);
}

/// How many chunks of loops of all sizes were not done once. Each chunk has a number of its own.
int wrong_counts(ThreadPool& pool, int loops) {
    int wrong = 0;
    for (int loop = 0; loop < loops; ++loop) {
        const Index chunks = loop % 37;
        std::vector<int> done(std::size_t(chunks), 0);
        run(pool, chunks, [&](Index c) { ++done[std::size_t(c)]; });
        for (const int times : done)
            wrong += times != 1;
    }
    return wrong;
}

/// A loop of two chunks, of which each ends only when the other one has begun: no thread can do both.
void meet(ThreadPool& pool) {
    std::atomic<int> begun = 0;
    run(pool, 2, [&](Index) {
        ++begun;
        while (begun < 2)
            std::this_thread::yield();
    });
    EXPECT_EQ(begun, 2);
}

class ThreadPools : public testing::TestWithParam<int> {};

TEST_P(ThreadPools, DoEveryChunkOnce) {
    ThreadPool pool(GetParam());
    EXPECT_EQ(wrong_counts(pool, 20000), 0);
}

TEST_P(ThreadPools, WakeUpWhenTheyHaveSlept) {
    ThreadPool pool(GetParam());
    for (int nap = 0; nap < 200; ++nap) {
        // A sleeper looks a few times more before it is deaf to all but being woken.
        for (int looks = 0; pool.sleeping() < GetParam() - 1 || looks < 2000; ++looks)
            std::this_thread::yield();
        if (GetParam() > 1) meet(pool);  // needs one of them
        EXPECT_EQ(wrong_counts(pool, 40), 0);
    }
}

TEST_P(ThreadPools, ThrowWhatTheFirstChunkThrewAndGoOn) {
    ThreadPool pool(GetParam());
    for (int loop = 0; loop < 200; ++loop) {
        std::string said;
        try {
            run(pool, 40, [](Index c) {
                if (c % 13 == 5) throw std::runtime_error(std::to_string(c));
            });
        } catch (const std::runtime_error& error) {
            said = error.what();
        }
        EXPECT_EQ(said, "5");
        EXPECT_EQ(wrong_counts(pool, 38), 0);
    }
}

TEST_P(ThreadPools, RunLoopsInsideOfLoops) {
    ThreadPool pool(GetParam());
    std::vector<int> done(12 * 9, 0);
    run(pool, 12, [&](Index outer) {
        run(pool, 9, [&](Index inner) { ++done[std::size_t(9 * outer + inner)]; });
    });
    EXPECT_EQ(done, std::vector<int>(done.size(), 1));
}

TEST_P(ThreadPools, ServeCallersAtTheSameTime) {
    ThreadPool pool(GetParam());
    int wrong[3] = {-1, -1, -1};
    std::vector<std::thread> callers;
    for (int& mine : wrong)
        callers.emplace_back([&pool, &mine] { mine = wrong_counts(pool, 3000); });
    for (std::thread& caller : callers)
        caller.join();
    for (const int count : wrong)
        EXPECT_EQ(count, 0);
}

TEST_P(ThreadPools, ServeAForkedProcessThatHasNoWorkers) {
    ThreadPool pool(GetParam());
    EXPECT_EQ(wrong_counts(pool, 100), 0);
    const pid_t child = fork();
    if (child == 0) _exit(wrong_counts(pool, 100) == 0 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPools, testing::Values(1, 2, 3, 8),
                         testing::PrintToStringParamName());

TEST(ThreadPool, HasThreadsThatWorkTogether) {
    ThreadPool pool(2);
    meet(pool);
}

TEST(ThreadCount, CanChangeBetweenLoops) {
    const int before = thread_count();
    for (const int threads : {1, 3, 2, 8, 1}) {
        set_thread_count(threads);
        EXPECT_EQ(thread_count(), threads);
        std::vector<int> done(100, 0);
        parallel_for(100, 7, [&](Index i) { ++done[std::size_t(i)]; });
        EXPECT_EQ(done, std::vector<int>(100, 1));
    }
    set_thread_count(before);
}

}  // namespace
}  // namespace taffeta
