#include "bench_ccd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ccd_queries.h"
#include "taffeta/base/timer.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/ccd_filter.h"
#include "taffeta/scene/json.h"

namespace taffeta::app {

namespace {

struct CcdArguments {
    std::string queries, json;
    int repeats = 3;
    bool exact_only = false;
};

/// The smallest time that `part` of all do not exceed.
double quantile(const std::vector<double>& sorted, double part) {
    const double rank = std::ceil(part * double(sorted.size()));
    return sorted[std::size_t(std::max(1.0, rank)) - 1];
}

void run_bench_ccd(const CcdArguments& arguments) {
    const std::vector<LabelledQuery> queries = read_ccd_queries(arguments.queries);
    const auto answer = arguments.exact_only ? contact::touches_exactly : contact::touches;

    // Whole passes over the file, so that no query finds its data or its branches warm.
    const std::size_t repeats = std::size_t(arguments.repeats);
    std::vector<double> time(queries.size() * repeats);
    std::vector<char> answers(queries.size());
    for (std::size_t pass = 0; pass < repeats; ++pass)
        for (std::size_t k = 0; k < queries.size(); ++k) {
            const Timer timer;
            answers[k] = answer(queries[k].query);
            time[k * repeats + pass] = 1e6 * timer.seconds();
        }

    std::vector<double> median(queries.size());
    double total = 0;
    int unsure = 0;
    int false_positives = 0, false_negatives = 0;
    Settings disagreements = Settings::array();
    for (std::size_t k = 0; k < queries.size(); ++k) {
        const auto first = time.begin() + std::ptrdiff_t(k * repeats);
        const auto middle = first + std::ptrdiff_t(repeats / 2);
        std::nth_element(first, middle, first + std::ptrdiff_t(repeats));
        median[k] = *middle;
        total += median[k];
        unsure += contact::filter_touches(queries[k].query) == contact::FilterAnswer::unsure;
        const bool touch = answers[k] != 0;
        if (touch == queries[k].touch) continue;
        ++(touch ? false_positives : false_negatives);
        Settings one = Settings::object();
        one["query"] = Settings::of(double(k));
        one["kind"] = Settings::of(std::string(
            queries[k].query.kind == contact::CcdKind::edge_edge ? "edge_edge" : "vertex_face"));
        one["label"] = Settings::of(double(queries[k].touch));
        one["answer"] = Settings::of(double(touch));
        disagreements.items().push_back(std::move(one));
        fmt::print("query {}: the label says {}, we say {}\n", k, int(queries[k].touch),
                   int(touch));
    }
    std::sort(median.begin(), median.end());

    Settings record = Settings::object();
    record["queries"] = Settings::of(double(queries.size()));
    record["false_positives"] = Settings::of(double(false_positives));
    record["false_negatives"] = Settings::of(double(false_negatives));
    record["mean_us"] = Settings::of(total / double(queries.size()));
    record["median_us"] = Settings::of(quantile(median, 0.5));
    record["p99_us"] = Settings::of(quantile(median, 0.99));
    record["max_us"] = Settings::of(median.back());
    record["unsure"] = Settings::of(double(unsure));
    record["repeats"] = Settings::of(double(arguments.repeats));
    record["disagreements"] = std::move(disagreements);
    fmt::print(
        "{} queries, {} of them decided by integers: {} false positives, {} false negatives\n"
        "microseconds: mean {:.2f}, median {:.2f}, 99 % {:.1f}, most {:.1f} (median of {} passes, "
        "one thread)\n",
        queries.size(), arguments.exact_only ? int(queries.size()) : unsure, false_positives,
        false_negatives, record["mean_us"].number(), record["median_us"].number(),
        record["p99_us"].number(), record["max_us"].number(), arguments.repeats);
    if (arguments.json.empty()) return;
    std::ofstream file(arguments.json);
    file << scene::write_json(record) << "\n";
    if (!file.flush()) fail_io(arguments.json, "cannot write");
}

}  // namespace

void add_bench_ccd(Command bench) {
    const auto arguments = std::make_shared<CcdArguments>();
    Command command =
        bench.subcommand("ccd", "continuous collision detection on queries with known answers");
    command
        .option(
            "--queries", arguments->queries,
            "file of queries, plain or .xz: records of int32 kind (0 vertex and face, 1 edges), "
            "int32 label, 24 doubles")
        .required();
    command.option("--json", arguments->json, "file for the record");
    command
        .option("--repeats", arguments->repeats,
                "passes over the file; a query's time is its median")
        .show_default()
        .positive();
    command.flag("--exact-only", arguments->exact_only, "without the filter in doubles");
    command.footer("Example:  taffeta bench ccd --queries queries.bin.xz --json ccd.json");
    command.action([arguments] { run_bench_ccd(*arguments); });
}

}  // namespace taffeta::app
