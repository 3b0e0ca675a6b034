#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "taffeta/scene/json.h"

namespace taffeta::scene {

namespace {

using Kind = Settings::Kind;

void write_string(std::string& out, const std::string& text) {
    out += '"';
    for (const char c : text) {
        const unsigned char byte = static_cast<unsigned char>(c);
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\r':
                out += "\\r";
                break;
            default:
                if (byte < 0x20 || byte == 0x7f)
                    out += fmt::format("\\u{:04x}", byte);
                else
                    out += c;
        }
    }
    out += '"';
}

bool is_compound(const Settings& value) {
    return value.is(Kind::array) || value.is(Kind::object);
}

class Writer {
  public:
    explicit Writer(int indent) : indent_(indent) {}

    void write(const Settings& value, int level) {
        switch (value.kind()) {
            case Kind::null:
                out_ += "null";
                break;
            case Kind::boolean:
                out_ += value.boolean() ? "true" : "false";
                break;
            case Kind::number:
                if (!std::isfinite(value.number())) value.fail("JSON cannot hold NaN or Infinity");
                out_ += fmt::format("{}", value.number());
                break;
            case Kind::string:
                write_string(out_, value.string());
                break;
            case Kind::array:
                write_array(value, level);
                break;
            case Kind::object:
                write_object(value, level);
                break;
        }
    }

    std::string take() { return std::move(out_); }

  private:
    void new_line(int level) {
        if (indent_ == 0) return;
        out_ += '\n';
        out_.append(std::size_t(level) * std::size_t(indent_), ' ');
    }

    void write_array(const Settings& value, int level) {
        const std::vector<Settings>& items = value.items();
        const bool one_line = std::none_of(items.begin(), items.end(), is_compound);
        out_ += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) out_ += indent_ > 0 && one_line ? ", " : ",";
            if (!one_line) new_line(level + 1);
            write(items[i], level + 1);
        }
        if (!one_line) new_line(level);
        out_ += ']';
    }

    void write_object(const Settings& value, int level) {
        out_ += '{';
        bool first = true;
        for (const auto& [key, member] : value.members()) {
            if (!first) out_ += ',';
            first = false;
            new_line(level + 1);
            write_string(out_, key);
            out_ += indent_ > 0 ? ": " : ":";
            write(member, level + 1);
        }
        if (!first) new_line(level);
        out_ += '}';
    }

    int indent_;
    std::string out_;
};

}  // namespace

std::string write_json(const Settings& value, int indent) {
    Writer writer(indent);
    writer.write(value, 0);
    return writer.take();
}

}  // namespace taffeta::scene
