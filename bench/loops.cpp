// What a parallel loop costs beyond its work, ours beside that of oneTBB where it is there.
//
//   build/release/bin/bench_loops --threads 2
//
// A loop has two chunks a thread, each of some microseconds, and serial work follows it, as in a V-cycle. Both kinds run
// in turns in one process; reported are medians of the time of a loop over its work shared out evenly. The floor is
// the way of a cache line to another core and back, 0.1 to 0.2 microseconds.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"

#if TAFFETA_TBB
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace {

using namespace taffeta;

constexpr int loops = 200, rounds = 15, chunks_a_thread = 2;
constexpr std::size_t apart = 16;  // doubles: no cache line is shared

[[noreturn]] void usage() {
    std::fputs("usage: bench_loops [--threads N]\n", stderr);
    std::exit(2);
}

int parse_threads(int argc, char** argv) {
    int threads = 2;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc || std::strcmp(argv[i], "--threads") != 0) usage();
        const char* const end = argv[i + 1] + std::strlen(argv[i + 1]);
        if (std::from_chars(argv[i + 1], end, threads).ptr != end || threads < 1) usage();
    }
    return threads;
}

/// A chain of so many operations that wait for each other.
double work(int length) {
    double x = 1;
    for (int i = 0; i < length; ++i)
        x = x * 1.0000001 + 1e-9;
    return x;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

using Loop = std::function<void(int chunks, int length, double* out)>;

void loop_ours(int chunks, int length, double* out) {
    parallel_for(chunks, 1, [=](Index i) { out[std::size_t(i) * apart] += work(length); });
}

/// Microseconds of one loop, without the serial work behind it.
double time_of(const Loop& loop, int chunks, int length, int gap, double* out) {
    double seconds = 0;
    for (int k = 0; k < loops; ++k) {
        const Timer timer;
        loop(chunks, length, out);
        seconds += timer.seconds();
        out[0] += work(gap);
    }
    return seconds / loops * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = parse_threads(argc, argv), chunks = chunks_a_thread * threads;
    set_thread_count(threads);
    std::vector<double> out(std::size_t(chunks) * apart);
    const Timer timer;
    out[0] += work(10'000'000);
    const double steps_a_microsecond = 1e7 / (timer.seconds() * 1e6);

    std::vector<Loop> kinds{loop_ours};
#if TAFFETA_TBB
    oneapi::tbb::task_arena arena(threads);
    kinds.push_back([&arena](int count, int length, double* to) {
        arena.execute([&] {
            oneapi::tbb::parallel_for(0, count,
                                      [=](int i) { to[std::size_t(i) * apart] += work(length); });
        });
    });
#endif
    fmt::print("{} threads, microseconds a loop beyond its work\n", threads);
    fmt::print("{:>12} {:>12} {:>8} {:>8}\n", "work/chunk", "serial work", "ours", "oneTBB");
    for (const double chunk : {1.0, 4.0, 16.0})
        for (const double gap : {2.0, 20.0, 100.0, 1000.0}) {
            const int length = int(chunk * steps_a_microsecond);
            std::vector<std::vector<double>> times(kinds.size());
            std::vector<double> alone;
            for (int round = 0; round < rounds; ++round) {
                for (std::size_t k = 0; k < kinds.size(); ++k)
                    times[k].push_back(time_of(kinds[k], chunks, length,
                                               int(gap * steps_a_microsecond), out.data()));
                const Timer serial;
                for (int n = 0; n < loops; ++n)
                    out[0] += work(length);
                alone.push_back(serial.seconds() / loops * 1e6);
            }
            fmt::print("{:>12} {:>12}", chunk, gap);
            for (const std::vector<double>& of_kind : times)
                fmt::print(" {:>8.2f}", median(of_kind) - chunks_a_thread * median(alone));
            fmt::print("{}\n", kinds.size() < 2 ? "   absent" : "");
        }
    return out[0] > 0 ? 0 : 1;
}
