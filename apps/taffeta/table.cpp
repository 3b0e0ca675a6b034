#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "taffeta/base/error.h"

namespace taffeta::app {

namespace {

std::string number_text(double value, int digits) {
    if (std::isnan(value)) return "-";
    if (value == std::round(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
    return digits > 0 ? fmt::format("{:.{}g}", value, digits) : fmt::format("{}", value);
}

std::string cell_text(const Settings& value, int digits) {
    switch (value.kind()) {
        case Settings::Kind::number:
            return number_text(value.number(), digits);
        case Settings::Kind::boolean:
            return value.boolean() ? "yes" : "no";
        case Settings::Kind::string:
            return value.string();
        default:
            return "";
    }
}

std::string csv_text(const Settings& value) {
    if (value.is(Settings::Kind::boolean)) return value.boolean() ? "true" : "false";
    if (value.is(Settings::Kind::number) && std::isnan(value.number())) return "";
    std::string text = cell_text(value, 0);
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

}  // namespace

void Table::add(std::vector<Settings> cells) {
    TAFFETA_ASSERT(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text(int digits) const {
    std::vector<std::size_t> width;
    std::vector<bool> left;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        width.push_back(columns_[c].size());
        left.push_back(false);
        for (const auto& row : rows_) {
            width[c] = std::max(width[c], cell_text(row[c], digits).size());
            if (row[c].is(Settings::Kind::string)) left[c] = true;
        }
    }
    std::string out;
    const auto line = [&](const auto& word_of) {
        std::string words;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::string word = word_of(c);
            words += c > 0 ? "  " : "";
            words += left[c] ? fmt::format("{:<{}}", word, width[c])
                             : fmt::format("{:>{}}", word, width[c]);
        }
        words.erase(words.find_last_not_of(' ') + 1);
        out += words + "\n";
    };
    line([&](std::size_t c) { return columns_[c]; });
    for (const auto& row : rows_)
        line([&](std::size_t c) { return cell_text(row[c], digits); });
    return out;
}

std::string Table::csv() const {
    std::string out;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        out += (c > 0 ? "," : "") + columns_[c];
    out += "\n";
    for (const auto& row : rows_) {
        for (std::size_t c = 0; c < columns_.size(); ++c)
            out += (c > 0 ? "," : "") + csv_text(row[c]);
        out += "\n";
    }
    return out;
}

Settings Table::json() const {
    Settings all = Settings::array();
    for (const auto& row : rows_) {
        Settings object = Settings::object();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const Settings& value = row[c];
            if (value.is(Settings::Kind::number) && !std::isfinite(value.number()))
                object[columns_[c]] =
                    std::isnan(value.number())
                        ? Settings()
                        : Settings::of(std::string(value.number() > 0 ? "inf" : "-inf"));
            else
                object[columns_[c]] = value;
        }
        all.items().push_back(std::move(object));
    }
    return all;
}

Settings cell(double value) {
    return Settings::of(value);
}
Settings cell(long value) {
    return Settings::of(double(value));
}
Settings cell(int value) {
    return Settings::of(double(value));
}
Settings cell(bool value) {
    return Settings::of(value);
}
Settings cell(const std::string& value) {
    return Settings::of(value);
}
Settings cell(const char* value) {
    return Settings::of(std::string(value));
}

void write_text(const std::string& file, const std::string& text) {
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) fail_io(file, "cannot write");
}

}  // namespace taffeta::app
