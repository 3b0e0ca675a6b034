#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "physics/findings.h"

namespace taffeta::app::physics {

struct CaseResult {
    const CaseEntry* entry;
    std::shared_ptr<Findings> findings;
    double seconds;
};

/// The picture of a case beside a page.
std::filesystem::path picture_of(const std::string& page, const CaseEntry& entry);

/// Writes a page in Markdown with a summary, and a section, a table and a picture a case.
void write_page(const std::string& page, const std::vector<CaseResult>& results,
                const Effort& effort);

}  // namespace taffeta::app::physics
