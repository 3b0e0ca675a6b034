#include "plot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "taffeta/base/error.h"

namespace taffeta::app::plot {

namespace {

// Okabe and Ito's colours, which all eyes tell apart, without the yellow that white swallows.
constexpr const char* palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                   "#E69F00", "#56B4E9", "#222222", "#8C6BB1"};
constexpr int colors = int(std::size(palette));
// Of fields, from the band next to the ground to the innermost.
constexpr const char* band_colors[] = {"#D3E5F3", "#A6CBE6", "#6BA6D1", "#3379B4", "#0B4A86"};
constexpr int marks[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};  // filled ones first
constexpr int legend_row = 22, title_height = 34;            // pixels

std::string ending(const std::string& file) {
    return std::filesystem::path(file).extension().string();
}

/// "..." for gnuplot: quotes, backslashes and line ends could end the string.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "NaN";
}

/// Colours and marks by label, the same in all panels.
class Looks {
  public:
    explicit Looks(const Figure& figure) {
        for (const Panel& panel : figure.panels)
            for (const Series& series : panel.series)
                if (!series.label.empty() && !index_.contains(series.label)) {
                    index_[series.label] = int(order_.size());
                    order_.push_back(&series);
                }
    }
    const std::vector<const Series*>& order() const { return order_; }
    std::string of(const Series& series) const {
        const auto found = index_.find(series.label);
        const int k = series.color >= 0 ? series.color : found == index_.end() ? 6 : found->second;
        const int dash = series.dashed ? 2 : 1 + 2 * (k / colors % 3);
        const double width = series.thin ? 1 : 1.8;
        const std::string line =
            fmt::format("lc rgb \"{}\" lw {} dt {}", palette[k % colors], width, dash);
        const std::string mark = fmt::format("lc rgb \"{}\" pt {} ps 0.75", palette[k % colors],
                                             marks[std::size_t(k) % std::size(marks)]);
        switch (series.style) {
            case Style::line:
                return "with lines " + line;
            case Style::points:
                return "with points " + mark;
            case Style::impulses:
                return "with impulses " + line;
            case Style::filled:
                return fmt::format("with boxes lc rgb \"{}\" fs solid 1 noborder",
                                   band_colors[k % 5]);
            case Style::line_points:
                break;
        }
        return fmt::format("with linespoints {} pt {} ps 0.75", line,
                           marks[std::size_t(k) % std::size(marks)]);
    }

  private:
    std::map<std::string, int> index_;
    std::vector<const Series*> order_;
};

struct Layout {
    int width, height, rows, columns;
    int legend_rows = 0, legend_columns = 1;
    double legend = 0, title = 0;  ///< heights as parts of the whole
};

Layout layout_of(const Figure& figure, const Looks& looks) {
    Layout layout{};
    const int count = std::max(1, int(figure.panels.size()));
    layout.columns = std::clamp(figure.columns, 1, count);
    layout.rows = (count + layout.columns - 1) / layout.columns;
    layout.width = figure.width > 0 ? figure.width : std::max(640, 430 * layout.columns);
    std::size_t longest = 6;
    for (const Series* series : looks.order())
        longest = std::max(longest, series->label.size());
    if (figure.legend && !looks.order().empty()) {
        const int entry = int(longest) * 8 + 64;
        layout.legend_columns =
            std::clamp((layout.width - 40) / entry, 1, int(looks.order().size()));
        layout.legend_rows =
            (int(looks.order().size()) + layout.legend_columns - 1) / layout.legend_columns;
    }
    const int extra = (layout.legend_rows > 0 ? layout.legend_rows * legend_row + 10 : 0) +
                      (figure.title.empty() ? 0 : title_height);
    layout.height = figure.height > 0 ? figure.height : 330 * layout.rows + extra;
    if (layout.legend_rows > 0)
        layout.legend = double(layout.legend_rows * legend_row + 10) / layout.height;
    if (!figure.title.empty()) layout.title = double(title_height) / layout.height;
    return layout;
}

void write_axis(std::ostream& out, char axis, bool log, const Range& range, double distance) {
    if (log) {
        out << "set logscale " << axis << "\nset format " << axis << " \"10^{%T}\"\nset m" << axis
            << "tics 10\n";
    } else {
        out << "unset logscale " << axis << "\nset format " << axis << " \"%g\"\nunset m" << axis
            << "tics\n";
    }
    out << "set " << axis << "tics enhanced\n";  // bars of the panel before have names, not powers
    const auto end = [](double value) { return std::isfinite(value) ? number(value) : "*"; };
    out << "set " << axis << "range [" << end(range.low) << ":" << end(range.high) << "]\nset "
        << axis << "tics " << (distance > 0 ? number(distance) : "autofreq") << "\n";
}

/// $d<n> blocks of a panel's data; the plot elements that draw them.
std::vector<std::string> write_data(std::ostream& out, const Panel& panel, const Looks& looks,
                                    int& blocks) {
    std::vector<std::string> elements;
    for (const Field& field : panel.fields) {
        const int block = blocks++;
        out << "$d" << block << " << EOD\n";
        const auto& levels = field.levels;
        for (int row = 0; row < field.rows; ++row)
            for (int column = 0; column < field.columns; ++column) {
                const double value = field.values[std::size_t(row * field.columns + column)];
                // The band's number, so that few colours are needed; none above the last level.
                const auto above = std::upper_bound(levels.begin(), levels.end(), value);
                const double x =
                    field.left + (field.right - field.left) * column / (field.columns - 1);
                const double y = field.bottom + (field.top - field.bottom) * row / (field.rows - 1);
                const std::string band =
                    above == levels.end() || !std::isfinite(value)
                        ? "NaN"
                        : fmt::format("{}", levels.size() - std::size_t(above - levels.begin()));
                out << fmt::format("{:.5g} {:.5g} {}\n", x, y, band);
            }
        out << "EOD\n";
        out << "set palette defined (";
        for (std::size_t k = 0; k < std::size(band_colors); ++k)
            out << (k > 0 ? ", " : "") << k + 1 << " \"" << band_colors[k] << "\"";
        out << ")\nset cbrange [1:" << std::size(band_colors) << "]\nunset colorbox\n";
        elements.push_back(fmt::format("$d{} using 1:2:3 with image notitle", block));
    }
    for (const Series& series : panel.series) {
        const int block = blocks++;
        out << "$d" << block << " << EOD\n";
        for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
            const bool drawn = std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
                               (!panel.log_x || series.x[i] > 0) &&
                               (!panel.log_y || series.y[i] > 0);
            if (drawn) {
                out << number(series.x[i]) << " " << number(series.y[i]) << "\n";
            } else {
                out << "\n";  // a gap
            }
        }
        out << "EOD\n";
        if (!series.x.empty())
            elements.push_back(fmt::format("$d{} using 1:2 {} notitle", block, looks.of(series)));
    }
    if (!panel.bars.empty()) {
        const int block = blocks++;
        out << "$d" << block << " << EOD\n";
        for (std::size_t i = 0; i < panel.bars.size(); ++i)
            out << number(panel.bars[i].value) << " " << panel.bars.size() - i << " "
                << std::stoi(std::string(palette[panel.bars[i].color % colors]).substr(1), nullptr,
                             16)
                << " " << quoted(panel.bars[i].note) << " " << quoted(panel.bars[i].label) << "\n";
        out << "EOD\n";
        elements.push_back(
            fmt::format("$d{0} using ({1}):2:({1}):1:($2-0.36):($2+0.36):3:ytic(5) with boxxyerror "
                        "fs solid 0.9 "
                        "noborder lc rgb variable notitle",
                        block, panel.log_x ? number(panel.x_range.low) : "0"));
        elements.push_back(
            fmt::format("$d{} using 1:2:4 with labels left offset 0.5,0 noenhanced "
                        "font \",10\" notitle",
                        block));
    }
    return elements;
}

void write_panel(std::ostream& out, const Panel& panel, const Looks& looks, int& blocks) {
    out << "unset arrow\nunset label\nset title " << quoted(panel.title) << " noenhanced"
        << (panel.small ? panel.title.size() > 22 ? " font \",8\" offset 0,-0.7"
                                                  : " font \",10\" offset 0,-0.7"
                        : " font \",13\" offset 0,-0.3")
        << "\n";
    // Margins in letters; of a small panel none for the names of axes.
    out << (panel.small ? "set lmargin 3.2\nset rmargin 1\nset tmargin 1.5\nset bmargin 1.5\n"
                        : "unset lmargin\nunset rmargin\nunset tmargin\nunset bmargin\n")
        << "set grid xtics ytics\n"
        << (panel.small ? "set tics font \",8\" offset 0,0.4\nset ytics offset 0.6,0\n"
                        : "set tics font \",11\" offset 0,0\n");
    out << "set xlabel " << quoted(panel.x_label) << " noenhanced offset 0,0.2\n";
    out << "set ylabel " << quoted(panel.y_label) << " noenhanced\n";
    write_axis(out, 'x', panel.log_x, panel.x_range, panel.x_tics);
    write_axis(out, 'y', panel.log_y, panel.y_range, panel.y_tics);
    if (!panel.bars.empty())
        out << "set yrange [0.4:" << double(panel.bars.size()) + 0.6
            << "]\nset ytics scale 0 noenhanced\nset format y \"\"\nunset grid\nset grid xtics\n";
    out << (panel.same_scale ? "set size ratio -1\n" : "set size noratio\n");
    out << "set tics scale 0.6,0.3\n";
    for (const double x : panel.x_lines)
        out << fmt::format(
            "set arrow from {0}, graph 0 to {0}, graph 1 nohead lc rgb \"#555555\" lw 0.7 front\n",
            number(x));
    for (const double y : panel.y_lines)
        out << fmt::format(
            "set arrow from graph 0, first {0} to graph 1, first {0} nohead lc rgb \"#555555\" lw "
            "0.7 front\n",
            number(y));
    const std::vector<std::string> elements = write_data(out, panel, looks, blocks);
    if (elements.empty()) {
        out << "plot NaN notitle\n";
        return;
    }
    out << "plot ";
    for (std::size_t i = 0; i < elements.size(); ++i)
        out << (i > 0 ? ", \\\n     " : "") << elements[i];
    out << "\n";
}

void write_legend(std::ostream& out, const Layout& layout, const Looks& looks) {
    out << "unset arrow\nunset label\nunset title\nunset xlabel\nunset ylabel\nunset tics\nunset "
           "border\nunset grid\n"
           "unset logscale\nset size noratio\nset style fill solid\n"
        << fmt::format(
               "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\n"
               "set tmargin at screen {:.5f}\n",
               layout.legend)
        << fmt::format(
               "set key at screen 0.5, screen {:.5f} center center horizontal maxcols {} "
               "noenhanced samplen 2.2 width 1 spacing 1.05 Left reverse\n",
               layout.legend / 2, layout.legend_columns)
        << "set xrange [0:1]\nset yrange [0:1]\nplot ";
    for (std::size_t i = 0; i < looks.order().size(); ++i)
        out << (i > 0 ? ", \\\n     " : "") << "NaN " << looks.of(*looks.order()[i]) << " title "
            << quoted(looks.order()[i]->label);
    out << "\n";
}

/// A program of that name in the PATH.
bool in_path(const char* program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

}  // namespace

std::vector<Series> band_names(const std::vector<double>& levels, const std::string& quantity) {
    std::vector<Series> names;
    for (std::size_t k = 0; k < levels.size(); ++k)
        names.push_back({fmt::format("{} ≤ {:g}", quantity, std::round(1e6 * levels[k]) / 1e6),
                         {},
                         {},
                         Style::filled,
                         false,
                         false,
                         int(levels.size() - 1 - k)});
    return names;
}

std::string script(const Figure& figure, const std::string& file) {
    const Looks looks(figure);
    const Layout layout = layout_of(figure, looks);
    std::ostringstream out;
    const bool svg = ending(file) == ".svg";
    out << "set encoding utf8\n"
        << (svg ? fmt::format("set terminal svg size {},{} font \"DejaVu Sans,Helvetica,Arial,sans-"
                              "serif,12\" background \"#FFFFFF\" noenhanced enhanced\n",
                              layout.width, layout.height)
                : fmt::format("set terminal pngcairo size {},{} font \"DejaVu Sans,11\" background "
                              "\"#FFFFFF\" enhanced\n",
                              layout.width, layout.height))
        << "set output " << quoted(file) << "\n"
        << "set border 3 lc rgb \"#444444\" lw 1\nset tics nomirror textcolor rgb \"#222222\"\n"
           "set grid xtics ytics lc rgb \"#DDDDDD\" lw 0.8 lt 1\nset grid back\nunset key\n";
    out << "set multiplot\n";
    if (!figure.title.empty())
        out << "set label 1 " << quoted(figure.title)
            << fmt::format(" at screen 0.5, screen {:.5f} center noenhanced font \",15\"\n",
                           1 - layout.title / 2)
            << "set lmargin 0\nset rmargin 0\nunset border\nunset tics\nset xrange [0:1]\nset "
               "yrange [0:1]\nplot NaN notitle\nunset label 1\nset border 3\nset tics "
               "nomirror\nunset "
               "lmargin\nunset rmargin\n";
    const double width = 1.0 / layout.columns;
    const double height = (1 - layout.title - layout.legend) / layout.rows;
    int blocks = 0;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const int row = int(i) / layout.columns, column = int(i) % layout.columns;
        out << fmt::format("set origin {:.5f},{:.5f}\nset size {:.5f},{:.5f}\n", column * width,
                           layout.legend + (layout.rows - 1 - row) * height, width, height);
        write_panel(out, figure.panels[i], looks, blocks);
    }
    if (layout.legend_rows > 0) write_legend(out, layout, looks);
    out << "unset multiplot\nunset output\n";
    return out.str();
}

void check(const std::string& file) {
    if (ending(file) != ".svg" && ending(file) != ".png")
        fail_input(file, "a plot is written as .svg or .png", "--plot picture.svg");
    if (!in_path("gnuplot"))
        fail_input(file, "plots are drawn by gnuplot, which is not installed",
                   "apt install gnuplot-nox; --csv and --json need nothing");
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        fail_io(file, "the folder does not exist", "mkdir -p " + folder.string());
}

void write(const Figure& figure, const std::string& file) {
    check(file);
    const std::string commands = script(figure, file);
    // A gnuplot that ends early must be an error of ours, not a signal.
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    std::FILE* pipe = popen("gnuplot - >/dev/null 2>&1", "w");
    bool sent = pipe != nullptr;
    if (sent) sent = std::fwrite(commands.data(), 1, commands.size(), pipe) == commands.size();
    const int status = pipe ? pclose(pipe) : -1;
    std::signal(SIGPIPE, before);
    if (!sent || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !std::filesystem::exists(file))
        fail_io(file, "gnuplot could not draw this picture");
}

}  // namespace taffeta::app::plot
