#include "taffeta/scene/arcsim_material.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "taffeta/base/fields.h"
#include "taffeta/scene/files.h"
#include "taffeta/scene/json.h"

namespace taffeta::scene {

namespace {

using Table = std::vector<std::vector<double>>;

const Settings& required_member(const Settings& file, const char* key) {
    require_kind(file, Settings::Kind::object);
    const Settings* found = file.find(key);
    if (!found)
        file.fail(fmt::format("missing key '{}'", key),
                  "a fabric of ARCSim has density, stretching and bending");
    return *found;
}

Table read_table(const Settings& file, const char* key, std::size_t rows, std::size_t columns) {
    const Settings& value = required_member(file, key);
    require_kind(value, Settings::Kind::array);
    if (value.items().size() != rows)
        value.fail(fmt::format("'{}' has {} rows, not {}", key, value.items().size(), rows));
    Table read;
    for (const Settings& row : value.items()) {
        require_kind(row, Settings::Kind::array);
        if (row.items().size() != columns)
            row.fail(fmt::format("a row of '{}' has {} numbers, not {}", key, row.items().size(),
                                 columns));
        std::vector<double>& numbers = read.emplace_back();
        for (const Settings& number : row.items()) {
            require_kind(number, Settings::Kind::number);
            numbers.push_back(number.number());
        }
    }
    return read;
}

Settings measured_law(const Table& stretching) {
    Settings law = Settings::object();
    law["type"] = Settings::of(std::string("measured"));
    Settings& numbers = law["stretching"] = Settings::array();
    for (const std::vector<double>& row : stretching)
        for (const double number : row)
            numbers.items().push_back(Settings::of(number));
    return law;
}

Settings tangent_law(const Table& stretching) {
    const std::vector<double>& row = stretching[0];
    const double warp = 2 * std::max(0.0, row[0]), weft = 2 * std::max(0.0, row[2]);
    Settings law = Settings::object();
    law["type"] = Settings::of(std::string("baraff_witkin"));
    law["stretch_warp"] = Settings::of(warp);
    law["stretch_weft"] = Settings::of(weft);
    law["stretch_coupling"] = Settings::of(2 * std::max(0.0, row[1]));
    law["shear"] = Settings::of(std::max(0.0, row[3]));
    return law;
}

/// Mean over the curvatures of k/4; rows are directions of the edge, which is normal to the bending.
Settings mean_hinge(const Table& bending) {
    const auto mean = [&](std::size_t row) {
        double sum = 0;
        for (const double k : bending[row])
            sum += std::max(0.0, k);
        return sum / double(bending[row].size()) / 4;
    };
    Settings law = Settings::object();
    law["type"] = Settings::of(std::string("hinge"));
    law["warp"] = Settings::of(mean(2));
    law["weft"] = Settings::of(mean(0));
    law["bias"] = Settings::of(mean(1));
    return law;
}

}  // namespace

Settings arcsim_material(const std::filesystem::path& file, const std::string& membrane) {
    const Settings content =
        parse_json(read_regular_file(file, JsonLimits().bytes), escaped(file.string()));
    const Settings& density = required_member(content, "density");
    require_kind(density, Settings::Kind::number);
    const Table stretching = read_table(content, "stretching", 6, 4);
    const Table bending = read_table(content, "bending", 3, 5);
    Settings material = Settings::object();
    material["source"] = Settings::of("ARCSim file " + file.filename().string());
    material["density"] = density;
    material["membrane"] =
        membrane == "baraff_witkin" ? tangent_law(stretching) : measured_law(stretching);
    material["bending"] = mean_hinge(bending);
    return material;
}

}  // namespace taffeta::scene
