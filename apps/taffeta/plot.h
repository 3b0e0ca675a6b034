#pragma once

#include <limits>
#include <string>
#include <vector>

/// Pictures of measurements by gnuplot, which is a program of its own and is fed through a pipe.
///
///     plot::Figure figure;
///     figure.title = "Work and precision";
///     figure.panels.push_back({.x_label = "force evaluations", .y_label = "error", .log_x = true});
///     figure.panels[0].series.push_back({.label = "rk4", .x = work, .y = error});
///     plot::write(figure, "work.svg");
///
/// A figure is a grid of panels with one legend below them all, so that it covers no data. A series
/// has the same colour and mark in every panel where its label is the same.
namespace taffeta::app::plot {

enum class Style { line, points, line_points, impulses, filled };

struct Series {
    std::string label = {};              ///< empty: not in the legend
    std::vector<double> x = {}, y = {};  ///< not finite: a gap
    Style style = Style::line;
    bool dashed = false;
    bool thin = false;
    int color = -1;  ///< of the palette; -1: the next one, by the label
};

/// Values over a rectangle, rows from the lowest, drawn as filled bands between `levels`.
struct Field {
    double left = 0, right = 1, bottom = 0, top = 1;
    int columns = 0, rows = 0;
    std::vector<double> values = {};
    /// Bands from light to dark are shown below the last level; above it the ground stays white.
    std::vector<double> levels = {};
};

/// Empty series that name the bands of a field in the legend, the strongest first.
std::vector<Series> band_names(const std::vector<double>& levels, const std::string& quantity);

struct Bar {
    std::string label = {};
    double value = 0;
    int color = 0;
    std::string note = {};  ///< written at its end
};

struct Range {
    double low = std::numeric_limits<double>::quiet_NaN();  ///< not finite: from the data
    double high = std::numeric_limits<double>::quiet_NaN();
};

struct Panel {
    std::string title = {}, x_label = {}, y_label = {};
    bool log_x = false, log_y = false;
    Range x_range = {}, y_range = {};
    std::vector<Series> series = {};
    std::vector<Field> fields = {};
    std::vector<Bar> bars = {};                      ///< horizontal, from the top
    bool same_scale = false;                         ///< one unit has one length in x and y
    std::vector<double> x_lines = {}, y_lines = {};  ///< thin lines at these values
    bool small = false;             ///< of a gallery: small letters, little room about it
    double x_tics = 0, y_tics = 0;  ///< distance; 0: gnuplot's choice
};

struct Figure {
    std::string title = {};
    int columns = 1;
    int width = 0, height = 0;  ///< pixels; 0: by the number of panels
    std::vector<Panel> panels = {};
    bool legend = true;
};

/// The gnuplot commands of the figure; `file` decides the terminal. For tests and the curious.
std::string script(const Figure& figure, const std::string& file);

/// Writes the picture, `file` ending in .svg or .png. Throws bad input for another ending and where
/// gnuplot is missing, with how to install it, and an I/O error when the file cannot be written.
void write(const Figure& figure, const std::string& file);

/// Throws what `write` would before any work is done: for the start of a long measurement.
void check(const std::string& file);

}  // namespace taffeta::app::plot
