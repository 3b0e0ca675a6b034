#include "ode/common.h"

#include <filesystem>

#include "ode/cloth_sheet.h"
#include "plot.h"
#include "taffeta/base/error.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/overrides.h"

namespace taffeta::app {

namespace {

void check_folder(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!file.empty() && !folder.empty() && !std::filesystem::is_directory(folder))
        fail_io(file, "the folder does not exist", "mkdir -p " + folder.string());
}

}  // namespace

void Outputs::add_to(Command& command, bool with_plot) {
    command.option("--csv", csv, "file for the rows, comma-separated");
    command.option("--json", json, "file for the rows as JSON");
    if (with_plot) command.option("--plot", plot, "picture, .svg or .png, by gnuplot");
}

void Outputs::check() const {
    if (!plot.empty()) plot::check(plot);
    check_folder(csv);
    check_folder(json);
}

void Outputs::write(const Table& table) const {
    if (!csv.empty()) write_text(csv, table.csv());
    if (!json.empty()) write_text(json, scene::write_json(table.json()) + "\n");
}

const std::vector<const ode::study::ProblemEntry*>& laboratory_problems() {
    static const std::vector<const ode::study::ProblemEntry*> all = [] {
        const auto registered = ode::study::problems();
        std::vector<const ode::study::ProblemEntry*> entries(registered.begin(), registered.end());
        entries.push_back(&cloth_sheet_entry());
        return entries;
    }();
    return all;
}

std::unique_ptr<ode::study::Problem> laboratory_problem(
    const std::string& key, const std::vector<std::string>& assignments) {
    const auto& all = laboratory_problems();
    const auto& entry = find_entry(Registry<ode::study::ProblemEntry>(all), "problem", key);
    Settings options = Settings::object();
    for (const std::string& assignment : assignments)
        scene::apply_override(options, assignment);
    auto problem = entry.make(options);
    problem->key = key;
    problem->first_order = entry.properties.first_order;
    problem->damped = entry.properties.damped;
    return problem;
}

}  // namespace taffeta::app
