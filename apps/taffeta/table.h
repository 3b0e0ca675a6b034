#pragma once

#include <string>
#include <vector>

#include "taffeta/base/settings.h"

namespace taffeta::app {

/// Rows of measurements, for people, spreadsheets and programs.
class Table {
  public:
    explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

    /// Numbers, strings, booleans; null for what a row does not have.
    void add(std::vector<Settings> cells);
    bool empty() const { return rows_.empty(); }
    std::size_t size() const { return rows_.size(); }

    /// Aligned columns; numbers to `digits` digits, booleans as yes and no.
    std::string text(int digits = 4) const;
    /// RFC 4180: a line of names, then the rows, numbers in full.
    std::string csv() const;
    /// An array of objects. What JSON cannot say, NaN and infinities, is null and "inf".
    Settings json() const;

  private:
    std::vector<std::string> columns_;
    std::vector<std::vector<Settings>> rows_;
};

/// Cells by their types.
Settings cell(double value);
Settings cell(long value);
Settings cell(int value);
Settings cell(bool value);
Settings cell(const std::string& value);
Settings cell(const char* value);

/// Writes a file as a whole or throws an I/O error.
void write_text(const std::string& file, const std::string& text);

}  // namespace taffeta::app
