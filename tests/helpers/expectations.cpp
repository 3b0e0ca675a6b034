#include "helpers/expectations.h"

#include <algorithm>
#include <fstream>

namespace taffeta::testing {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? ""
                                      : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::vector<Expectation> read_expectations(const std::filesystem::path& folder) {
    std::vector<Expectation> found;
    std::ifstream file(folder / "expected.txt");
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::vector<std::string> fields;
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find('|', begin), line.size());
            fields.push_back(trimmed(line.substr(begin, end - begin)));
            begin = end + 1;
        }
        found.push_back(
            {fields.at(0), std::stoi(fields.at(1)), {fields.begin() + 2, fields.end()}});
    }
    return found;
}

}  // namespace taffeta::testing
