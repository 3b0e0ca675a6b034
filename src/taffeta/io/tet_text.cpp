#include "taffeta/io/tet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taffeta::io {

std::optional<std::string_view> WordReader::next() {
    for (;;) {
        const std::string_view word = take_word(rest_);
        if (!word.empty()) return word;
        if (!lines_.next(rest_)) return std::nullopt;
    }
}

std::string_view WordReader::word(const char* what) {
    const auto found = next();
    if (!found) fail(fmt::format("the file ends where {} is expected", what));
    return *found;
}

double WordReader::number(const char* what) {
    const std::string_view text = word(what);
    double value = 0;
    if (!parse_number(text, value))
        fail(fmt::format("{}: '{}' is no number", what, shown(text)), number_hint(text));
    if (!std::isfinite(value)) fail(fmt::format("{}: '{}' is not finite", what, shown(text)));
    return value;
}

long long WordReader::integer(const char* what, long long low) {
    const double value = number(what);
    if (value != std::floor(value) || std::abs(value) > 9e15 || value < double(low))
        fail(fmt::format("{}: {} is not a whole number from {}", what, value, low));
    return static_cast<long long>(value);
}

std::string_view WordReader::rest_of_line() {
    const std::string_view rest = rest_;
    rest_ = {};
    return rest;
}

void WordReader::skip_line() {
    lines_.next(rest_);
    rest_ = {};
}

bool TetSoup::add_node(long long number, const Vec3& position) {
    const bool added = node_.try_emplace(number, Index(position_.size())).second;
    if (added) position_.push_back(position);
    return added;
}

void TetSoup::add_tet(const std::array<long long, 4>& corners, int line) {
    tet_.push_back(corners);
    line_.push_back(line);
}

mesh::TetMesh TetSoup::finish(const std::string& file, Diagnostics& diagnostics) {
    mesh::TetMesh made;
    made.source = file;
    made.tet_line = line_;
    std::vector<Index> kept(position_.size(), -1);
    for (std::size_t t = 0; t < tet_.size(); ++t)
        for (const long long number : tet_[t]) {
            const auto found = node_.find(number);
            if (found == node_.end())
                fail_input(fmt::format("{}:{}", file, line_[t]),
                           fmt::format("a tet names node {}, which is not there", number));
            kept[std::size_t(found->second)] = 0;
        }
    Index unused = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i] < 0) {
            ++unused;
            continue;
        }
        kept[i] = made.vertex_count();
        made.position.push_back(position_[i]);
    }
    for (const auto& corners : tet_) {
        mesh::Tet tet;
        for (std::size_t k = 0; k < 4; ++k)
            tet[k] = kept[std::size_t(node_.at(corners[k]))];
        made.tet.push_back(tet);
    }
    for (const auto& [name, nodes] : groups_) {
        std::vector<Index>& group = made.group[name];
        for (const long long number : nodes)
            if (const auto found = node_.find(number);
                found != node_.end() && kept[std::size_t(found->second)] >= 0)
                group.push_back(kept[std::size_t(found->second)]);
        std::sort(group.begin(), group.end());
        group.erase(std::unique(group.begin(), group.end()), group.end());
    }
    const auto note = [&](Severity severity, const std::string& message, const std::string& hint) {
        diagnostics.push_back({severity, file, message, hint});
    };
    if (unused > 0 || skipped_ > 0)
        note(Severity::note,
             fmt::format("{} nodes and {} elements that belong to no tet are left out", unused,
                         skipped_),
             {});
    if (quadratic_ > 0)
        note(Severity::warning,
             fmt::format("{} quadratic tets are read by their corners", quadratic_),
             "\"elements\": \"quadratic\" gives the body straight middles");
    return made;
}

}  // namespace taffeta::io
