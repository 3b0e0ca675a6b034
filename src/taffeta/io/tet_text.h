#pragma once

#include <map>
#include <optional>
#include <vector>

#include "taffeta/io/text_reader.h"
#include "taffeta/mesh/tet_mesh.h"

/// What the readers of text files of tets share.
namespace taffeta::io {

/// The words of a text file, line ends being blanks.
class WordReader {
  public:
    WordReader(std::string_view text, std::string file)
        : lines_(without_mark(text), std::move(file), false) {}

    /// The next word; nothing at the end of the file.
    std::optional<std::string_view> next();
    /// The next word, or bad input: the file ends before `what`.
    std::string_view word(const char* what);
    double number(const char* what);  ///< finite
    /// A whole number of at least `low`.
    long long integer(const char* what, long long low);
    /// The rest of the present line, and moves on.
    std::string_view rest_of_line();
    void skip_line();  ///< the line after the present one

    int line() const { return lines_.number(); }
    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        lines_.fail(what, hint);
    }

  private:
    LineReader lines_;
    std::string_view rest_;
};

/// Collects nodes and elements by the file's own node numbers.
class TetSoup {
  public:
    /// False when the number is taken.
    bool add_node(long long number, const Vec3& position);
    void add_tet(const std::array<long long, 4>& corners, int line);
    void add_to_group(const std::string& group, long long node) { groups_[group].push_back(node); }
    void skip(bool quadratic) { ++(quadratic ? quadratic_ : skipped_); }

    /// The mesh, with reports of what was left out. Bad input: a tet names a node that is not there.
    mesh::TetMesh finish(const std::string& file, Diagnostics& diagnostics);

  private:
    std::map<long long, Index> node_;
    std::vector<Vec3> position_;
    std::vector<std::array<long long, 4>> tet_;
    std::vector<int> line_;
    std::map<std::string, std::vector<long long>> groups_;
    Index skipped_ = 0, quadratic_ = 0;
};

}  // namespace taffeta::io
