#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taffeta/base/error.h"

/// A neutral tree of keys and values, so that no layer below `scene` ever sees JSON. Every value
/// remembers the file, line and column it came from, for errors that point.
namespace taffeta {

struct Location {
    std::string file;
    int line = 0;    ///< from 1; 0 when the value came from no file
    int column = 0;  ///< from 1, in bytes

    std::string text() const;  ///< `file:line:column`, or `file`, or empty
};

class Settings {
  public:
    enum class Kind { null, boolean, number, string, array, object };
    using Member = std::pair<std::string, Settings>;

    Settings();
    Settings(const Settings&);
    Settings(Settings&&) noexcept;
    Settings& operator=(const Settings&);
    Settings& operator=(Settings&&) noexcept;
    ~Settings();
    static Settings of(bool value);
    static Settings of(double value);
    static Settings of(std::string value);
    static Settings array();
    static Settings object();

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }
    bool boolean() const { return boolean_; }
    double number() const { return number_; }
    const std::string& string() const { return string_; }
    const std::vector<Settings>& items() const { return items_; }
    std::vector<Settings>& items() { return items_; }
    /// In the order of the file.
    const std::vector<Member>& members() const { return members_; }
    std::vector<Member>& members() { return members_; }

    /// The value under a key of an object, or nullptr.
    const Settings* find(std::string_view key) const;
    /// The value under a key, inserted as null when missing.
    Settings& operator[](std::string_view key);
    void erase(std::string_view key);

    const Location& location() const { return location_; }
    void set_location(Location location) { location_ = std::move(location); }
    /// The path of this value in its document, such as `bodies[0].pins[1].box`.
    const std::string& path() const { return path_; }
    void set_path(std::string path) { path_ = std::move(path); }

    /// Throws bad input at this value: `file:line:column: path: what (hint)`.
    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

  private:
    Kind kind_ = Kind::null;
    bool boolean_ = false;
    double number_ = 0;
    std::string string_;
    std::vector<Settings> items_;
    std::vector<Member> members_;
    Location location_;
    std::string path_;
};

const char* to_string(Settings::Kind kind);

/// The candidate nearest to `word` by edit distance, empty when none is near enough to suggest.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `a, b, c`, for messages.
std::string joined(const std::vector<std::string>& words);

}  // namespace taffeta
