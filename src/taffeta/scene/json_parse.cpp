#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "taffeta/base/utf8.h"
#include "taffeta/scene/json.h"

namespace taffeta::scene {

namespace {

/// Turns byte offsets into line and column.
class TextMap {
  public:
    TextMap(const std::string& text, const std::string& file) : file_(file) {
        line_start_.push_back(0);
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n' ||
                (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
                line_start_.push_back(i + 1);
    }

    Location at(std::size_t offset) const {
        const auto next = std::upper_bound(line_start_.begin(), line_start_.end(), offset);
        const int line = int(next - line_start_.begin());
        return {file_, line, int(offset - *(next - 1)) + 1};
    }

    [[noreturn]] void fail(std::size_t offset, const std::string& what,
                           const std::string& hint = {}) const {
        fail_input(at(offset).text(), what, hint);
    }

  private:
    std::string file_;
    std::vector<std::size_t> line_start_;
};

/// First byte at or after `position` that is neither white space, comment, comma nor colon: the
/// start of the next token, given that the parser has accepted what lies between.
std::size_t next_token(const std::string& text, std::size_t position) {
    while (position < text.size()) {
        const char c = text[position];
        if (c == '/') {
            const bool block = position + 1 < text.size() && text[position + 1] == '*';
            const std::size_t end = text.find(block ? "*/" : "\n", position + (block ? 2 : 1));
            if (end == std::string::npos) return text.size();
            position = end + (block ? 2 : 1);
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':') {
            ++position;
        } else {
            return position;
        }
    }
    return position;
}

/// The parser's input. Not the library's own string stream: of that the parser works on a copy
/// while it reads a string or number, so that nobody can ask where it stands.
class TextStream {
  public:
    using Ch = char;

    explicit TextStream(const std::string& text) : begin_(text.c_str()), here_(begin_) {}

    Ch Peek() const { return *here_; }
    Ch Take() { return *here_++; }
    std::size_t Tell() const { return std::size_t(here_ - begin_); }

    // Asked for by the library's concept, used for parsing in place only.
    Ch* PutBegin() { return nullptr; }
    void Put(Ch) {}
    void Flush() {}
    std::size_t PutEnd(Ch*) { return 0; }

  private:
    const char* begin_;
    const char* here_;
};

/// The SAX events build a tree on an explicit stack. The library reports where a token ends; where
/// it starts is found by walking on from the end of the token before.
class JsonBuilder {
  public:
    using Size = rapidjson::SizeType;

    JsonBuilder(const std::string& text, const TextMap& map, const TextStream& stream,
                const JsonLimits& limits)
        : text_(text), map_(map), stream_(stream), limits_(limits) {}

    bool Null() { return add_scalar(Settings()); }
    bool Bool(bool value) { return add_scalar(Settings::of(value)); }
    bool Int(int value) { return add_scalar(Settings::of(double(value))); }
    bool Uint(unsigned value) { return add_scalar(Settings::of(double(value))); }
    bool Int64(std::int64_t value) { return add_scalar(Settings::of(double(value))); }
    bool Uint64(std::uint64_t value) { return add_scalar(Settings::of(double(value))); }
    bool Double(double value) { return add_scalar(Settings::of(value)); }
    // Numbers come as text: std::from_chars rounds correctly whatever the locale.
    bool RawNumber(const char* digits, Size length, bool) {
        double value = 0;
        const auto [end, status] = std::from_chars(digits, digits + length, value);
        const std::size_t start = next_token(text_, token_end_);
        if (status == std::errc::result_out_of_range)
            map_.fail(start, fmt::format("number {} is out of range", std::string(digits, length)),
                      "the largest is about 1.8e308, the smallest about 5e-324");
        TAFFETA_ASSERT(status == std::errc() && end == digits + length);
        return add_scalar(Settings::of(value));
    }
    bool String(const char* characters, Size length, bool) {
        return add_scalar(Settings::of(checked(std::string(characters, length))));
    }
    bool Key(const char* characters, Size length, bool) {
        Frame& frame = stack_.back();
        frame.key = checked(std::string(characters, length));
        const std::size_t start = next_token(text_, token_end_);
        token_end_ = stream_.Tell();
        const auto [first, added] = frame.key_position.emplace(frame.key, start);
        if (!added)
            map_.fail(start, fmt::format("duplicate key '{}'", escaped(frame.key)),
                      "first given at " + map_.at(first->second).text());
        return true;
    }
    bool StartObject() { return open(Settings::object()); }
    bool StartArray() { return open(Settings::array()); }
    bool EndObject(Size) { return close(); }
    bool EndArray(Size) { return close(); }

    Settings& root() { return root_; }
    std::size_t token_end() const { return token_end_; }

  private:
    struct Frame {
        Settings value;
        std::string key;  ///< of the member that comes next
        std::unordered_map<std::string, std::size_t> key_position;
    };

    std::string checked(std::string text) const {
        if (text.find('\0') != std::string::npos)
            map_.fail(next_token(text_, token_end_), "a string may not hold NUL (\\u0000)");
        return text;
    }

    void place(Settings& value) {
        const std::size_t start = next_token(text_, token_end_);
        if (++values_ > limits_.values)
            map_.fail(start, fmt::format("more than {} values", limits_.values),
                      "keep large index lists in a mesh group");
        value.set_location(map_.at(start));
        token_end_ = start;
        if (stack_.empty()) return;
        const Frame& parent = stack_.back();
        const std::string& path = parent.value.path();
        if (parent.value.is(Settings::Kind::array))
            value.set_path(fmt::format("{}[{}]", path, parent.value.items().size()));
        else
            value.set_path(path.empty() ? parent.key : path + "." + parent.key);
    }

    void attach(Settings value) {
        if (stack_.empty())
            root_ = std::move(value);
        else if (stack_.back().value.is(Settings::Kind::array))
            stack_.back().value.items().push_back(std::move(value));
        else
            stack_.back().value.members().emplace_back(stack_.back().key, std::move(value));
    }

    bool add_scalar(Settings value) {
        place(value);
        token_end_ = stream_.Tell();
        attach(std::move(value));
        return true;
    }

    bool open(Settings value) {
        place(value);
        if (int(stack_.size()) >= limits_.depth)
            map_.fail(token_end_, fmt::format("nested deeper than {} levels", limits_.depth));
        ++token_end_;
        stack_.push_back({std::move(value), {}, {}});
        return true;
    }

    bool close() {
        token_end_ = next_token(text_, token_end_) + 1;
        Settings value = std::move(stack_.back().value);
        stack_.pop_back();
        attach(std::move(value));
        return true;
    }

    const std::string& text_;
    const TextMap& map_;
    const TextStream& stream_;
    const JsonLimits& limits_;
    std::vector<Frame> stack_;
    std::size_t token_end_ = 0;  ///< of the last token that an event reported
    std::size_t values_ = 0;
    Settings root_;
};

void check_characters(const std::string& text, const TextMap& map, const JsonLimits& limits) {
    if (text.size() > limits.bytes)
        fail_input(map.at(0).file, fmt::format("{} bytes is more than a scene may have ({})",
                                               text.size(), limits.bytes));
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\0') map.fail(i, "NUL byte", "is this a text file in UTF-8?");
        const std::size_t length = utf8_length(text, i);
        if (length == 0)
            map.fail(i,
                     fmt::format("byte 0x{:02x} is not valid UTF-8 text",
                                 static_cast<unsigned char>(text[i])),
                     "save the file as UTF-8");
        i += length;
    }
}

[[noreturn]] void fail_syntax(const std::string& text, const TextMap& map, std::size_t token_end,
                              std::size_t offset, rapidjson::ParseErrorCode code) {
    const std::size_t found = next_token(text, offset);
    if (found >= text.size() && code != rapidjson::kParseErrorDocumentEmpty)
        map.fail(text.size(), "the file ends in the middle of a value",
                 "a bracket, quote or comment is not closed");
    const char next = offset < text.size() ? text[offset] : '\0';
    const bool closes = next == '}' || next == ']';
    const std::string between = text.substr(token_end, offset - token_end);
    if (closes && between.find(',') != std::string::npos)
        map.fail(token_end + between.rfind(','), fmt::format("trailing comma before '{}'", next),
                 "JSON allows none: remove it");
    const std::size_t word = next_token(text, token_end);
    for (const char* name : {"NaN", "nan", "Inf", "inf", "-Inf", "-inf", "-NaN", "-nan"})
        if (text.compare(word, std::string(name).size(), name) == 0)
            map.fail(word, "NaN and Infinity are not JSON numbers");
    if (code == rapidjson::kParseErrorNumberTooBig)
        map.fail(word, "the number is out of range", "the largest is about 1.8e308");
    const bool control = offset < text.size() && static_cast<unsigned char>(text[offset]) < 0x20;
    if (control && (code == rapidjson::kParseErrorStringInvalidEncoding ||
                    code == rapidjson::kParseErrorStringEscapeInvalid))
        map.fail(offset, "a string may not hold a line end or control character",
                 "is its closing quote missing? Write \\n for a line end");
    std::string what = rapidjson::GetParseError_En(code);
    if (!what.empty() && what.back() == '.') what.pop_back();
    if (offset < text.size()) {
        const std::size_t end = text.find_first_of(" \t\r\n,:]}", offset + 1);
        const std::string near = text.substr(offset, std::min<std::size_t>(end - offset, 24));
        what += fmt::format(" at '{}'", escaped(near));
    }
    map.fail(offset, what);
}

}  // namespace

Settings parse_json(const std::string& source, const std::string& file_name,
                    const JsonLimits& limits) {
    const bool byte_order_mark = source.rfind("\xef\xbb\xbf", 0) == 0;
    const std::string text = byte_order_mark ? "   " + source.substr(3) : source;
    const TextMap map(text, file_name);
    check_characters(text, map, limits);

    constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseCommentsFlag |
                               rapidjson::kParseNumbersAsStringsFlag |
                               rapidjson::kParseValidateEncodingFlag;
    TextStream stream(text);
    JsonBuilder builder(text, map, stream, limits);
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<flags>(stream, builder);
    if (result.IsError())
        fail_syntax(text, map, builder.token_end(), result.Offset(), result.Code());
    return std::move(builder.root());
}

}  // namespace taffeta::scene
