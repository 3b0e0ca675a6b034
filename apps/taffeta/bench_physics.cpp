#include "bench_physics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "physics/findings.h"
#include "physics/page.h"
#include "table.h"
#include "taffeta/base/timer.h"
#include "taffeta/scene/json.h"

namespace taffeta::app {

namespace {

using physics::CaseEntry;
using physics::CaseResult;

struct PhysicsArguments {
    std::vector<std::string> cases;
    std::string page, csv, json, journal;
    bool quick = false, list = false;
    int starts = 200;
};

/// The cases of those keys, all where none is given.
std::vector<const CaseEntry*> chosen_cases(const std::vector<std::string>& keys) {
    if (keys.empty()) return physics::all_cases();
    std::vector<std::string> known;
    for (const CaseEntry* entry : physics::all_cases())
        known.emplace_back(entry->key);
    for (const std::string& key : keys)
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            const std::string near = nearest(key, known);
            fail_input(
                escaped(key), "is no case of the physics",
                near.empty() ? "known: " + joined(known) : fmt::format("did you mean '{}'?", near));
        }
    std::vector<const CaseEntry*> chosen;
    for (const CaseEntry* entry : physics::all_cases())
        if (std::find(keys.begin(), keys.end(), entry->key) != keys.end()) chosen.push_back(entry);
    return chosen;
}

Table table_of(const std::vector<CaseResult>& results) {
    Table table({"case", "quantity", "setup", "published", "measured", "limit", "passes"});
    for (const CaseResult& result : results)
        for (const physics::Finding& row : result.findings->rows())
            table.add({cell(result.entry->key), cell(row.quantity), cell(row.setup),
                       cell(row.published), cell(row.measured), cell(row.limit),
                       cell(row.passes())});
    return table;
}

void print_rows(const CaseResult& result) {
    fmt::print("{} ({:.1f} s)\n", result.entry->title, result.seconds);
    for (const physics::Finding& row : result.findings->rows())
        fmt::print("  {} {:<36} {:<40} published {:<14} measured {:<12.6g} {}\n",
                   row.passes() ? "pass" : "FAIL", row.quantity, row.setup,
                   row.published.empty() ? "-" : row.published, row.measured, row.limit);
    std::fflush(stdout);
}

/// True when all passed.
bool run_bench_physics(const PhysicsArguments& arguments) {
    const std::vector<const CaseEntry*> cases = chosen_cases(arguments.cases);
    if (arguments.list) {
        for (const CaseEntry* entry : cases)
            fmt::print("{:<20} {}\n", entry->key, entry->title);
        return true;
    }
    if (!arguments.page.empty()) {  // what stops the page stops it before the work
        const std::filesystem::path picture = physics::picture_of(arguments.page, *cases[0]);
        std::error_code ignored;
        std::filesystem::create_directories(picture.parent_path(), ignored);
        plot::check(picture.string());
    }
    const physics::Effort effort{arguments.quick, arguments.starts, arguments.journal};
    std::vector<CaseResult> results;
    int passed = 0, rows = 0;
    for (const CaseEntry* entry : cases) {
        CaseResult result{entry, std::make_shared<physics::Findings>(), 0};
        const Timer timer;
        entry->run(effort, *result.findings);
        result.seconds = timer.seconds();
        print_rows(result);
        passed += result.findings->passed();
        rows += int(result.findings->rows().size());
        results.push_back(std::move(result));
        // After every case: an interrupt loses one, not all.
        const Table table = table_of(results);
        if (!arguments.csv.empty()) write_text(arguments.csv, table.csv());
        if (!arguments.json.empty())
            write_text(arguments.json, scene::write_json(table.json()) + "\n");
        if (!arguments.page.empty()) physics::write_page(arguments.page, results, effort);
    }
    fmt::print("{} of {} published values are met in {} cases\n", passed, rows, results.size());
    return passed == rows;
}

}  // namespace

void add_bench_physics(Command bench, int& exit_status) {
    const auto arguments = std::make_shared<PhysicsArguments>();
    Command command = bench.subcommand(
        "physics", "published numbers of beams, fabrics and friction beside what is measured");
    command.option("cases", arguments->cases, "names of cases (--list); all where none is given");
    command.flag("--quick", arguments->quick, "coarser meshes and fewer repetitions");
    command.option("--starts", arguments->starts, "random starts of the equilibria")
        .show_default()
        .positive();
    command.option("--journal", arguments->journal,
                   "CSV file with a line for every random start as it ends; those that are there "
                   "are not repeated");
    command.flag("--list", arguments->list, "names the cases and runs none");
    command.option("--page", arguments->page,
                   "page of all results, .md; its pictures go into images/physics beside it");
    command.option("--csv", arguments->csv, "file for the rows");
    command.option("--json", arguments->json, "file for the rows");
    command.footer(
        "Exit status 1 when a value is missed.\n"
        "Example:  taffeta bench physics heavy_cantilever slope --csv physics.csv");
    command.action([arguments, &exit_status] {
        if (!run_bench_physics(*arguments)) exit_status = exit_numerics;
    });
}

}  // namespace taffeta::app
