#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "taffeta/base/error.h"
#include "taffeta/base/settings.h"
#include "taffeta/ode/tableau.h"

namespace taffeta::ode {

namespace {

constexpr std::size_t most_stages = 64;
constexpr std::size_t most_bytes = 1 << 20;

class TableauReader {
  public:
    explicit TableauReader(const std::string& path) : path_(path) {}

    Tableau read() {
        std::error_code error;
        const auto size = std::filesystem::file_size(path_, error);
        std::ifstream file(path_);
        if (error || !file) fail_io(path_, "the tableau cannot be opened");
        if (size > most_bytes)
            fail_input(path_, fmt::format("{} bytes are more than {}", size, most_bytes),
                       "a tableau is a short text file");
        std::string text;
        while (std::getline(file, text)) {
            ++line_;
            if (const std::size_t comment = text.find('#'); comment != text.npos)
                text.resize(comment);
            std::istringstream words(text);
            std::string keyword;
            if (words >> keyword) take(keyword, words);
        }
        if (file.bad()) fail_io(path_, "the tableau cannot be read to its end");
        check();
        return std::move(tableau_);
    }

  private:
    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_at(line_, what, hint);
    }
    [[noreturn]] void fail_at(int line, const std::string& what, const std::string& hint) const {
        fail_input(fmt::format("{}:{}", path_, line), what, hint);
    }

    void take(const std::string& keyword, std::istringstream& words) {
        if (keyword == "stages") {
            take_stages(words);
            return;
        }
        const bool known = keyword == "c" || keyword == "a" || keyword == "b" || keyword == "b_hat";
        if (!known) {
            const std::string near = nearest(keyword, {"stages", "c", "a", "b", "b_hat"});
            fail(fmt::format("unknown word '{}'", escaped(keyword)),
                 near.empty() ? "a line begins with stages, c, a, b or b_hat"
                              : fmt::format("did you mean '{}'?", near));
        }
        if (stages_ == 0)
            fail(fmt::format("'{}' before 'stages'", keyword),
                 "say first how many stages there are, such as: stages 4");
        std::vector<double> numbers = take_numbers(keyword, words);
        if (keyword == "a") {
            if (tableau_.a.size() == stages_)
                fail(fmt::format("a row 'a' more than the {} stages", stages_), "");
            check_row(numbers);
            a_lines_.push_back(line_);
            tableau_.a.push_back(std::move(numbers));
            return;
        }
        std::vector<double>& place = keyword == "c"   ? tableau_.c
                                     : keyword == "b" ? tableau_.b
                                                      : tableau_.b_hat;
        int& line = keyword == "c" ? c_line_ : keyword == "b" ? b_line_ : b_hat_line_;
        if (line > 0) fail(fmt::format("'{}' is there twice", keyword));
        line = line_;
        place = std::move(numbers);
    }

    void take_stages(std::istringstream& words) {
        if (stages_ > 0) fail("'stages' is there twice");
        std::string word, more;
        words >> word;
        char* end = nullptr;
        const double count = std::strtod(word.c_str(), &end);
        if (word.empty() || *end != '\0' || count != std::floor(count) || !(count >= 1) ||
            !(count <= double(most_stages)) || words >> more)
            fail(fmt::format("'stages' has the value '{}{}{}'", escaped(word),
                             more.empty() ? "" : " ", escaped(more)),
                 fmt::format("one integer from 1 to {}", most_stages));
        stages_ = std::size_t(count);
    }

    std::vector<double> take_numbers(const std::string& keyword, std::istringstream& words) {
        std::vector<double> numbers;
        std::string word;
        while (words >> word)
            numbers.push_back(take_number(word));
        if (numbers.size() != stages_)
            fail(fmt::format("'{}' has {} numbers for {} stages", keyword, numbers.size(), stages_),
                 keyword == "a" ? "write the zeros on and above the diagonal too" : "");
        return numbers;
    }

    /// `0.5`, `-1e-3`, `1/6`, `-25360/2187`
    double take_number(const std::string& word) const {
        char* end = nullptr;
        double value = std::strtod(word.c_str(), &end);
        bool good = end != word.c_str();
        if (good && *end == '/') {
            const char* below = end + 1;
            value /= std::strtod(below, &end);
            good = end != below;
        }
        if (!good || *end != '\0' || !std::isfinite(value))
            fail(fmt::format("'{}' is no number", escaped(word)),
                 "numbers are decimal, such as 0.25, or fractions, such as 1/4, without blanks");
        return value;
    }

    void check_row(const std::vector<double>& row) const {
        const std::size_t i = tableau_.a.size();
        for (std::size_t j = i; j < stages_; ++j)
            if (row[j] != 0)
                fail(fmt::format("stage {} has the weight {} on stage {}", i + 1, row[j], j + 1),
                     "an explicit method has zeros on and above the diagonal");
    }

    void check() const {
        const int end = std::max(line_, 1);
        if (stages_ == 0)
            fail_at(end, "the file has no 'stages'", "see docs/integrators.md for the format");
        if (c_line_ == 0) fail_at(end, "the file has no 'c'", "the times of the stages");
        if (tableau_.a.size() != stages_)
            fail_at(
                end,
                fmt::format("the file has {} rows 'a' for {} stages", tableau_.a.size(), stages_),
                "the first row is all zeros and must be there too");
        if (b_line_ == 0) fail_at(end, "the file has no 'b'", "the weights of the stages");
        for (std::size_t i = 0; i < stages_; ++i) {
            double sum = 0;
            for (const double weight : tableau_.a[i])
                sum += weight;
            if (!(std::abs(sum - tableau_.c[i]) <= 1e-12 * std::max(1.0, std::abs(sum))))
                fail_at(a_lines_[i],
                        fmt::format("row {} of A sums to {:.15g}, but c is {:.15g}", i + 1, sum,
                                    tableau_.c[i]),
                        "c_i is the sum of row i");
        }
        check_weights(tableau_.b, "b", b_line_);
        if (b_hat_line_ == 0) return;
        check_weights(tableau_.b_hat, "b_hat", b_hat_line_);
        if (tableau_.b == tableau_.b_hat)
            fail_at(b_hat_line_, "b_hat equals b", "the error would always be estimated as zero");
    }

    void check_weights(const std::vector<double>& weights, const char* name, int line) const {
        if (order_of(tableau_, weights, 1) == 1) return;
        double sum = 0;
        for (const double weight : weights)
            sum += weight;
        fail_at(line, fmt::format("the weights {} sum to {:.15g}", name, sum),
                "a method that converges has the sum 1");
    }

    const std::string& path_;
    Tableau tableau_;
    std::size_t stages_ = 0;
    int line_ = 0, c_line_ = 0, b_line_ = 0, b_hat_line_ = 0;
    std::vector<int> a_lines_;
};

}  // namespace

Tableau read_explicit_tableau(const std::string& path) {
    return TableauReader(path).read();
}

}  // namespace taffeta::ode
