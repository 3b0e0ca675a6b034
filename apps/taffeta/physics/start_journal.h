#pragma once

#include <map>
#include <string>
#include <tuple>

/// What long series of searches for equilibria leave behind as they go, so that an interrupt loses one search.
namespace taffeta::app::physics {

/// How one random start ended.
struct StartRecord {
    std::string status;  ///< as `sim::to_string`
    int iterations = 0, refused = 0;
    double gradient = 0;  ///< left, of the weight
    double floor = 0;     ///< what rounding leaves of it, where that ended the search
    double rise = 0;      ///< largest of an accepted step, of the energy
    double seconds = 0;

    bool ok() const { return status == "converged" || status == "at_rounding"; }
};

/// A CSV file with a line a start, written as each one ends. Opened again it tells what it holds, so that those need not
/// be repeated; a last line that is not whole is forgotten. The measured numbers are those of the build that made them.
class StartJournal {
  public:
    /// Without a file nothing is kept. Throws bad input for a file that is no journal, I/O where it cannot be written.
    explicit StartJournal(std::string file);

    /// nullptr where that start has not been made.
    const StartRecord* find(const std::string& scene, int vertices, int seed) const;
    const StartRecord& add(const std::string& scene, int vertices, int seed, StartRecord record);

  private:
    using Key = std::tuple<std::string, int, int>;

    void write_line(const Key& key, const StartRecord& record) const;

    std::string file_;
    std::map<Key, StartRecord> records_;
};

}  // namespace taffeta::app::physics
