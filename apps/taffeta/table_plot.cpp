#include "table_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace taffeta::app {

namespace {

double number(const Settings& record, std::string_view key) {
    return record.find(key)->number();
}

std::string text(const Settings& record, std::string_view key) {
    return record.find(key)->string();
}

/// What tells a curve from the others of its scene: only what differs between records is named.
class Labels {
  public:
    explicit Labels(const std::vector<Settings>& records) {
        for (const Settings& record : records) {
            threads_.insert(number(record, "threads"));
            tessellations_.insert(text(record, "tessellation"));
        }
    }
    std::string of(const Settings& record) const {
        std::string label = without_threads(record);
        if (threads_.size() > 1)
            label += number(record, "threads") == 1
                         ? ", 1 thread"
                         : fmt::format(", {} threads", number(record, "threads"));
        return label;
    }

    std::string without_threads(const Settings& record) const {
        std::string label = text(record, "solver");
        if (tessellations_.size() > 1) label += ", " + text(record, "tessellation");
        return label;
    }
    double most_threads() const { return *threads_.rbegin(); }

  private:
    std::set<double> threads_;
    std::set<std::string> tessellations_;
};

/// A curve for each label, in the order in which labels appear.
plot::Panel curves(const std::vector<const Settings*>& records, const Labels& labels,
                   std::string_view key, double unit) {
    plot::Panel panel{.x_label = "vertices", .log_x = true, .log_y = true};
    for (const Settings* record : records) {
        const std::string label = labels.of(*record);
        auto curve = std::find_if(panel.series.begin(), panel.series.end(),
                                  [&](const plot::Series& s) { return s.label == label; });
        if (curve == panel.series.end())
            curve = panel.series.insert(panel.series.end(),
                                        {.label = label, .style = plot::Style::line_points});
        curve->x.push_back(number(*record, "vertices"));
        curve->y.push_back(unit * number(*record, key));
    }
    return panel;
}

/// Milliseconds of the parts of a solve on the largest mesh with most threads, a bar each.
plot::Panel parts(const std::vector<const Settings*>& records, const Labels& labels) {
    double largest = 0, longest = 0;
    for (const Settings* record : records)
        largest = std::max(largest, number(*record, "vertices"));
    plot::Panel panel{.x_label = "milliseconds"};
    for (const Settings* record : records) {
        if (number(*record, "vertices") != largest ||
            number(*record, "threads") != labels.most_threads())
            continue;
        const double prefilter = number(*record, "prefilter_s");
        const std::pair<const char*, double> times[] = {
            {"prefiltering", prefilter},
            {"set-up", number(*record, "setup_s")},
            {"iterations", number(*record, "solve_s") - prefilter}};
        for (int k = 0; k < 3; ++k) {
            longest = std::max(longest, 1e3 * times[k].second);
            panel.bars.push_back({.label = labels.without_threads(*record) + ": " + times[k].first,
                                  .value = 1e3 * times[k].second,
                                  .color = k,
                                  .note = fmt::format("{:.3g}", 1e3 * times[k].second)});
        }
    }
    panel.title = fmt::format("parts of a solve at {:.0f} vertices", largest);
    panel.x_range = {0, 1.25 * longest};  // room for the note of the longest bar
    panel.x_tics = std::pow(10, std::floor(std::log10(std::max(longest, 1e-6))));
    if (longest / panel.x_tics > 5) panel.x_tics *= 2;
    if (longest / panel.x_tics < 2) panel.x_tics /= 4;
    return panel;
}

}  // namespace

plot::Figure table_figure(const Settings& records) {
    const Labels labels(records.items());
    std::vector<std::string> scenes;
    for (const Settings& record : records.items())
        if (std::find(scenes.begin(), scenes.end(), text(record, "scene")) == scenes.end())
            scenes.push_back(text(record, "scene"));
    plot::Figure figure{
        .title = "Solvers on the systems of an animation", .columns = 3, .width = 1500};
    for (const std::string& scene : scenes) {
        std::vector<const Settings*> own;
        for (const Settings& record : records.items())
            if (text(record, "scene") == scene) own.push_back(&record);
        plot::Panel time = curves(own, labels, "total_s", 1e3);
        time.title = scene;
        time.y_label = "milliseconds a solve, with set-up";
        plot::Panel iterations = curves(own, labels, "iterations", 1);
        iterations.title = scene;
        iterations.y_label = "iterations";
        figure.panels.push_back(std::move(time));
        figure.panels.push_back(std::move(iterations));
        figure.panels.push_back(parts(own, labels));
    }
    return figure;
}

}  // namespace taffeta::app
