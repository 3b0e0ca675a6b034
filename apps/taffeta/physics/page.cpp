#include "physics/page.h"

#include <fmt/format.h>

#include <cmath>

#include "table.h"
#include "taffeta/base/error.h"

namespace taffeta::app::physics {

namespace fs = std::filesystem;

namespace {

std::string measured_text(const Finding& row) {
    return std::isfinite(row.measured) ? fmt::format("{:.6g}", row.measured) : "—";
}

std::string summary(const std::vector<CaseResult>& results) {
    std::string out = "| case | values met |\n|---|---|\n";
    for (const CaseResult& result : results)
        out += fmt::format("| [{}](#{}) | {} of {} |\n", result.entry->title, result.entry->key,
                           result.findings->passed(), result.findings->rows().size());
    return out;
}

}  // namespace

fs::path picture_of(const std::string& page, const CaseEntry& entry) {
    return fs::path(page).parent_path() / "images" / "physics" / (std::string(entry.key) + ".png");
}

void write_page(const std::string& page, const std::vector<CaseResult>& results,
                const Effort& effort) {
    int passed = 0, rows = 0;
    for (const CaseResult& result : results) {
        passed += result.findings->passed();
        rows += int(result.findings->rows().size());
    }
    std::string out = fmt::format(
        "# Validation\n\nPublished numbers beside what is measured, written by `taffeta bench "
        "physics --starts {} --page`{}. {} of {} values are met; what is missed is marked.\n\n",
        effort.starts, effort.quick ? " with `--quick`, on coarser meshes" : "", passed, rows);
    out += summary(results);
    for (const CaseResult& result : results) {
        const Findings& findings = *result.findings;
        out += fmt::format("\n<a id=\"{}\"></a>\n## {}\n\n{}\n\n", result.entry->key,
                           result.entry->title, result.entry->doc);
        out +=
            "| quantity | set-up | published | measured | limit | |\n|---|---|---|---|---|---|\n";
        for (const Finding& row : findings.rows())
            out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.quantity, row.setup,
                               row.published.empty() ? "—" : row.published, measured_text(row),
                               row.limit, row.passes() ? "met" : "**missed**");
        if (!findings.remark.empty()) out += "\n" + findings.remark + "\n";
        if (findings.figure.panels.empty()) continue;
        const fs::path picture = picture_of(page, *result.entry);
        plot::write(findings.figure, picture.string());
        out +=
            fmt::format("\n![{}](images/physics/{}.png)\n", result.entry->title, result.entry->key);
    }
    write_text(page, out);
}

}  // namespace taffeta::app::physics
