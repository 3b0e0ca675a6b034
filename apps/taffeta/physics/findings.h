#pragma once

#include <string>
#include <vector>

#include "plot.h"

/// What the cases of `taffeta bench physics` find: quantities with a published value or range, what was
/// measured, and whether it is near enough.
namespace taffeta::app::physics {

struct Finding {
    std::string quantity, setup;
    std::string published;  ///< the value or the range, as text
    std::string limit;      ///< what was allowed, as text
    double measured = 0;
    double low = 0, high = 0;

    /// Not finite passes nothing.
    bool passes() const { return measured >= low && measured <= high; }
};

/// How much work a case may do.
struct Effort {
    bool quick = false;   ///< coarser meshes and fewer repetitions, for a look
    int starts = 200;     ///< random starts of a search for equilibria
    std::string journal;  ///< of these starts (start_journal.h); empty: none
};

/// The rows and the picture of one case.
class Findings {
  public:
    /// Measured within `part` (0.01: one per cent) of the published value.
    void within(const std::string& quantity, const std::string& setup, double published,
                double measured, double part);
    /// Measured within a distance of the published value.
    void near(const std::string& quantity, const std::string& setup, double published,
              double measured, double distance);
    /// Measured in a published range.
    void between(const std::string& quantity, const std::string& setup, double low, double high,
                 double measured);
    void at_most(const std::string& quantity, const std::string& setup, double high,
                 double measured);
    void at_least(const std::string& quantity, const std::string& setup, double low,
                  double measured);
    /// What could not be measured: fails, with the reason in place of the limit.
    void missing(const std::string& quantity, const std::string& setup, const std::string& why);

    const std::vector<Finding>& rows() const { return rows_; }
    int passed() const;

    plot::Figure figure;  ///< without panels: no picture
    /// A sentence for the page, about what this run found.
    std::string remark;

  private:
    std::vector<Finding> rows_;
};

/// One case or family of cases: a file that defines `constinit const CaseEntry case_<key>` and a line in
/// cases.inc.
struct CaseEntry {
    const char* key;
    const char* title;
    const char* doc;  ///< a paragraph for the page: what is done and where the numbers are from
    void (*run)(const Effort& effort, Findings& findings);
};

/// All cases in the order of cases.inc.
const std::vector<const CaseEntry*>& all_cases();

}  // namespace taffeta::app::physics
