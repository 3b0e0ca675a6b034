#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "ode/common.h"
#include "taffeta/base/error.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/overrides.h"

/// The methods that words on the command line ask for.
namespace taffeta::app {

namespace {

/// The families of [SOFA15], [HHT77] and [ChungHulbert93] at the values that have a name or a reference.
constexpr const char* variants[] = {"newmark:beta=0,gamma=1/2",
                                    "newmark:beta=1/6,gamma=1/2",
                                    "newmark:beta=1/12,gamma=1/2",
                                    "newmark:beta=0.3025,gamma=0.6",
                                    "hht_alpha:alpha=0.3",
                                    "generalised_alpha:rho_infinity=0",
                                    "generalised_alpha:rho_infinity=1",
                                    "sofa_euler_implicit:trapezoidal=true",
                                    "sofa_euler_explicit:symplectic=false",
                                    "sofa_newmark:beta=0.3025,gamma=0.6"};

/// Pieces between the commas that no bracket and no quotation mark holds together.
std::vector<std::string> pieces_of(const std::vector<std::string>& words) {
    std::vector<std::string> pieces;
    int depth = 0;
    bool quoted = false;
    // Words that were split at every comma before come together again.
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (depth > 0 || quoted) {
            pieces.back() += ',';
        } else {
            pieces.emplace_back();
        }
        for (std::size_t k = 0; k < words[i].size(); ++k) {
            const char c = words[i][k];
            if (c == '"' && (k == 0 || words[i][k - 1] != '\\')) quoted = !quoted;
            if (!quoted && (c == '{' || c == '[')) ++depth;
            if (!quoted && (c == '}' || c == ']')) --depth;
            if (c == ',' && depth <= 0 && !quoted) {
                pieces.emplace_back();
            } else if (!pieces.back().empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
                pieces.back() += c;
            }
        }
    }
    return pieces;
}

/// `1/6` as a decimal number, in a list too; other text as it is.
std::string without_fractions(const std::string& text) {
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
        std::vector<std::string> numbers;
        for (const std::string& piece : pieces_of({text.substr(1, text.size() - 2)}))
            numbers.push_back(without_fractions(piece));
        return "[" + joined(numbers) + "]";
    }
    const std::size_t bar = text.find('/');
    if (bar == std::string::npos) return text;
    char* end = nullptr;
    const std::string above = text.substr(0, bar), below = text.substr(bar + 1);
    const double numerator = std::strtod(above.c_str(), &end);
    if (above.empty() || *end != '\0') return text;
    const double denominator = std::strtod(below.c_str(), &end);
    if (below.empty() || *end != '\0' || !(denominator > 0)) return text;
    return fmt::format("{}", numerator / denominator);
}

/// One method as it was asked for.
struct MethodText {
    std::string label, key;
    Settings options = Settings::object();

    void assign(const std::string& assignment) {
        label += (label == key ? ":" : ",") + assignment;
        const std::size_t equals = assignment.find('=');
        scene::apply_override(
            options,
            assignment.substr(0, equals + 1) + without_fractions(assignment.substr(equals + 1)),
            label);
    }
};

MethodText from_json(const std::string& text) {
    MethodText method{.label = text, .key = {}, .options = scene::parse_json(text, text)};
    const Settings* type = method.options.find("type");
    if (!type || !type->is(Settings::Kind::string))
        fail_input(text, "has no 'type'", R"(such as {"type": "newmark", "beta": 0.25})");
    method.key = type->string();
    method.options.erase("type");
    return method;
}

std::vector<MethodText> read_texts(const std::vector<std::string>& words) {
    std::vector<MethodText> methods;
    for (const std::string& piece : pieces_of(words)) {
        const std::size_t colon = piece.find(':'), equals = piece.find('=');
        if (piece.empty())
            fail_input("methods", "a method is missing between commas", "such as rk4,bdf2");
        if (piece[0] == '{') {
            methods.push_back(from_json(piece));
        } else if (equals < colon) {
            if (methods.empty() || methods.back().label[0] == '{')
                fail_input(piece, "is an option without a method before it",
                           "such as newmark:beta=1/6,gamma=1/2");
            methods.back().assign(piece);
        } else {
            const std::string key = piece.substr(0, colon);
            methods.push_back({.label = key, .key = key});
            if (colon == std::string::npos) continue;
            if (equals == std::string::npos)
                fail_input(piece, "has no option=value behind the colon",
                           "such as newmark:beta=1/6,gamma=1/2");
            methods.back().assign(piece.substr(colon + 1));
        }
    }
    return methods;
}

void add_method(const MethodText& text, Methods& methods) {
    const ode::IntegratorEntry& entry = find_entry(ode::integrators(), "integrator", text.key);
    Settings options = text.options, newton = Settings::object();
    if (const Settings* given = options.find("newton")) {
        newton = *given;
        require_kind(newton, Settings::Kind::object);
        options.erase("newton");
    }
    methods.emplace_back(entry, options, newton, text.label);
}

bool add_group(const MethodText& text, Methods& methods) {
    const std::string& word = text.key;
    const bool general = word == "all" || word == "explicit" || word == "implicit";
    if (!general && word != "springs" && word != "variants") return false;
    if (!text.options.members().empty())
        fail_input(text.label, "options are of one method", "name it instead of '" + word + "'");
    if (word == "variants")
        for (const MethodText& variant : read_texts({std::begin(variants), std::end(variants)}))
            add_method(variant, methods);
    for (const ode::IntegratorEntry* entry : ode::integrators()) {
        const ode::IntegratorProperties& p = entry->properties;
        if (p.needs_springs ? word == "springs"
                            : word == "all" || (general && p.implicit == (word == "implicit")))
            methods.emplace_back(*entry);
    }
    return true;
}

}  // namespace

Methods laboratory_methods(const std::vector<std::string>& words,
                           const std::vector<std::string>& fallback) {
    Methods methods;
    for (const MethodText& text : read_texts(words.empty() ? fallback : words))
        if (!add_group(text, methods)) add_method(text, methods);
    return methods;
}

}  // namespace taffeta::app
