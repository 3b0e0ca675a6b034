#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The tables of tests/bad_input: what must be said about every bad file.
namespace taffeta::testing {

/// One line, `file | exit status | part of a message | another part ...`.
struct Expectation {
    std::string file;
    int exit_status = 0;
    std::vector<std::string> parts;
};

/// The lines of `folder`/expected.txt, without comments.
std::vector<Expectation> read_expectations(const std::filesystem::path& folder);

}  // namespace taffeta::testing
