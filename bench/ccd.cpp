#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "helpers/ccd_cases.h"
#include "taffeta/base/timer.h"
#include "taffeta/contact/ccd.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/ccd_filter.h"

/// Random exact touches and near misses, whose answers are known by construction, each also in other
/// words (scaled by a power of two, permuted, mirrored, exchanged, reversed in time). Counts wrong
/// answers and measures the cost of a query. Exit status 1 when one is wrong.
///
///     bench_ccd [cases [seed]]          10^5 cases when not said

int main(int count, char** words) {
    using namespace taffeta;
    using contact::FilterAnswer;
    const long cases = count > 1 ? std::atol(words[1]) : 100000;
    const unsigned long seed = count > 2 ? std::strtoul(words[2], nullptr, 10) : 1;
    if (cases < 1) {
        fmt::print(stderr, "usage: bench_ccd [cases [seed]]\n");
        return 2;
    }
    test::CcdCases source(seed);
    std::mt19937_64 random(seed);
    long wrong = 0, wrong_disguised = 0, wrong_exact = 0, wrong_filter = 0, unsure = 0,
         touching = 0;
    double total = 0, exact_total = 0;
    std::vector<float> microseconds;
    microseconds.reserve(std::size_t(cases));
    for (long k = 0; k < cases; ++k) {
        const test::CcdCase one = source.next();
        Timer timer;
        const bool answer = contact::touches(one.query);
        double seconds = timer.restart();
        // On a shared machine a long time is mostly another program's: it must be long again.
        for (int again = 0; again < 3 && seconds > 1e-3; ++again) {
            timer.restart();
            wrong += contact::touches(one.query) != answer;
            seconds = std::min(seconds, timer.restart());
        }
        const FilterAnswer filtered = contact::filter_touches(one.query);
        timer.restart();
        wrong_exact += contact::touches_exactly(one.query) != one.touch;
        exact_total += timer.restart();
        const int power = int(random() % 601) - 300;
        const contact::CcdQuery other = test::disguised(one.query, {power, unsigned(random())});
        wrong_disguised += contact::touches(other) != one.touch;
        wrong += answer != one.touch;
        wrong_filter += filtered == (one.touch ? FilterAnswer::apart : FilterAnswer::touching);
        unsure += filtered == FilterAnswer::unsure;
        touching += one.touch;
        total += seconds;
        microseconds.push_back(float(1e6 * seconds));
    }
    std::sort(microseconds.begin(), microseconds.end());
    const double n = double(cases);
    fmt::print("cases                    {:>12}\n", cases);
    fmt::print("  touching               {:>12}\n", touching);
    fmt::print("  decided by integers    {:>12}\n", unsure);
    fmt::print("wrong                    {:>12}\n", wrong);
    fmt::print("  in other words         {:>12}\n", wrong_disguised);
    fmt::print("  by integers alone      {:>12}\n", wrong_exact);
    fmt::print("  by the filter          {:>12}\n", wrong_filter);
    fmt::print("microseconds a query     mean {:.2f}, median {:.2f}, 99 % {:.1f}, most {:.0f}\n",
               1e6 * total / n, microseconds[microseconds.size() / 2],
               microseconds[microseconds.size() * 99 / 100], microseconds.back());
    fmt::print("  by integers alone      mean {:.2f}\n", 1e6 * exact_total / n);
    return wrong + wrong_disguised + wrong_exact + wrong_filter > 0 ? 1 : 0;
}
