#include "physics/start_journal.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "table.h"
#include "taffeta/base/error.h"

namespace taffeta::app::physics {

namespace {

constexpr const char* journal_head =
    "scene,vertices,start,status,iterations,refused,gradient,floor,rise,seconds\n";

/// False where the line is not one of a journal.
bool read_line(const std::string& line, std::tuple<std::string, int, int>& key,
               StartRecord& record) {
    std::string words = line;
    for (char& c : words)
        if (c == ',') c = ' ';
    std::istringstream stream(words);
    stream >> std::get<0>(key) >> std::get<1>(key) >> std::get<2>(key) >> record.status >>
        record.iterations >> record.refused >> record.gradient >> record.floor >> record.rise >>
        record.seconds;
    return !stream.fail();
}

}  // namespace

StartJournal::StartJournal(std::string file) : file_(std::move(file)) {
    if (file_.empty()) return;
    std::ifstream stream(file_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::string whole = journal_head;
    if (!text.empty()) {
        if (text.rfind(journal_head, 0) != 0)
            fail_input(file_, "is no journal of random starts", "name another file");
        std::size_t begin = whole.size();
        for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos;
             begin = end + 1) {
            const std::string line = text.substr(begin, end - begin);
            Key key;
            StartRecord record;
            if (!read_line(line, key, record))
                fail_input(file_, "is no journal of random starts: " + escaped(line),
                           "name another file");
            records_[key] = record;
            whole += line + "\n";
        }
    }
    if (whole != text) write_text(file_, whole);
}

const StartRecord* StartJournal::find(const std::string& scene, int vertices, int seed) const {
    const auto found = records_.find({scene, vertices, seed});
    return found == records_.end() ? nullptr : &found->second;
}

const StartRecord& StartJournal::add(const std::string& scene, int vertices, int seed,
                                     StartRecord record) {
    const Key key{scene, vertices, seed};
    const StartRecord& kept = records_[key] = std::move(record);
    if (!file_.empty()) write_line(key, kept);
    return kept;
}

void StartJournal::write_line(const Key& key, const StartRecord& record) const {
    std::ofstream stream(file_, std::ios::binary | std::ios::app);
    stream << fmt::format("{},{},{},{},{},{},{:.4g},{:.4g},{:.4g},{:.2f}\n", std::get<0>(key),
                          std::get<1>(key), std::get<2>(key), record.status, record.iterations,
                          record.refused, record.gradient, record.floor, record.rise,
                          record.seconds);
    if (!stream.flush()) fail_io(file_, "cannot write");
}

}  // namespace taffeta::app::physics
