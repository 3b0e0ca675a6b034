#include "physics/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta::app::physics {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

void Findings::within(const std::string& quantity, const std::string& setup, double published,
                      double measured, double part) {
    const double room = part * std::abs(published);
    rows_.push_back({quantity, setup, fmt::format("{:.6g}", published),
                     fmt::format("{:.3g} %", 100 * part), measured, published - room,
                     published + room});
}

void Findings::near(const std::string& quantity, const std::string& setup, double published,
                    double measured, double distance) {
    rows_.push_back({quantity, setup, fmt::format("{:.6g}", published),
                     fmt::format("± {:.3g}", distance), measured, published - distance,
                     published + distance});
}

void Findings::between(const std::string& quantity, const std::string& setup, double low,
                       double high, double measured) {
    rows_.push_back({quantity, setup, fmt::format("{:.4g} to {:.4g}", low, high), "in the range",
                     measured, low, high});
}

void Findings::at_most(const std::string& quantity, const std::string& setup, double high,
                       double measured) {
    rows_.push_back(
        {quantity, setup, "", fmt::format("at most {:.3g}", high), measured, -infinite, high});
}

void Findings::at_least(const std::string& quantity, const std::string& setup, double low,
                        double measured) {
    rows_.push_back(
        {quantity, setup, "", fmt::format("at least {:.3g}", low), measured, low, infinite});
}

void Findings::missing(const std::string& quantity, const std::string& setup,
                       const std::string& why) {
    rows_.push_back(
        {quantity, setup, "", why, std::numeric_limits<double>::quiet_NaN(), -infinite, infinite});
}

int Findings::passed() const {
    return int(
        std::count_if(rows_.begin(), rows_.end(), [](const Finding& row) { return row.passes(); }));
}

#define TAFFETA_CASE(key) extern const CaseEntry case_##key;
#include "physics/cases.inc"
#undef TAFFETA_CASE

const std::vector<const CaseEntry*>& all_cases() {
    static const std::vector<const CaseEntry*> cases = {
#define TAFFETA_CASE(key) &case_##key,
#include "physics/cases.inc"
#undef TAFFETA_CASE
    };
    return cases;
}

}  // namespace taffeta::app::physics
